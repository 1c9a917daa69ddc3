// Options that lead to landmarks: peaks of betweenness, peaks of diffusion time, and the ends of covering options.
import { Entries } from "../algebra/resolvent";
import { leadingVectors } from "../algebra/spectrum";
import { Layout, N_ACTIONS } from "../grids/layout";
import { Refused } from "../../messages";
import { Work } from "../work";
import { Option, optionTo } from "./table";

const SAME = 1e-9; // heights this close, relative to the largest, are equal
const SAME_HEIGHT = 1e-9;

/** The other states that each state leads to. */
function neighboursOf(layout: Layout): number[][] {
  return Array.from({ length: layout.nStates }, (_, state) => {
    const next = layout.successors.subarray(N_ACTIONS * state, N_ACTIONS * state + N_ACTIONS);
    return [...new Set(next)].filter((other) => other !== state).sort((one, other) => one - other);
  });
}

/** Options to the local maxima of betweenness, as `hsr.betweenness_options` makes them. */
export async function betweennessOptions(layout: Layout, n: number, work: Work): Promise<Option[]> {
  checkTargets(layout, n);
  const neighbours = neighboursOf(layout);
  const height = new Float64Array(layout.nStates);
  for (let source = 0; source < layout.nStates; source++) {
    if (work.due()) await work.pause();
    addDependencies(layout, neighbours, source, height);
  }
  return peaks(height, neighbours, n).map((target) => optionTo(layout, target));
}

/** Adds what the shortest paths from one state depend on each other state, from the farthest states back. */
function addDependencies(layout: Layout, neighbours: number[][], source: number, total: Float64Array): void {
  const distance = layout.distancesTo(source);
  const reached = Array.from(distance.keys()).filter((state) => distance[state] >= 0).sort((one, other) => distance[one] - distance[other]);
  const paths = new Float64Array(layout.nStates);
  const dependency = new Float64Array(layout.nStates);
  paths[source] = 1;
  for (const v of reached) for (const w of neighbours[v]) if (distance[w] === distance[v] + 1) paths[w] += paths[v];
  for (const v of reached.reverse()) {
    for (const w of neighbours[v]) if (distance[w] === distance[v] + 1) dependency[v] += (paths[v] / paths[w]) * (1 + dependency[w]);
    if (v !== source) total[v] += dependency[v];
  }
}

/** Options to the states from which diffusion takes longest, as `hsr.diffusion_options` makes them. */
export async function diffusionOptions(layout: Layout, n: number, time: number, work: Work): Promise<Option[]> {
  checkTargets(layout, n);
  const neighbours = neighboursOf(layout);
  const weight = neighbours.map((others) => others.length || 1);
  const size = new Float64Array(layout.parts.count);
  weight.forEach((degree, state) => (size[layout.parts.of[state]] += degree));
  const height = new Float64Array(layout.nStates);
  for (let state = 0; state < layout.nStates; state++) {
    let row = new Float64Array(layout.nStates);
    row[state] = 1;
    for (let step = 0; step < time; step++) {
      if (work.due()) await work.pause();
      row = diffused(row, neighbours);
    }
    const distance = row.reduce((sum, p, x) => sum + (p * p * size[layout.parts.of[x]]) / weight[x], 0) - 1;
    height[state] = Math.max(distance, 0);
  }
  return peaks(height, neighbours, n).map((target) => optionTo(layout, target));
}

/** A distribution after one step of the walk that stays with probability 1/2. */
function diffused(row: Float64Array, neighbours: number[][]): Float64Array<ArrayBuffer> {
  const next = new Float64Array(row.length);
  for (let state = 0; state < row.length; state++) {
    const others = neighbours[state];
    if (row[state] === 0) continue;
    if (!others.length) next[state] += row[state];
    else {
      next[state] += 0.5 * row[state];
      for (const other of others) next[other] += (0.5 / others.length) * row[state];
    }
  }
  return next;
}

/** So many states by falling height, those that no neighbour exceeds first; of equal neighbours only the first. */
function peaks(height: Float64Array, neighbours: number[][], n: number): number[] {
  const largest = Math.max(height.reduce((most, entry) => Math.max(most, entry), 0), Number.MIN_VALUE);
  const level = height.map((entry) => Math.round(entry / largest / SAME));
  const order = Array.from(level.keys()).sort((one, other) => level[other] - level[one] || one - other);
  const chosen = new Set<number>();
  const hidden = new Uint8Array(level.length);
  for (const state of order) {
    if (hidden[state] || neighbours[state].some((other) => level[other] > level[state])) continue;
    chosen.add(state);
    for (const other of neighbours[state]) hidden[other] = 1;
  }
  for (const state of order) chosen.add(state);
  return [...chosen].slice(0, n);
}

/** Options between states that diffusion keeps far apart, as `hsr.covering_options` makes them. */
export async function coveringOptions(layout: Layout, n: number, initiation: string, work: Work): Promise<Option[]> {
  const most = layout.nStates * (layout.nStates - 1);
  if (n > most) throw new Refused(`n_options is ${n}; ${layout.nStates} states have only ${most} ordered pairs`);
  const pairs = await coveringPairs(layout, Math.floor((n + 1) / 2), work);
  const ends = pairs.flatMap(([low, high]) => [[low, high], [high, low]]).slice(0, n);
  return ends.map(([source, target]) => {
    const option = optionTo(layout, target);
    const here = option.initiation[source];
    const allowed = initiation === "point" ? new Uint8Array(layout.nStates) : option.initiation;
    if (initiation === "point") allowed[source] = here;
    return { ...option, initiation: allowed, name: `${source} to ${target}` };
  });
}

/** The pairs of states that covering joins, each with the smaller state first. */
async function coveringPairs(layout: Layout, nPairs: number, work: Work): Promise<[number, number][]> {
  const edges = neighboursOf(layout).flatMap((others, state) => others.map((other) => [state, other]));
  const pairs: [number, number][] = [];
  for (let round = 0; round < nPairs; round++) {
    const degree = new Float64Array(layout.nStates);
    for (const [state] of edges) degree[state]++;
    const scale = Math.max(...degree, 1);
    const moves = new Entries(layout.nStates);
    for (const [state, other] of edges) moves.add(state, other, 1 / scale);
    degree.forEach((edgesHere, state) => moves.add(state, state, 1 - edgesHere / scale));
    const [v] = (await leadingVectors({ moves, parts: layout.parts, width: layout.columns }, 1, work)).vectors;
    const low = v.findIndex((entry) => entry <= Math.min(...v) + SAME_HEIGHT);
    const high = v.findIndex((entry) => entry >= Math.max(...v) - SAME_HEIGHT);
    pairs.push([Math.min(low, high), Math.max(low, high)]);
    edges.push([low, high], [high, low]);
  }
  return pairs;
}

/** Refuses more options than there are states. */
export function checkTargets(layout: Layout, n: number): void {
  if (n > layout.nStates) throw new Refused(`n_options is ${n}; there are only ${layout.nStates} different targets`);
}
