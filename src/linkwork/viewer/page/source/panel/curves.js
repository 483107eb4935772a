// Curves to plot: components of columns by name, on one time, and which of them coincide.

export const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#6b6b6b"];
const SAME = 2e-3; // of the range: curves nearer than this lie over each other

/** every component that can be plotted, as in "hand.position.z", with its column and unit */
export function components(columns) {
  const found = [];
  for (const [column, { labels, unit, units }] of Object.entries(columns)) {
    labels.forEach((label, k) => found.push({ name: label ? `${column}.${label}` : column, column, component: k, unit: units ? units[k] : unit, whole: labels.length === 1 }));
  }
  return found;
}

/** those whose names have all the words */
export function matching(all, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

/** values of one series at the times of another */
export function resampled(t, values, at) {
  if (t === at) return values;
  const out = new Float32Array(at.length);
  let k = 0;
  for (let i = 0; i < at.length; i++) {
    while (k + 2 < t.length && t[k + 1] <= at[i]) k++;
    const span = t[k + 1] - t[k], part = span > 0 ? Math.max(0, Math.min(1, (at[i] - t[k]) / span)) : 0;
    out[i] = values[k] + part * ((values[k + 1] ?? values[k]) - values[k]);
  }
  return out;
}

/** for each curve the number of the first one that it lies on; its own where it lies on none */
export function coincident(list) {
  let low = Infinity, high = -Infinity;
  for (const values of list) for (const x of values) if (Number.isFinite(x)) { low = Math.min(low, x); high = Math.max(high, x); }
  const near = SAME * (high - low);
  return list.map((values, k) => {
    for (let j = 0; j < k; j++) if (values.every((x, i) => Math.abs(x - list[j][i]) <= near)) return j;
    return k;
  });
}

/** a table of text: the time and all curves */
export function csv(x, xName, curves) {
  const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [[xName, ...curves.map(({ label, unit }) => `${label}${unit ? ` [${unit}]` : ""}`)].map(cell).join(",")];
  for (let k = 0; k < x.length; k++) lines.push([x[k], ...curves.map(({ values }) => Number(values[k].toPrecision(6)))].join(","));
  return `${lines.join("\n")}\n`;
}
