// Modes: a list, and the one that is chosen swings, its bodies coloured by their part of the kinetic energy.
import { Color, Quaternion, Vector3 } from "three";
import { h } from "./dom.js";

const SWINGS = 0.6; // a second, whatever the mode's own frequency is
const STILL = new Color(0x9aa4b0), LIVELY = new Color(0xd6402b);

/** where all stands in a swing: shape holds displacement and turn of every body, real parts and imaginary ones */
export function swung(at, shape, bodies, phase, size) {
  const out = Float32Array.from(at), c = size * Math.cos(phase), s = size * Math.sin(phase);
  const turn = new Quaternion(), own = new Quaternion(), arm = new Vector3(), w = new Vector3();
  bodies.forEach((body, k) => {
    const d = (i) => c * shape[12 * k + i] - s * shape[12 * k + 6 + i], p = 7 * k;
    own.set(at[p + 4], at[p + 5], at[p + 6], at[p + 3]);
    w.set(d(3), d(4), d(5));
    const angle = w.length();
    turn.setFromAxisAngle(angle > 0 ? w.divideScalar(angle) : w.set(1, 0, 0), angle);
    arm.set(...body.com).applyQuaternion(own);
    out[p] += arm.x; out[p + 1] += arm.y; out[p + 2] += arm.z;
    arm.applyQuaternion(turn);
    out[p] += d(0) - arm.x; out[p + 1] += d(1) - arm.y; out[p + 2] += d(2) - arm.z;
    own.premultiply(turn);
    out[p + 3] = own.w; out[p + 4] = own.x; out[p + 5] = own.y; out[p + 6] = own.z;
  });
  return out;
}

export class Modes {
  constructor(page) {
    const { source } = page;
    Object.assign(this, { page, source, found: null, chosen: -1, phase: 0 });
    this.empty = !source.live && !source.show.modes;
    this.list = h("div.modes", { role: "list", "aria-label": "modes" });
    this.about = h("p.soft");
    this.size = h("input#swing", { type: "range", min: 0.1, max: 2.5, step: "any", value: 1, "aria-label": "how far it swings", oninput: () => { page.dirty = true; } });
    this.back = h("button#unswing.deed", { hidden: true, onclick: () => this.choose(-1) }, "Back to the run");
    this.find = source.live && h("button#find-modes.deed", { onclick: () => source.send("modes") }, "Find modes about the equilibrium");
    this.element = h("div.switches", h("fieldset", h("legend", "Modes"), this.find, this.about, this.list, h("label.field", "how far", this.size), this.back,
      h("p.soft", "Red moves most, by kinetic energy. All swing at one pace here.")));
    this.size.parentElement.hidden = true;
    source.onchange((kind, value) => { if (kind === "modes") { this.show(value); this.choose(0); } });
  }

  /** the modes that the page came with */
  begin() {
    const { modes, runs } = this.source.show;
    if (!modes || this.source.live) return;
    this.show(modes);
    this.only = runs.length === 1 && this.source.end === this.source.begin;
    if (!this.only) return;
    document.body.classList.add("modes-only");
    this.page.trust.badge.hidden = true; // nothing ran
    this.page.panel.open("Modes", true);
    this.choose(modes.first);
  }

  show(found) {
    this.found = found;
    this.about.textContent = `Small motions about ${found.about}.`;
    this.size.parentElement.hidden = false;
    this.rows = found.list.map(({ text, more }, k) => h("button.mode", { role: "listitem", "aria-pressed": "false", onclick: () => this.choose(k === this.chosen && !this.only ? -1 : k) }, h("b", `${k + 1}: ${text}`), h("span.soft", more)));
    this.list.replaceChildren(...this.rows);
  }

  /** a mode begins to swing; none where k is -1 */
  choose(k) {
    this.chosen = k;
    this.rows.forEach((row, i) => row.setAttribute("aria-pressed", i === k));
    this.back.hidden = k < 0 || Boolean(this.only);
    if (k >= 0 && this.page.clock.playing) this.page.clock.pause();
    this.colour();
    this.page.dirty = true;
  }

  get swinging() { return this.chosen >= 0; }

  advance(seconds) {
    this.phase = (this.phase + 2 * Math.PI * SWINGS * seconds) % (2 * Math.PI);
    this.page.dirty = true;
  }

  /** in place of a frame of the run */
  frame(t) {
    const { at, list } = this.found, { bodies, joints } = this.source.runs[0];
    const poses = swung(at, list[this.chosen].shape, bodies, this.phase, Number(this.size.value));
    return { t, poses, forces: new Float32Array(6 * joints.length), contacts: new Float32Array(0), head: {} };
  }

  /** red by energy while one swings */
  colour() {
    const { groups } = this.page.stage.runs[0].bodies;
    groups.forEach((group, k) => group.children.forEach((part) => {
      const { material, userData } = part, still = !this.swinging || this.source.runs[0].bodies[k].ground;
      userData.own ??= (userData.full || material).color.clone();
      const colour = still ? userData.own : STILL.clone().lerp(LIVELY, Math.sqrt(Math.min(1, this.found.list[this.chosen].energy[k])));
      for (const paint of [material, userData.full]) paint?.color.copy(colour);
    }));
  }
}
