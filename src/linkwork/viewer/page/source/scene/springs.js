// Springs as coils, coloured by their force; dampers as a rod in a tube; bushings as rings.
import { BufferAttribute, BufferGeometry, Color, CylinderGeometry, Group, Mesh, TorusGeometry, Vector3 } from "three";
import { material } from "./bodies.js";

const UP = new Vector3(0, 0, 1), TURNS = [6, 30], SIDES = 6, STEPS = 14, WIRE = 0.13; // of the coil's radius

/** a coil of radius 1 along z from 0 to 1, for one that is so many times as long as its radius */
function coil(long) {
  const turns = Math.max(TURNS[0], Math.min(TURNS[1], Math.round(0.9 * long))), wire = WIRE, high = WIRE / long;
  const points = [], normals = [], index = [], steps = STEPS * turns;
  for (let k = 0; k <= steps; k++) {
    const s = k / steps, a = 2 * Math.PI * turns * s, c = Math.cos(a), d = Math.sin(a), ends = Math.min(1, 12 * s, 12 * (1 - s));
    for (let i = 0; i < SIDES; i++) {
      const b = 2 * Math.PI * i / SIDES, out = Math.cos(b), up = Math.sin(b);
      points.push(ends * c + wire * out * c, ends * d + wire * out * d, s + high * up);
      normals.push(out * c, out * d, up);
      if (k < steps) {
        const p = k * SIDES + i, q = k * SIDES + (i + 1) % SIDES;
        index.push(p, q, p + SIDES, q, q + SIDES, p + SIDES);
      }
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(index);
  return geometry;
}

export class Springs {
  constructor(run, bodies) {
    Object.assign(this, { run, bodies });
    this.root = new Group();
    this.rest = new Color();
    this.parts = (run.springs || []).map((spring) => this.make(spring));
    this.a = new Vector3();
    this.b = new Vector3();
  }

  make(spring) {
    const group = new Group(), paint = material(0x444444), kind = spring.bushing ? "bushing" : spring.elastic === false ? "damper" : "coil";
    const put = (geometry) => {
      const part = new Mesh(geometry, paint);
      part.castShadow = true;
      part.userData = { spring: spring.name };
      group.add(part);
      return part;
    };
    if (kind === "coil") put(new BufferGeometry()); // when its length is known
    else if (kind === "bushing") put(new TorusGeometry(1, 0.45, 12, 32));
    else {
      put(new CylinderGeometry(0.18, 0.18, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5));
      put(new CylinderGeometry(0.5, 0.5, 0.5, 24).rotateX(Math.PI / 2).translate(0, 0, 0.25));
    }
    this.root.add(group);
    return { spring, kind, group, paint };
  }

  colour(colours) { this.rest.set(colours.joint); this.pulled = new Color(colours.pulled); this.pushed = new Color(colours.pushed); }

  place(t, source, run) {
    for (const { spring, kind, group, paint } of this.parts) {
      const a = this.bodies.world(spring.a, spring.at_a, this.a), b = this.bodies.world(spring.b, spring.at_b, this.b);
      group.position.copy(a);
      if (kind === "bushing") { group.scale.setScalar(0.45 * spring.radius); continue; }
      const way = b.sub(a), length = way.length();
      group.visible = length > 1e-9;
      if (!group.visible) continue;
      const r = Math.min(spring.radius, 0.22 * length) * (kind === "damper" ? 0.8 : 1);
      group.scale.set(r, r, length);
      if (kind === "coil" && !group.userData.wound) { group.children[0].geometry = coil(length / r); group.userData.wound = true; }
      group.quaternion.setFromUnitVectors(UP, way.divideScalar(length));
      const force = source.value?.(`${spring.name}.force`, t, 0, run);
      paint.color.copy(this.rest);
      if (source.live && force !== undefined) spring.most = Math.max(spring.most, Math.abs(force)); // so far
      if (force !== undefined && spring.most > 0) {
        const part = Math.max(-1, Math.min(1, force / spring.most));
        paint.color.lerp(part > 0 ? this.pulled : this.pushed, Math.min(1, 1.2 * Math.abs(part)));
      }
    }
  }
}
