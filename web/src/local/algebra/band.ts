// LU factors of banded matrices: a state of a grid, numbered row by row, has its neighbours near the diagonal.

/** L U of a matrix with `width` diagonals on each side, without pivoting: for diagonally dominant matrices. */
export class BandFactor {
  private readonly side: number;

  /** `band` holds 2 width + 1 entries per row, the diagonal in the middle. It is overwritten by its factors. */
  constructor(
    readonly n: number,
    readonly width: number,
    private readonly band: Float64Array,
  ) {
    this.side = 2 * width + 1;
    const { side } = this;
    for (let k = 0; k < n; k++) {
      const pivot = band[k * side + width];
      const last = Math.min(n - 1, k + width);
      for (let i = k + 1; i <= last; i++) {
        const at = i * side + width - i; // entry (i, j) is at + j
        if (band[at + k] === 0) continue;
        const factor = (band[at + k] /= pivot);
        const from = k * side + width - k;
        for (let j = k + 1; j <= last; j++) band[at + j] -= factor * band[from + j];
      }
    }
  }

  /** Overwrites b by the solution x of A x = b. */
  solve(b: Float64Array): Float64Array {
    const { n, width, side, band } = this;
    for (let i = 0; i < n; i++) {
      const at = i * side + width - i;
      let sum = b[i];
      for (let j = Math.max(0, i - width); j < i; j++) sum -= band[at + j] * b[j];
      b[i] = sum;
    }
    for (let i = n - 1; i >= 0; i--) {
      const at = i * side + width - i;
      const last = Math.min(n - 1, i + width);
      let sum = b[i];
      for (let j = i + 1; j <= last; j++) sum -= band[at + j] * b[j];
      b[i] = sum / band[at + i];
    }
    return b;
  }

  /** Overwrites b by the solution x of A' x = b. */
  solveTranspose(b: Float64Array): Float64Array {
    const { n, width, side, band } = this;
    for (let i = 0; i < n; i++) {
      const at = i * side + width - i;
      const value = (b[i] /= band[at + i]);
      if (value === 0) continue;
      const last = Math.min(n - 1, i + width);
      for (let j = i + 1; j <= last; j++) b[j] -= band[at + j] * value;
    }
    for (let i = n - 1; i >= 0; i--) {
      const value = b[i];
      if (value === 0) continue;
      const at = i * side + width - i;
      for (let j = Math.max(0, i - width); j < i; j++) b[j] -= band[at + j] * value;
    }
    return b;
  }
}
