// Frames of recorded runs, which the page holds whole.
import { Source } from "./source.js";
import { bytesOf, inflated, unpack } from "./unpack.js";

/** the last row at or before t, and how far it is from there to the next: 0 to 1 */
export function rowAt(time, t) {
  if (time.length === 1 || t <= time[0]) return [0, 0];
  let low = 0, high = time.length - 1;
  while (high - low > 1) { const k = (low + high) >> 1; if (time[k] <= t) low = k; else high = k; }
  return [low, Math.min(1, (t - time[low]) / (time[high] - time[low]))];
}

/** poses between two rows of many: positions on a line, quaternions on the shorter way */
export function mixPoses(out, from, a, to, b, part) {
  for (let k = 0; k < out.length; k += 7) {
    for (let i = 0; i < 3; i++) out[k + i] = from[a + k + i] + part * (to[b + k + i] - from[a + k + i]);
    let dot = 0, size = 0;
    for (let i = 3; i < 7; i++) dot += from[a + k + i] * to[b + k + i];
    for (let i = 3; i < 7; i++) {
      out[k + i] = (1 - part) * from[a + k + i] + (dot < 0 ? -part : part) * to[b + k + i];
      size += out[k + i] ** 2;
    }
    size = Math.sqrt(size) || 1;
    for (let i = 3; i < 7; i++) out[k + i] /= size;
  }
  return out;
}

const NONE = new Float32Array(0);

/** contacts, look by look; replay/pressed.py writes them */
function touches(buffer, { time, count, rows, middle, steps }) {
  const whole = unpack(buffer, rows), n = whole.length / 7, out = new Float32Array(7 * n), counts = unpack(buffer, count), first = new Int32Array(counts.length);
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < 3; i++) { out[7 * k + i] = middle[i] + steps[0] * whole[i * n + k]; out[7 * k + 3 + i] = steps[1] * whole[(3 + i) * n + k]; }
    out[7 * k + 6] = whole[6 * n + k];
  }
  for (let k = 1; k < counts.length; k++) first[k] = first[k - 1] + counts[k - 1];
  return { time: unpack(buffer, time), count: counts, first, rows: out };
}

export class ReplaySource extends Source {
  static async open(show) {
    const buffer = show.block ? await inflated(bytesOf(show.block)) : new ArrayBuffer(0);
    return new ReplaySource(show, buffer);
  }

  constructor(show, buffer) {
    super(show);
    this.data = show.runs.map((run) => this.#decode(run, buffer));
    this.begin = Math.min(...this.data.map((run) => run.time[0]));
    this.end = Math.max(...this.data.map((run) => run.time[run.time.length - 1]));
    for (const run of show.runs) Object.assign(this.columns, run.columns);
  }

  #decode(run, buffer) {
    const known = new Map();
    const list = (facts, wide) => {
      if (!known.has(facts.at)) known.set(facts.at, wide ? Array.from(unpack(buffer, facts)) : unpack(buffer, facts));
      return known.get(facts.at);
    };
    for (const shape of [...run.bodies.flatMap((body) => body.shapes), ...run.roads]) {
      for (const key of ["points", "faces", "triangles"]) {
        if (shape[key] && shape[key].kind) shape[key] = list(shape[key]);
      }
    }
    const time = unpack(buffer, run.time), slow = run.columnTime ? unpack(buffer, run.columnTime) : time;
    return { time, slow, poses: unpack(buffer, run.poses), buffer, series: new Map(), count: run.bodies.length, touches: run.contacts && touches(buffer, run.contacts) };
  }

  times(run = 0) { return this.data[run].time; }

  frameAt(t, run = 0) {
    const { time, poses, count } = this.data[run], [row, part] = rowAt(time, t);
    const n = 7 * count, next = Math.min(row + 1, time.length - 1);
    const mixed = mixPoses(new Float32Array(n), poses, row * n, poses, next * n, part);
    return { t, poses: mixed, forces: this.#forces(t, run), contacts: this.#contacts(t, run), head: this.#head(t, run) };
  }

  /** of the last look before a time: the next one may have others */
  #contacts(t, run) {
    const { touches: seen } = this.data[run];
    if (!seen) return NONE;
    const [row, part] = rowAt(seen.time, t), k = part === 1 ? row + 1 : row;
    return seen.rows.subarray(7 * seen.first[k], 7 * (seen.first[k] + seen.count[k]));
  }

  #forces(t, run) {
    const joints = this.runs[run].joints, out = new Float32Array(6 * joints.length);
    joints.forEach((joint, k) => {
      for (let i = 0; i < 6; i++) out[6 * k + i] = this.value(`${joint.name}.reaction`, t, i, run) || 0;
    });
    return out;
  }

  #head(t, run) {
    const of = (name) => this.value(name, t, 0, run);
    return { energy: of("energy.total"), balance: of("energy.balance"), drift: of("drift.position") };
  }

  /** a component of a column at a time; undefined where the page does not have it */
  value(name, t, component = 0, run = 0) {
    const series = this.series(name, run);
    if (!series || component >= series.values.length) return undefined;
    const [row, part] = rowAt(series.t, t), values = series.values[component];
    if (part === 0 || row + 1 >= values.length) return values[row];
    return values[row] + part * (values[row + 1] - values[row]);
  }

  series(name, run = 0) {
    const data = this.data[run], facts = this.runs[run].columns?.[name];
    if (!facts?.data) return this.#ofPoses(name, run);
    if (!data.series.has(name)) {
      const all = unpack(data.buffer, facts.data), width = facts.labels.length, rows = all.length / width;
      const values = facts.labels.map((_, c) => Float32Array.from({ length: rows }, (__, r) => all[r * width + c]));
      data.series.set(name, { t: data.slow, values });
    }
    return data.series.get(name);
  }

  /** positions and rotations of bodies are not stored twice */
  #ofPoses(name, run) {
    const dot = name.lastIndexOf("."), what = name.slice(dot + 1), data = this.data[run];
    const body = this.runs[run].bodies.findIndex((each) => each.name === name.slice(0, dot));
    const [first, width] = { position: [0, 3], rotation: [3, 4] }[what] || [0, 0];
    if (body < 0 || !width) return null;
    if (!data.series.has(name)) {
      const column = (c) => Float32Array.from(data.time, (_, r) => data.poses[7 * (r * data.count + body) + first + c]);
      data.series.set(name, { t: data.time, values: Array.from({ length: width }, (_, c) => column(c)) });
    }
    return data.series.get(name);
  }
}
