// Light and dark by the system's setting; the style sheet has the colours of words, these are those of the scene.
const LIGHT = { background: 0xf7f7f4, ground: 0xefefeb, grid: 0x8b9098, gridStrength: 0.42, joint: 0x2f3136, road: 0xdcdcd6, tyre: 0x3a3d42,
  sky: 0xffffff, earth: 0xb9b4aa, key: 2.0, hemisphere: 1.35, shadow: 0.3, select: 0x0072b2, trail: 0xd55e00, pulled: 0xd55e00, pushed: 0x0072b2 };
const DARK = { background: 0x14161a, ground: 0x282c33, grid: 0x8f98a6, gridStrength: 0.2, joint: 0xc9ced6, road: 0x59616d, tyre: 0x6b727d,
  sky: 0xdfe8ff, earth: 0x31343a, key: 1.9, hemisphere: 1.45, shadow: 0.55, select: 0x5ac8fa, trail: 0xffa45c, pulled: 0xff8a3d, pushed: 0x57b6f5 };

const system = window.matchMedia("(prefers-color-scheme: dark)");

export class Theme {
  constructor() {
    this.asked = null; // "light" or "dark", where the visitor chose one
    this.listeners = [];
    system.addEventListener("change", () => this.tell());
    this.tell();
  }

  get dark() { return this.asked ? this.asked === "dark" : system.matches; }

  get colours() { return this.dark ? DARK : LIGHT; }

  choose(asked) { this.asked = asked; this.tell(); }

  onchange(callback) { this.listeners.push(callback); }

  tell() {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    for (const callback of this.listeners) callback(this.colours);
  }
}
