// Where frames come from. The page asks a source and never which kind it is, except by `live`.

/**
 * @typedef {object} Frame
 * @property {number} t time, s
 * @property {Float32Array} poses 7 numbers for each moving thing: x y z (m), quaternion w x y z
 * @property {Float32Array} forces 6 numbers for each joint: force (N) and torque (N m) on b from a, world axes
 * @property {Float32Array} contacts 7 numbers for each contact: point (m), force (N), 1 where it bears on a ground
 * @property {{energy?: number, balance?: number, drift?: number, iterations?: number, factor?: number,
 *   running?: number, late?: number, steps?: number}} head
 *
 * @typedef {object} Series
 * @property {Float64Array} t times, s
 * @property {Float32Array[]} values one array for each component
 *
 * @callback Changed
 * @param {string} kind what is new: "frame", "joints", "note", "columns", "series", "lost", "back", …
 * @param {*} [value]
 */

export class Source {
  /** @param {object} show the data of the page */
  constructor(show) {
    this.show = show;
    /** @type {object[]} of every run what there is to draw */
    this.runs = show.runs;
    this.live = false;
    /** times that can be shown now, s */
    this.begin = 0;
    this.end = 0;
    /** @type {Record<string, {labels: string[], unit: string}>} what can be plotted */
    this.columns = {};
    /** @type {Changed[]} */
    this.listeners = [];
  }

  /** @param {Changed} callback */
  onchange(callback) { this.listeners.push(callback); }

  changed(kind, value) { for (const callback of this.listeners) callback(kind, value); }

  /** @returns {Frame} @param {number} t s @param {number} [run] */
  frameAt(t, run = 0) { throw new Error(`no frame at ${t} of run ${run}`); }

  /** @returns {Series | null} null where there is none (yet) @param {string} name @param {number} [run] */
  series(name, run = 0) { return null; }

  /** the times of the recorded frames, s @returns {ArrayLike<number>} */
  times(run = 0) { return [this.begin, this.end]; }

  /** columns that are being looked at @param {string[]} names */
  watch(names) {}

  /** live only: run, single, speed, input, watch, dt, method, reset, release, grab, pull, drop, attach, … */
  send(name, ...values) {}
}
