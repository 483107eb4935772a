// Driving a live run: sliders of inputs by subsystem, pads for its keys, method and step, joints by hand.
import { brief, h } from "./dom.js";

export class Drive {
  constructor(page) {
    this.page = page;
    const { show } = page.source;
    this.sliders = new Map();
    this.pads = new Map();
    this.poses = (show.coordinates || []).map((each, k) => this.slider(each, (value) => page.source.send("pose", k, value)));
    this.element = h("div.drive", this.pad(show.keys || {}), this.inputs(show.inputs || []), this.kinematic(show), this.run(show));
  }

  get empty() { const { show } = this.page.source; return !this.page.source.live && !show.inputs?.length; }

  slider({ name, unit, value, low, high, step }, set) {
    const least = 1e-9 * Math.max(Math.abs(low), Math.abs(high)), short = (x) => brief(Math.abs(x) < least ? 0 : x);
    const number = h("input.number", { type: "number", value: short(value), step: "any", "aria-label": `${name}, ${unit}`, onchange: () => { range.value = number.value; set(Number(number.value)); } });
    const range = h("input", { type: "range", min: low, max: high, step, value, "aria-label": name, oninput: () => { number.value = short(range.value); set(Number(range.value)); } });
    const row = h("div.slider", h("label", name.slice(name.lastIndexOf(".") + 1)), number, h("span.unit", unit), h("div.ends", h("small", short(low)), range, h("small", short(high))));
    const put = (x) => { if (document.activeElement !== number) number.value = short(x); range.value = x; };
    return { row, put };
  }

  /** live: values that were set elsewhere */
  put(name, value) { this.sliders.get(name)?.put(value); }

  inputs(list) {
    const groups = new Map();
    for (const input of list) {
      const made = this.slider(input, (value) => this.page.source.send("input", input.name, value)), place = input.name.split(".").slice(0, -1).join(".");
      this.sliders.set(input.name, made);
      if (!groups.has(place)) groups.set(place, []);
      groups.get(place).push(made.row);
    }
    return [...groups].map(([place, rows]) => h("fieldset", h("legend", place || "Inputs"), rows));
  }

  pad(keys) {
    const names = Object.keys(keys), { page } = this;
    if (!names.length) return "";
    return h("fieldset.pads", h("legend", "Keys"), names.map((key) => {
      const what = Object.entries(keys[key]).map(([name, value]) => `${name} ${brief(value)}`).join(", ");
      const turn = (down) => (event) => { event.preventDefault(); if (down) button.setPointerCapture(event.pointerId); page.keys.turn(key, down); };
      const button = h("button.pad", { title: what, onpointerdown: turn(true), onpointerup: turn(false), onpointercancel: turn(false), oncontextmenu: (event) => event.preventDefault() }, key);
      this.pads.set(key, button);
      return button;
    }));
  }

  /** which stick or button stands for each key, when there is one */
  gamepad(layout) {
    for (const { key, word } of layout) { const pad = this.pads.get(key); if (pad && !pad.querySelector("small")) pad.append(h("small", word)); }
  }

  lit(key, on) { this.pads.get(key)?.classList.toggle("held", on); }

  kinematic(show) {
    if (!this.poses.length) return "";
    this.hand = h("input#kinematic", { type: "checkbox", checked: show.kinematic, onchange: () => this.page.source.send("kinematic", this.hand.checked) });
    return h("fieldset", h("legend", "By hand"), h("label.tick", this.hand, "move joints; nothing is simulated"), this.poses.map(({ row }) => row));
  }

  run(show) {
    const { source } = this.page;
    if (!source.live) return "";
    const pick = (id, list, now, send) => list?.length > 1 && h("label.field", id, h("select", { id, onchange: (event) => send(event.target.value) }, list.map((each) => h("option", { value: each, selected: each === now }, each))));
    return h("fieldset", h("legend", "Run"), pick("method", show.methods, show.method, (value) => source.send("method", value)),
      pick("step", show.steps, show.step, (value) => source.send("dt", Number(value))), h("button#reset.deed", { onclick: () => source.send("reset") }, "Reset"));
  }
}
