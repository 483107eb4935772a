// Vectors are arrays of 3, quaternions of 4 with w first, matrices of 16 by columns as WebGL wants them.
const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => { const n = norm(a); return n > 0 ? times(a, 1 / n) : [0, 0, 1]; };

function turn(q, v) {
  const u = [q[1], q[2], q[3]], t = times(cross(u, v), 2);
  return add(add(v, t, q[0]), cross(u, t));
}

// pose [x, y, z, w, i, j, k] as a matrix
function poseMatrix(p) {
  const [x, y, z, a, b, c, d] = p;
  return new Float32Array([
    1 - 2 * (c * c + d * d), 2 * (b * c + a * d), 2 * (b * d - a * c), 0,
    2 * (b * c - a * d), 1 - 2 * (b * b + d * d), 2 * (c * d + a * b), 0,
    2 * (b * d + a * c), 2 * (c * d - a * b), 1 - 2 * (b * b + c * c), 0,
    x, y, z, 1]);
}

const place = (p, v) => add([p[0], p[1], p[2]], turn([p[3], p[4], p[5], p[6]], v));

function product(A, B) {
  const C = new Float32Array(16);
  for (let j = 0; j < 4; j++) for (let i = 0; i < 4; i++) {
    let s = 0;
    for (let k = 0; k < 4; k++) s += A[4 * k + i] * B[4 * j + k];
    C[4 * j + i] = s;
  }
  return C;
}

// two unit vectors across a third
function across(n) {
  const u = unit(cross(Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], n));
  return [u, cross(n, u)];
}
