// The keyboard: keys of the page; keys of the piece go down and up for real.
export class Keys {
  constructor(page) {
    this.page = page;
    const { source, selection, clock, theme, tools } = page;
    const chosen = (deed) => () => { if (selection.selected?.kind === "body") deed(selection.selected.name); };
    this.deeds = {
      " ": () => clock.toggle(), arrowleft: () => clock.step(-1), arrowright: () => clock.step(1), f: () => page.fit(),
      home: () => page.look("home"), 0: () => page.look("home"), 1: () => page.look("front"), 2: () => page.look("top"), 3: () => page.look("side"),
      o: () => tools.orthographic(), c: () => tools.toggleFollow(), x: () => selection.setXray(!selection.xray), p: () => page.save(),
      d: () => theme.choose(theme.dark ? "light" : "dark"), "?": () => page.help.open(), escape: () => selection.select(null), a: () => selection.showAll(),
      h: chosen((name) => selection.toggle(selection.hidden, name)), i: chosen((name) => selection.isolate(name)), t: chosen((name) => selection.toggle(selection.pale, name)),
    };
    this.own = new Map(Object.keys(source.show.keys || {}).map((key) => [key.toLowerCase(), key]));
    this.held = new Set();
    window.addEventListener("keydown", (event) => this.down(event));
    window.addEventListener("keyup", (event) => this.turn(event.key, false));
    window.addEventListener("blur", () => { for (const key of [...this.held]) this.turn(key, false); });
  }

  down(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const { target } = event, key = event.key.toLowerCase();
    const typing = target.tagName === "SELECT" || (target.tagName === "INPUT" && !["range", "checkbox"].includes(target.type));
    if (typing) return;
    if (this.own.has(key)) { event.preventDefault(); if (!event.repeat) this.turn(event.key, true); return; }
    if (key === " " && target.tagName === "BUTTON") return; // it presses the button
    if (key.startsWith("arrow") && target.type === "range" && target.id !== "bar") return;
    const deed = this.deeds[key];
    if (deed) { event.preventDefault(); deed(); }
  }

  /** a key of the piece goes down or up */
  turn(key, down) {
    const name = this.own.get(key.toLowerCase());
    if (!name || this.held.has(name) === down) return;
    if (down) this.held.add(name); else this.held.delete(name);
    this.page.source.send("key", name, down);
    this.page.drive?.lit(name, down);
  }
}
