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

const LOOKS = 300, OFTEN = 400; // frames of a live run that the scale is found from; ms between two looks
const BAR = 200; // points of the longest bar in the legend

export class Arrows {
  constructor(page) {
    this.page = page;
    this.roots = page.source.runs.map(() => new Group());
    this.on = { force: false, torque: false, contact: false };
    this.most = { force: 0, torque: 0, contact: 0 };
    this.made = page.source.runs.map(() => ({ force: [], torque: [], contact: [] }));
    page.stage.scene.add(...this.roots);
    this.radius = page.source.show.view.radius;
    this.looked = { t: null, at: -Infinity };
  }

  set(kind, on) {
    this.on[kind] = on;
    for (const made of this.made) for (const each of made[kind]) each.visible = false;
    this.find();
    this.page.dirty = true;
  }

  /** what the longest arrow shows: the largest force and torque of the run, but for blows, which are no measure */
  find() {
    const { source } = this.page, sizes = { force: [], torque: [], contact: [] };
    source.runs.forEach((run, r) => {
      const moves = new Set(run.bodies.filter((body) => body.followed).map((body) => body.name)), moving = run.joints.map(({ a, b }) => moves.has(a) || moves.has(b));
      const chosen = moving.some(Boolean) ? moving : moving.map(() => true); // the weight of what stands is no measure
      if (source.live) this.ofFrames(source, chosen, sizes); else this.ofSeries(source, r, chosen, sizes);
    });
    for (const [kind, list] of Object.entries(sizes)) {
      list.sort((one, other) => one - other);
      if (list.length) this.most[kind] = Math.min(list[list.length - 1], BLOW * list[Math.floor(USUAL * (list.length - 1))]);
    }
    if (!source.live) this.most.contact = Math.max(0, ...source.runs.map(({ contacts }) => contacts?.usual || 0));
  }

  ofSeries(source, r, chosen, sizes) {
    source.runs[r].joints.forEach((joint, j) => {
      const series = chosen[j] && source.series(`${joint.name}.reaction`, r);
      if (!series) return;
      for (const [kind, first] of [["force", 0], ["torque", 3]]) {
        const [x, y, z] = series.values.slice(first, first + 3);
        if (!z) continue;
        for (let k = 0; k < x.length; k++) { const size = Math.hypot(x[k], y[k], z[k]); if (size > 0) sizes[kind].push(size); }
      }
    });
  }

  ofFrames({ history }, chosen, sizes) {
    const step = Math.max(1, Math.ceil(history.count / LOOKS));
    for (let k = history.count - 1; k >= 0; k -= step) {
      const { forces, contacts } = history.at(k);
      const note = (kind, table, at) => { const size = Math.hypot(table[at], table[at + 1], table[at + 2]); if (size > 0) sizes[kind].push(size); };
      chosen.forEach((on, j) => { if (on && 6 * j + 5 < forces.length) { note("force", forces, 6 * j); note("torque", forces, 6 * j + 3); } });
      for (let at = 0; at < contacts.length; at += 7) note("contact", contacts, at + 3);
    }
  }

  /** live: the scale goes with what is known of the run; it stays while the run stands */
  look(t) {
    const now = performance.now();
    if (!this.page.source.live || t === this.looked.t || now - this.looked.at < OFTEN) return;
    this.looked = { t, at: now };
    this.find();
  }

  /** metres of an arrow for a newton, or a newton metre */
  scale(kind) { return this.most[kind] > 0 ? LONGEST * this.radius / this.most[kind] : 0; }

  piece(run, kind, k, make) {
    const made = this.made[run][kind];
    if (!made[k]) { made[k] = make(); this.roots[run].add(made[k]); }
    return made[k];
  }

  /** arrows of the first run, and side by side those of the others */
  place() {
    const { source, stage, beside } = this.page;
    if (!Object.values(this.on).some(Boolean)) return;
    this.look(stage.runs[0].frame.t);
    source.runs.forEach((run, r) => {
      this.roots[r].visible = r === 0 || beside;
      if (this.roots[r].visible) this.placeRun(r, stage.runs[r]);
    });
  }

  placeRun(r, { bodies, frame }) {
    const thick = 0.006 * this.radius, way = new Vector3(), from = new Vector3();
    this.page.source.runs[r].joints.forEach((joint, k) => {
      bodies.world(joint.body, joint.at, from);
      for (const [kind, first, colour] of [["force", 6 * k, FORCE], ["torque", 6 * k + 3, TORQUE]]) {
        if (!this.on[kind]) continue;
        way.fromArray(frame.forces, first);
        put(this.piece(r, kind, k, () => arrow(colour)), from, way.multiplyScalar(this.scale(kind)).clampLength(0, 2 * LONGEST * this.radius), thick);
      }
    });
    if (this.on.contact) this.contacts(r, frame.contacts, thick);
  }

  contacts(r, table, thick) {
    const count = table.length / 7, from = new Vector3(), way = new Vector3();
    for (let k = 0; k < Math.max(count, this.made[r].contact.length); k++) {
      const group = this.piece(r, "contact", k, () => {
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

  /** what one long arrow stands for, as long as fits where so many points of the screen are a metre */
  legend(points) {
    const found = [];
    for (const [kind, unit] of [["force", "N"], ["torque", "N m"], ["contact", "N at a contact"]]) {
      if (!this.on[kind] || !(this.most[kind] > 0)) continue;
      const round = (most) => { const power = 10 ** Math.floor(Math.log10(most)); return Math.floor(most / power * (1 + 1e-9)) * power; };
      const fits = BAR / (points * this.scale(kind)), whole = round(Math.min(this.most[kind], fits));
      found.push({ kind, text: `${brief(whole, 2)} ${unit}`, length: whole * this.scale(kind) });
    }
    return found;
  }
}
