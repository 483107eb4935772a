// The support polygon: around the points that bear on grounds, seen along gravity; and where the centre of mass is above it.
import { BufferAttribute, BufferGeometry, DoubleSide, Group, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";

const MOST = 256; // corners
const STEADY = 0x009e73, FALLING = 0xd40000;

/** the points around all others in a plane, each [x, y, …] */
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const side = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1 && side(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/** whether a point of the plane is within a hull */
export function within(around, [x, y]) {
  return around.length > 2 && around.every((a, k) => { const b = around[(k + 1) % around.length]; return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0; });
}

export class Support {
  constructor(view) {
    this.down = new Vector3(...view.down);
    this.u = new Vector3(Math.abs(this.down.x) > 0.9 ? 0 : 1, Math.abs(this.down.x) > 0.9 ? 1 : 0, 0).cross(this.down).cross(this.down).negate().normalize();
    this.v = this.u.clone().cross(this.down);
    this.raise = 0.004 * view.radius;
    this.root = new Group();
    const room = () => { const made = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(3 * (MOST + 1)), 3)); return made; };
    this.edge = new Line(room(), new LineBasicMaterial({ color: STEADY, depthTest: false, transparent: true }));
    this.face = new Mesh(room(), new MeshBasicMaterial({ color: STEADY, transparent: true, opacity: 0.3, side: DoubleSide, depthWrite: false }));
    const fan = [];
    for (let k = 1; k + 1 < MOST; k++) fan.push(0, k, k + 1);
    this.face.geometry.setIndex(fan);
    this.ball = new Mesh(new SphereGeometry(0.02 * view.radius, 20, 14), new MeshBasicMaterial({ color: STEADY, depthTest: false, transparent: true }));
    for (const part of [this.face, this.edge, this.ball]) { part.frustumCulled = false; part.renderOrder = 3; this.root.add(part); }
    this.around = [];
  }

  /** contacts as of a frame, and the centre of all masses, or null */
  place(contacts, centre) {
    const points = [], at = new Vector3();
    let low = -Infinity;
    for (let k = 0; k + 6 < contacts.length; k += 7) {
      if (!contacts[k + 6]) continue;
      at.set(contacts[k], contacts[k + 1], contacts[k + 2]);
      points.push([at.dot(this.u), at.dot(this.v)]);
      low = Math.max(low, at.dot(this.down));
    }
    this.around = hull(points).slice(0, MOST);
    const shown = this.around.length > 2, place = ([x, y]) => at.copy(this.u).multiplyScalar(x).addScaledVector(this.v, y).addScaledVector(this.down, low - this.raise);
    this.face.visible = this.edge.visible = shown;
    this.ball.visible = Boolean(centre) && Number.isFinite(low);
    for (const { geometry } of [this.face, this.edge]) {
      const { position } = geometry.attributes;
      [...this.around, ...this.around.slice(0, 1)].forEach((p, k) => position.setXYZ(k, ...place(p).toArray()));
      position.needsUpdate = true;
    }
    this.face.geometry.setDrawRange(0, Math.max(0, 3 * (this.around.length - 2)));
    this.edge.geometry.setDrawRange(0, shown ? this.around.length + 1 : 0);
    if (!this.ball.visible) { this.steady = null; return; }
    const spot = [centre.dot(this.u), centre.dot(this.v)];
    this.steady = within(this.around, spot);
    this.ball.position.copy(place(spot));
    for (const part of [this.ball, this.face, this.edge]) part.material.color.setHex(this.steady ? STEADY : FALLING);
  }
}
