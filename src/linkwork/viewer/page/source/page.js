// The page: stage, camera, clock and panels put together; `window.linkwork` for scripts and tests.
import { Vector3 } from "three";
import { Clock } from "./clock.js";
import { h } from "./panel/dom.js";
import { TimeBar } from "./panel/time_bar.js";
import { Stage } from "./scene/stage.js";
import { Theme } from "./scene/theme.js";
import { View } from "./scene/view.js";

const SLOW = 80; // ms a frame: with more of it the scene is drawn plainly
const SAMPLES = 16; // instants of a run that the first view has to hold

export class Page {
  constructor(source) {
    Object.assign(this, { source, dirty: true, slow: 0, drawn: 0 });
    const { show } = source;
    document.title = `${show.title} · linkwork`;
    this.canvas = h("canvas#scene", { tabIndex: 0, "aria-label": "the mechanism in 3D: drag to turn, wheel to zoom" });
    this.header = h("header", h("h1#title", show.title), h("p#facts", source.runs.length === 1 ? source.runs[0].label : ""));
    document.body.append(this.canvas, this.header);
    this.theme = new Theme();
    this.stage = new Stage(this.canvas, source, this.theme);
    this.view = new View(this.canvas, show.view, () => { this.dirty = true; });
    this.clock = new Clock(source, () => { this.dirty = true; });
    this.following = Boolean(show.view.follow);
    this.timeBar = new TimeBar(this);
    document.body.append(this.timeBar.element);
    this.theme.onchange(() => { this.dirty = true; });
    source.onchange((kind, value) => this.changed(kind, value));
    new ResizeObserver(() => this.resized()).observe(this.canvas);
    this.stage.place(this.clock.time);
    this.resized();
    if (show.playing) this.clock.play();
    requestAnimationFrame((now) => this.tick(now));
  }

  changed() { this.dirty = true; }

  // --- the picture ------------------------------------------------------------------------------------------

  /** the part of the canvas that no panel covers, CSS points */
  uncovered() {
    const { clientWidth: width, clientHeight: height } = this.canvas, free = { x: 0, y: 0, width, height };
    if (this.bare) return free;
    const below = this.timeBar.element.getBoundingClientRect();
    free.height = Math.max(60, below.top);
    return free;
  }

  resized() {
    this.view.free = this.uncovered();
    if (this.view.touched) this.view.update(); else this.fit();
    this.dirty = true;
  }

  /** everything into view: what moves, at all times, or around the thing that is followed */
  fit(times = null) {
    const points = [], instants = times || this.instants();
    const now = this.stage.runs[0].bodies.middle(this.stage.runs[0].frame.poses);
    this.stage.runs.forEach((run, k) => {
      for (const t of instants) {
        const { poses } = this.source.frameAt(t, k);
        const chosen = (body) => !body.ground && (!this.following || body.followed);
        const away = this.following ? now.clone().sub(run.bodies.middle(poses)) : new Vector3();
        for (const corner of run.bodies.corners(poses, chosen)) points.push(corner.add(away));
      }
    });
    this.view.fit(points);
    this.view.touched = false;
    this.dirty = true;
  }

  instants() {
    const { begin, end } = this.source;
    return Array.from({ length: SAMPLES }, (_, i) => begin + (end - begin) * i / (SAMPLES - 1));
  }

  /** nothing but the scene at a time, as large as it goes */
  portrait(t) {
    this.bare = true;
    document.body.classList.add("bare");
    this.clock.playing = false;
    this.clock.seek(t);
    this.stage.place(t);
    this.view.free = this.uncovered();
    this.fit([t]);
    this.draw();
  }

  tick(now) {
    const passed = (now - (this.last ?? now)) / 1000;
    this.last = now;
    if (this.clock.playing && !this.source.live) this.clock.advance(Math.min(0.25, passed));
    if (this.dirty) {
      this.dirty = false;
      this.watch(passed * 1000);
      this.draw();
    } else this.slow = 0;
    requestAnimationFrame((later) => this.tick(later));
  }

  /** several slow frames one after the other: draw plainly from now on */
  watch(milliseconds) {
    this.drawn += 1;
    if (this.drawn < 4 || this.stage.plain || this.quality === "full") return;
    this.slow = milliseconds > SLOW ? this.slow + 1 : 0;
    if (this.slow >= 4) this.plain(true);
  }

  plain(on) {
    this.quality = on ? "plain" : "full";
    this.stage.setPlain(on);
    this.dirty = true;
  }

  draw() {
    this.stage.place(this.clock.time);
    const first = this.stage.runs[0];
    this.view.follow(this.following ? first.bodies.middle(first.frame.poses) : null);
    this.stage.render(this.view);
    this.timeBar.show(first.frame);
  }

  follow(on) { this.following = on; this.view.followed = null; this.dirty = true; }

  // --- for scripts and tests --------------------------------------------------------------------------------

  get time() { return this.clock.time; }

  get playing() { return this.clock.playing; }

  play() { this.clock.play(); }

  pause() { this.clock.pause(); }

  seek(t) { this.clock.seek(t); }

  body(name, run = 0) { return this.source.runs[run].bodies.findIndex((body) => body.name === name); }

  poses(run = 0) {
    const { poses } = this.source.frameAt(this.clock.time, run);
    return Object.fromEntries(this.source.runs[run].bodies.map((body, k) => [body.name, Array.from(poses.subarray(7 * k, 7 * k + 7))]));
  }

  /** where a body's centre of mass is on the canvas, CSS points from its left upper corner */
  screen(name, run = 0) {
    this.draw();
    const k = this.body(name, run), { bodies } = this.stage.runs[run];
    return this.view.screen(bodies.world(k, this.source.runs[run].bodies[k].com));
  }

  screenOf(point) {
    this.draw();
    return this.view.screen(new Vector3(...point));
  }

  /** red, green, blue from 0 to 255 at some places of the canvas, CSS points */
  pixels(places) {
    this.draw();
    const gl = this.stage.renderer.getContext(), ratio = this.stage.renderer.getPixelRatio(), out = new Uint8Array(4);
    return places.map(([x, y]) => {
      gl.readPixels(Math.round(x * ratio), this.canvas.height - 1 - Math.round(y * ratio), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
      return Array.from(out.slice(0, 3));
    });
  }

  pixel(x, y) { return this.pixels([[x, y]])[0]; }

  /** left, top, right, bottom of all bodies of a run on the canvas now */
  bounds(run = 0) {
    this.draw();
    const { bodies, frame } = this.stage.runs[run];
    const spots = bodies.corners(frame.poses, (body) => !body.ground).map((corner) => this.view.screen(corner));
    const xs = spots.map((spot) => spot[0]), ys = spots.map((spot) => spot[1]);
    return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  }

  /** the picture as a PNG file */
  save() {
    this.draw();
    this.canvas.toBlob((blob) => {
      const link = h("a", { href: URL.createObjectURL(blob), download: `${this.source.show.title.replace(/[^\w-]+/g, "_")}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
}
