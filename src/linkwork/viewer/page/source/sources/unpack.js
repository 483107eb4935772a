// The block of a page: arrays, deflated together, that JSON would write too long. viewer/replay/packing.py writes it.

/** bytes of a base64 text */
export function bytesOf(text) {
  const letters = atob(text), out = new Uint8Array(letters.length);
  for (let k = 0; k < out.length; k++) out[k] = letters.charCodeAt(k);
  return out;
}

/** @returns {Promise<ArrayBuffer>} */
export async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

const KINDS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, i2: Int16Array };

/** An array of the block. Smooth ones hold differences over time, by planes of bytes. */
export function unpack(buffer, facts) {
  if (facts.kind !== "smooth") return new KINDS[facts.kind](buffer, facts.at, facts.count);
  const { rows, columns, planes, order, step } = facts, n = rows * columns, bytes = new Uint8Array(buffer, facts.at, n * planes);
  const first = new Float64Array(buffer, facts.first, columns), out = new Float32Array(n);
  for (let c = 0; c < columns; c++) {
    const size = step[c % step.length], low = first[c];
    let value = 0, slope = 0;
    for (let r = 0; r < rows; r++) {
      let word = 0;
      for (let p = 0; p < planes; p++) word |= bytes[p * n + c * rows + r] << (8 * p);
      const d = (word >>> 1) ^ -(word & 1);
      if (order === 2) { slope = (slope + d) | 0; value = (value + slope) | 0; } else value = order ? (value + d) | 0 : d;
      out[r * columns + c] = low + size * value;
    }
  }
  return out;
}
