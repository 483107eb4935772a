// The panel at the side, a sheet from below on phones: one tab at a time.
import { h } from "./dom.js";

const WIDE = 1000; // points: then the panel begins open

export class Panel {
  /** @param {object} page @param {Record<string, HTMLElement | null>} tabs */
  constructor(page, tabs) {
    this.page = page;
    this.tabs = Object.entries(tabs).filter(([, content]) => content);
    this.buttons = this.tabs.map(([name]) => h("button.tab", { role: "tab", id: `tab-${name.toLowerCase()}`, onclick: () => this.toggle(name) }, name));
    this.bar = h("div#tabs", { role: "tablist", "aria-label": "panels" }, this.buttons);
    this.body = h("div.content", this.tabs.map(([, content]) => content));
    this.handle = h("button#handle", { title: "a larger or smaller sheet", "aria-label": "a larger or smaller sheet", "aria-expanded": "false", onclick: () => this.grow() });
    this.element = h("aside#panel", { "aria-label": "panel", hidden: true }, this.handle, this.body);
    this.name = null;
    if (window.innerWidth >= WIDE) this.open(this.tabs[0][0], true);
  }

  toggle(name) { this.open(this.name === name ? null : name); }

  /** phones: half of the screen, or as little as possible */
  grow() {
    const tall = this.element.classList.toggle("tall");
    this.handle.setAttribute("aria-expanded", tall);
    for (const plot of this.page.plots.plots) plot.sized();
    this.page.resized();
  }

  open(name, first = false) {
    this.name = name;
    this.element.hidden = !name;
    this.element.dataset.tab = name || "";
    document.body.classList.toggle("sheet", Boolean(name)); // on phones the time bar then is one row
    this.buttons.forEach((button, k) => button.setAttribute("aria-selected", this.tabs[k][0] === name));
    for (const [each, content] of this.tabs) content.hidden = each !== name;
    if (name === "Plots") for (const plot of this.page.plots.plots) plot.sized();
    if (!first) this.page.resized();
  }
}
