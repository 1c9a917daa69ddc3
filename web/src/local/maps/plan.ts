// Policies over choices: the probability of each choice in each state, one array over states per choice.
import { N_ACTIONS } from "../grids/layout";
import { Random } from "../random";
import { Jumps } from "./jumps";

export type Ties = "uniform" | "options" | "primitives" | "random";

/** Which choices are best in each state: 1 where they are. */
type Best = Uint8Array[];

/** The walk over all available choices, with ties split by a rule. */
export function walkOver(jumps: Jumps, ties: Ties): Float64Array[] {
  return split(jumps.available, jumps.nStates, ties);
}

/** The best plan towards a goal, given the steps to it (-1 if there is no path). Elsewhere all choices tie. */
export function planOver(jumps: Jumps, distance: Int32Array, ties: Ties): Float64Array[] {
  const best = jumps.available.map((available, c) => {
    const [end, duration] = [jumps.end[c], jumps.duration[c]];
    return available.map((is, s) => {
      const ahead = distance[end[s]];
      return +(is && (distance[s] <= 0 || (ahead >= 0 && duration[s] + ahead === distance[s])));
    });
  });
  return split(best, jumps.nStates, ties);
}

function split(best: Best, n: number, ties: Ties): Float64Array[] {
  const mu = best.map(() => new Float64Array(n));
  const random = ties === "random" ? new Random(0) : null;
  for (let s = 0; s < n; s++) {
    let kept: number[] = [];
    for (let c = 0; c < best.length; c++) if (best[c][s]) kept.push(c);
    if (ties === "options" || ties === "primitives") {
      const preferred = kept.filter((c) => c >= N_ACTIONS === (ties === "options"));
      if (preferred.length) kept = preferred;
    }
    if (random) kept = [kept[Math.floor(random.random() * kept.length)]];
    for (const c of kept) mu[c][s] = 1 / kept.length;
  }
  return mu;
}
