// All plots: finding columns by parts of their names, panels one above the other.
import { components, matching } from "./curves.js";
import { h } from "./dom.js";
import { Plot } from "./plot.js";

const MOST = 60; // names in the list

export class Plots {
  constructor(page) {
    this.page = page;
    this.all = components(page.source.columns);
    this.plots = [];
    this.search = h("input#search", { type: "search", placeholder: "plot a column: part of its name", "aria-label": "plot a column", autocomplete: "off", oninput: () => this.find(), onfocus: () => this.find(),
      onkeydown: (event) => { if (event.key === "Enter") this.list.querySelector("button")?.click(); if (event.key === "Escape") this.close(); } });
    this.fresh = h("input#fresh", { type: "checkbox" });
    this.list = h("div.found", { hidden: true });
    this.box = h("div.plots");
    const left = page.source.runs[0].leftOut;
    this.element = h("div.charts", h("div.finder", this.search, h("label.tick", this.fresh, "new panel")), this.list, this.box, left ? h("p.soft", `${left} columns are not in this file, to keep it small.`) : "");
    new ResizeObserver(() => { for (const plot of this.plots) plot.sized(); }).observe(this.box);
    document.addEventListener("pointerdown", (event) => { if (!this.element.contains(event.target)) this.close(); });
  }

  begin() {
    const { show } = this.page.source, asked = (show.plots || []).filter((name) => this.page.source.columns[name]);
    for (const name of asked.length ? asked.slice(0, 2) : ["energy.total"]) if (this.page.source.columns[name]) this.add(name, true);
    if (!asked.length) for (const name of ["energy.kinetic", "energy.potential"]) if (this.page.source.columns[name]) this.add(name);
  }

  find() {
    const found = matching(this.all, this.search.value), columns = [...new Set(found.filter(({ whole }) => !whole).map(({ column }) => column))];
    const offer = (name, text = name) => h("button", { onclick: () => { this.add(name, this.fresh.checked); this.close(); } }, text);
    this.list.hidden = false;
    this.list.replaceChildren(...(this.search.value ? columns.slice(0, 12).map((name) => offer(name, `${name} (all)`)) : []), ...found.slice(0, MOST).map(({ name }) => offer(name)),
      found.length > MOST ? h("p.soft", `${found.length - MOST} more; type more of the name`) : "", found.length ? "" : h("p.soft", "no column has this in its name"));
  }

  close() { this.list.hidden = true; }

  /** a column with all its components, or one of them; each unit has a panel of its own */
  add(name, own = false) {
    const parts = this.all.filter((part) => part.name === name || part.column === name);
    for (const unit of new Set(parts.map((part) => part.unit))) {
      const plot = this.panelFor(unit, own);
      for (const part of parts) if (part.unit === unit) plot.add(part);
    }
    if (!parts.length) return;
    this.watch();
    if (this.page.panel && this.page.panel.name !== "Plots") this.page.panel.open("Plots");
    for (const each of this.plots) each.sized();
  }

  panelFor(unit, own) {
    const known = !own && [...this.plots].reverse().find((each) => each.curves.length && each.curves[0].unit === unit);
    if (known) return known;
    const plot = new Plot(this.page, (gone) => this.remove(gone));
    this.plots.push(plot);
    this.box.append(plot.element);
    return plot;
  }

  remove(plot) {
    plot.chart?.destroy();
    plot.element.remove();
    this.plots = this.plots.filter((each) => each !== plot);
    this.watch();
  }

  /** columns that are plotted, or plotted over */
  names() {
    const column = (name) => this.all.filter((part) => part.name === name).map((part) => part.column);
    return [...new Set(this.plots.flatMap((plot) => [...plot.curves.map((curve) => curve.column), ...column(plot.over)]))];
  }

  watch() { this.page.source.watch(this.names()); }

  /** live: other columns than before */
  refresh() { this.all = components(this.page.source.columns); this.redraw(); }

  redraw() { for (const plot of this.plots) plot.draw(); }

  show() { if (this.element.offsetParent) for (const plot of this.plots) plot.show(); }
}
