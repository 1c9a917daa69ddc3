// The leading singular vectors of a map, with signs by the rule of `hsr.SVDBasis`.
import { norm, timesVector, transposed } from "../algebra/dense";
import { leadingOf } from "../algebra/lanczos";
import { eigenOfSymmetric } from "../algebra/symmetric";
import { Work } from "../work";

const NOTHING = 1e-9; // singular values this small, relative to the largest, are zero
const EQUAL = 1e-6; // closer singular values, relative to the largest, have no vectors of their own

/** M = sum of s u v'. Vectors have length 1. */
export interface Triplet {
  s: number;
  u: Float64Array;
  v: Float64Array;
}

/** Returns the `wanted` leading triplets of a square map, and whether equal values leave none of them to rounding. */
export async function leadingTriplets(map: Float64Array, n: number, wanted: number, work: Work): Promise<{ triplets: Triplet[]; unique: boolean }> {
  const columns = transposed(map, n, n);
  const asked = Math.min(wanted + 1, n);
  const right = 2 * asked >= n ? densely(columns, n) : (await leadingOf((x) => timesVector(columns, timesVector(map, x)), n, asked, [], work)).vectors;
  const triplets = right.slice(0, asked).map((v) => {
    const image = timesVector(map, v);
    const s = norm(image);
    const sign = leadingSign(image);
    return { s, u: image.map((entry) => (sign * entry) / (s || 1)), v: v.map((entry) => sign * entry) };
  });
  return { triplets: triplets.slice(0, wanted), unique: areApart(triplets, wanted) };
}

/** The eigenvectors of M' M, those of the largest eigenvalues first. `columns` is M'. */
function densely(columns: Float64Array, n: number): Float64Array[] {
  const square = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const product = columns.subarray(i * n, i * n + n);
    square.set(timesVector(columns, product), i * n);
  }
  return eigenOfSymmetric(square, n).vectors.reverse();
}

/** The sign of the first entry that is larger than half the largest. */
function leadingSign(vector: Float64Array): number {
  const half = 0.5 * vector.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  const first = vector.find((entry) => Math.abs(entry) > half);
  return first !== undefined && first < 0 ? -1 : 1;
}

function areApart(triplets: Triplet[], wanted: number): boolean {
  const largest = triplets[0].s;
  const close = ({ s }: Triplet, k: number) => k + 1 < triplets.length && s > NOTHING * largest && s - triplets[k + 1].s <= EQUAL * largest;
  return !triplets.slice(0, wanted).some(close);
}
