// Forces and torques in joints, and at contacts, as arrows to one scale, which the legend tells.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import { brief } from "../panel/dom.js";

const UP = new Vector3(0, 0, 1), LONGEST = 0.45; // of the radius of what is seen
const USUAL = 0.98, BLOW = 1.5; // what is larger than so many of all forces, by so much, is a blow
const SHAFT = new CylinderGeometry(0.5, 0.5, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
const HEAD = new ConeGeometry(1.5, 4, 16).rotateX(Math.PI / 2).translate(0, 0, -2);
const DOT = new SphereGeometry(1, 16, 12);
export const FORCE = 0xc2185b, TORQUE = 0x6a3fb5, CONTACT = 0xb26a00;

function arrow(colour) {
  // they are seen through bodies, inside which most joints are
  const paint = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }), group = new Group();
  group.add(new Mesh(SHAFT, paint), new Mesh(HEAD, paint));
  for (const part of group.children) part.renderOrder = 4;
  return group;
}

/** from a point along a vector of this length, m */
function put(group, from, way, thick) {
  const length = way.length();
  group.visible = length > 2 * thick;
  if (!group.visible) return;
  group.position.copy(from);
  group.quaternion.setFromUnitVectors(UP, way.clone().divideScalar(length));
  group.children[0].scale.set(thick, thick, Math.max(1e-9, length - 3 * thick));
  group.children[1].position.z = length;
  group.children[1].scale.setScalar(thick);
}

export class Arrows {
  constructor(page) {
    this.page = page;
    this.root = new Group();
    this.on = { force: false, torque: false, contact: false };
    this.most = { force: 0, torque: 0, contact: 0 };
    this.made = { force: [], torque: [], contact: [] };
    page.stage.scene.add(this.root);
    this.radius = page.source.show.view.radius;
    this.most.contact = Math.max(0, ...page.source.runs.map(({ contacts }) => contacts?.usual || 0));
  }

  set(kind, on) {
    this.on[kind] = on;
    for (const each of this.made[kind]) each.visible = false;
    this.find();
    this.page.dirty = true;
  }

  /** what the longest arrow shows: the largest force and torque of the run, but for blows, which are no measure */
  find() {
    const { source } = this.page;
    if (source.live) return;
    const sizes = { force: [], torque: [] }, { joints, bodies } = source.runs[0];
    const moves = new Set(bodies.filter((body) => body.followed).map((body) => body.name)), moving = joints.filter(({ a, b }) => moves.has(a) || moves.has(b));
    for (const joint of moving.length ? moving : joints) { // the weight of what stands is no measure either
      const series = source.series(`${joint.name}.reaction`);
      if (!series) continue;
      for (const [kind, first] of [["force", 0], ["torque", 3]]) {
        const [x, y, z] = series.values.slice(first, first + 3);
        if (!z) continue;
        for (let k = 0; k < x.length; k++) { const size = Math.hypot(x[k], y[k], z[k]); if (size > 0) sizes[kind].push(size); }
      }
    }
    for (const [kind, list] of Object.entries(sizes)) {
      list.sort((one, other) => one - other);
      if (list.length) this.most[kind] = Math.min(list[list.length - 1], BLOW * list[Math.floor(USUAL * (list.length - 1))]);
    }
  }

  /** metres of an arrow for a newton, or a newton metre */
  scale(kind) { return this.most[kind] > 0 ? LONGEST * this.radius / this.most[kind] : 0; }

  piece(kind, k, make) {
    if (!this.made[kind][k]) { this.made[kind][k] = make(); this.root.add(this.made[kind][k]); }
    return this.made[kind][k];
  }

  place(frame) {
    const { source, stage } = this.page, { bodies } = stage.runs[0], thick = 0.006 * this.radius, way = new Vector3(), from = new Vector3();
    source.runs[0].joints.forEach((joint, k) => {
      bodies.world(joint.body, joint.at, from);
      for (const [kind, first, colour] of [["force", 6 * k, FORCE], ["torque", 6 * k + 3, TORQUE]]) {
        if (!this.on[kind]) continue;
        way.fromArray(frame.forces, first);
        this.reach(kind, way.length());
        put(this.piece(kind, k, () => arrow(colour)), from, way.multiplyScalar(this.scale(kind)).clampLength(0, 2 * LONGEST * this.radius), thick);
      }
    });
    if (this.on.contact) this.contacts(frame.contacts, thick);
  }

  /** live: the scale goes after the largest force slowly */
  reach(kind, size) {
    if (!this.most[kind]) this.most[kind] = size;
    else if (this.page.source.live && size > this.most[kind]) this.most[kind] += 0.02 * (size - this.most[kind]);
  }

  grow(table) {
    let largest = 0;
    for (let k = 0; k < table.length; k += 7) largest = Math.max(largest, Math.hypot(table[k + 3], table[k + 4], table[k + 5]));
    this.reach("contact", largest);
  }

  contacts(table, thick) {
    this.grow(table);
    const count = table.length / 7, from = new Vector3(), way = new Vector3();
    for (let k = 0; k < Math.max(count, this.made.contact.length); k++) {
      const group = this.piece("contact", k, () => {
        const made = arrow(CONTACT), dot = new Mesh(DOT, made.children[0].material);
        dot.renderOrder = 4;
        const both = new Group();
        both.add(made, dot);
        return both;
      });
      group.visible = k < count;
      if (!group.visible) continue;
      from.set(table[7 * k], table[7 * k + 1], table[7 * k + 2]);
      way.set(table[7 * k + 3], table[7 * k + 4], table[7 * k + 5]);
      // a point that presses hard is a larger one: its area goes with the force
      group.children[1].scale.setScalar(thick * (0.8 + 1.8 * Math.sqrt(Math.min(2, way.length() / (this.most.contact || 1)))));
      group.children[1].position.copy(from);
      put(group.children[0], from, way.multiplyScalar(this.scale("contact")).clampLength(0, 2 * LONGEST * this.radius), 0.8 * thick);
    }
  }

  /** what one long arrow stands for */
  legend() {
    const found = [];
    for (const [kind, unit] of [["force", "N"], ["torque", "N m"], ["contact", "N at a contact"]]) {
      if (!this.on[kind] || !(this.most[kind] > 0)) continue;
      const power = 10 ** Math.floor(Math.log10(this.most[kind])), whole = Math.floor(this.most[kind] / power) * power;
      found.push({ kind, text: `${brief(whole, 2)} ${unit}`, length: whole * this.scale(kind) });
    }
    return found;
  }
}
