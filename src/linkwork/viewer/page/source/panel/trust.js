// The badge: whether the run can be trusted, why, and its energy at a glance.
import { h } from "./dom.js";

const WORDS = { good: "good", watch: "watch", poor: "poor" };

/** of several runs the poorest, with what each says */
function worst(runs) {
  const known = runs.filter(({ trust }) => trust);
  if (known.length < 2) return known[0]?.trust;
  const light = ["poor", "watch", "good"].find((each) => known.some(({ trust }) => trust.light === each));
  const tell = (word) => known.flatMap(({ trust, label }) => trust[word].map((line) => [label, line]));
  return { light, reasons: tell("reasons").map(([label, line]) => `${label}: ${line}`),
    lines: known.flatMap(({ trust, label }) => [label, ...trust.lines, ""]) };
}

export class Trust {
  constructor(page) {
    this.page = page;
    this.badge = h("button#trust", { title: "can this run be trusted?", "aria-haspopup": "dialog", onclick: () => this.open() });
    this.dialog = h("dialog#reasons", { onclick: (event) => { if (event.target === this.dialog) this.dialog.close(); } });
    document.body.append(this.dialog);
    this.set(worst(page.source.runs));
  }

  /** @param {{light: string, reasons: string[], lines?: string[]}} [trust] */
  set(trust) {
    this.trust = trust;
    this.badge.hidden = !trust;
    if (!trust) return;
    this.badge.dataset.light = trust.light;
    this.badge.replaceChildren(h("i"), WORDS[trust.light] || trust.light);
    if (this.dialog.open) this.fill();
  }

  open() { this.fill(); this.dialog.showModal(); }

  fill() {
    const { light, reasons, lines } = this.trust;
    this.dialog.replaceChildren(
      h("h2", h("i", { "data-light": light }), { good: "This run can be trusted", watch: "Worth a look", poor: "Do not trust this run yet" }[light]),
      h("ul", reasons.map((reason) => h("li", reason))), this.spark(), lines ? h("pre", lines.join("\n")) : "",
      h("button.main", { onclick: () => this.dialog.close() }, "Close"));
  }

  /** total, kinetic and potential energy over the run, small */
  spark() {
    const curves = [["energy.kinetic", "#e69f00"], ["energy.potential", "#009e73"], ["energy.total", "#0072b2"]].map(([name, colour]) => [name, colour, this.page.source.series(name)]).filter(([, , series]) => series && series.t.length > 1);
    if (!curves.length) return "";
    const [wide, high] = [300, 70];
    let low = Infinity, top = -Infinity;
    for (const [, , { values: [v] }] of curves) for (const x of v) if (Number.isFinite(x)) { low = Math.min(low, x); top = Math.max(top, x); }
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "energies over the run");
    svg.classList.add("spark");
    for (const [, colour, { t, values: [v] }] of curves) {
      const every = Math.max(1, Math.floor(t.length / 300)), begin = t[0], span = t[t.length - 1] - begin || 1, points = [];
      for (let k = 0; k < t.length; k += every) points.push(`${(wide * (t[k] - begin) / span).toFixed(1)},${(high - 3 - (high - 6) * (v[k] - low) / (top - low || 1)).toFixed(1)}`);
      const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
      line.setAttribute("points", points.join(" "));
      line.setAttribute("stroke", colour);
      svg.append(line);
    }
    return h("figure", svg, h("figcaption", curves.map(([name, colour]) => [h("b", { style: `color: ${colour}` }, "—"), ` ${name.slice(7)} `])));
  }
}
