// Leading eigenvectors of a random walk, by the same rules for signs and repeated eigenvalues as `hsr.mdp.leading_vectors`.
import { Labels } from "../grids/layout";
import { Refused } from "../../messages";
import { Work } from "../work";
import { norm } from "./dense";
import { leadingOf } from "./lanczos";
import { Entries, Resolvent } from "./resolvent";
import { eigenOfSymmetric } from "./symmetric";

const DENSE_BELOW = 64;
const SAME_RATE = 1e-8;
const SAME_SIZE = 1e-6;
const APART = 1e-6; // vectors whose inverse rates differ by less, relative to the largest, are mixed by rounding

/** A symmetric walk, its connected parts, and how far from the diagonal its moves along the grid lead. */
export interface Walk {
  moves: Entries;
  parts: Labels;
  width: number;
}

/** Eigenvalues in decreasing order, their vectors of length 1, and whether the vectors are independent of rounding. */
export interface Modes {
  values: Float64Array;
  vectors: Float64Array[];
  certain: boolean;
}

interface Slow {
  rates: number[]; // 1 - eigenvalue, in increasing order
  vectors: Float64Array[];
}

/** Returns the leading modes but those that are constant on a part. In several parts, each vector lives on one. */
export async function leadingVectors(walk: Walk, wanted: number, work: Work): Promise<Modes> {
  const { parts, moves } = walk;
  const most = moves.n - parts.count;
  if (wanted > most) throw new Refused(`${wanted} eigenvectors were asked for; this walk has ${most} that are not constant`);
  const states: number[][] = Array.from({ length: parts.count }, () => []);
  parts.of.forEach((part, state) => states[part].push(state));
  const rates: number[] = [];
  const vectors: Float64Array[] = [];
  let certain = true;
  for (const part of states) {
    if (part.length === 1) continue;
    const slow = await slowModes(walk, part, Math.min(wanted, part.length - 1), work);
    rates.push(...slow.rates);
    certain &&= slow.certain;
    for (const vector of slow.vectors) {
      const whole = new Float64Array(moves.n);
      part.forEach((state, i) => (whole[state] = vector[i]));
      vectors.push(whole);
    }
  }
  const chosen = inOrder(rates).slice(0, wanted);
  return { values: Float64Array.from(chosen, (i) => 1 - rates[i]), vectors: chosen.map((i) => vectors[i]), certain };
}

/** The slowest modes of one part, with a canonical basis for repeated eigenvalues. */
async function slowModes(walk: Walk, part: number[], wanted: number, work: Work): Promise<Slow & { certain: boolean }> {
  const moves = within(walk.moves, part);
  for (let more = wanted; ; more *= 2) {
    // One vector more than wanted shows whether the last eigenspace is complete.
    const asked = Math.min(more + 1, part.length - 1);
    const slow = await symmetricModes(moves, walk.width, asked, work);
    const complete = asked === part.length - 1 || slow.rates[slow.rates.length - 1] > slow.rates[wanted - 1] * (1 + SAME_RATE);
    if (!complete) continue;
    const certain = slow.rates.slice(0, wanted).every((rate, i) => areApart(rate, slow.rates[i + 1], slow.rates[0]));
    return { rates: slow.rates.slice(0, wanted), vectors: canonical(slow, wanted).map(fixSign), certain };
  }
}

/** Whether two neighbouring rates are equal by rule, or so different that rounding does not mix their vectors. */
function areApart(rate: number, next: number | undefined, smallest: number): boolean {
  return next === undefined || next <= rate * (1 + SAME_RATE) || 1 / rate - 1 / next > APART / smallest;
}

function within(moves: Entries, part: number[]): Entries {
  if (part.length === moves.n) return moves;
  const place = new Map(part.map((state, i) => [state, i]));
  const inside = new Entries(part.length);
  moves.rows.forEach((row, e) => {
    if (place.has(row)) inside.add(place.get(row)!, place.get(moves.columns[e])!, moves.values[e]);
  });
  return inside;
}

async function symmetricModes(moves: Entries, width: number, asked: number, work: Work): Promise<Slow> {
  const { n } = moves;
  if (n <= DENSE_BELOW || 2 * asked >= n) return denseModes(moves, asked);
  // The Laplacian with the value of state 0 fixed is regular. Its inverse is that of the walk, up to constants.
  const rest = new Entries(n - 1);
  moves.rows.forEach((row, e) => row && moves.columns[e] && rest.add(row - 1, moves.columns[e] - 1, moves.values[e]));
  const inverse = new Resolvent(rest, Math.min(width, n - 2));
  const centre = (x: Float64Array) => {
    const mean = x.reduce((sum, entry) => sum + entry, 0) / n;
    return x.map((entry) => entry - mean);
  };
  const apply = (x: Float64Array) => {
    const image = new Float64Array(n);
    image.set(inverse.solve(centre(x).subarray(1)), 1);
    return centre(image);
  };
  const constant = new Float64Array(n).fill(1 / Math.sqrt(n));
  const { values, vectors } = await leadingOf(apply, n, asked, [constant], work);
  return { rates: values.map((value) => 1 / value), vectors };
}

function denseModes(moves: Entries, asked: number): Slow {
  const { n } = moves;
  const laplacian = new Float64Array(n * n);
  for (let i = 0; i < n; i++) laplacian[i * n + i] = 1;
  moves.rows.forEach((row, e) => (laplacian[row * n + moves.columns[e]] -= moves.values[e]));
  const { values, vectors } = eigenOfSymmetric(laplacian, n);
  return { rates: Array.from(values.subarray(1, asked + 1)), vectors: vectors.slice(1, asked + 1) };
}

/** Indices by increasing rate, equal ones (up to rounding) in the order given. */
function inOrder(rates: number[]): number[] {
  const order = Array.from(rates.keys()).sort((one, other) => rates[one] - rates[other] || one - other);
  for (let first = 0, last = 1; last <= order.length; last++) {
    if (last < order.length && rates[order[last]] <= rates[order[first]] * (1 + SAME_RATE)) continue;
    order.splice(first, last - first, ...order.slice(first, last).sort((one, other) => one - other));
    first = last;
  }
  return order;
}

/** Vectors of equal rates, replaced by those that a rule picks of their space. */
function canonical({ rates, vectors }: Slow, wanted: number): Float64Array[] {
  const basis: Float64Array[] = [];
  for (let first = 0, last; first < wanted; first = last) {
    last = first + 1;
    while (last < rates.length && rates[last] <= rates[first] * (1 + SAME_RATE)) last++;
    const space = vectors.slice(first, last);
    basis.push(...(space.length > 1 ? canonicalSpace(space) : space));
  }
  return basis.slice(0, wanted);
}

/** Takes, one after another, the projection of the state that the remaining space represents best. */
function canonicalSpace(space: Float64Array[]): Float64Array[] {
  const n = space[0].length;
  let remaining = space.map((vector) => vector.slice());
  return space.map(() => {
    const held = new Float64Array(n);
    for (const vector of remaining) for (let i = 0; i < n; i++) held[i] += vector[i] ** 2;
    const state = firstLargest(held);
    const size = Math.sqrt(held[state]);
    const coordinates = remaining.map((vector) => vector[state] / size);
    const taken = new Float64Array(n);
    remaining.forEach((vector, k) => {
      for (let i = 0; i < n; i++) taken[i] += coordinates[k] * vector[i];
    });
    remaining = remaining.map((vector, k) => vector.map((entry, i) => entry - coordinates[k] * taken[i]));
    const length = norm(taken);
    return taken.map((entry) => entry / length);
  });
}

/** The first entry that is as large as any, up to rounding. */
function firstLargest(sizes: Float64Array): number {
  const least = sizes.reduce((most, size) => Math.max(most, size), 0) * (1 - SAME_SIZE);
  return sizes.findIndex((size) => size >= least);
}

/** The vector or its opposite: the first entry of largest magnitude is positive. */
function fixSign(vector: Float64Array): Float64Array {
  return vector[firstLargest(vector.map(Math.abs))] < 0 ? vector.map((entry) => -entry) : vector;
}
