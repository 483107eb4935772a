// The page: stage, camera, clock and panels put together; `window.linkwork` for scripts and tests.
import { Box3, Vector3 } from "three";
import { Clock } from "./clock.js";
import { Gamepad } from "./gamepad.js";
import { Keys } from "./keys.js";
import { LiveClock } from "./live/live_clock.js";
import { h } from "./panel/dom.js";
import { Drive } from "./panel/drive.js";
import { Facts } from "./panel/facts.js";
import { Help } from "./panel/help.js";
import { Modes } from "./panel/modes.js";
import { Notices } from "./panel/notices.js";
import { Panel } from "./panel/panel.js";
import { Plots } from "./panel/plots.js";
import { Switches } from "./panel/switches.js";
import { TimeBar } from "./panel/time_bar.js";
import { Tools } from "./panel/tools.js";
import { Tree } from "./panel/tree.js";
import { Trust } from "./panel/trust.js";
import { Arrows } from "./scene/arrows.js";
import { Marks } from "./scene/marks.js";
import { Selection } from "./scene/selection.js";
import { Stage } from "./scene/stage.js";
import { Theme } from "./scene/theme.js";
import { View } from "./scene/view.js";

const SLOW = 80; // ms a frame: with more of it the scene is drawn plainly
const LARGER = 1.8; // than what moves: what would make the picture so much larger is left out of it
const EDGE = 0.5; // of the picture from its middle: its edge
const FAR = 2; // radii of what is seen at first
const SAMPLES = 16; // instants of a run that the first view has to hold

export class Page {
  constructor(source) {
    Object.assign(this, { source, dirty: true, slow: 0, drawn: 0, beside: false });
    const { show } = source;
    document.title = `${show.title} · linkwork`;
    this.canvas = h("canvas#scene", { tabIndex: 0, "aria-label": "the mechanism in 3D: drag to turn, wheel to zoom" });
    document.body.append(this.canvas);
    this.theme = new Theme();
    this.stage = new Stage(this.canvas, source, this.theme);
    this.view = new View(this.canvas, show.view, () => { this.dirty = true; });
    this.clock = new (source.live ? LiveClock : Clock)(source, () => { this.dirty = true; });
    this.following = Boolean(show.view.follow);
    this.stage.place(this.clock.time);
    this.selection = new Selection(this);
    this.arrows = new Arrows(this);
    this.marks = new Marks(this);
    this.panels();
    this.keys = new Keys(this);
    this.gamepad = new Gamepad(this);
    this.help.add(this.gamepad.layout);
    this.theme.onchange(() => { this.selection.apply(); this.plots.redraw(); this.dirty = true; });
    source.onchange((kind, value) => this.changed(kind, value));
    new ResizeObserver(() => this.resized()).observe(this.canvas);
    this.resized();
    if (show.playing && !source.live) this.clock.play();
    requestAnimationFrame((now) => this.tick(now));
  }

  panels() {
    const { source } = this;
    this.notices = new Notices();
    this.help = new Help();
    this.trust = new Trust(this);
    this.header = h("header", h("div.name", h("h1#title", source.show.title), this.trust.badge), h("p#facts", source.runs.length === 1 ? source.runs[0].label : ""), this.legend());
    this.tools = new Tools(this);
    this.timeBar = new TimeBar(this);
    this.tree = new Tree(this);
    this.facts = new Facts(this);
    this.plots = new Plots(this);
    this.plots.begin();
    this.switches = new Switches(this);
    this.drive = new Drive(this);
    this.modes = new Modes(this);
    const parts = h("div.parts", this.facts.element, this.tree.element);
    this.panel = new Panel(this, { Parts: parts, Plots: this.plots.element, Show: this.switches.element, Drive: this.drive.empty ? null : this.drive.element, Modes: this.modes.empty ? null : this.modes.element });
    this.selection.onchange(({ selected }) => source.also?.(selected && selected.kind !== "body" ? this.facts.own(selected.name).slice(0, 12) : []));
    this.dock = h("div#dock", this.timeBar.element, h("div#strip", this.panel.bar, this.tools.element));
    document.body.append(this.header, this.panel.element, this.dock);
    this.modes.begin();
    this.selection.onchange(({ selected }) => { if (selected && this.panel.name && this.panel.name !== "Plots" && this.panel.name !== "Parts") this.panel.open("Parts"); });
  }

  /** the colours of several runs */
  legend() {
    const { runs } = this.source;
    if (runs.length < 2) return "";
    return h("ul#legend", runs.map((run) => h("li", h("i", { style: `background: rgb(${run.tint.map((x) => Math.round(255 * x)).join(",")})` }), run.label)));
  }

  /** something new from the source */
  changed(kind, value) {
    this.dirty = true;
    const deeds = {
      note: () => this.notices.toast(value), error: () => this.notices.toast(value, "error"), lost: () => this.notices.banner(value || "The server is gone; waiting for it to come back."),
      back: () => { this.notices.banner(""); this.notices.toast("The server is back."); }, trust: () => this.trust.set(value), label: () => { document.getElementById("facts").textContent = value; },
      inputs: () => { for (const [name, x] of Object.entries(value)) this.drive.put(name, x); }, coordinates: () => value.forEach((x, k) => this.drive.poses[k]?.put(x)),
      kinematic: () => { if (this.drive.hand) this.drive.hand.checked = value; }, joints: () => { this.stage.runs[0].joints.make(this.source.runs[0].pins, this.source.runs[0].joints); this.tree.build(); },
      columns: () => this.plots.refresh(),
    };
    deeds[kind]?.();
  }

  // --- the picture ------------------------------------------------------------------------------------------

  /** the part of the canvas that no panel covers, CSS points */
  uncovered() {
    const { clientWidth: width, clientHeight: height } = this.canvas, free = { x: 0, y: 0, width, height };
    if (this.bare) return free;
    const top = this.header.getBoundingClientRect().bottom, bottom = this.dock.getBoundingClientRect().top;
    let right = width, low = bottom;
    if (this.panel.name) {
      const box = this.panel.element.getBoundingClientRect();
      if (box.width < 0.6 * width) right = box.left; else low = Math.min(low, box.top);
    }
    Object.assign(free, { y: Math.min(top, 0.2 * height), width: Math.max(120, right) });
    free.height = Math.max(80, low - free.y);
    return free;
  }

  resized() {
    document.documentElement.style.setProperty("--dock", `${window.innerHeight - this.dock.getBoundingClientRect().top}px`);
    this.view.free = this.uncovered();
    if (this.view.touched) this.view.update(); else this.fit();
    this.dirty = true;
  }

  /** everything into view: what moves, at all times, or around the thing that is followed */
  fit(times = null) {
    const points = [], instants = times || this.instants();
    const now = this.stage.runs[0].bodies.middle(this.stage.runs[0].frame.poses), alone = times !== null;
    this.stage.runs.forEach((run, k) => {
      const preview = alone ? null : this.source.runs[k].preview;
      for (const each of preview || instants) {
        const { poses } = preview ? { poses: each } : this.source.frameAt(each, k);
        const chosen = (body) => !body.ground && (!this.following || body.followed);
        const away = this.following ? now.clone().sub(run.bodies.middle(poses)) : new Vector3();
        for (const corner of run.bodies.corners(poses, chosen)) points.push(corner.add(away));
      }
    });
    if (!this.following) this.besides(points);
    this.view.columns = this.beside ? this.stage.runs.length : 1;
    this.view.fit(points);
    this.view.touched = false;
    this.dirty = true;
  }

  /** what stands beside what moves belongs to the picture, unless it is much larger; so do ends of springs and ropes */
  besides(points) {
    const moving = new Box3().setFromPoints(points), size = moving.getSize(new Vector3()).length();
    const near = (box) => !box.isEmpty() && moving.clone().union(box).getSize(new Vector3()).length() < LARGER * size;
    const boxes = this.stage.standing.filter(({ userData }) => userData.solid).map(({ geometry }) => geometry.boundingBox);
    const { springs = [], joints = [] } = this.source.runs[0], rods = joints.filter(({ far }) => far).map(({ body, at, far }) => ({ a: body, at_a: at, b: far.body, at_b: far.at }));
    for (const { a, at_a, b, at_b } of [...springs, ...rods]) {
      for (const [body, at] of [[a, at_a], [b, at_b]]) if (body < 0) boxes.push(new Box3().setFromPoints([new Vector3(...at)]));
    }
    for (const { min, max } of boxes.filter((box) => near(box) || box.min.equals(box.max))) {
      for (let i = 0; i < 8; i++) points.push(new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
    }
  }

  look(name) { this.view.view(name); this.fit(); }

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
    this.view.followed = null; // it is fitted to this time, and does not go there once more
    this.view.free = this.uncovered();
    this.fit([t]);
    this.draw();
  }

  tick(now) {
    const passed = (now - (this.last ?? now)) / 1000;
    this.last = now;
    if (this.modes.swinging) this.modes.advance(Math.min(0.25, passed));
    else if (this.clock.playing) this.clock.advance(Math.min(0.25, passed));
    this.selection.look();
    this.gamepad.look(now);
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

  /** everything and the camera to where they are now, without drawing */
  arrange() {
    this.stage.place(this.clock.time, this.modes.swinging ? this.modes.frame(this.clock.time) : null);
    const first = this.stage.runs[0];
    if (this.leaves(first)) this.goAlong(first);
    this.view.follow(this.following ? first.bodies.middle(first.frame.poses) : null);
    return first;
  }

  draw() {
    const first = this.arrange();
    this.arrows.place();
    this.marks.place(first.frame);
    this.live?.drag.draw(first.frame);
    this.stage.render(this.view, this.beside, this.arrows.roots);
    this.timeBar.show(first.frame);
    this.facts.show();
    this.switches.show();
    this.plots.show();
  }

  /** what travels is followed; for what only swings that far there is a larger picture */
  goAlong({ bodies, frame }) {
    const { radius, centre } = this.source.show.view;
    if (bodies.middle(frame.poses).distanceTo(new Vector3(...centre)) < FAR * radius) { this.fit(); return; }
    this.follow(true);
    this.view.easing = true;
    this.tools.state();
  }

  /** live: whether what moves has left the picture; not where the visitor chose it */
  leaves({ bodies, frame }) {
    if (!this.source.live || this.following || this.chose || this.view.touched) return false;
    const [x, y] = this.view.screen(bodies.middle(frame.poses)), { free } = this.view;
    return Math.abs(x - free.x - free.width / 2) > EDGE * free.width || Math.abs(y - free.y - free.height / 2) > EDGE * free.height;
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
    this.arrange();
    const k = this.body(name, run), { bodies } = this.stage.runs[run];
    return this.view.screen(bodies.world(k, this.source.runs[run].bodies[k].com));
  }

  screenOf(point) {
    this.arrange();
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

  /** left, top, right, bottom of all bodies of a run on the canvas now, or of those that are followed */
  bounds(run = 0) {
    this.arrange();
    const { bodies, frame } = this.stage.runs[run], chosen = (body) => !body.ground && (!this.following || body.followed);
    const spots = bodies.corners(frame.poses, chosen).map((corner) => this.view.screen(corner));
    const xs = spots.map((spot) => spot[0]), ys = spots.map((spot) => spot[1]);
    return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  }

  select(kind, name) { this.selection.select(name ? { kind, name } : null); }

  download(blob, name) {
    const link = h("a", { href: URL.createObjectURL(blob), download: `${this.source.show.title.replace(/[^\w-]+/g, "_")}_${name}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /** the picture as a PNG file */
  save() {
    this.draw();
    this.canvas.toBlob((blob) => this.download(blob, "picture.png"));
  }
}
