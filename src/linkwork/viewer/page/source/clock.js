// The time that is shown of recorded runs: playing, paused, stepped, scrubbed. live/live_clock.js has that of a live one.
export class Clock {
  /** @param {import("./sources/source.js").Source} source @param {(t: number) => void} changed */
  constructor(source, changed) {
    Object.assign(this, { source, changed });
    this.time = source.begin;
    this.playing = false;
    this.speed = source.show.speed || 1;
    this.loop = true;
    this.listeners = [];
  }

  onchange(callback) { this.listeners.push(callback); }

  tell() { for (const callback of this.listeners) callback(this); this.changed(this.time); }

  play() {
    if (this.time >= this.source.end) this.time = this.source.begin;
    this.playing = true;
    this.tell();
  }

  pause() {
    this.playing = false;
    this.tell();
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  seek(t) {
    this.time = Math.max(this.source.begin, Math.min(this.source.end, t));
    this.tell();
  }

  /** to the next recorded frame, or the one before */
  step(way) {
    const times = this.source.times(), slack = 1e-9 * (this.source.end - this.source.begin || 1);
    let k = 0, high = times.length; // the first frame after now
    while (k < high) { const m = (k + high) >> 1; if (times[m] <= this.time + slack) k = m + 1; else high = m; }
    if (way < 0) { k -= 1; if (times[k] >= this.time - slack) k -= 1; }
    this.playing = false;
    this.seek(times[Math.max(0, Math.min(times.length - 1, k))]);
  }

  /** go on by so many seconds of the wall */
  advance(seconds) {
    const { begin, end } = this.source;
    let t = this.time + seconds * this.speed;
    if (t >= end) {
      if (this.loop && end > begin) t = begin + (t - end) % (end - begin);
      else { t = end; this.playing = false; }
    }
    this.time = t;
    this.tell();
  }
}
