// All eigenvalues and eigenvectors of a small symmetric matrix: Householder reduction, then the implicit QL method.

/** Eigenvalues in increasing order, and the eigenvectors as rows. */
export interface Eigen {
  values: Float64Array;
  vectors: Float64Array[];
}

/** Decomposes a symmetric matrix, given row after row; it is overwritten. */
export function eigenOfSymmetric(matrix: Float64Array, n: number): Eigen {
  const diagonal = new Float64Array(n);
  const offDiagonal = new Float64Array(n);
  const basis = reduce(matrix, n, diagonal, offDiagonal);
  return eigenOfTridiagonal(diagonal, offDiagonal, basis);
}

/** Makes a matrix A tridiagonal, A = Q T Q', and returns the columns of Q as rows. `offDiagonal[i]` is T[i, i + 1]. */
function reduce(a: Float64Array, n: number, diagonal: Float64Array, offDiagonal: Float64Array): Float64Array[] {
  const reflections: Float64Array[] = [];
  const p = new Float64Array(n);
  for (let k = 0; k < n - 2; k++) {
    // The reflection I - 2 v v' takes column k below the diagonal to a multiple of its first entry.
    const v = new Float64Array(n);
    let square = 0;
    for (let i = k + 1; i < n; i++) square += (v[i] = a[i * n + k]) ** 2;
    let rest = 0;
    for (let i = k + 2; i < n; i++) rest += v[i] ** 2;
    const size = rest === 0 ? 0 : Math.sqrt(square);
    offDiagonal[k] = size === 0 ? v[k + 1] : v[k + 1] > 0 ? -size : size;
    diagonal[k] = a[k * n + k];
    if (size > 0) {
      v[k + 1] -= offDiagonal[k];
      const length = Math.sqrt(v[k + 1] ** 2 + rest);
      for (let i = k + 1; i < n; i++) v[i] /= length;
      let overlap = 0;
      for (let i = k + 1; i < n; i++) {
        let sum = 0;
        for (let j = k + 1; j < n; j++) sum += a[i * n + j] * v[j];
        p[i] = sum;
        overlap += sum * v[i];
      }
      for (let i = k + 1; i < n; i++) p[i] = 2 * (p[i] - overlap * v[i]);
      for (let i = k + 1; i < n; i++) for (let j = k + 1; j < n; j++) a[i * n + j] -= p[i] * v[j] + v[i] * p[j];
    } else v.fill(0);
    reflections.push(v);
  }
  for (let k = Math.max(0, n - 2); k < n; k++) diagonal[k] = a[k * n + k];
  if (n > 1) offDiagonal[n - 2] = a[(n - 1) * n + n - 2];
  const basis = Array.from({ length: n }, (_, i) => {
    const row = new Float64Array(n);
    row[i] = 1;
    return row;
  });
  for (let k = reflections.length - 1; k >= 0; k--) {
    const v = reflections[k];
    for (const row of basis) {
      let sum = 0;
      for (let i = k + 1; i < n; i++) sum += v[i] * row[i];
      if (sum !== 0) for (let i = k + 1; i < n; i++) row[i] -= 2 * sum * v[i];
    }
  }
  return basis;
}

/**
 * Decomposes a tridiagonal matrix. `offDiagonal[i]` is the entry (i, i + 1). `basis[i]` is the vector that stands for unit vector
 * i; the rows of the result are combinations of them. All three are overwritten.
 */
export function eigenOfTridiagonal(diagonal: Float64Array, offDiagonal: Float64Array, basis: Float64Array[]): Eigen {
  const n = diagonal.length;
  for (let l = 0; l < n; l++) {
    for (let round = 0; ; round++) {
      let m = l;
      for (; m < n - 1; m++) {
        const size = Math.abs(diagonal[m]) + Math.abs(diagonal[m + 1]);
        if (Math.abs(offDiagonal[m]) <= Number.EPSILON * size) break;
      }
      if (m === l) break;
      if (round === 60) throw new Error("the eigenvalues of a matrix did not converge");
      let g = (diagonal[l + 1] - diagonal[l]) / (2 * offDiagonal[l]);
      let r = Math.hypot(g, 1);
      g = diagonal[m] - diagonal[l] + offDiagonal[l] / (g + (g >= 0 ? r : -r));
      let [s, c, p] = [1, 1, 0];
      let i = m - 1;
      for (; i >= l; i--) {
        let f = s * offDiagonal[i];
        const b = c * offDiagonal[i];
        r = Math.hypot(f, g);
        offDiagonal[i + 1] = r;
        if (r === 0) {
          diagonal[i + 1] -= p;
          offDiagonal[m] = 0;
          break;
        }
        s = f / r;
        c = g / r;
        g = diagonal[i + 1] - p;
        r = (diagonal[i] - g) * s + 2 * c * b;
        p = s * r;
        diagonal[i + 1] = g + p;
        g = c * r - b;
        rotate(basis[i], basis[i + 1], c, s);
      }
      if (r === 0 && i >= l) continue;
      diagonal[l] -= p;
      offDiagonal[l] = g;
      offDiagonal[m] = 0;
    }
  }
  const order = Array.from(diagonal.keys()).sort((one, other) => diagonal[one] - diagonal[other]);
  return { values: Float64Array.from(order, (i) => diagonal[i]), vectors: order.map((i) => basis[i]) };
}

function rotate(lower: Float64Array, upper: Float64Array, c: number, s: number): void {
  for (let k = 0; k < lower.length; k++) {
    const f = upper[k];
    upper[k] = s * lower[k] + c * f;
    lower[k] = c * lower[k] - s * f;
  }
}
