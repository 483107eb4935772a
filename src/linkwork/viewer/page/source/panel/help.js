// Keys and gestures, shown by "?".
import { h } from "./dom.js";

const LINES = [
  ["drag", "turn"], ["right drag, two fingers", "move"], ["wheel, pinch", "zoom"], ["click", "select a part"],
  ["space", "play or pause"], ["← →", "one frame back or on"], ["F", "everything into the picture"],
  ["1 2 3 0", "front, top, side, first view"], ["O", "orthographic"], ["C", "follow"], ["X", "x-ray"],
  ["H I T", "hide, isolate, see through the selected part"], ["A", "show all"], ["P", "save the picture"],
  ["D", "dark or light"], ["Esc", "select nothing"], ["?", "this help"],
];

export class Help {
  constructor() {
    this.dialog = h("dialog#help", { onclick: (event) => { if (event.target === this.dialog) this.dialog.close(); } },
      h("h2", "Keys"), h("dl", LINES.map(([key, what]) => [h("dt", key), h("dd", what)])),
      h("button.main", { onclick: () => this.dialog.close() }, "Close"));
    document.body.append(this.dialog);
  }

  /** what a gamepad does here */
  add(layout) {
    const lines = [...layout.map(({ key, word }) => [word, `as the key ${key}`]), ["start", "play or pause"]];
    this.dialog.querySelector("button").before(h("h2", "Gamepad"), h("dl", lines.map(([what, does]) => [h("dt", what), h("dd", does)])));
  }

  open() { this.dialog.showModal(); }
}
