// One panel of curves: over time with the cursor of the clock, or over another column.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { coincident, csv, PALETTE, resampled } from "./curves.js";
import { brief, h } from "./dom.js";

const HEIGHT = 170, OFTEN = 100; // points; ms between two looks for new numbers

export class Plot {
  /** @param {object} page @param {() => void} gone called when the last curve is taken out */
  constructor(page, gone) {
    Object.assign(this, { page, gone, curves: [], over: null, chart: null });
    this.chips = h("div.curves");
    this.box = h("div.chart");
    const act = (text, title, deed) => h("button.small", { title, "aria-label": title, onclick: deed }, text);
    this.element = h("section.plot", this.chips, this.box, h("div.acts", this.overSelect = h("select.over", { "aria-label": "plot over", title: "plot over", onchange: () => { this.over = this.overSelect.value || null; page.plots.watch(); this.draw(); } }),
      act("zoom out", "all of it (double click)", () => this.chart && this.reset()), act("png", "save this plot as a picture", () => this.png()), act("csv", "save these numbers", () => this.table()), act("×", "remove this plot", () => gone(this))));
  }

  get live() { return this.page.source.live; }

  has(name) { return this.curves.some((curve) => curve.name === name); }

  add(part) { if (!this.has(part.name)) { this.curves.push(part); this.draw(); } }

  remove(name) {
    this.curves = this.curves.filter((curve) => curve.name !== name);
    if (this.curves.length) this.draw(); else this.gone(this);
  }

  /** curves of all runs on the times of the first */
  data() {
    const { source } = this.page, many = source.runs.length > 1, found = [];
    let t = null;
    this.curves.forEach((part, place) => source.runs.forEach((run, k) => {
      const series = source.series(part.column, k);
      if (!series || !series.t.length) return;
      t ||= series.t;
      found.push({ ...part, place, run: k, label: many ? `${part.name} (${run.label})` : part.name, values: resampled(series.t, series.values[part.component], t) });
    }));
    return { t, found };
  }

  draw() {
    const part = this.zoomed && this.chart && !this.over ? { min: this.chart.scales.x.min, max: this.chart.scales.x.max } : null;
    this.chart?.destroy();
    this.chart = null;
    const { t, found } = this.data();
    this.shown = { t, found };
    this.same = coincident(found.map(({ values }) => values));
    this.legend(found);
    this.choices();
    if (!t) { this.box.replaceChildren(h("p.soft", this.live ? "waiting for numbers …" : "no such numbers here")); return; }
    this.box.replaceChildren();
    const x = this.over && this.xValues(t);
    this.chart = x ? this.phase(x, found) : this.overTime(t, found);
    if (part && !x) { this.chart.setScale("x", part); this.zoomed = true; }
    this.page.dirty = true;
  }

  xValues(t) {
    const part = this.page.plots.all.find(({ name }) => name === this.over), series = part && this.page.source.series(part.column);
    return series ? resampled(series.t, series.values[part.component], t) : null;
  }

  /** several runs: one curve in the colours of the runs, more in a colour each, with dashes for the other runs */
  colour({ run, place }) {
    const { runs } = this.page.source;
    if (runs.length > 1 && this.curves.length === 1) return `rgb(${runs[run].tint.map((x) => Math.round(255 * x)).join(",")})`;
    return PALETTE[place % PALETTE.length];
  }

  style(k, curve) {
    const { run } = curve, below = this.same[k] !== k; // it lies on another one
    return { stroke: this.colour(curve), width: below ? 1.6 : this.same.some((j, i) => j === k && i !== k) ? 3.4 : 1.6, dash: below ? [7, 7] : run ? [4, 3] : undefined };
  }

  axes() {
    const css = getComputedStyle(document.documentElement), ink = css.getPropertyValue("--soft"), line = css.getPropertyValue("--line");
    const units = [...new Set(this.curves.map(({ unit }) => unit))];
    const one = { stroke: ink, grid: { stroke: line, width: 0.5 }, ticks: { stroke: line, width: 0.5 }, font: "11px system-ui", labelFont: "11px system-ui", labelSize: 16 };
    return [{ ...one, size: 34, label: this.over || "s" }, { ...one, size: 56, label: units.length === 1 ? units[0] : "", values: (_, ticks) => ticks.map((x) => (Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(0) : Number(x.toPrecision(6)))) }];
  }

  get width() { return Math.max(200, this.box.clientWidth || 300); }

  overTime(t, found) {
    const series = [{}, ...found.map((curve, k) => ({ label: curve.label, points: { show: false }, ...this.style(k, curve) }))];
    const options = { pxAlign: false, width: this.width, height: HEIGHT, series, axes: this.axes(), legend: { show: false }, cursor: { drag: { x: false, y: false }, points: { size: 5 } }, scales: { x: { time: false } }, hooks: { draw: [(chart) => this.line(chart)] } };
    const chart = new uPlot(options, [t, ...found.map(({ values }) => values)], this.box);
    this.gestures(chart);
    return chart;
  }

  /** drag moves the time; the wheel zooms; shift and drag choose a part */
  gestures(chart) {
    const { over } = chart, { clock } = this.page;
    let from = null, pressed = false;
    const at = (event) => chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
    over.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      over.setPointerCapture(event.pointerId);
      pressed = !event.shiftKey;
      from = event.shiftKey ? at(event) : null;
      if (pressed) { clock.playing = false; clock.seek(at(event)); }
    });
    over.addEventListener("pointermove", (event) => { if (pressed) clock.seek(at(event)); });
    over.addEventListener("pointerup", (event) => {
      if (from !== null && Math.abs(at(event) - from) > 0) chart.setScale("x", { min: Math.min(from, at(event)), max: Math.max(from, at(event)) }), this.zoomed = true;
      pressed = false;
      from = null;
    });
    over.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { min, max } = chart.scales.x, x = at(event), by = Math.exp(Math.max(-0.4, Math.min(0.4, 0.0015 * event.deltaY)));
      chart.setScale("x", { min: x + (min - x) * by, max: x + (max - x) * by });
      this.zoomed = true;
    }, { passive: false });
    over.addEventListener("dblclick", () => this.reset());
    this.zoomed = false;
  }

  reset() {
    if (this.over) { this.draw(); return; }
    const { t } = this.shown;
    this.zoomed = false;
    this.chart.setScale("x", { min: t[0], max: t[t.length - 1] });
  }

  /** the clock's time on the chart */
  line(chart) {
    const { ctx, bbox } = chart, x = chart.valToPos(this.page.time, "x", true);
    if (!(x >= bbox.left && x <= bbox.left + bbox.width)) return;
    ctx.save();
    ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  /** y over x: not a function, so drawn as a way */
  phase(x, found) {
    const way = (chart, index) => {
      const [xs, ys] = chart.data[index], path = new Path2D();
      for (let k = 0; k < xs.length; k++) path.lineTo(chart.valToPos(xs[k], "x", true), chart.valToPos(ys[k], "y", true));
      return { stroke: path, fill: null, clip: null, band: null, gaps: null, flags: 3 };
    };
    const facets = [{ scale: "x", auto: true }, { scale: "y", auto: true }];
    const series = [null, ...found.map((curve, k) => ({ label: curve.label, facets, paths: way, points: { show: false }, ...this.style(k, curve) }))];
    const range = (lists) => {
      let low = Infinity, high = -Infinity;
      for (const list of lists) for (const value of list) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
      if (low > high) [low, high] = [0, 0];
      const room = 0.05 * (high - low || Math.abs(high) || 1);
      return [low - room, high + room];
    };
    const scales = { x: { time: false, range: () => range([x]) }, y: { range: () => range(found.map(({ values }) => values)) } };
    this.spot = { x, values: found.map(({ values }) => values) };
    return new uPlot({ mode: 2, width: this.width, height: HEIGHT + 60, series, axes: this.axes(), legend: { show: false }, cursor: { show: false }, scales, hooks: { draw: [(chart) => this.dots(chart)] } }, [null, ...found.map(({ values }) => [x, values])], this.box);
  }

  dots(chart) {
    const { t } = this.shown, { ctx } = chart, k = Math.max(0, t.findIndex((each) => each >= this.page.time));
    this.spot.values.forEach((values, i) => {
      ctx.fillStyle = this.colour(this.shown.found[i]);
      ctx.beginPath();
      ctx.arc(chart.valToPos(this.spot.x[k], "x", true), chart.valToPos(values[k], "y", true), 4 * devicePixelRatio, 0, 7);
      ctx.fill();
    });
  }

  legend(found) {
    this.values = [];
    const rows = found.map((curve, k) => {
      const value = h("output"), same = this.same[k] !== k ? ` = ${found[this.same[k]].label}` : "";
      this.values.push([value, curve]);
      return h("span.curve", h("i", { style: `background: ${this.colour(curve)}` }), `${curve.label}${same} `, value, curve.unit ? ` ${curve.unit}` : "", curve.run ? "" : h("button", { "aria-label": `remove ${curve.name}`, onclick: () => this.remove(curve.name) }, "×"));
    });
    this.chips.replaceChildren(...rows);
  }

  choices() {
    const now = this.over || "";
    if (this.listed !== this.page.plots.all) this.overSelect.replaceChildren(h("option", { value: "" }, "over time"), ...this.page.plots.all.filter(({ column }) => !/rotation/.test(column)).map(({ name }) => h("option", { value: name }, `over ${name}`)));
    this.listed = this.page.plots.all;
    this.overSelect.value = now;
  }

  /** at the clock's time */
  show() {
    if (this.live && this.due()) this.grow();
    if (!this.shown?.t) return;
    const { t } = this.shown, time = this.page.time;
    let k = 0, high = t.length - 1;
    while (k < high) { const m = (k + high + 1) >> 1; if (t[m] <= time + 1e-12) k = m; else high = m - 1; }
    const next = Math.min(k + 1, t.length - 1), part = next > k ? Math.max(0, Math.min(1, (time - t[k]) / (t[next] - t[k]))) : 0;
    for (const [out, { values }] of this.values) out.textContent = brief(values[k] + part * (values[next] - values[k]));
    this.chart?.redraw(false, false);
  }

  /** live: now and then is often enough for curves of a minute */
  due() {
    const now = performance.now();
    if (now - (this.grown || 0) < OFTEN) return false;
    this.grown = now;
    return true;
  }

  /** live: more numbers than before, perhaps the first, or curves that lie over each other no more */
  grow() {
    const { t, found } = this.data();
    if (!t) return;
    const same = coincident(found.map(({ values }) => values));
    if (!this.chart || this.over || found.length !== this.shown.found.length || same.join() !== this.same.join()) { this.draw(); return; }
    this.shown = { t, found };
    found.forEach((curve, k) => { if (this.values[k]) this.values[k][1] = curve; });
    this.chart.setData([t, ...found.map(({ values }) => values)], !this.zoomed);
  }

  sized() { this.chart?.setSize({ width: this.width, height: this.over ? HEIGHT + 60 : HEIGHT }); }

  png() { this.chart?.ctx.canvas.toBlob((blob) => this.page.download(blob, "plot.png")); }

  table() {
    const { t, found } = this.shown, x = this.over ? this.xValues(t) : t;
    this.page.download(new Blob([csv(Array.from(x), this.over || "time [s]", found)], { type: "text/csv" }), "plot.csv");
  }
}
