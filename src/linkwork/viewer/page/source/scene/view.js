// The camera: framing that knows what is covered, views, perspective or orthographic, following without a jump.
import { OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const ANGLE = 32; // degrees, of the whole canvas from top to bottom
const MARGIN = 0.1; // of the free canvas at each side
const EASE = 0.06, NEAR = 0.02; // of the way back to the middle in each picture, and of the distance: near enough
const VIEWS = { front: [-90, 0], top: [-90, 89.99], side: [0, 0] };

export class View {
  /** @param {HTMLCanvasElement} canvas @param {object} facts `show.view` @param {() => void} changed */
  constructor(canvas, facts, changed) {
    Object.assign(this, { canvas, facts, changed });
    this.perspective = new PerspectiveCamera(ANGLE, 1, 0.01, 1000);
    this.flat = new OrthographicCamera(-1, 1, 1, -1, 0.01, 1000);
    for (const camera of [this.perspective, this.flat]) camera.up.set(0, 0, 1);
    this.camera = this.perspective;
    this.controls = new OrbitControls(this.perspective, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", changed);
    this.controls.addEventListener("start", () => { this.touched = true; });
    this.touched = false; // whether the visitor has chosen a view
    /** the part of the canvas that nothing covers, CSS points */
    this.free = { x: 0, y: 0, width: 1, height: 1 };
    this.followed = null;
    this.easing = false; // on the way to having in the middle what is followed
    this.columns = 1; // pictures side by side
    this.look(facts.azimuth, facts.elevation);
  }

  get target() { return this.controls.target; }

  get distance() { return this.camera.position.distanceTo(this.target); }

  get towards() { return this.camera.position.clone().sub(this.target).normalize(); }

  look(azimuth, elevation) {
    const a = azimuth * Math.PI / 180, e = elevation * Math.PI / 180;
    const n = new Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e));
    const distance = this.distance > 0 && this.asked ? this.distance : 4 * this.facts.radius;
    if (!this.asked) this.target.set(...this.facts.centre);
    this.asked = true;
    this.camera.position.copy(this.target).addScaledVector(n, distance);
    this.update();
  }

  view(name) {
    this.look(...(VIEWS[name] || [this.facts.azimuth, this.facts.elevation]));
    this.touched = false;
  }

  /** perspective or parallel, with what is looked at as large as before */
  orthographic(on) {
    const next = on ? this.flat : this.perspective;
    if (next === this.camera) return;
    next.position.copy(this.camera.position);
    if (on) this.flat.zoom = 1 / (this.distance * Math.tan(ANGLE * Math.PI / 360));
    else next.position.copy(this.target).addScaledVector(this.towards, 1 / (this.flat.zoom * Math.tan(ANGLE * Math.PI / 360)));
    this.camera = this.controls.object = next;
    this.update();
  }

  update() {
    const { clientWidth: w, clientHeight: h } = this.canvas, { free } = this;
    const x = w / 2 - (free.x + free.width / 2), y = h / 2 - (free.y + free.height / 2);
    this.perspective.aspect = w / h;
    Object.assign(this.flat, { left: -w / h, right: w / h, top: 1, bottom: -1 });
    const reach = Math.max(this.distance, this.facts.radius);
    Object.assign(this.camera, { near: 0.004 * reach, far: 60 * reach });
    this.camera.setViewOffset(w, h, x, y, w, h);
    this.camera.lookAt(this.target);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.changed();
  }

  /** put points into the free part of the canvas, as large as they go */
  fit(points) {
    if (!points.length) return;
    const { clientHeight: h } = this.canvas, room = 1 - 2 * MARGIN;
    const towards = this.towards, right = new Vector3(0, 0, 1).cross(towards).normalize(), up = towards.clone().cross(right);
    const flat = this.camera === this.flat, tan = Math.tan(ANGLE * Math.PI / 360);
    const tx = tan * room * this.free.width / this.columns / h, ty = tan * room * this.free.height / h;
    const across = points.map((p) => [p.dot(right), p.dot(up), p.dot(towards)]);
    const most = (value) => across.reduce((best, p) => Math.max(best, value(p)), -Infinity);
    // |x - sx| <= tx (d - z) for every point: the least d, and the middle sx
    const sides = [[0, tx], [1, ty]].map(([k, t]) => {
      const a = most((p) => p[k] + (flat ? 0 : t * p[2])), b = most((p) => -p[k] + (flat ? 0 : t * p[2]));
      return { middle: (a - b) / 2, d: (a + b) / (2 * t) };
    });
    const least = 0.02 * this.facts.radius, d = Math.max(sides[0].d, sides[1].d, least);
    const deep = flat ? most((p) => p[2]) : (most((p) => p[2]) - most((p) => -p[2])) / 2;
    const eye = flat ? deep + Math.max(d, 4 * this.facts.radius) : d;
    const place = (z) => right.clone().multiplyScalar(sides[0].middle).addScaledVector(up, sides[1].middle).addScaledVector(towards, z);
    this.target.copy(place(deep));
    this.camera.position.copy(place(eye));
    if (flat) this.flat.zoom = 1 / (d * tan);
    this.update();
  }

  /** go with a point; the first one only begins it */
  follow(point) {
    if (this.followed && point) {
      const step = point.clone().sub(this.followed);
      if (this.easing) {
        const back = point.clone().sub(this.target).sub(step);
        if (back.length() < NEAR * this.distance) this.easing = false;
        step.addScaledVector(back, EASE);
      }
      this.target.add(step);
      this.camera.position.add(step);
      this.camera.updateMatrixWorld();
    }
    this.followed = point ? point.clone() : null;
  }

  /** points of the canvas for a metre across, where the camera looks */
  pointsPerMetre() {
    const { clientHeight: h } = this.canvas;
    return this.camera === this.flat ? h * this.flat.zoom / 2 : h / (2 * this.distance * Math.tan(ANGLE * Math.PI / 360));
  }

  /** where a point of the world is on the canvas, CSS points */
  screen(point) {
    const p = point.clone().project(this.camera);
    return [(1 + p.x) / 2 * this.canvas.clientWidth, (1 - p.y) / 2 * this.canvas.clientHeight];
  }
}
