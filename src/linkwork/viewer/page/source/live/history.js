// The frames of the last sixty seconds, as they came; between two of them poses go on straight.
import { mixPoses } from "../sources/replay_source.js";

const MOST = 3600; // frames: sixty a second

export class History {
  constructor() {
    this.ring = new Array(MOST);
    this.first = 0; // place of the oldest
    this.count = 0;
  }

  clear() {
    this.ring.fill(undefined);
    this.first = this.count = 0;
  }

  at(k) { return this.ring[(this.first + k) % MOST]; }

  get oldest() { return this.at(0); }

  get newest() { return this.at(this.count - 1); }

  /** A new frame; what it comes before is no more: the run began anew, or went on from its past. */
  add(frame) {
    while (this.count && this.newest.t >= frame.t) { this.count -= 1; this.ring[(this.first + this.count) % MOST] = undefined; }
    if (this.count === MOST) { this.first = (this.first + 1) % MOST; this.count -= 1; }
    this.ring[(this.first + this.count) % MOST] = frame;
    this.count += 1;
  }

  /** the number of the last frame at or before a time; 0 where there is none */
  before(t) {
    let low = 0, high = this.count;
    while (high - low > 1) { const k = (low + high) >> 1; if (this.at(k).t <= t) low = k; else high = k; }
    return low;
  }

  frameAt(t) {
    const k = this.before(t), a = this.at(k);
    if (k === this.count - 1 || t <= a.t) return a;
    const b = this.at(k + 1), part = (t - a.t) / (b.t - a.t);
    return { ...a, t, poses: mixPoses(new Float32Array(a.poses.length), a.poses, 0, b.poses, 0, part) };
  }

  times() { return Float64Array.from({ length: this.count }, (_, k) => this.at(k).t); }

  /** numbers of all frames that have them: `values(frame)` gives one for each component, or null */
  series(width, values) {
    const t = [], found = Array.from({ length: width }, () => []);
    for (let k = 0; k < this.count; k++) {
      const frame = this.at(k), row = values(frame);
      if (!row) continue;
      t.push(frame.t);
      for (let i = 0; i < width; i++) found[i].push(row[i]);
    }
    return { t: Float64Array.from(t), values: found.map((one) => Float32Array.from(one)) };
  }
}
