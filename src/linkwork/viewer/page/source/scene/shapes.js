// Shapes of the data as geometries of three.js, each in the frame of its body.
import {
  BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, Quaternion, SphereGeometry, Vector3,
} from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const ROUND = 48; // sides of a round thing
const CREASE = 0.6; // rad: faces that meet at less are one smooth surface
const UP = new Vector3(0, 0, 1);

/** a profile of [radius, z] turned about z, with a sharp edge between each two of its pieces */
function turned(profile) {
  const points = [], normals = [], index = [];
  for (let i = 0; i + 1 < profile.length; i++) {
    const [[r, z], [s, y]] = [profile[i], profile[i + 1]], size = Math.hypot(s - r, y - z) || 1;
    const n = [(y - z) / size, (r - s) / size], base = points.length / 3;
    for (let k = 0; k <= ROUND; k++) {
      const c = Math.cos(2 * Math.PI * k / ROUND), d = Math.sin(2 * Math.PI * k / ROUND);
      for (const [radius, height] of [[r, z], [s, y]]) {
        points.push(radius * c, radius * d, height);
        normals.push(n[0] * c, n[0] * d, n[1]);
      }
      if (k < ROUND) { const a = base + 2 * k; index.push(a, a + 2, a + 1, a + 2, a + 3, a + 1); }
    }
  }
  return made(points, normals, index);
}

function made(points, normals, index) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  if (normals) geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normals), 3));
  if (index) geometry.setIndex(index);
  return geometry;
}

/** a cylinder about z with edges that catch the light */
export function cylinder(radius, length, inner = 0) {
  const h = length / 2, b = Math.min(0.06 * radius, 0.06 * length, 0.3 * (radius - inner));
  const profile = [[inner, -h], [radius - b, -h], [radius, -h + b], [radius, h - b], [radius - b, h], [inner, h]];
  if (inner > 0) profile.push([inner, -h]);
  return turned(profile);
}

function box([x, y, z]) {
  const least = Math.min(x, y, z);
  return new RoundedBoxGeometry(x, y, z, 2, Math.min(0.045 * least, 0.012 * Math.max(x, y, z)));
}

function mesh(shape) {
  const numbers = (values) => (Array.isArray(values) ? values.flat(3) : values);
  let corners = numbers(shape.triangles || []);
  if (shape.faces) {
    const points = numbers(shape.points), faces = numbers(shape.faces);
    corners = new Float32Array(3 * faces.length);
    faces.forEach((k, i) => { for (let c = 0; c < 3; c++) corners[3 * i + c] = points[3 * k + c]; });
  }
  return toCreasedNormals(made(corners), CREASE);
}

/** a round bar between two points */
export function rod(from, to, radius, sides = 20) {
  const a = new Vector3(...from), b = new Vector3(...to), way = b.clone().sub(a), length = way.length();
  const geometry = new CylinderGeometry(radius, radius, length, sides).rotateX(Math.PI / 2);
  geometry.applyQuaternion(new Quaternion().setFromUnitVectors(UP, way.normalize()));
  return geometry.translate(...a.add(b).multiplyScalar(0.5));
}

function pin({ from, to, radius }) {
  const a = new Vector3(...from), b = new Vector3(...to), way = b.clone().sub(a), length = way.length();
  const geometry = cylinder(radius, length);
  geometry.applyQuaternion(new Quaternion().setFromUnitVectors(UP, way.normalize()));
  return geometry.translate(...a.add(b).multiplyScalar(0.5));
}

function plain(shape) {
  switch (shape.kind) {
    case "box": return box(shape.size);
    case "cylinder": return cylinder(shape.radius, shape.length, shape.inner_radius);
    case "capsule": return new CapsuleGeometry(shape.radius, shape.length, 10, 36).rotateX(Math.PI / 2);
    case "sphere": return new SphereGeometry(shape.radius, 40, 24).rotateX(Math.PI / 2);
    case "mesh": return mesh(shape);
    default: return new BufferGeometry();
  }
}

const known = new Map();

/** the geometry of a shape; the same shape has the same one */
export function geometryOf(shape) {
  const { colour, ...rest } = shape, key = shape.kind === "mesh" ? shape : JSON.stringify(rest);
  if (!known.has(key)) {
    let geometry;
    if (shape.kind === "rod") geometry = rod(shape.from, shape.to, shape.radius);
    else if (shape.kind === "pin") geometry = pin(shape);
    else {
      const [w, x, y, z] = shape.rotation;
      geometry = plain(shape).applyQuaternion(new Quaternion(x, y, z, w)).translate(...shape.position);
    }
    geometry.computeBoundingBox();
    known.set(key, geometry);
  }
  return known.get(key);
}
