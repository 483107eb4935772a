// What a page has besides when its simulation runs now: dragging, joints by hand, its pace, the way back to the newest frame.
import "./live.css";
import { BodyDrag } from "./body_drag.js";
import { JointsByHand } from "./joints_by_hand.js";
import { Pace } from "./pace.js";

export class LiveMode {
  constructor(page) {
    const { source, clock, timeBar } = page;
    this.drag = new BodyDrag(page);
    this.pace = new Pace(page);
    this.joints = new JointsByHand(page);
    page.drive.element.append(this.joints.element);
    clock.onchange(() => {
      const now = document.getElementById("now");
      if (now) now.hidden = source.following;
      timeBar.play.title = source.following ? "run or pause (space)" : "go on from here: a new branch (space)";
    });
    requestAnimationFrame(() => requestAnimationFrame(() => source.send("ready"))); // the first picture is there
    source.onchange((kind) => {
      if (kind === "back") source.send("ready");
      if (kind === "joints") page.stage.runs[0].joints.make(source.runs[0].pins, source.holding);
      page.dirty = true;
    });
    source.tellAll();
  }
}
