// The largest eigenvalues of a symmetric operator and their vectors, with all copies of repeated eigenvalues.
import { Draw, drawsOf } from "../random";
import { Work } from "../work";
import { dot, norm } from "./dense";
import { eigenOfTridiagonal } from "./symmetric";

const CONVERGED = 1e-15; // the residual of a vector, relative to its eigenvalue
const SAME = 1e-8; // eigenvalues this close, relative to their size, are copies of one
const INVARIANT = 1e-13; // nothing else is left where a step is smaller, relative to the largest eigenvalue
const STRIDE = 6; // steps between two looks at what has converged

/** Eigenvalues in decreasing order, and a vector of length 1 for each. */
export interface Leading {
  values: number[];
  vectors: Float64Array[];
}

/**
 * Finds the `wanted` largest eigenvalues of an operator with eigenvalues >= 0, and all copies of the smallest of them.
 * One iteration finds one vector of each eigenvalue. It is therefore started again, orthogonal to everything found,
 * until the largest eigenvalue that is left is too small to matter. `omitted` are eigenvectors that are left out.
 */
export async function leadingOf(
  apply: (x: Float64Array) => Float64Array, n: number, wanted: number, omitted: Float64Array[], work: Work,
): Promise<Leading> {
  const draw = drawsOf(0);
  const found: Leading = { values: [], vectors: [] };
  while (found.vectors.length + omitted.length < n) {
    const least = found.values.length < wanted ? 0 : found.values[wanted - 1] * (1 - SAME);
    const round = await iterate(apply, n, wanted, least, [...omitted, ...found.vectors], draw, work);
    if (!round.values.length) break;
    const all = [...found.values, ...round.values];
    const vectors = [...found.vectors, ...round.vectors];
    const order = Array.from(all.keys()).sort((one, other) => all[other] - all[one]);
    found.values = order.map((i) => all[i]);
    found.vectors = order.map((i) => vectors[i]);
  }
  return found;
}

/** One Lanczos iteration with full orthogonalisation: up to `wanted` eigenvalues above `least`, one of each. */
async function iterate(
  apply: (x: Float64Array) => Float64Array, n: number, wanted: number, least: number, known: Float64Array[], draw: Draw, work: Work,
): Promise<Leading> {
  const basis: Float64Array[] = [];
  const [diagonal, offDiagonal]: [number[], number[]] = [[], []];
  const most = n - known.length;
  const next = Float64Array.from({ length: n }, () => draw() - 0.5);
  purge(next, known);
  let size = norm(next);
  for (let largest = 0; ; ) {
    if (work.due()) await work.pause();
    basis.push(next.map((entry) => entry / size));
    const image = apply(basis[basis.length - 1]);
    diagonal.push(dot(image, basis[basis.length - 1]));
    purge(image, known, basis);
    size = norm(image);
    next.set(image);
    largest = Math.max(largest, diagonal[basis.length - 1], size);
    const over = basis.length === most || size <= INVARIANT * largest;
    if (over || basis.length % STRIDE === 0) {
      const { enough, count } = progress(diagonal, offDiagonal, over ? 0 : size, wanted, least);
      if (enough || over) return combine(diagonal, offDiagonal, basis, count);
    }
    offDiagonal.push(size);
  }
}

/** Takes the parts along the vectors out of x, twice, because rounding leaves some of them the first time. */
function purge(x: Float64Array, ...sets: Float64Array[][]): void {
  for (const vectors of [...sets, ...sets]) {
    for (const vector of vectors) {
      const along = dot(x, vector);
      for (let i = 0; i < x.length; i++) x[i] -= along * vector[i];
    }
  }
}

/** How many leading eigenvalues above `least` are exact, and whether these are all that this iteration is to find. */
function progress(diagonal: number[], offDiagonal: number[], size: number, wanted: number, least: number) {
  const m = diagonal.length;
  const last = Array.from({ length: m }, (_, i) => Float64Array.of(+(i === m - 1)));
  const { values, vectors } = eigenOfTridiagonal(Float64Array.from(diagonal), Float64Array.of(...offDiagonal, 0), last);
  const exact = (i: number, tolerance: number) => size * Math.abs(vectors[i][0]) <= tolerance * Math.abs(values[i]);
  let count = 0;
  while (count < Math.min(wanted, m) && values[m - 1 - count] >= least && exact(m - 1 - count, CONVERGED)) count++;
  const ended = count < m && values[m - 1 - count] < least * (1 - 1e-4) && exact(m - 1 - count, 1e-5);
  return { count, enough: count === wanted || (least > 0 && ended) };
}

function combine(diagonal: number[], offDiagonal: number[], basis: Float64Array[], count: number): Leading {
  const m = diagonal.length;
  const unit = Array.from({ length: m }, (_, i) => Float64Array.from({ length: m }, (_, j) => +(i === j)));
  const { values, vectors } = eigenOfTridiagonal(Float64Array.from(diagonal), Float64Array.of(...offDiagonal, 0), unit);
  const chosen = Array.from({ length: count }, (_, i) => m - 1 - i);
  return { values: chosen.map((i) => values[i]), vectors: chosen.map((i) => combination(vectors[i], basis)) };
}

function combination(weights: Float64Array, basis: Float64Array[]): Float64Array {
  const sum = new Float64Array(basis[0].length);
  basis.forEach((vector, k) => {
    for (let i = 0; i < sum.length; i++) sum[i] += weights[k] * vector[i];
  });
  const size = norm(sum);
  return sum.map((entry) => entry / size);
}
