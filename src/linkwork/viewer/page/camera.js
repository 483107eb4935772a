// A camera on a sphere about its target, z up: drag turns, shift or the right button moves, the wheel zooms.
class Camera {
  constructor(canvas, view, changed) {
    Object.assign(this, { canvas, first: view, changed });
    this.shift = [0, 0, 0];  // by which the thing that is followed has moved
    this.reset();
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      if (event.shiftKey || event.buttons & 6) this.pan(event.movementX, event.movementY);
      else this.orbit(event.movementX, event.movementY);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.distance *= Math.exp(Math.max(-0.3, Math.min(0.3, event.deltaY * 0.0012)));
      this.changed();
    }, { passive: false });
  }

  reset() {
    const view = this.first;
    this.target = [...view.centre];
    this.azimuth = view.azimuth * Math.PI / 180;
    this.elevation = view.elevation * Math.PI / 180;
    this.distance = view.radius / Math.sin(this.angle / 2);
    this.changed();
  }

  get angle() { return 35 * Math.PI / 180; }

  orbit(x, y) {
    this.azimuth -= x * 0.008;
    this.elevation = Math.max(-1.55, Math.min(1.55, this.elevation + y * 0.008));
    this.changed();
  }

  pan(x, y) {
    const [right, up] = this.axes(), s = 2 * this.distance * Math.tan(this.angle / 2) / this.canvas.clientHeight;
    this.target = add(add(this.target, right, -x * s), up, y * s);
    this.changed();
  }

  towards() {
    const c = Math.cos(this.elevation);
    return [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation)];
  }

  axes() {
    const n = this.towards(), right = [-Math.sin(this.azimuth), Math.cos(this.azimuth), 0];
    return [right, cross(n, right), n];
  }

  matrix(aspect) {
    const [r, u, n] = this.axes(), eye = add(add(this.target, this.shift), n, this.distance);
    const look = [r[0], u[0], n[0], 0, r[1], u[1], n[1], 0, r[2], u[2], n[2], 0, -dot(r, eye), -dot(u, eye), -dot(n, eye), 1];
    // the angle holds for the smaller side of the window
    const f = 1 / Math.tan(this.angle / 2) * Math.min(1, aspect), near = this.distance * 0.02, far = this.distance * 60;
    return product([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0], look);
  }
}
