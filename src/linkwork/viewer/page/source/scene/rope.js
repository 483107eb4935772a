// A rope: three strands twisted about each other, of radius 1 along z from 0 to 1.
import { BufferAttribute, BufferGeometry } from "three";

const STRANDS = 3, SIDES = 6, STEPS = 8, TWISTS = [3, 60];
const OFF = 0.52, THICK = 0.5; // of the rope's radius: how far a strand is from the middle, and its own radius

/** for a rope that is so many times as long as its radius */
export function rope(long) {
  const twists = Math.max(TWISTS[0], Math.min(TWISTS[1], Math.round(long / 7))), steps = STEPS * twists;
  const points = [], normals = [], index = [];
  for (let strand = 0; strand < STRANDS; strand++) {
    const base = points.length / 3;
    for (let k = 0; k <= steps; k++) {
      const s = k / steps, a = 2 * Math.PI * (twists * s + strand / STRANDS);
      for (let i = 0; i < SIDES; i++) {
        const b = a + 2 * Math.PI * i / SIDES;
        points.push(OFF * Math.cos(a) + THICK * Math.cos(b), OFF * Math.sin(a) + THICK * Math.sin(b), s);
        normals.push(Math.cos(b), Math.sin(b), 0);
        if (k === steps) continue;
        const p = base + k * SIDES + i, q = base + k * SIDES + (i + 1) % SIDES;
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

/**
 * Whether what keeps two points at their distance pushes them apart: then it is no rope.
 * @param {Float32Array} forces of all joints @param {number} k of this one @param {{x: number, y: number, z: number}} way from a to b
 */
export function pushes(forces, k, { x, y, z }) {
  const [fx, fy, fz] = forces.subarray(6 * k, 6 * k + 3), size = Math.hypot(fx, fy, fz) * Math.hypot(x, y, z);
  return fx * x + fy * y + fz * z > 1e-3 * size && size > 0;
}
