// Policies over choices: the probability of each choice in each state, one array over states per choice.
import { N_ACTIONS } from "../grids/layout";
import { below, Draw, drawsOf } from "../random";
import { Jumps } from "./jumps";

export type Ties = "uniform" | "options" | "primitives" | "random";

/** Which choices are best in each state: 1 where they are. */
type Best = Uint8Array[];

/** The walk over all available choices, with ties split by a rule. */
export function walkOver(jumps: Jumps, ties: Ties): Float64Array[] {
  return split(jumps.available, jumps.nStates, ties, drawsOf(0));
}

/** The best plan towards a goal, given the steps to it (-1 if there is no path). Elsewhere all choices tie. */
export function planOver(jumps: Jumps, distance: Int32Array, ties: Ties, draw: Draw = drawsOf(0)): Float64Array[] {
  const best = jumps.available.map((available, c) => {
    const [end, duration, is] = [jumps.end[c], jumps.duration[c], new Uint8Array(jumps.nStates)];
    for (let s = 0; s < is.length; s++) {
      const ahead = distance[end[s]];
      is[s] = +(available[s] === 1 && (distance[s] <= 0 || (ahead >= 0 && duration[s] + ahead === distance[s])));
    }
    return is;
  });
  return split(best, jumps.nStates, ties, draw);
}

/** Makes the best choices of each state equally probable, after the rule has left some of them out. */
function split(best: Best, n: number, ties: Ties, draw: Draw): Float64Array[] {
  const mu = best.map(() => new Float64Array(n));
  const kept = new Int32Array(best.length);
  for (let s = 0; s < n; s++) {
    let count = 0;
    for (let c = 0; c < best.length; c++) if (best[c][s]) kept[count++] = c;
    const first = kept.subarray(0, count).findIndex((c) => c >= N_ACTIONS); // options follow the primitive actions
    let [from, to] = [0, count];
    if (ties === "options" && first > 0) from = first;
    if (ties === "primitives" && first > 0) to = first;
    if (ties === "random") {
      from = below(draw, count);
      to = from + 1;
    }
    for (let i = from; i < to; i++) mu[kept[i]][s] = 1 / (to - from);
  }
  return mu;
}
