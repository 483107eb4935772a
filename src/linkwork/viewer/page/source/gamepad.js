// A gamepad drives what keys drive: sticks lean keys by how far they are pushed, buttons are keys.
const DEAD = 0.15; // of a stick: nearer to its middle it is at rest
const OFTEN = 50; // ms between two messages of a stick that moves; that it is at rest is said at once
// where keys lie on a keyboard is where they lie on the sticks: axis, way
const PLACES = { i: [1, -1], k: [1, 1], j: [0, -1], l: [0, 1], w: [1, -1], s: [1, 1], a: [0, -1], d: [0, 1],
  arrowup: [1, -1], arrowdown: [1, 1], arrowleft: [0, -1], arrowright: [0, 1], u: [2, -1], o: [2, 1], q: [2, -1], e: [2, 1], y: [3, -1], h: [3, 1] };
const STICKS = ["left stick ←", "left stick →", "left stick ↑", "left stick ↓", "right stick ←", "right stick →", "right stick ↑", "right stick ↓"];
const BUTTONS = [[0, "A"], [1, "B"], [2, "X"], [3, "Y"], [4, "LB"], [5, "RB"], [6, "LT"], [7, "RT"], [8, "back"], [10, "left stick pressed"], [11, "right stick pressed"]];
const START = 9, PAD = { 12: [1, -1], 13: [1, 1], 14: [0, -1], 15: [0, 1] }; // the directional pad is the left stick

/** which stick or button stands for each key */
export function layout(keys) {
  const taken = new Set(), found = [], rest = [];
  for (const key of keys) {
    const place = PLACES[key.toLowerCase()], name = place?.join();
    if (place && !taken.has(name)) { taken.add(name); found.push({ key, axis: place[0], way: place[1], word: STICKS[2 * place[0] + (place[1] > 0)] }); } else rest.push(key);
  }
  rest.slice(0, BUTTONS.length).forEach((key, k) => found.push({ key, button: BUTTONS[k][0], word: BUTTONS[k][1] }));
  return found;
}

export class Gamepad {
  constructor(page) {
    const { show } = page.source;
    Object.assign(this, { page, keys: show.keys || {}, stay: new Set(show.stay || []), said: new Map(), when: 0, id: null, start: false });
    this.layout = layout(Object.keys(this.keys));
    this.most = {}; // of every input, the largest that a key sets it to
    for (const set of Object.values(this.keys)) for (const [name, x] of Object.entries(set)) this.most[name] = Math.max(this.most[name] || 0, Math.abs(x));
    window.addEventListener("pagehide", () => this.release());
  }

  /** the first one that is there */
  get pad() { return document.hasFocus() ? [...(navigator.getGamepads?.() || [])].find((each) => each?.connected) : null; }

  /** once a frame */
  look(now = performance.now()) {
    const { pad } = this;
    if (!pad) { if (this.id) this.release(); return; }
    if (this.id !== pad.id) this.met(pad);
    const pressed = Boolean(pad.buttons[START]?.pressed);
    if (pressed && !this.start) this.page.clock.toggle();
    this.start = pressed;
    const leaning = {};
    for (const { key, axis, way, button } of this.layout) {
      const held = axis === undefined ? Boolean(pad.buttons[button]?.pressed) : this.push(pad, axis, way);
      if (axis === undefined || Object.keys(this.keys[key]).some((name) => this.stay.has(name))) this.turn(key, held > 0.5 || held === true);
      else for (const [name, x] of Object.entries(this.keys[key])) leaning[name] = (leaning[name] || 0) + held * x;
    }
    this.lean(leaning, now);
  }

  /** how far a stick is pushed one way, 0 to 1 */
  push(pad, axis, way) {
    const by = way * (pad.axes[axis] || 0), pressed = Object.entries(PAD).some(([k, [a, w]]) => a === axis && w === way && pad.buttons[k]?.pressed);
    return pressed ? 1 : Math.max(0, Math.min(1, (by - DEAD) / (1 - DEAD)));
  }

  turn(key, down) {
    if (Boolean(this.said.get(key)) === down) return;
    this.said.set(key, down);
    this.page.keys.turn(key, down);
  }

  lean(inputs, now) {
    const due = now - this.when >= OFTEN;
    for (const [name, x] of Object.entries(inputs)) {
      const most = this.most[name], value = Math.max(-most, Math.min(most, x)), before = this.said.get(`=${name}`) || 0;
      if (value === before || (value !== 0 && (!due || Math.abs(value - before) < 0.004 * most))) continue;
      this.said.set(`=${name}`, value);
      this.when = now;
      this.page.source.send("lean", name, value);
    }
  }

  met(pad) {
    this.id = pad.id;
    this.page.notices.toast(this.layout.length ? "Gamepad: it drives what keys drive; ? shows how." : "Gamepad: start plays or pauses; this piece has no keys to drive.");
    this.page.drive?.gamepad(this.layout);
  }

  /** it is gone, or this page is: nothing stays pressed */
  release() {
    for (const [name, value] of this.said) {
      if (!value) continue;
      if (name.startsWith("=")) this.page.source.send("lean", name.slice(1), 0); else this.page.keys.turn(name, false);
    }
    this.said.clear();
    this.id = null;
  }
}
