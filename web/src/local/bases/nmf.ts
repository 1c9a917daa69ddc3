// Non-negative matrix factorization by hierarchical alternating least squares, with the start and steps of `hsr.NMFBasis`.
import { norm, timesTransposed, transposed } from "../algebra/dense";
import { Work } from "../work";
import { Triplet } from "./svd";

const TOLERANCE = 1e-5;
const NEGLIGIBLE = 1e-6;
const EQUAL = 1e-9; // parts whose sizes differ by less, relatively, are equal: the positive one is taken

/** Two factors of K rows each: M is about W' H. */
export interface Factors {
  Wt: Float64Array;
  H: Float64Array;
}

/** The start of [boutsidis2008]: the larger of the positive and the negative part of each triplet, zeros as the mean. */
export function startOf(map: Float64Array, n: number, triplets: Triplet[]): Factors {
  const mean = map.reduce((sum, entry) => sum + entry, 0) / map.length;
  const [Wt, H] = [new Float64Array(triplets.length * n), new Float64Array(triplets.length * n)];
  triplets.forEach(({ s, u, v }, k) => {
    const [left, right] = k === 0 ? [u.map(Math.abs), v.map(Math.abs)] : largerPart(u, v);
    const [a, b] = [norm(left), norm(right)];
    const size = Math.sqrt(s * a * b);
    Wt.set(left.map((entry) => (size * entry) / (a || 1)), k * n);
    H.set(right.map((entry) => (size * entry) / (b || 1)), k * n);
  });
  for (const factor of [Wt, H]) factor.forEach((entry, i) => entry < NEGLIGIBLE && (factor[i] = mean));
  return { Wt, H };
}

function largerPart(u: Float64Array, v: Float64Array): [Float64Array, Float64Array] {
  const part = (sign: number) => [u, v].map((vector) => vector.map((entry) => Math.max(sign * entry, 0))) as [Float64Array, Float64Array];
  const [positive, negative] = [part(1), part(-1)];
  const [plus, minus] = [positive, negative].map(([a, b]) => norm(a) * norm(b));
  return plus >= minus * (1 - EQUAL) ? positive : negative;
}

/** Improves the factors in place: one sweep over W, then one over H, until the gradients have vanished. */
export async function factorise(map: Float64Array, n: number, { Wt, H }: Factors, mostRounds: number, work: Work): Promise<void> {
  const columns = transposed(map, n, n);
  const K = Wt.length / n;
  const cross = new Float64Array(K * n);
  const gram = new Float64Array(K * K);
  let first = 0;
  for (let round = 1; round <= mostRounds; round++) {
    await timesTransposed(H, map, n, cross, work);
    await timesTransposed(H, H, n, gram, work);
    let violation = sweep(Wt, cross, gram, n);
    await timesTransposed(Wt, columns, n, cross, work);
    await timesTransposed(Wt, Wt, n, gram, work);
    violation += sweep(H, cross, gram, n);
    if (round === 1) first = violation;
    if (violation <= TOLERANCE * first) return;
  }
}

/** Minimises over one component after the other, and returns the sum of the absolute projected gradients. */
function sweep(V: Float64Array, cross: Float64Array, gram: Float64Array, n: number): number {
  const K = gram.length ** 0.5;
  const gradient = new Float64Array(n);
  let violation = 0;
  for (let t = 0; t < K; t++) {
    for (let j = 0; j < n; j++) gradient[j] = -cross[t * n + j];
    for (let r = 0; r < K; r++) {
      const weight = gram[t * K + r];
      for (let j = 0; j < n; j++) gradient[j] += weight * V[r * n + j];
    }
    const curvature = gram[t * K + t];
    for (let j = 0; j < n; j++) {
      const old = V[t * n + j];
      violation += Math.abs(old === 0 ? Math.min(gradient[j], 0) : gradient[j]);
      if (curvature !== 0) V[t * n + j] = Math.max(old - gradient[j] / curvature, 0);
    }
  }
  return violation;
}
