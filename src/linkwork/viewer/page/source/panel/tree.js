// Subsystems, bodies, joints, springs and other forces as a tree; what is selected there is selected in the scene, and the other way.
import { h } from "./dom.js";

const SIGNS = { body: "■", joint: "◎", spring: "≋", force: "↗", signal: "∿", group: "▾" };
const PUSH = /\.(force|torque|effort|power|load)$/; // what only forces have columns of
const MOTION = /\.(position|velocity|acceleration|reaction)$/; // of bodies that are free
const NO_PART = /^(energy|drift)\./;
const MANY = 60; // parts: then subsystems begin closed

export class Tree {
  constructor(page) {
    this.page = page;
    this.rows = new Map();
    this.search = h("input#find", { type: "search", placeholder: "find a part", "aria-label": "find a part", oninput: () => this.filter() });
    this.list = h("ul.tree", { role: "tree" });
    this.element = h("div", this.search, this.list);
    this.build();
    page.selection.onchange(() => this.mark());
  }

  build() {
    const run = this.page.source.runs[0], root = { inner: new Map(), parts: [] };
    const parts = [...run.bodies.filter((body) => !body.ground).map((body) => ["body", body.name]), ...(run.joints || []).map((joint) => ["joint", joint.name]),
      ...(run.springs || []).map((spring) => ["spring", spring.name])];
    parts.push(...this.others(new Set([...parts.map(([, name]) => name), ...run.bodies.map((body) => body.name)])));
    for (const [kind, name] of parts) {
      let place = root;
      const words = name.split(".");
      for (const word of words.slice(0, -1)) {
        if (!place.inner.has(word)) place.inner.set(word, { inner: new Map(), parts: [] });
        place = place.inner.get(word);
      }
      place.parts.push([kind, name, words[words.length - 1]]);
    }
    this.count = parts.length;
    this.rows.clear();
    this.list.replaceChildren(...this.level(root));
  }

  /** motors, torques, tyres, sensors …: what has numbers and is not drawn by itself */
  others(known) {
    const found = new Map();
    for (const column of Object.keys(this.page.source.columns)) {
      const name = column.slice(0, column.lastIndexOf("."));
      if (!name || known.has(name) || NO_PART.test(column)) continue;
      if (PUSH.test(column)) found.set(name, "force");
      else if (!found.has(name) && !MOTION.test(column)) found.set(name, "signal");
    }
    return [...found].map(([name, kind]) => [kind, name]);
  }

  level(place) {
    const groups = [...place.inner].map(([word, inner]) => h("li", h("details", { open: this.count < MANY }, h("summary", word), h("ul", { role: "group" }, this.level(inner)))));
    return [...place.parts.map((part) => this.row(...part)), ...groups];
  }

  row(kind, name, word) {
    const { selection } = this.page;
    const eye = kind === "body" ? h("button.eye", { title: `hide or show ${name}`, "aria-label": `hide or show ${name}`, onclick: () => selection.toggle(selection.hidden, name) }, "●") : "";
    const button = h("button.part", { onclick: () => selection.select({ kind, name }), onpointerenter: () => selection.hover({ kind, name }), onpointerleave: () => selection.hover(null) },
      h("i", SIGNS[kind]), h("span", word));
    const row = h("li", { role: "treeitem" }, h("div.line", button, eye));
    this.rows.set(`${kind} ${name}`, { row, button, eye, name, kind });
    return row;
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { row, name } of this.rows.values()) row.hidden = !words.every((word) => name.toLowerCase().includes(word));
    if (words.length) for (const group of this.list.querySelectorAll("details")) group.open = true;
  }

  mark() {
    const { selection } = this.page;
    for (const { button, eye, name, kind, row } of this.rows.values()) {
      const chosen = Boolean(selection.is(selection.selected, kind, name));
      button.classList.toggle("chosen", chosen);
      row.setAttribute("aria-selected", chosen);
      button.classList.toggle("pointed", Boolean(selection.is(selection.hovered, kind, name)));
      if (eye) eye.classList.toggle("off", selection.hidden.has(name));
      if (chosen && this.last !== name) {
        this.last = name;
        for (let up = row.parentElement; up && up !== this.list; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
        const { panel } = this.page, box = panel?.body;
        if (box && box.scrollHeight > box.clientHeight + 4) box.scrollTop = 0; else row.scrollIntoView({ block: "nearest" });
      }
    }
    if (!selection.selected) this.last = null;
  }
}
