// The stage: renderer, lights, floor, bodies of every run, and what rides on them.
import {
  DirectionalLight, HemisphereLight, Mesh, MeshLambertMaterial, PCFShadowMap, Scene, Vector3, WebGLRenderer,
} from "three";
import { Bodies, colourOf, material } from "./bodies.js";
import { Floor } from "./ground.js";
import { JointMarks } from "./joints.js";
import { geometryOf } from "./shapes.js";
import { Springs } from "./springs.js";

const SUN = [50, 52]; // where the light comes from, degrees: to the left of the first view, and above

/** how far the normal of a sheet points upwards: 1 for a floor, 0 for a wall */
function upright({ rotation: [w, x, y, z] }) { return w * w - x * x - y * y + z * z; }

export class Stage {
  constructor(canvas, source, theme) {
    this.source = source;
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.plain = false;
    this.lights(source.show.view.azimuth - SUN[0]);
    this.floor = new Floor(this.scene, source.show.view);
    const many = source.runs.length > 1;
    this.runs = source.runs.map((run, k) => {
      const bodies = new Bodies(run, { ghost: k > 0, tinted: many });
      const joints = new JointMarks(run, bodies, source.show.view, source.live), springs = new Springs(run, bodies);
      this.scene.add(bodies.root, joints.root, springs.root);
      return { bodies, joints, springs, frame: null, visible: true };
    });
    this.roads(source.runs[0]);
    this.theme = theme;
    theme.onchange((colours) => this.colour(colours));
    this.colour(theme.colours);
  }

  lights(azimuth) {
    const a = azimuth * Math.PI / 180, e = SUN[1] * Math.PI / 180;
    this.from = new Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e));
    this.sky = new HemisphereLight();
    this.sky.position.set(0, 0, 1);
    this.sun = new DirectionalLight(0xfff8ee);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.fill = new DirectionalLight(0xe8f0ff, 0.45);
    this.fill.position.set(0.7, 0.3, 0.25);
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill);
  }

  roads(run) {
    this.standing = run.roads.map((road) => {
      const part = new Mesh(geometryOf(road), material(road.colour ? colourOf(road.colour) : 0xffffff));
      // before the floor where they lie on it
      Object.assign(part.material, { roughness: 0.95, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2 });
      part.receiveShadow = true;
      part.castShadow = !road.front;
      if (road.front && Math.abs(upright(road)) < 0.5) { // a wall is looked through
        Object.assign(part.material, { transparent: true, opacity: 0.22, depthWrite: false });
        part.receiveShadow = false;
      }
      part.userData = { road: !road.colour, solid: !road.front && road.kind !== "mesh" };
      this.scene.add(part);
      return part;
    });
  }

  colour(colours) {
    this.renderer.setClearColor(colours.background);
    this.sky.color.set(colours.sky);
    this.sky.groundColor.set(colours.earth);
    this.sky.intensity = colours.hemisphere;
    this.sun.intensity = colours.key;
    this.floor.colour(colours);
    for (const part of this.standing || []) if (part.userData.road) part.material.color.set(colours.road);
    for (const run of this.runs) { run.bodies.colour(colours); run.joints.colour(colours); run.springs.colour(colours); }
  }

  /** put all where it is at a time; the first run by another frame where one is given */
  place(t, other = null) {
    this.runs.forEach((run, k) => {
      run.frame = (k === 0 && other) || this.source.frameAt(t, k);
      run.bodies.place(run.frame.poses);
      run.joints.place(t, run.frame.forces);
      run.springs.place(t, this.source, k);
    });
  }

  /** light and floor go with the camera's target */
  aim(view) {
    const radius = Math.max(this.source.show.view.radius, 0.35 * view.distance), { camera } = this.sun.shadow;
    const middle = view.target;
    this.sun.target.position.copy(middle);
    this.sun.position.copy(middle).addScaledVector(this.from, 4 * radius);
    const half = 1.6 * radius;
    Object.assign(camera, { left: -half, right: half, top: half, bottom: -half, near: 0.5 * radius, far: 9 * radius });
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.0015 * radius; // little: thin shells have a side that points inwards, which it would put into their own shadow
    this.sun.shadow.bias = -0.0018;
    this.floor.place(middle, view.distance);
  }

  size() {
    const { clientWidth: w, clientHeight: h } = this.canvas, ratio = this.plain ? 1 : Math.min(2, window.devicePixelRatio || 1);
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    const [width, height] = [Math.floor(w * ratio), Math.floor(h * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) this.renderer.setSize(w, h, false);
  }

  /** `besides` is what else each run has on the stage: its arrows */
  render(view, beside = false, besides = []) {
    this.size();
    this.aim(view);
    this.besides = beside ? besides : [];
    for (const run of this.runs) run.bodies.setGhost(!beside);
    if (!beside || this.runs.length < 2) { this.renderer.render(this.scene, view.camera); return; }
    const { clientWidth: w, clientHeight: h } = this.canvas, shown = this.runs.map(({ visible }) => visible);
    const free = view.free, wide = free.width / this.runs.length;
    this.renderer.setScissorTest(true);
    this.runs.forEach((_, k) => {
      this.runs.forEach((__, i) => this.reveal(i, i === k));
      this.renderer.setScissor(k === 0 ? 0 : free.x + k * wide, 0, k === 0 ? free.x + wide : w, h);
      this.renderer.setViewport((k - (this.runs.length - 1) / 2) * wide, 0, w, h);
      this.renderer.render(this.scene, view.camera);
    });
    this.renderer.setScissorTest(false);
    this.renderer.setViewport(0, 0, w, h);
    shown.forEach((on, k) => this.reveal(k, on));
  }

  reveal(k, on) {
    for (const part of [this.runs[k].bodies, this.runs[k].joints, this.runs[k].springs]) part.root.visible = on;
    if (this.besides?.[k]) this.besides[k].visible = on;
  }

  show(k, on) { this.runs[k].visible = on; this.reveal(k, on); }

  /** no shadows and simple shading, for machines that are slow */
  setPlain(on) {
    if (on === this.plain) return;
    this.plain = on;
    this.renderer.shadowMap.enabled = !on;
    this.sun.castShadow = !on;
    this.scene.traverse((thing) => {
      const now = thing.material;
      if (!now || !(now.isMeshStandardMaterial || now.isMeshLambertMaterial)) return;
      if (on && now.isMeshStandardMaterial) {
        thing.userData.full = now;
        thing.material = new MeshLambertMaterial({ color: now.color, side: now.side, transparent: now.transparent,
          opacity: now.opacity, depthWrite: now.depthWrite, emissive: now.emissive });
      } else if (!on && thing.userData.full) {
        const full = thing.userData.full;
        for (const key of ["opacity", "transparent", "depthWrite"]) full[key] = now[key];
        full.color.copy(now.color);
        full.emissive.copy(now.emissive);
        thing.material = full;
      }
      thing.material.needsUpdate = true;
    });
  }
}
