// How a live run keeps pace, in words: real-time factor, late steps, and what the solver does.
import { h } from "../panel/dom.js";

const OFTEN = 250; // ms between two looks

export class Pace {
  constructor(page) {
    this.source = page.source;
    this.element = h("p#pace");
    page.header.append(this.element);
    setInterval(() => this.show(), OFTEN);
  }

  show() {
    const text = this.text(this.source.newest);
    if (text !== this.element.textContent) this.element.textContent = text;
  }

  text({ head, contacts }) {
    if (head.kinematic) return "by hand: no forces, no time";
    const { factor, running, late, steps, iterations } = head;
    const words = [running ? `${factor.toFixed(2)} × real time` : "paused"];
    if (steps) words.push(`late steps ${late} of ${steps}`);
    if (iterations) words.push(`${iterations} iteration${iterations === 1 ? "" : "s"}`);
    if (contacts.length) words.push(`${contacts.length / 7} contact${contacts.length === 7 ? "" : "s"}`);
    return words.join(" · ");
  }
}
