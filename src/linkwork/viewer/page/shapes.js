// Shapes as triangles: `out` collects x, y, z and the normal of every corner.
const ROUND = 40;

function quad(out, a, b, c, d, na, nb, nc, nd) {
  for (const [p, n] of [[a, na], [b, nb], [c, nc], [a, na], [c, nc], [d, nd]]) out.push(...p, ...n);
}

function boxes(out, size) {
  const h = times(size, 0.5);
  for (let k = 0; k < 3; k++) for (const s of [-1, 1]) {
    const n = [0, 0, 0], u = [0, 0, 0], v = [0, 0, 0];
    n[k] = s; u[(k + 1) % 3] = h[(k + 1) % 3]; v[(k + 2) % 3] = s * h[(k + 2) % 3];
    const m = times(n, h[k]);
    quad(out, add(add(m, u, -1), v, -1), add(add(m, u), v, -1), add(add(m, u), v), add(add(m, u, -1), v), n, n, n, n);
  }
}

// a profile of [radius, z, normal outwards, normal along z] turned about z
function turned(out, profile, sides = ROUND) {
  for (let k = 0; k < sides; k++) {
    const [a, b] = [k, k + 1].map((i) => [Math.cos(2 * Math.PI * i / sides), Math.sin(2 * Math.PI * i / sides)]);
    for (let i = 0; i + 1 < profile.length; i += 2) {
      const [p, q] = [profile[i], profile[i + 1]];
      const at = (r, c) => [r[0] * c[0], r[0] * c[1], r[1]], to = (r, c) => [r[2] * c[0], r[2] * c[1], r[3]];
      quad(out, at(p, a), at(p, b), at(q, b), at(q, a), to(p, a), to(p, b), to(q, b), to(q, a));
    }
  }
}

function cylinder(out, radius, length, inner, sides) {
  const h = length / 2;
  const profile = [[inner, -h, 0, -1], [radius, -h, 0, -1], [radius, -h, 1, 0], [radius, h, 1, 0],
    [radius, h, 0, 1], [inner, h, 0, 1]];
  if (inner > 0) profile.push([inner, h, -1, 0], [inner, -h, -1, 0]);
  turned(out, profile, sides);
}

// a ball whose halves stand `length` apart
function capsule(out, radius, length, sides = ROUND) {
  const points = [], n = 16;
  for (let k = 0; k <= n; k++) {
    const a = -Math.PI / 2 + Math.PI * k / n, c = Math.cos(a), s = Math.sin(a);
    if (k === n / 2) points.push([radius, -length / 2, 1, 0]);
    points.push([radius * c, radius * s + (k < n / 2 ? -1 : 1) * length / 2, c, s]);
  }
  const profile = [];
  for (let k = 0; k + 1 < points.length; k++) profile.push(points[k], points[k + 1]);
  turned(out, profile, sides);
}

// the corners of a mesh one after another: of its triangles, or of its faces between points
function meshNumbers(shape) {
  return shape.faces ? shape.faces.flat().flatMap((k) => shape.points[k]) : shape.triangles.flat(2);
}

function mesh(out, triangles) {
  for (let k = 0; k < triangles.length; k += 9) {
    const [a, b, c] = [0, 3, 6].map((i) => [triangles[k + i], triangles[k + i + 1], triangles[k + i + 2]]);
    const n = unit(cross(add(b, a, -1), add(c, a, -1)));
    for (const p of [a, b, c]) out.push(...p, ...n);
  }
}

// corners of one shape, in the frame of its body
function shapeCorners(shape) {
  const out = [];
  if (shape.kind === "rod" || shape.kind === "pin") {
    const way = add(shape.to, shape.from, -1), n = unit(way), [u, v] = across(n);
    const middle = times(add(shape.from, shape.to), 0.5);
    cylinder(out, shape.radius, norm(way), 0, shape.kind === "pin" ? 24 : 12);
    for (let k = 0; k < out.length; k += 6) {
      const bend = (p) => add(add(times(u, p[0]), v, p[1]), n, p[2]);
      const p = add(middle, bend(out.slice(k, k + 3))), m = bend(out.slice(k + 3, k + 6));
      for (let i = 0; i < 3; i++) { out[k + i] = p[i]; out[k + 3 + i] = m[i]; }
    }
    return out;
  }
  if (shape.kind === "box") boxes(out, shape.size);
  else if (shape.kind === "cylinder") cylinder(out, shape.radius, shape.length, shape.inner_radius);
  else if (shape.kind === "capsule") capsule(out, shape.radius, shape.length);
  else if (shape.kind === "sphere") capsule(out, shape.radius, 0);
  else if (shape.kind === "mesh") mesh(out, meshNumbers(shape));
  const q = shape.rotation;
  for (let k = 0; k < out.length; k += 6) {
    const p = add(shape.position, turn(q, out.slice(k, k + 3))), n = turn(q, out.slice(k + 3, k + 6));
    for (let i = 0; i < 3; i++) { out[k + i] = p[i]; out[k + 3 + i] = n[i]; }
  }
  return out;
}

// a coil along z from 0 to 1 of radius 1, its wire of radius `wire`
function coil(turns, wire) {
  const out = [], steps = 14 * turns, sides = 6;
  const ring = (k) => {
    const s = k / steps, a = 2 * Math.PI * turns * s, c = [Math.cos(a), Math.sin(a), 0];
    const at = [c[0], c[1], s], points = [];
    for (let i = 0; i <= sides; i++) {
      const b = 2 * Math.PI * i / sides, n = add(times(c, Math.cos(b)), [0, 0, 1], Math.sin(b));
      points.push([[at[0] + wire * n[0], at[1] + wire * n[1], at[2] + 0.05 * wire * n[2]], n]);
    }
    return points;
  };
  for (let k = 0; k < steps; k++) {
    const p = ring(k), q = ring(k + 1);
    for (let i = 0; i < sides; i++) {
      quad(out, p[i][0], p[i + 1][0], q[i + 1][0], q[i][0], p[i][1], p[i + 1][1], q[i + 1][1], q[i][1]);
    }
  }
  return out;
}
