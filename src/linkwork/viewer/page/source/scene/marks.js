// Trails of bodies and of points on them, centres of mass, frames, inertia ellipsoids, the support polygon.
import {
  AxesHelper, BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial, SphereGeometry, Vector3,
} from "three";
import { Support } from "./support.js";

const BALL = new SphereGeometry(1, 24, 16);
const MOST = 2000, OFTEN = 200; // points of a trail; ms until one of a live run is drawn anew

export class Marks {
  constructor(page) {
    this.page = page;
    this.root = new Group();
    page.stage.scene.add(this.root);
    this.radius = page.source.show.view.radius;
    this.on = { com: false, frames: false, inertia: false, polygon: false };
    this.trails = new Map();
    this.made = {};
  }

  set(kind, on) {
    this.on[kind] = on;
    if (this.made[kind]) this.made[kind].visible = on;
    this.page.dirty = true;
  }

  /** the way of a point of a body through the run: by its name, and the point in its frame */
  trail(body, point = null, on = true) {
    const key = point ? `${body} ${point.map((x) => x.toPrecision(4))}` : body;
    this.forget(key);
    if (on) this.trails.set(key, { body, point, lines: this.page.source.runs.map((run, k) => this.line(run, k, body, point)).filter(Boolean) });
    this.page.dirty = true;
  }

  forget(key) {
    for (const line of this.trails.get(key)?.lines || []) { this.root.remove(line); line.geometry.dispose(); line.material.dispose(); }
    this.trails.delete(key);
  }

  clearTrails() {
    for (const key of [...this.trails.keys()]) this.forget(key);
    this.page.dirty = true;
  }

  /** live: the way so far */
  lengthen() {
    const now = performance.now();
    if (now - (this.grown || 0) < OFTEN) return;
    this.grown = now;
    for (const { body, point } of [...this.trails.values()]) this.trail(body, point);
    this.page.dirty = false;
  }

  line(run, k, name, point) {
    const { source, theme } = this.page, body = run.bodies.findIndex((each) => each.name === name);
    const place = source.series(`${name}.position`, k), turn = source.series(`${name}.rotation`, k);
    if (body < 0 || !place || !turn) return null;
    const [px, py, pz] = point || run.bodies[body].com, rows = place.t.length, every = Math.max(1, Math.ceil(rows / MOST)), out = [];
    for (let r = 0; r < rows; r += every) {
      const [w, x, y, z] = turn.values.map((part) => part[r]), tx = 2 * (y * pz - z * py), ty = 2 * (z * px - x * pz), tz = 2 * (x * py - y * px);
      out.push(place.values[0][r] + px + w * tx + y * tz - z * ty, place.values[1][r] + py + w * ty + z * tx - x * tz, place.values[2][r] + pz + w * tz + x * ty - y * tx);
    }
    const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(out), 3));
    const colour = source.runs.length > 1 ? run.tint : null;
    const line = new Line(geometry, new LineBasicMaterial({ color: colour ? undefined : theme.colours.trail }));
    if (colour) line.material.color.setRGB(...colour);
    line.frustumCulled = false;
    this.root.add(line);
    return line;
  }

  group(kind, make) {
    if (!this.made[kind]) { this.made[kind] = new Group(); this.root.add(this.made[kind]); make(this.made[kind]); }
    return this.made[kind];
  }

  place(frame) {
    const { source, stage } = this.page, run = source.runs[0], { bodies } = stage.runs[0];
    if (source.live && this.trails.size) this.lengthen();
    if (this.on.com) this.masses(run, bodies);
    if (this.on.frames) this.ride("frames", run, bodies, () => new AxesHelper(0.12 * this.radius));
    if (this.on.inertia) this.ride("inertia", run, bodies, (body) => ellipsoid(body, this.radius));
    if (this.on.polygon) {
      this.group("polygon", (all) => { this.support = new Support(source.show.view); all.add(this.support.root); });
      this.support.place(frame.contacts, this.centre(run, bodies, (body) => body.followed)); // what is fixed to the ground does not fall
    }
  }

  /** a thing on each body */
  ride(kind, run, bodies, make) {
    const group = this.group(kind, (all) => run.bodies.forEach((body) => all.add((!body.ground && make(body)) || new Group())));
    group.children.forEach((thing, k) => {
      thing.position.copy(bodies.groups[k].position);
      thing.quaternion.copy(bodies.groups[k].quaternion);
      thing.visible = bodies.groups[k].visible;
    });
  }

  /** the centre of the masses of all bodies that are chosen, or null */
  centre(run, bodies, chosen = () => true) {
    const sum = new Vector3(), at = new Vector3();
    let mass = 0;
    run.bodies.forEach((body, k) => { if (body.mass && chosen(body)) { sum.addScaledVector(bodies.world(k, body.com, at), body.mass); mass += body.mass; } });
    return mass > 0 ? sum.divideScalar(mass) : null;
  }

  /** a ball at the centre of each body, a larger one at that of all */
  masses(run, bodies) {
    const group = this.group("com", (all) => {
      const [own, whole] = [0xf2b200, 0xd40000].map((color) => new MeshBasicMaterial({ color, depthTest: false, transparent: true }));
      for (const body of [...run.bodies, null]) {
        const ball = new Mesh(BALL, body ? own : whole);
        ball.scale.setScalar((body ? 0.012 : 0.024) * this.radius);
        ball.renderOrder = 5;
        all.add(ball);
      }
    });
    run.bodies.forEach((body, k) => {
      group.children[k].visible = !body.ground;
      bodies.world(k, body.com, group.children[k].position);
    });
    const last = group.children[run.bodies.length], centre = this.centre(run, bodies);
    last.visible = Boolean(centre);
    if (centre) last.position.copy(centre);
  }
}

/** of the uniform ellipsoid that has the body's mass and moments of inertia; a body tells its axes and their directions */
function ellipsoid(body) {
  if (!body.ellipsoid) return null;
  const [axes, columns] = body.ellipsoid, group = new Group();
  const ball = new Mesh(BALL, new MeshBasicMaterial({ color: 0xcc79a7, transparent: true, opacity: 0.35, depthWrite: false }));
  const [u, v, w] = columns.map((column) => new Vector3(...column));
  ball.matrixAutoUpdate = false;
  ball.matrix = new Matrix4().makeBasis(u.multiplyScalar(axes[0]), v.multiplyScalar(axes[1]), w.multiplyScalar(axes[2])).setPosition(...body.com);
  group.add(ball);
  return group;
}
