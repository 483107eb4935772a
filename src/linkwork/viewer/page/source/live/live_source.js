// Frames of a simulation that runs now, over a websocket; those of the last sixty seconds are kept.
import { Source } from "../sources/source.js";
import { frameOf } from "./frame_message.js";
import { History } from "./history.js";
import { Line } from "./line.js";

const LIGHTS = ["good", "watch", "poor"];
const MOST_WATCHED = 48; // columns that the server takes
const COLOURED = 12; // springs at most whose colours tell their forces
const LISTS = 16; // of columns that were plotted: then those that no frame goes by are forgotten
const PATIENCE = 3000; // ms for the first frame; until it comes the start is shown

export class LiveSource extends Source {
  static async open(show) {
    const source = new LiveSource(show);
    await Promise.race([source.first, new Promise((done) => { setTimeout(done, PATIENCE); })]);
    return source;
  }

  constructor(show) {
    super(show);
    const [run] = this.runs;
    Object.assign(this, { live: true, following: true, history: new History(), watched: new Map(), asked: [], plots: [], more: [] });
    this.springs = run.springs.length <= COLOURED ? run.springs.map((spring) => `${spring.name}.force`) : [];
    this.columns = run.columns;
    this.label = run.label;
    this.inputs = Object.fromEntries(show.inputs.map((each) => [each.name, each.value]));
    this.coordinates = show.coordinates.map((each) => each.value);
    this.kinematic = show.kinematic;
    this.trust = { light: "good", reasons: [] };
    this.built = { pins: run.pins, joints: run.joints };
    this.lost = false;
    this.preview = run.preview.map((row) => Float32Array.from(row));
    const joints = run.joints.length;
    this.start = { t: 0, poses: this.preview[0], forces: new Float32Array(6 * joints), contacts: new Float32Array(0),
      drags: new Float32Array(0), plotted: new Float32Array(0), watched: 0, head: { running: 0, late: 0, steps: 0 } };
    this.first = new Promise((done) => { this.#begun = done; });
    this.line = new Line({
      frame: (data) => this.#frame(data),
      words: ([word, ...values]) => this.#word(word, values),
      lost: (why) => {
        this.lost = true;
        this.changed("lost", `${why ? `The server has closed this page: ${why}.` : "The server does not answer."} It goes on by itself when it is back.`);
      },
      back: () => { this.lost = false; this.changed("back"); },
    });
  }

  #begun;

  #frame(data) {
    this.history.add(frameOf(data));
    this.#begun();
    this.changed("frame");
    if (this.asked.length) this.changed("series");
  }

  #word(word, values) {
    if (word === "welcome") this.#welcome(values[0]);
    else if (word === "past") this.history.clear(); // what the server has of it comes now
    else if (word === "watched") this.#list(...values);
    else if (word === "events") { this.runs[0].events = values[0].map(([time, what, part]) => ({ time, what, part })); this.changed("events"); }
    else if (word === "note") this.changed(values[1] || "note", values[0]);
    else if (word === "joints") this.#joints(...values);
    else if (word === "modes") this.changed("modes", values[0]);
    else if (word === "trust") { this.trust = { light: LIGHTS[values[0]], reasons: values[1] }; this.changed("trust", this.trust); }
    else if (["inputs", "coordinates", "kinematic", "label"].includes(word)) {
      this[word] = word === "inputs" ? { ...this.inputs, ...values[0] } : values[0];
      this.changed(word, values[0]);
    }
  }

  /** what came before there was a page to hear it */
  tellAll() {
    for (const word of ["label", "inputs", "coordinates", "kinematic", "trust"]) this.changed(word, this[word]);
    if (this.holding) this.changed("joints");
  }

  /** joints that were released are gone, those attached come last; forces stand in this order, with those gone */
  #joints(gone, pins, joints) {
    const [run] = this.runs;
    run.pins = [...this.built.pins.filter((pin) => !gone.includes(pin.joint)), ...pins];
    run.joints = [...this.built.joints, ...joints];
    this.holding = run.joints.filter((joint) => !gone.includes(joint.name));
    this.changed("joints");
  }

  /** another run than the one this page was made for: begin anew */
  #welcome(run) {
    if (this.run !== undefined && this.run !== run) { window.location.reload(); return; }
    this.run = run;
    if (this.asked.length) this.send("watch", this.asked);
  }

  /** the list that the numbers of later frames go by; lists of frames that are gone go too */
  #list(number, names) {
    this.watched.set(number, this.#places(names));
    if (this.watched.size <= LISTS) return;
    const needed = new Set(this.history.ring.map((frame) => frame?.watched));
    for (const old of [...this.watched.keys()].slice(0, -1)) if (!needed.has(old)) this.watched.delete(old);
  }

  /** where the numbers of each column stand among those that are plotted */
  #places(names) {
    let first = 0;
    return new Map(names.map((name) => {
      const width = this.columns[name].labels.length;
      first += width;
      return [name, [first - width, width]];
    }));
  }

  // --- what is shown ----------------------------------------------------------------------------------------

  get begin() { return this.history && this.history.count ? this.history.oldest.t : 0; }

  set begin(_) { /* by the frames */ }

  get end() { return this.history && this.history.count ? this.history.newest.t : 0; }

  set end(_) { /* by the frames */ }

  get newest() { return this.history.count ? this.history.newest : this.start; }

  get running() { return Boolean(this.newest.head.running); }

  frameAt(t) {
    if (!this.history.count) return this.start;
    return this.following || t >= this.end ? this.newest : this.history.frameAt(t);
  }

  times() { return this.history.count ? this.history.times() : [0]; }

  series(name) {
    const facts = this.columns[name];
    if (!facts || !this.history.count) return null;
    const dot = name.lastIndexOf("."), body = this.runs[0].bodies.findIndex((each) => each.name === name.slice(0, dot));
    const [from, n] = { position: [0, 3], rotation: [3, 4] }[name.slice(dot + 1)] || [0, 0];
    if (body >= 0 && n) return this.history.series(n, ({ poses }) => poses.subarray(7 * body + from, 7 * body + from + n));
    const heads = { "energy.total": "energy", "energy.balance": "balance", "drift.position": "drift" };
    if (heads[name]) return this.history.series(1, ({ head }) => [head[heads[name]]]);
    const found = this.history.series(facts.labels.length, ({ watched, plotted }) => {
      const place = this.watched.get(watched)?.get(name);
      return place && place[0] + place[1] <= plotted.length ? plotted.subarray(place[0], place[0] + place[1]) : null;
    });
    return found.t.length ? found : null;
  }

  /** of one frame: asked for often, so without a look at all others */
  value(name, t, component = 0) {
    if (!(name in this.columns)) return undefined;
    const frame = this.following ? this.newest : this.frameAt(t), place = this.watched.get(frame.watched)?.get(name);
    return place && component < place[1] && place[0] + component < frame.plotted.length ? frame.plotted[place[0] + component] : undefined;
  }

  watch(names) {
    this.plots = names;
    const known = [...new Set([...names, ...this.more, ...this.springs])].filter((name) => name in this.columns).slice(0, MOST_WATCHED);
    if (known.join("\n") === this.asked.join("\n")) return;
    this.asked = known;
    this.send("watch", known);
  }

  /** columns that are shown besides what is plotted */
  also(names) {
    this.more = names;
    this.watch(this.plots);
  }

  // --- what is done -----------------------------------------------------------------------------------------

  send(name, ...values) { this.line.send([name, ...values]); }
}
