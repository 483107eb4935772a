// A frame as the server sends it: five counts and three zeros (uint32), the head (float64), the rest as float32.
// viewer/live/shared_frame.py packs it.

const HEAD = 16, FIRST = 32 + 8 * HEAD;

/** @param {ArrayBuffer} buffer */
export function frameOf(buffer) {
  const counts = new Uint32Array(buffer, 0, 8), head = new Float64Array(buffer, 32, HEAD);
  let at = FIRST;
  const part = (count, width) => {
    const found = new Float32Array(buffer, at, count * width);
    at += 4 * count * width;
    return found;
  };
  const poses = part(counts[0], 7), forces = part(counts[1], 6), contacts = part(counts[2], 7);
  const drags = part(counts[3], 10), plotted = part(counts[4], 1);
  const [, t, energy, balance, drift, factor, running, late, steps, iterations, , , , watched, light, kinematic] = head;
  return {
    t, poses, forces, contacts, drags, plotted, watched,
    head: { energy, balance, drift, iterations, factor, running, late, steps, light, kinematic },
  };
}
