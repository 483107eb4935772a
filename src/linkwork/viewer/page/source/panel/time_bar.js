// The time bar: play, pause, step, scrub, speed, loop.
import { h, icon } from "./dom.js";

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const PLAY = "M8 5v14l11-7z", PAUSE = "M7 5h4v14H7zM13 5h4v14h-4z";

export class TimeBar {
  constructor(page) {
    const { clock, source } = page, { show } = source;
    Object.assign(this, { page, clock, source, digits: show.view.digits });
    this.play = h("button#play.main", { title: "play or pause (space)", onclick: () => clock.toggle() });
    this.bar = h("input#bar", { type: "range", min: source.begin, max: source.end, step: "any", value: source.begin, "aria-label": "time",
      oninput: () => { clock.playing = false; clock.seek(Number(this.bar.value)); } });
    this.marks = h("div.marks");
    this.clockText = h("output#clock");
    const speeds = [...new Set([...SPEEDS, clock.speed])].sort((a, b) => a - b);
    this.speed = h("select#speed", { "aria-label": "speed", title: "speed", onchange: () => { clock.speed = Number(this.speed.value); source.send("speed", clock.speed); } },
      speeds.map((s) => h("option", { value: s }, `${s} ×`)));
    this.speed.value = clock.speed;
    this.loop = h("input#loop", { type: "checkbox", checked: clock.loop, onchange: () => { clock.loop = this.loop.checked; } });
    this.element = h("footer#time",
      h("div.row", this.play,
        h("button#back", { title: "one frame back (left arrow)", "aria-label": "one frame back", onclick: () => clock.step(-1) }, icon("M18 6v12l-8.5-6zM6 6h2.4v12H6z")),
        h("button#forth", { title: "one frame on (right arrow)", "aria-label": "one frame on", onclick: () => clock.step(1) }, icon("M6 6v12l8.5-6zM15.6 6H18v12h-2.4z")),
        h("div.track", this.bar, this.marks), this.clockText, this.speed, source.live ? h("button#now", { title: "back to now", onclick: () => clock.now() }, "now") : h("label.tick", { title: "begin again at the end" }, this.loop, h("span.word", "loop"), h("span.sign", { "aria-hidden": "true" }, "↻"))));
    this.events();
    clock.onchange(() => this.state());
    this.state();
  }

  state() {
    const { playing } = this.clock;
    if (this.shown === playing) return;
    this.shown = playing;
    this.play.replaceChildren(icon(playing ? PAUSE : PLAY));
    this.play.setAttribute("aria-label", playing ? "pause" : "play");
  }

  /** marks on the time line */
  events() {
    const { begin, end, runs } = this.source, list = runs.flatMap((run) => run.events || []).filter(({ time }) => time >= begin && time <= end);
    this.marks.replaceChildren(...list.map(({ time, what, part }) => h("button.mark", { style: `left: ${100 * (time - begin) / (end - begin || 1)}%`, title: `${part} ${what} at ${Number(time.toPrecision(4))} s`, "aria-label": `${part} ${what}`, onclick: () => { this.clock.playing = false; this.clock.seek(time); } })));
  }

  show() {
    const { begin, end } = this.source;
    if (this.source.live) {
      this.bar.min = begin;
      this.bar.max = end;
      if (this.source.runs[0].events.length || this.marks.childElementCount) this.events();
    }
    this.bar.value = this.clock.time;
    this.bar.style.setProperty("--part", `${100 * (this.clock.time - begin) / (end - begin || 1)}%`);
    this.clockText.textContent = `${this.clock.time.toFixed(this.digits)} / ${end.toFixed(this.digits)} s`;
  }
}
