// What else is drawn: forces, contacts, trails, centres of mass, frames; runs side by side; the look.
import { h } from "./dom.js";

export class Switches {
  constructor(page) {
    this.page = page;
    const { source, stage, arrows, marks, selection } = page;
    const tick = (id, text, on, set, there = true) => there && h("label.tick", h("input", { id, type: "checkbox", checked: on, onchange: (event) => set(event.target.checked) }), text);
    const reactions = source.live || source.runs[0].joints?.some((joint) => source.series(`${joint.name}.reaction`));
    const touches = source.live ? source.runs[0].touching : source.runs.some(({ contacts }) => contacts);
    const masses = source.runs[0].bodies.some((body) => body.mass);
    const joints = (on) => { for (const run of stage.runs) run.joints.root.visible = on; page.dirty = true; };
    this.legend = h("p#scale", { hidden: true, "aria-label": "scale of arrows" });
    document.body.append(this.legend);
    this.element = h("div.switches",
      h("fieldset", h("legend", "Draw"), tick("joints", "joints", true, joints), tick("xray", "x-ray", false, (on) => selection.setXray(on)),
        tick("grid", "grid", true, (on) => { stage.floor.disc.visible = on; page.dirty = true; })),
      h("fieldset", h("legend", "Forces"), tick("forces", "forces in joints", false, (on) => this.arrow("force", on), reactions), tick("torques", "torques in joints", false, (on) => this.arrow("torque", on), reactions),
        tick("contacts", "contacts: points and forces", false, (on) => this.arrow("contact", on), touches),
        !touches && h("p#untouched.soft", source.runs.some((run) => run.touching) ? "This run did not record where bodies touch." : "Nothing touches in this run."),
        !reactions && source.runs[0].joints?.length > 0 && h("p.soft", "The run did not record reactions.")),
      h("fieldset", h("legend", "Mass"), tick("com", "centres of mass", false, (on) => marks.set("com", on)), tick("inertia", "inertia ellipsoids", false, (on) => marks.set("inertia", on), masses),
        tick("polygon", "support polygon", false, (on) => marks.set("polygon", on), touches), tick("frames", "frames of bodies", false, (on) => marks.set("frames", on))),
      h("fieldset", h("legend", "Trail"), this.trails()),
      source.runs.length > 1 && h("fieldset", h("legend", "Runs"), this.runs()),
      h("fieldset", h("legend", "Look"), tick("plain", "plain (for slow machines)", false, (on) => page.plain(on)), tick("dark", "dark", page.theme.dark, (on) => page.theme.choose(on ? "dark" : "light"))));
  }

  trails() {
    const { source, marks } = this.page;
    const select = h("select#trail", { "aria-label": "trail of a body", onchange: () => { marks.clearTrails(); if (select.value) marks.trail(select.value); } },
      h("option", { value: "" }, "none"), source.runs[0].bodies.filter((body) => !body.ground).map((body) => h("option", { value: body.name }, body.name)));
    return select;
  }

  runs() {
    const { stage, source } = this.page;
    const mode = h("select#mode", { "aria-label": "how runs are shown", onchange: () => { this.page.beside = mode.value === "beside"; this.page.resized(); } },
      h("option", { value: "over" }, "over each other"), h("option", { value: "beside" }, "side by side"));
    return [mode, ...source.runs.map((run, k) => h("label.tick", h("input", { type: "checkbox", checked: true, onchange: (event) => { stage.show(k, event.target.checked); this.page.dirty = true; } }), run.label))];
  }

  arrow(kind, on) {
    this.page.arrows.set(kind, on);
    if (on && this.page.source.live) this.page.source.watch(this.page.plots.names());
  }

  /** the scale of arrows, as long as they are on the canvas */
  show() {
    const { arrows, view } = this.page, points = view.pointsPerMetre(), found = arrows.legend(points);
    const key = found.map(({ text, length }) => `${text} ${(length * points).toFixed(1)}`).join();
    if (key === this.last) return;
    this.last = key;
    this.legend.hidden = !found.length;
    this.legend.replaceChildren(...found.map(({ kind, text, length }) => h("span", h(`i.${kind}`, { style: `width: ${(length * points).toFixed(1)}px` }), ` ${text}`)));
  }
}
