// Bodies pulled by the mouse or a finger: from the point that was touched to where the pointer is, with a line and its force.
import { CylinderGeometry, Group, Mesh, MeshBasicMaterial, Plane, Raycaster, SphereGeometry, Vector2, Vector3 } from "three";
import { brief, h } from "../panel/dom.js";

const UP = new Vector3(0, 0, 1), COLOUR = 0xd55e00;
const THIN = 0.006, BALL = 0.016; // of the radius of the scene

export class BodyDrag {
  constructor(page) {
    const { canvas, source } = page;
    Object.assign(this, { page, canvas, source, ray: new Raycaster(), held: null, marks: [] });
    const listen = (kind, act) => window.addEventListener(kind, act, true);
    listen("pointerdown", (event) => { if (event.target === canvas) this.grab(event); });
    listen("pointermove", (event) => { if (this.held && event.pointerId === this.held.pointer) this.pull(event); });
    for (const kind of ["pointerup", "pointercancel"]) listen(kind, (event) => { if (this.held && event.pointerId === this.held.pointer) this.drop(); });
    source.onchange((kind) => { if (kind === "lost") this.drop(); });
  }

  /** the ray from the eye through the pointer */
  aim({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(2 * (clientX - box.left) / box.width - 1, 1 - 2 * (clientY - box.top) / box.height);
    this.ray.setFromCamera(at, this.page.view.camera);
  }

  hit(event) {
    this.aim(event);
    const { bodies } = this.page.stage.runs[0];
    const [first] = this.ray.intersectObjects(bodies.groups.filter((group) => group.visible), true);
    if (!first) return null;
    const number = first.object.userData.body, facts = this.source.runs[0].bodies[number];
    return facts && facts.followed ? { name: facts.name, point: first.point } : null;
  }

  grab(event) {
    if (event.button !== 0 || this.held || !this.source.following || event.shiftKey) return;
    const found = this.hit(event);
    if (!found) return;
    const { view } = this.page, facing = view.camera.getWorldDirection(new Vector3());
    this.held = { ...found, pointer: event.pointerId, x: event.clientX, y: event.clientY, begun: false,
      plane: new Plane().setFromNormalAndCoplanarPoint(facing, found.point) };
    view.controls.enabled = false;
  }

  pull(event) {
    const { held, source } = this;
    if (!held.begun && Math.hypot(event.clientX - held.x, event.clientY - held.y) < 4) return; // a click
    this.aim(event);
    const goal = this.ray.ray.intersectPlane(held.plane, new Vector3());
    if (!goal) return;
    if (!held.begun) source.send("grab", held.name, held.point.toArray(), goal.toArray());
    held.begun = true;
    held.goal = goal.toArray();
    if (!this.waiting) { // one message for each picture
      this.waiting = true;
      requestAnimationFrame(() => { this.waiting = false; if (this.held?.begun) source.send("pull", this.held.name, this.held.goal); });
    }
  }

  drop() {
    if (!this.held) return;
    if (this.held.begun) this.source.send("drop", this.held.name);
    this.held = null;
    this.page.view.controls.enabled = true;
  }

  // --- what is seen -----------------------------------------------------------------------------------------

  mark() {
    const { radius } = this.source.show.view, material = new MeshBasicMaterial({ color: COLOUR, depthTest: false, transparent: true });
    const line = new Mesh(new CylinderGeometry(THIN * radius, THIN * radius, 1, 12).rotateX(Math.PI / 2), material);
    const ball = new Mesh(new SphereGeometry(BALL * radius, 20, 12), material), root = new Group();
    for (const part of [line, ball]) part.renderOrder = 10;
    root.add(line, ball);
    this.page.stage.scene.add(root);
    const label = h("div.force");
    document.body.append(label);
    return { root, line, ball, label };
  }

  /** lines to what all visitors drag, by the newest frame */
  draw({ drags }) {
    const count = (drags?.length || 0) / 10, from = new Vector3(), to = new Vector3();
    while (this.marks.length < count) this.marks.push(this.mark());
    this.marks.forEach(({ root, line, ball, label }, k) => {
      root.visible = k < count;
      label.hidden = k >= count;
      if (k >= count) return;
      const row = drags.subarray(10 * k, 10 * k + 10), force = Math.hypot(row[7], row[8], row[9]);
      from.set(row[1], row[2], row[3]);
      to.set(row[4], row[5], row[6]);
      const way = to.clone().sub(from), length = Math.max(way.length(), 1e-9);
      line.position.copy(from).add(to).multiplyScalar(0.5);
      line.scale.set(1, 1, length);
      line.quaternion.setFromUnitVectors(UP, way.divideScalar(length));
      ball.position.copy(from);
      const [x, y] = this.page.view.screen(to);
      label.style.transform = `translate(${x + 12}px, ${y - 12}px)`;
      label.textContent = this.source.kinematic ? "" : `${brief(force, 3)} N`;
    });
  }
}
