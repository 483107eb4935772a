// Joints of a live run released and attached by hand.
import { h } from "../panel/dom.js";

export class JointsByHand {
  constructor(page) {
    const { source } = page, { bodies } = source.runs[0];
    const names = bodies.filter((body) => !body.ground).map((body) => body.name);
    const choice = (label, list) => h("select", { "aria-label": label }, list.map((name) => h("option", { value: name }, name)));
    this.source = source;
    this.joint = choice("joint to release", []);
    const a = choice("attach to", ["ground", ...names]), b = choice("body to attach", names), kind = choice("kind of joint", ["fixed", "ball"]);
    this.element = h("fieldset.joints", h("legend", "Joints"),
      h("label.field", "joint", this.joint), h("button#release.deed", { onclick: () => source.send("release", this.joint.value) }, "Release"),
      h("label.field", "attach", b), h("label.field", "to", a), h("label.field", "by", kind),
      h("button#attach.deed", { onclick: () => source.send("attach", a.value, b.value, kind.value) }, "Attach"));
    source.onchange((word) => { if (word === "joints") this.list(); });
    this.list();
  }

  list() {
    const { holding, runs } = this.source;
    this.joint.replaceChildren(...(holding || runs[0].joints).map(({ name }) => h("option", { value: name }, name)));
  }
}
