// Elements made in one line: h("button.small", { onclick, title }, "text", child, …).

/** @returns {HTMLElement} @param {string} what tag, "#id" and ".class"es @param {...*} rest facts, children */
export function h(what, ...rest) {
  const [, tag, id, classes] = what.match(/^([a-z0-9]*)(#[\w-]+)?((?:\.[\w-]+)*)$/);
  const element = document.createElement(tag || "div");
  if (id) element.id = id.slice(1);
  if (classes) element.className = classes.slice(1).replaceAll(".", " ");
  const facts = rest.length && rest[0] && typeof rest[0] === "object" && !(rest[0] instanceof Node) && !Array.isArray(rest[0]) ? rest.shift() : {};
  for (const [key, value] of Object.entries(facts)) {
    if (value === undefined || value === null) continue;
    if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of rest.flat(3)) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

const NS = "http://www.w3.org/2000/svg";

/** a drawing of 24 by 24 points made of paths */
export function icon(...paths) {
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const d of paths) {
    const path = document.createElementNS(NS, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

/** a number of a few digits; large ones with a power of ten */
export function brief(x, digits = 4) {
  if (!Number.isFinite(x)) return "–";
  const rounded = Number(x.toPrecision(digits));
  return Math.abs(rounded) >= 1e6 ? rounded.toExponential().replace("e+", "e") : String(rounded);
}
