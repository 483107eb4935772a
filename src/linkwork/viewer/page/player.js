// The page: runs with their poses over time, the clock and the controls.
const $ = (id) => document.getElementById(id);
const DARK = [0.2, 0.2, 0.22], ROAD = [0.88, 0.88, 0.85];

function numbers(text, kind) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new kind(bytes.buffer);
}

// shapes by their colours; those that have none have that of their body
function coloured(shapes, colour, made) {
  const found = new Map();
  for (const shape of shapes) {
    const [r, g, b, opacity] = shape.colour || [...colour, 1], key = [r, g, b, opacity].join();
    if (!found.has(key)) found.set(key, { colour: [r, g, b], opacity, shapes: [] });
    found.get(key).shapes.push(shape);
  }
  return [...found.values()].filter((part) => part.opacity > 0).map(({ colour, opacity, shapes }) => (
    { corners: made(shapes), colour, opacity, front: shapes.some((shape) => shape.front) }));
}

class Run {
  constructor(facts, painter) {
    Object.assign(this, facts);
    this.time = numbers(facts.time, Float64Array);
    this.poses = numbers(facts.poses, Float32Array);
    for (const reading of this.readings) reading.values = numbers(reading.values, Float32Array);
    const known = new Map();
    const made = (shapes) => {
      const key = JSON.stringify(shapes);
      if (!known.has(key)) known.set(key, painter.corners(shapes.flatMap(shapeCorners)));
      return known.get(key);
    };
    for (const body of this.bodies) body.parts = coloured(body.shapes, body.colour, made);
    for (const pin of this.pins) pin.corners = made([pin.shape]);
    const still = poseMatrix([0, 0, 0, 1, 0, 0, 0]);
    this.strips = this.roads.flatMap((road) => coloured([road], ROAD, made)).map((part) => ({ ...part, pose: still }));
    this.coil = painter.corners(coil(8, 0.14));
    this.places = new Map(this.bodies.map((body, k) => [body.name, k]));
  }

  get end() { return this.time[this.time.length - 1]; }

  // the frame at or before time t, and how far it is to the next
  at(t) {
    let low = 0, high = this.time.length - 1;
    while (high - low > 1) { const k = (low + high) >> 1; if (this.time[k] <= t) low = k; else high = k; }
    if (this.time.length === 1 || t <= this.time[0]) return [0, 0];
    const part = (t - this.time[low]) / (this.time[high] - this.time[low]);
    return [low, Math.max(0, Math.min(1, part))];
  }

  pose(body, [frame, part]) {
    if (body < 0) return [0, 0, 0, 1, 0, 0, 0];
    const n = this.bodies.length, P = this.poses, k = 7 * (frame * n + body);
    if (part === 0) return Array.from(P.subarray(k, k + 7));
    const m = k + 7 * n, p = [];
    for (let i = 0; i < 3; i++) p.push(P[k + i] + part * (P[m + i] - P[k + i]));
    let sign = 0;
    for (let i = 3; i < 7; i++) sign += P[k + i] * P[m + i];
    const q = [];
    for (let i = 3; i < 7; i++) q.push((1 - part) * P[k + i] + (sign < 0 ? -part : part) * P[m + i]);
    const size = Math.hypot(...q);
    return [...p, ...q.map((x) => x / size)];
  }

  things(now, withJoints, t) {
    const found = [], matrices = this.bodies.map((_, k) => poseMatrix(this.pose(k, now)));
    this.bodies.forEach((body, k) => {
      for (const part of body.parts) if (part.corners.count) found.push({ ...part, pose: matrices[k] });
    });
    const still = poseMatrix([0, 0, 0, 1, 0, 0, 0]);
    if (withJoints) for (const pin of this.pins) {
      const [from, until] = pin.span || [null, null];
      if ((from !== null && t < from) || (until !== null && t >= until)) continue;
      found.push({ corners: pin.corners, pose: pin.body < 0 ? still : matrices[pin.body], colour: DARK });
    }
    for (const spring of this.springs) {
      const a = place(this.pose(spring.a, now), spring.at_a), b = place(this.pose(spring.b, now), spring.at_b);
      const way = add(b, a, -1), length = norm(way);
      if (length < 1e-9) continue;
      const n = times(way, 1 / length), [u, v] = across(n), r = Math.min(spring.radius, 0.2 * length);
      const pose = new Float32Array([...times(u, r), 0, ...times(v, r), 0, ...way, 0, ...a, 1]);
      found.push({ corners: this.coil, pose, colour: DARK });
    }
    return found;
  }

  middle(now) {
    let sum = [0, 0, 0], count = 0;
    this.bodies.forEach((body, k) => { if (body.followed) { sum = add(sum, this.pose(k, now)); count++; } });
    return times(sum, 1 / Math.max(1, count));
  }
}

class Player {
  constructor(data) {
    this.data = data;
    this.painter = new Painter($("scene"));
    this.runs = data.runs.map((facts) => new Run(facts, this.painter));
    this.begin = Math.min(...this.runs.map((run) => run.time[0]));
    this.end = Math.max(...this.runs.map((run) => run.end));
    this.time = this.begin;
    this.playing = false;
    this.dirty = true;
    this.camera = new Camera($("scene"), data.view, () => { this.dirty = true; });
    this.trail = null;
    this.panel();
    new ResizeObserver(() => { this.dirty = true; }).observe($("scene"));
    requestAnimationFrame((now) => this.frame(now));
  }

  panel() {
    document.title = `${this.data.title}: replay`;
    $("title").textContent = this.data.title;
    $("facts").textContent = this.runs.length === 1 ? this.runs[0].label : "";
    if (this.runs.length > 1) for (const run of this.runs) {
      const item = document.createElement("li"), colour = document.createElement("i");
      colour.style.background = `rgb(${run.tint.map((x) => Math.round(255 * x)).join(",")})`;
      item.append(colour, run.label);
      $("legend").append(item);
    }
    const option = (list, value, text) => list.append(new Option(text, value));
    const speeds = [...new Set([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, this.data.speed])];
    for (const s of speeds.sort((a, b) => a - b)) option($("speed"), s, `${s} x`);
    $("speed").value = this.data.speed;
    option($("trail"), "", "none");
    for (const body of this.runs[0].bodies) if (body.parts.length) option($("trail"), body.name, body.name);
    $("trail").onchange = () => this.chooseTrail($("trail").value);
    $("bar").min = this.begin;
    $("bar").max = this.end;
    $("bar").oninput = () => { this.pause(); this.seek(Number($("bar").value)); };
    $("play").onclick = () => (this.playing ? this.pause() : this.play());
    $("back").onclick = () => this.step(-1);
    $("forth").onclick = () => this.step(1);
    $("home").onclick = () => this.camera.reset();
    $("picture").onclick = () => this.save();
    $("follow").checked = this.data.view.follow;
    for (const id of ["follow", "joints"]) $(id).onchange = () => { this.dirty = true; };
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
      const act = { " ": () => $("play").onclick(), ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
        Home: () => this.camera.reset() }[event.key];
      if (act) { event.preventDefault(); act(); }
    });
  }

  chooseTrail(name) {
    if (this.trail) for (const line of this.trail) this.painter.forget(line.corners);
    this.trail = null;
    if (name) this.trail = this.runs.filter((run) => run.places.has(name)).map((run) => {
      const k = run.places.get(name), out = [];
      for (let f = 0; f < run.time.length; f++) out.push(...place(run.pose(k, [f, 0]), run.bodies[k].com), 0, 0, 1);
      return { corners: this.painter.corners(out), colour: this.runs.length > 1 ? times(run.tint, 0.8) : [0.84, 0.37, 0] };
    });
    this.dirty = true;
  }

  play() {
    if (this.time >= this.end) this.time = this.begin;
    this.playing = true;
    $("play").textContent = "Pause";
  }

  pause() { this.playing = false; $("play").textContent = "Play"; }

  seek(t) { this.time = Math.max(this.begin, Math.min(this.end, t)); this.dirty = true; }

  // to the next recorded frame of the first run
  step(way) {
    this.pause();
    const run = this.runs[0], [frame, part] = run.at(this.time), time = run.time;
    let k = part >= 1 ? frame + 1 : frame;
    if (way > 0) k++; else if (part === 0 || part >= 1) k--;
    this.seek(time[Math.max(0, Math.min(time.length - 1, k))]);
  }

  frame(now) {
    const passed = Math.min(0.1, (now - (this.last ?? now)) / 1000);
    this.last = now;
    if (this.playing) {
      this.time += passed * Number($("speed").value);
      if (this.time >= this.end) {
        if ($("loop").checked && this.end > this.begin) this.time = this.begin + (this.time - this.end) % (this.end - this.begin);
        else { this.time = this.end; this.pause(); }
      }
      this.dirty = true;
    }
    if (this.dirty) { this.dirty = false; this.draw(); }
    requestAnimationFrame((later) => this.frame(later));
  }

  draw() {
    const { view } = this.data, run = this.runs[0], now = this.runs.map((each) => each.at(this.time));
    this.camera.shift = $("follow").checked ? add(run.middle(now[0]), run.middle([0, 0]), -1) : [0, 0, 0];
    this.painter.begin(this.camera);
    const all = this.runs.map((each, k) => each.things(now[k], $("joints").checked, this.time));
    const middle = add(this.camera.target, this.camera.shift);
    this.painter.floor(view.floor, middle, Math.max(6 * view.radius, 3 * this.camera.distance), view.cell);
    if (this.camera.towards()[2] > 0) this.painter.shadows(all.flat(), view.floor);
    this.painter.solids(run.strips);
    if (this.trail) for (const line of this.trail) this.painter.line(line.corners, line.colour);
    all.forEach((things, k) => {
      const shown = this.runs.length > 1 ? things.map((thing) => ({ ...thing, colour: thing.colour === DARK ? DARK : this.runs[k].tint })) : things;
      this.painter.solids(shown.filter((thing) => !(thing.opacity < 1)), k === 0 ? 1 : 0.55);
      for (const thing of shown) if (thing.opacity < 1) this.painter.solids([thing], thing.opacity);
    });
    $("bar").value = this.time;
    $("clock").textContent = `${this.time.toFixed(view.digits)} of ${this.end.toFixed(view.digits)} s`;
    const [frame, part] = now[0], row = part >= 0.5 ? frame + 1 : frame;
    $("readings").textContent = run.readings.map((r) => `${r.name} ${r.values[row].toPrecision(4)} ${r.unit}`).join("\n")
      + `\ngrid ${Number(view.cell.toPrecision(3))} m`;
  }

  // where a body's centre of mass is on the canvas, in CSS points from its left upper corner
  screen(name, k = 0) {
    const run = this.runs[k], b = run.places.get(name);
    return this.screenOf(place(run.pose(b, run.at(this.time)), run.bodies[b].com));
  }

  // the same for a point of the world
  screenOf(p) {
    this.draw();
    const M = this.painter.view, c = [0, 1, 2, 3].map((i) => M[i] * p[0] + M[4 + i] * p[1] + M[8 + i] * p[2] + M[12 + i]);
    const canvas = $("scene");
    return [(1 + c[0] / c[3]) / 2 * canvas.clientWidth, (1 - c[1] / c[3]) / 2 * canvas.clientHeight];
  }

  // the colour that stands there: red, green, blue from 0 to 255
  pixel(x, y) {
    this.draw();
    const gl = this.painter.gl, s = gl.canvas.width / gl.canvas.clientWidth, out = new Uint8Array(4);
    gl.readPixels(Math.round(x * s), gl.canvas.height - 1 - Math.round(y * s), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return Array.from(out.slice(0, 3));
  }

  poses(k = 0) {
    const run = this.runs[k], now = run.at(this.time);
    return Object.fromEntries(run.bodies.map((body, i) => [body.name, run.pose(i, now)]));
  }

  save() {
    this.draw();
    $("scene").toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${this.data.title.replace(/[^\w-]+/g, "_")}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
}

try {
  window.linkwork = new Player(JSON.parse($("data").textContent));
  if (window.linkwork.data.playing) window.linkwork.play();
} catch (error) {
  $("problem").hidden = false;
  $("problem").textContent = String(error.message || error);
}
