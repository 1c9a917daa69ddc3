// Products of vectors, and of dense matrices given row after row.
import { Work } from "../work";

/** The inner product, as four sums that a processor adds up at the same time. */
export function dot(x: Float64Array, y: Float64Array): number {
  const n = x.length;
  let a = 0, b = 0, c = 0, d = 0, i = 0;
  for (; i + 4 <= n; i += 4) {
    a += x[i] * y[i];
    b += x[i + 1] * y[i + 1];
    c += x[i + 2] * y[i + 2];
    d += x[i + 3] * y[i + 3];
  }
  for (; i < n; i++) a += x[i] * y[i];
  return a + b + (c + d);
}

/** x += a y */
export function addScaled(x: Float64Array, y: Float64Array, a: number): void {
  for (let i = 0; i < x.length; i++) x[i] += a * y[i];
}

/** The Euclidean norm of a vector. */
export function norm(x: Float64Array): number {
  return Math.sqrt(dot(x, x));
}

/** The rows of a matrix of n columns. */
export function rowsOf(matrix: Float64Array, n: number): Float64Array[] {
  return Array.from({ length: matrix.length / n }, (_, i) => matrix.subarray(i * n, i * n + n));
}

/** The transposed matrix of an n x m matrix. */
export function transposed(matrix: Float64Array, n: number, m: number): Float64Array {
  const out = new Float64Array(n * m);
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) out[j * n + i] = matrix[i * m + j];
  return out;
}

/** Writes A B' for A of k rows and B of n rows, both of m columns. */
export async function timesTransposed(a: Float64Array, b: Float64Array, m: number, out: Float64Array, work: Work): Promise<void> {
  const [left, right] = [rowsOf(a, m), rowsOf(b, m)];
  for (let i = 0; i < right.length; i++) {
    if (work.due()) await work.pause();
    for (let r = 0; r < left.length; r++) out[r * right.length + i] = dot(left[r], right[i]);
  }
}

/** A x for a square matrix A. */
export function timesVector(a: Float64Array, x: Float64Array): Float64Array {
  return Float64Array.from(rowsOf(a, x.length), (row) => dot(row, x));
}
