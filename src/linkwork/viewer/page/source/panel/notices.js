// Words where the eye is: toasts that go, a banner that stays as long as its reason.
import { h } from "./dom.js";

export class Notices {
  constructor() {
    this.box = h("div#toasts", { role: "status", "aria-live": "polite" });
    this.bar = h("p#banner", { role: "alert", hidden: true });
    document.body.append(this.box, this.bar);
  }

  toast(text, kind = "note") {
    if (!text) return;
    const long = Math.max(3500, 70 * text.length), toast = h(`p.toast.${kind}`, text, h("button", { "aria-label": "close", onclick: () => toast.remove() }, "×"));
    this.box.append(toast);
    while (this.box.children.length > 3) this.box.firstChild.remove();
    if (kind !== "error") setTimeout(() => toast.remove(), long);
  }

  banner(text) {
    this.bar.hidden = !text;
    this.bar.textContent = text || "";
  }
}
