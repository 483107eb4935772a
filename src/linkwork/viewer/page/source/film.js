// A film of the page: nothing but the scene, a clock and a scale bar, one picture at a time.
import { Vector3 } from "three";
import "../film.css";
import { h } from "./panel/dom.js";

const SHARE = 0.22; // of the width: the longest scale bar

/** the largest of 1, 2, 5, 10 … that is not larger */
function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [5, 2, 1].find((digit) => digit * power <= value * (1 + 1e-9));
}

function inMetres(length) {
  for (const [unit, size] of [["km", 1e3], ["m", 1], ["cm", 1e-2], ["mm", 1e-3]]) {
    if (length >= size * (1 - 1e-9)) return `${Number((length / size).toPrecision(3))} ${unit}`;
  }
  return `${Number((length / 1e-6).toPrecision(3))} µm`;
}

export class Film {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    const { show } = page.source;
    Object.assign(this, { page, digits: show.view.digits });
    page.bare = true;
    document.body.classList.add("bare", "film");
    page.plain(false); // as good as it goes, however long that takes
    page.pause();
    this.clock = h("p#film-clock");
    this.scale = h("p#film-scale");
    document.body.append(this.clock, this.scale);
    page.view.free = page.uncovered();
    page.fit();
  }

  /** the picture of a time */
  show(t) {
    const { page } = this;
    page.seek(t);
    page.draw();
    page.dirty = false;
    this.clock.textContent = `t = ${t.toFixed(this.digits)} s`;
    this.measure();
  }

  /** the scale bar holds where the camera looks */
  measure() {
    const { view, canvas } = this.page;
    const right = new Vector3(1, 0, 0).applyQuaternion(view.camera.quaternion);
    const [a, b] = [view.target.clone(), view.target.clone().add(right)].map((point) => view.screen(point));
    const points = Math.hypot(b[0] - a[0], b[1] - a[1]); // of a metre
    const length = roundBelow(SHARE * canvas.clientWidth / points);
    this.scale.textContent = inMetres(length);
    this.scale.style.width = `${length * points}px`;
  }
}
