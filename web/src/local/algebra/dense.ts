// Products of vectors, and of dense matrices given row after row.
import { Work } from "../work";

export function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
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

/** Writes A B' for A of k rows and B of n rows, both of m columns. Four rows of A and two of B are read together. */
export async function timesTransposed(a: Float64Array, b: Float64Array, m: number, out: Float64Array, work: Work): Promise<void> {
  const [k, n] = [a.length / m, b.length / m];
  for (let i = 0; i < n; i += 2) {
    if (work.due()) await work.pause();
    const other = i + 1 < n ? i + 1 : i;
    let r = 0;
    for (; r + 4 <= k; r += 4) fourByTwo(a, r, b, i, other, m, n, out);
    for (; r < k; r++) {
      out[r * n + i] = dotOfRows(a, r * m, b, i * m, m);
      out[r * n + other] = dotOfRows(a, r * m, b, other * m, m);
    }
  }
}

function fourByTwo(a: Float64Array, r: number, b: Float64Array, i: number, other: number, m: number, n: number, out: Float64Array): void {
  const [a0, b0, b1] = [r * m, i * m, other * m];
  const [a1, a2, a3] = [a0 + m, a0 + 2 * m, a0 + 3 * m];
  let s00 = 0, s01 = 0, s10 = 0, s11 = 0, s20 = 0, s21 = 0, s30 = 0, s31 = 0;
  for (let j = 0; j < m; j++) {
    const x = b[b0 + j];
    const y = b[b1 + j];
    const p = a[a0 + j];
    const q = a[a1 + j];
    const u = a[a2 + j];
    const v = a[a3 + j];
    s00 += p * x;
    s01 += p * y;
    s10 += q * x;
    s11 += q * y;
    s20 += u * x;
    s21 += u * y;
    s30 += v * x;
    s31 += v * y;
  }
  const [o0, o1, o2, o3] = [r * n, (r + 1) * n, (r + 2) * n, (r + 3) * n];
  out[o0 + i] = s00;
  out[o0 + other] = s01;
  out[o1 + i] = s10;
  out[o1 + other] = s11;
  out[o2 + i] = s20;
  out[o2 + other] = s21;
  out[o3 + i] = s30;
  out[o3 + other] = s31;
}

function dotOfRows(a: Float64Array, from: number, b: Float64Array, at: number, m: number): number {
  let sum = 0;
  for (let j = 0; j < m; j++) sum += a[from + j] * b[at + j];
  return sum;
}

/** A x for a square matrix A. */
export function timesVector(a: Float64Array, x: Float64Array): Float64Array {
  const n = x.length;
  return Float64Array.from({ length: n }, (_, i) => dotOfRows(a, i * n, x, 0, n));
}
