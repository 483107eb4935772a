// What is selected and what the pointer is over, hidden, alone or seen through; picking by a ray.
import { Raycaster, Vector2 } from "three";

const PRESS = 5; // points that a click may move

/** a part of the model: {kind: "body" | "joint" | "spring", name} */
export class Selection {
  constructor(page) {
    Object.assign(this, { page, selected: null, hovered: null, hidden: new Set(), pale: new Set(), alone: null, xray: false, listeners: [] });
    this.ray = new Raycaster();
    const { canvas } = page;
    let down = null;
    canvas.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; });
    canvas.addEventListener("pointerup", (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < PRESS) this.click(event);
      down = null;
    });
    canvas.addEventListener("pointermove", (event) => { if (!event.buttons && event.pointerType === "mouse") this.asked = event; });
    canvas.addEventListener("pointerleave", () => { this.asked = null; this.hover(null); });
  }

  onchange(callback) { this.listeners.push(callback); }

  /** the part under a place of the canvas, CSS points, with the point of the world; null where there is none */
  pick(x, y) {
    const { canvas, view, stage } = this.page, box = canvas.getBoundingClientRect();
    const spot = new Vector2(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height);
    this.page.arrange(); // what was drawn last may be older
    stage.scene.updateMatrixWorld();
    this.ray.setFromCamera(spot, view.camera);
    for (const [run, shown] of stage.runs.entries()) {
      if (!shown.visible) continue;
      const roots = [shown.bodies.root, shown.joints.root, shown.springs.root];
      const hit = this.ray.intersectObjects(roots, true).find(({ object }) => visible(object));
      if (!hit) continue;
      const facts = hit.object.userData, body = this.page.source.runs[run].bodies[facts.body];
      const part = facts.joint ? { kind: "joint", name: facts.joint } : facts.spring ? { kind: "spring", name: facts.spring } : { kind: "body", name: body.name };
      return { ...part, point: hit.point, run };
    }
    return null;
  }

  click(event) { this.select(this.pick(event.clientX, event.clientY)); }

  /** once a frame at most */
  look() {
    if (!this.asked) return;
    const found = this.pick(this.asked.clientX, this.asked.clientY);
    this.asked = null;
    this.hover(found);
    this.page.canvas.style.cursor = found ? "pointer" : "";
  }

  select(part) {
    this.selected = part && { kind: part.kind, name: part.name, point: part.point };
    this.tell();
  }

  hover(part) {
    if (part?.name === this.hovered?.name && part?.kind === this.hovered?.kind) return;
    this.hovered = part && { kind: part.kind, name: part.name };
    this.tell();
  }

  toggle(set, name) {
    if (set.has(name)) set.delete(name); else set.add(name);
    this.tell();
  }

  isolate(name) { this.alone = this.alone === name ? null : name; this.tell(); }

  setXray(on) { this.xray = on; this.tell(); }

  showAll() { this.hidden.clear(); this.pale.clear(); this.alone = null; this.tell(); }

  is(part, kind, name) { return part && part.kind === kind && part.name === name; }

  /** paint it */
  apply() {
    const { stage, source, theme } = this.page, glow = theme.colours.select;
    stage.runs.forEach(({ bodies, joints, springs }, run) => {
      source.runs[run].bodies.forEach((body, k) => {
        const group = bodies.groups[k], lit = this.is(this.selected, "body", body.name) ? 0.55 : this.is(this.hovered, "body", body.name) ? 0.25 : 0;
        group.visible = !this.hidden.has(body.name) && (this.alone === null || this.alone === body.name || body.ground);
        const thin = this.pale.has(body.name) || (this.xray && !this.is(this.selected, "body", body.name)) ? 0.28 : 1;
        for (const part of group.children) {
          const { material } = part, opacity = part.userData.opacity * thin;
          material.emissive.set(glow).multiplyScalar(lit * 0.8);
          if (material.opacity !== opacity) {
            Object.assign(material, { opacity, transparent: opacity < 1, depthWrite: opacity > 0.7, needsUpdate: true });
          }
        }
      });
      for (const mark of [...joints.marks, ...joints.rods]) mark.lit = this.is(this.selected, "joint", mark.name) || this.is(this.hovered, "joint", mark.name);
      joints.highlight(glow);
      for (const part of springs.parts) {
        const on = this.is(this.selected, "spring", part.spring.name) || this.is(this.hovered, "spring", part.spring.name);
        part.paint.emissive.set(glow).multiplyScalar(on ? 0.7 : 0);
      }
    });
  }

  tell() {
    this.apply();
    this.page.dirty = true;
    for (const callback of this.listeners) callback(this);
  }
}

function visible(thing) {
  for (let one = thing; one; one = one.parent) if (!one.visible) return false;
  return true;
}
