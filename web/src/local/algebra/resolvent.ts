// Products with (I - C)^-1 for a sparse C >= 0 whose rows sum to less than 1, without forming the inverse.
import { BandFactor } from "./band";
import { dot } from "./dense";

/** The entries of a sparse matrix, in any order; several at one place are added. */
export class Entries {
  readonly rows: number[] = [];
  readonly columns: number[] = [];
  readonly values: number[] = [];

  constructor(readonly n: number) {}

  add(row: number, column: number, value: number): void {
    if (value === 0) return;
    this.rows.push(row);
    this.columns.push(column);
    this.values.push(value);
  }
}

/**
 * (I - C)^-1 with C = K + F. K holds the entries near the diagonal, which steps of a grid give. F holds those far from
 * it, which options give: they lead to few states, so that F = G E' with one column of G for each such state. Then
 * (I - C)^-1 = R + R G (I - E' R G)^-1 E' R with R = (I - K)^-1, a banded system and a small one.
 */
export class Resolvent {
  private readonly band: BandFactor;
  private readonly ends: number[] = [];
  /** The columns of G, and of R G. */
  private readonly far: Float64Array[] = [];
  private readonly solved: Float64Array[];
  private readonly small: BandFactor | null;

  /** Entries farther than `width` from the diagonal belong to F. */
  constructor(entries: Entries, width: number) {
    const { n, rows, columns, values } = entries;
    const side = 2 * width + 1;
    const band = new Float64Array(n * side);
    const number = new Map<number, number>();
    for (let i = 0; i < n; i++) band[i * side + width] = 1;
    for (let e = 0; e < rows.length; e++) {
      const away = columns[e] - rows[e];
      if (Math.abs(away) <= width) {
        band[rows[e] * side + width + away] -= values[e];
        continue;
      }
      let k = number.get(columns[e]);
      if (k === undefined) {
        number.set(columns[e], (k = this.ends.length));
        this.ends.push(columns[e]);
        this.far.push(new Float64Array(n));
      }
      this.far[k][rows[e]] += values[e];
    }
    this.band = new BandFactor(n, width, band);
    this.solved = this.far.map((column) => this.band.solve(column.slice()));
    this.small = this.ends.length ? this.capacitance() : null;
  }

  /** (I - C)^-1 b, in a new array. */
  solve(b: Float64Array): Float64Array {
    const x = this.band.solve(b.slice());
    if (!this.small) return x;
    const y = this.small.solve(Float64Array.from(this.ends, (end) => x[end]));
    this.solved.forEach((column, k) => {
      for (let i = 0; i < x.length; i++) x[i] += y[k] * column[i];
    });
    return x;
  }

  /** (I - C')^-1 b, in a new array. */
  solveTranspose(b: Float64Array): Float64Array {
    const right = b.slice();
    if (this.small) {
      const y = this.small.solveTranspose(Float64Array.from(this.solved, (column) => dot(column, b)));
      this.ends.forEach((end, k) => (right[end] += y[k]));
    }
    return this.band.solveTranspose(right);
  }

  /** I - E' R G, which is diagonally dominant by rows as I - C is. */
  private capacitance(): BandFactor {
    const n = this.ends.length;
    const width = n - 1;
    const side = 2 * width + 1;
    const matrix = new Float64Array(n * side);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < n; k++) matrix[i * side + width + k - i] = (i === k ? 1 : 0) - this.solved[k][this.ends[i]];
    }
    return new BandFactor(n, width, matrix);
  }
}
