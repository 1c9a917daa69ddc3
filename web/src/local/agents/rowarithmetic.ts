// Arithmetic of rows, in the order of additions of the library, so that sums have the same bits.
//
// Entry i goes to lane i mod 8, each lane adds up its products in turn, and the lanes are added in halves. A matrix is one
// array, row after row. Rows have a width that is a multiple of eight, with zeros at the end, and are named by their first entry.

const LANES = 8;

/** The least multiple of eight that is not less than `length`. */
export function padded(length: number): number {
  return Math.ceil(length / LANES) * LANES;
}

/** A matrix with rows of `columns` entries, padded with zeros to `width`. */
export function paddedRows(matrix: Float64Array, columns: number, width: number): Float64Array {
  const rows = new Float64Array((matrix.length / columns) * width);
  for (let from = 0, to = 0; from < matrix.length; from += columns, to += width) rows.set(matrix.subarray(from, from + columns), to);
  return rows;
}

/** X[i] . Y[j] */
export function dot(X: Float64Array, i: number, Y: Float64Array, j: number, width: number): number {
  let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
  for (let k = 0; k < width; k += LANES) {
    const x = i + k;
    const y = j + k;
    a += X[x] * Y[y];
    b += X[x + 1] * Y[y + 1];
    c += X[x + 2] * Y[y + 2];
    d += X[x + 3] * Y[y + 3];
    e += X[x + 4] * Y[y + 4];
    f += X[x + 5] * Y[y + 5];
    g += X[x + 6] * Y[y + 6];
    h += X[x + 7] * Y[y + 7];
  }
  return a + e + (c + g) + (b + f + (d + h));
}

/** X[i] += a Y[j] */
export function addRow(X: Float64Array, i: number, Y: Float64Array, j: number, a: number, width: number): void {
  for (let k = 0; k < width; k++) X[i + k] += a * Y[j + k];
}

/** X[i] += a (g X[j] - X[i]) */
export function mixRow(X: Float64Array, i: number, j: number, g: number, a: number, width: number): void {
  for (let k = 0; k < width; k++) {
    const old = X[i + k];
    X[i + k] = old + a * (g * X[j + k] - old);
  }
}

/** The same, and `sums` grow by what X[i] does, or by what its squares do. */
export function mixMeasuredRow(
  X: Float64Array, i: number, j: number, g: number, a: number, width: number, sums: Float64Array, squares: boolean,
): void {
  for (let k = 0; k < width; k++) {
    const old = X[i + k];
    const next = old + a * (g * X[j + k] - old);
    X[i + k] = next;
    sums[k] += squares ? next * next - old * old : next - old;
  }
}

/** X + a of the row of a state that is left for another: one visit, and what the other predicts. */
export function learnStep(M: Float64Array, s: number, arrived: number, gamma: number, alpha: number, width: number): void {
  mixRow(M, s * width, arrived * width, gamma, alpha, width);
  M[s * width + s] += alpha;
}
