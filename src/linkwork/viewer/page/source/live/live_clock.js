// The time of a simulation that runs now: the newest frame, or a time of the last sixty seconds.
import { Clock } from "../clock.js";

export class LiveClock extends Clock {
  constructor(source, changed) {
    super(source, changed);
    this.past = 0; // the time that is shown while the page looks back, s
    this.factor = source.show.speed || 1;
    this.ready = true; // until then nothing that is set here is for the server
    source.onchange((kind) => { if (kind === "frame") this.#moved(); });
  }

  get time() { return this.source.following ? this.source.end : this.past; }

  set time(_) { /* by the frames */ }

  get playing() { return this.source.following && this.source.running; }

  set playing(on) { if (this.ready && !on && this.source.running) this.source.send("run", false); }

  get speed() { return this.factor; }

  set speed(factor) {
    if (this.ready && factor !== this.factor) this.source.send("speed", factor);
    this.factor = factor;
  }

  #moved() {
    const { source } = this;
    // the run began anew, or went on from its past, by somebody else's hand
    if (!source.following && (this.past > source.end || this.past < source.begin)) source.following = true;
    this.tell();
  }

  /** run; from where the page looks back to, where it does: a new branch */
  play() {
    if (this.source.following) this.source.send("run", true);
    else this.branch();
  }

  pause() { this.source.send("run", false); }

  branch() {
    this.source.send("branch", this.past);
    this.source.following = true;
    this.tell();
  }

  /** back to the newest frame */
  now() {
    this.source.following = true;
    this.tell();
  }

  seek(t) {
    const { source } = this;
    if (source.running) source.send("run", false); // so that the past stays where it is
    this.past = Math.max(source.begin, Math.min(source.end, t));
    source.following = this.past >= source.end;
    this.tell();
  }

  step(way) {
    const { source } = this, times = source.times();
    if (way > 0 && source.following) { source.send("single", 1); return; }
    const k = times.findLastIndex((t) => t <= this.time + 1e-12) + way;
    this.seek(times[Math.max(0, Math.min(times.length - 1, k))]);
  }

  advance() { /* the server goes on */ }
}
