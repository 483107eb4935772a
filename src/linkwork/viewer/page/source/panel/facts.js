// What there is to know of the selected part, with what can be done to it.
import { brief as digits, h } from "./dom.js";

const ROUNDING = 1e-9;

/** numbers in a row; what is rounding beside the largest of them, or beside `size`, is zero */
function triple(list, n = 4, size = 0) {
  const least = ROUNDING * Math.max(size, ...list.map(Math.abs));
  return list.map((x) => digits(Math.abs(x) < least ? 0 : x, n)).join(", ");
}

export class Facts {
  constructor(page) {
    this.page = page;
    this.element = h("section#part", { hidden: true, "aria-live": "off" });
    page.selection.onchange(({ selected }) => { if (selected?.name !== this.name || selected?.kind !== this.kind) this.fill(selected); });
  }

  fill(part) {
    this.name = part?.name;
    this.kind = part?.kind;
    this.live = [];
    this.element.hidden = !part;
    if (!part) return;
    const run = this.page.source.runs[0], body = run.bodies.findIndex((each) => each.name === part.name);
    const named = (list) => (list || []).find((each) => each.name === part.name);
    const rows = part.kind === "body" ? this.body(run, body) : part.kind === "joint" && named(run.joints) ? this.joint(run, named(run.joints)) : part.kind === "spring" ? this.spring(run, named(run.springs)) : this.other(part.name);
    this.element.replaceChildren(h("h2", part.name, h("small", part.kind)), h("dl", rows.filter(Boolean).map(([word, value]) => [h("dt", word), h("dd", value)])),
      part.kind === "body" ? this.deeds(part.name) : this.release(part), this.columns(part.name));
    this.show();
  }

  /** a value that changes with time */
  now(value) {
    const out = h("output");
    this.live.push(() => { out.textContent = value(); });
    return out;
  }

  link(kind, name) { return h("button.link", { onclick: () => this.page.selection.select({ kind, name }) }, name); }

  body(run, k) {
    const { mass, com, name } = run.bodies[k], pose = (first, n) => Array.from(this.page.stage.runs[0].frame.poses.subarray(7 * k + first, 7 * k + first + n));
    const joints = (run.joints || []).filter((joint) => joint.a === name || joint.b === name);
    return [mass !== undefined && ["mass", `${digits(mass)} kg`], ["centre of mass", `${triple(com)} m`],
      ["position", this.now(() => `${triple(pose(0, 3), 4, this.page.source.show.view.radius)} m`)], ["rotation", this.now(() => triple(pose(3, 4), 3))],
      joints.length > 0 && ["joints", joints.map((joint) => [this.link("joint", joint.name), " "])]];
  }

  joint(run, joint) {
    if (!joint) return [];
    const k = run.joints.indexOf(joint), load = (first) => Array.from(this.page.stage.runs[0].frame.forces.subarray(6 * k + first, 6 * k + first + 3)), force = () => load(0), torque = () => load(3);
    const known = this.page.source.live || this.page.source.series(`${joint.name}.reaction`), shared = (run.shared || []).includes(joint.name);
    return [["kind", joint.kind], joint.a && ["between", [this.link("body", joint.a), " and ", this.link("body", joint.b)]],
      known && ["force", this.now(() => `${digits(Math.hypot(...force()))} N: ${triple(force(), 3)}`)],
      known && ["torque", this.now(() => `${digits(Math.hypot(...torque()))} N m: ${triple(torque(), 3)}`)],
      known && ["reaction", shared ? "may not be unique: its loop has redundant rows" : "unique"]];
  }

  spring(run, spring) {
    if (!spring) return [];
    const { live } = this.page.source, value = (word) => this.page.source.value?.(`${spring.name}.${word}`, this.page.time);
    const name = (k) => (k < 0 ? "ground" : run.bodies[k].name);
    return [["kind", spring.bushing ? "bushing" : spring.elastic === false ? "damper" : "spring"], ["between", `${name(spring.a)} and ${name(spring.b)}`],
      (live || value("force") !== undefined) && ["force", this.now(() => `${digits(value("force"))} N`)],
      (live || value("length") !== undefined) && ["length", this.now(() => `${digits(value("length"))} m`)],
      spring.most > 0 && ["largest force", `${digits(spring.most)} N`]];
  }

  /** a motor, a torque, a tyre, a sensor: its numbers now */
  other(name) {
    const { source } = this.page;
    return this.own(name).map((column) => [column.slice(name.length + 1).replaceAll("_", " "), this.now(() => {
      const { labels, unit, units } = source.columns[column], values = labels.map((_, k) => source.value?.(column, this.page.time, k));
      if (values.some((x) => x === undefined)) return "–";
      return `${triple(values)} ${[...new Set(units || [unit])].filter((word) => word !== "1").join(", ")}`;
    })]);
  }

  /** columns of a part itself, not of what is inside it */
  own(name) { return Object.keys(this.page.source.columns).filter((column) => column.startsWith(`${name}.`) && !column.slice(name.length + 1).includes(".")); }

  deeds(name) {
    const { selection, marks } = this.page, point = selection.selected?.point;
    const act = (word, title, deed) => h("button.deed", { title, onclick: deed }, word);
    const { bodies } = this.page.stage.runs[0], local = () => {
      const group = bodies.groups[this.page.body(name)];
      return point.clone().sub(group.position).applyQuaternion(group.quaternion.clone().invert()).toArray();
    };
    const here = point ? local() : null;
    return h("div.deeds", act("Hide", "H", () => selection.toggle(selection.hidden, name)), act("Isolate", "I", () => selection.isolate(name)),
      act("See through", "T", () => selection.toggle(selection.pale, name)), act("Trail", "the way of its centre of mass", () => marks.trail(name, null, !marks.trails.has(name))),
      here && act("Point's curve", "the way of the point that was clicked: a coupler curve", () => marks.trail(name, here)),
      act("Show all", "A", () => { selection.showAll(); marks.clearTrails(); }));
  }

  release(part) {
    const { source } = this.page;
    if (!source.live || part.kind !== "joint") return "";
    return h("div.deeds", h("button.deed", { onclick: () => source.send("release", part.name) }, "Release"));
  }

  columns(name) {
    const found = this.own(name);
    if (!found.length) return "";
    return h("div.chips", h("span", "plot"), found.map((column) => h("button.chip", { onclick: () => this.page.plots.add(column) }, column.slice(name.length + 1))));
  }

  show() { for (const one of this.live || []) one(); }
}
