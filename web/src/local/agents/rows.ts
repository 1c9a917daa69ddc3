// Rows of matrices in one memory, and their arithmetic in the order of additions of the library, so that sums have the same bits.
//
// Entry i goes to lane i mod 8, each lane adds up its products in turn, and the lanes are added in halves. Rows have a width
// that is a multiple of eight, with zeros at the end, and are named by the place of their first entry.
import { VectorCode, vectorCode } from "./vectors";

const LANES = 8;
const MOST_FREE = 4;
const PAGE = 8192; // numbers in a page of WebAssembly's memory

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

/** A memory of numbers, all zero at first, and the arithmetic of its rows. */
export interface Rows {
  readonly data: Float64Array;
  /** x . y */
  dot(x: number, y: number, width: number): number;
  /** x += a y */
  addRow(x: number, y: number, a: number, width: number): void;
  /** x += a (g y - x) */
  mixRow(x: number, y: number, g: number, a: number, width: number): void;
  /** The same, and the row `sums` grows by what x does, or by what its squares do. */
  mixMeasuredRow(x: number, y: number, g: number, a: number, width: number, sums: number, squares: boolean): void;
}

const free: VectorRows[] = []; // a memory of WebAssembly takes much address space, and is not returned at once

/** Returns a memory: with vector instructions if the browser has them, and the same results without. */
export function makeRows(length: number): Rows {
  const known = free.findIndex((rows) => rows.data.length >= length);
  if (known >= 0) {
    const [rows] = free.splice(known, 1);
    rows.data.fill(0);
    return rows;
  }
  const pages = Math.ceil(length / PAGE);
  const made = vectorCode(() => new WebAssembly.Memory({ initial: pages, maximum: pages }));
  return made ? new VectorRows(new Float64Array(made.memory.buffer), made.code) : new PlainRows(length);
}

/** Takes a memory back that is not used any more. */
export function giveBack(rows: Rows): void {
  if (rows instanceof VectorRows && free.length < MOST_FREE) free.push(rows);
}

class VectorRows implements Rows {
  constructor(
    readonly data: Float64Array,
    private readonly code: VectorCode,
  ) {}

  dot(x: number, y: number, width: number): number {
    return this.code.dot(x, y, width);
  }

  addRow(x: number, y: number, a: number, width: number): void {
    this.code.addRow(x, y, a, width);
  }

  mixRow(x: number, y: number, g: number, a: number, width: number): void {
    this.code.mixRow(x, y, g, a, width);
  }

  mixMeasuredRow(x: number, y: number, g: number, a: number, width: number, sums: number, squares: boolean): void {
    this.code.mixMeasuredRow(x, y, g, a, width, sums, +squares);
  }
}

export class PlainRows implements Rows {
  readonly data: Float64Array;

  constructor(length: number) {
    this.data = new Float64Array(length);
  }

  dot(x: number, y: number, width: number): number {
    const { data } = this;
    let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (const end = x + width; x < end; x += LANES, y += LANES) {
      a += data[x] * data[y];
      b += data[x + 1] * data[y + 1];
      c += data[x + 2] * data[y + 2];
      d += data[x + 3] * data[y + 3];
      e += data[x + 4] * data[y + 4];
      f += data[x + 5] * data[y + 5];
      g += data[x + 6] * data[y + 6];
      h += data[x + 7] * data[y + 7];
    }
    return a + e + (c + g) + (b + f + (d + h));
  }

  addRow(x: number, y: number, a: number, width: number): void {
    const { data } = this;
    for (const end = x + width; x < end; x++, y++) data[x] += a * data[y];
  }

  mixRow(x: number, y: number, g: number, a: number, width: number): void {
    const { data } = this;
    for (const end = x + width; x < end; x++, y++) data[x] += a * (g * data[y] - data[x]);
  }

  mixMeasuredRow(x: number, y: number, g: number, a: number, width: number, sums: number, squares: boolean): void {
    const { data } = this;
    for (const end = x + width; x < end; x++, y++, sums++) {
      const old = data[x];
      const next = old + a * (g * data[y] - old);
      data[x] = next;
      data[sums] += squares ? next * next - old * old : next - old;
    }
  }
}
