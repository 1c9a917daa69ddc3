// The hierarchical SR of a policy over choices, row by row; with primitive actions alone it is the SR.
//
// With N_c and F_c the visits before a choice ends and the discounted probability of its end, and mu a policy,
// B = sum diag(mu_c) N_c, G = sum diag(mu_c) F_c and M = (I - G)^-1 B. A row of M is B' (I - G')^-1 e.
import { Entries, Resolvent } from "../algebra/resolvent";
import { N_ACTIONS } from "../grids/layout";
import { Work } from "../work";
import { Jumps } from "./jumps";

/** A map whose rows are computed when they are asked for. */
export interface PredictiveMap {
  readonly nStates: number;
  /** A row; the visits to which options lead are added to `led`. */
  row(state: number, work: Work, led?: Float64Array): Float64Array | Promise<Float64Array>;
  /** All rows, one after the other. */
  entries(work: Work): Promise<Float64Array>;
}

/** Where episodes end (-1 for nowhere), and whether options count the state in which they stop, too. */
export interface Counting {
  goal: number;
  twice: boolean;
}

export class HierarchicalMap implements PredictiveMap {
  private readonly resolvent: Resolvent;

  constructor(
    private readonly jumps: Jumps,
    private readonly mu: Float64Array[],
    private readonly counting: Counting,
    width: number,
  ) {
    const G = new Entries(jumps.nStates);
    for (let s = 0; s < jumps.nStates; s++) {
      if (s === counting.goal) continue;
      for (let c = 0; c < mu.length; c++) G.add(s, jumps.end[c][s], mu[c][s] * jumps.gain[c][s]);
    }
    this.resolvent = new Resolvent(G, Math.min(width, jumps.nStates - 1));
  }

  get nStates(): number {
    return this.jumps.nStates;
  }

  row(state: number, _work?: Work, led?: Float64Array): Float64Array {
    const unit = new Float64Array(this.nStates);
    unit[state] = 1;
    return visits(this.jumps, this.mu, this.counting, this.resolvent.solveTranspose(unit), led);
  }

  async entries(work: Work): Promise<Float64Array> {
    return writtenOut(this, work);
  }
}

export async function writtenOut(map: PredictiveMap, work: Work): Promise<Float64Array> {
  const n = map.nStates;
  const all = new Float64Array(n * n);
  for (let s = 0; s < n; s++) {
    if (work.due()) await work.pause();
    all.set(await map.row(s, work), s * n);
  }
  return all;
}

/** B' x: the visits that follow if choices are made x(s) times in each state s; those that are steps of options also in `led`. */
export function visits(jumps: Jumps, mu: Float64Array[], { goal, twice }: Counting, x: Float64Array, led?: Float64Array): Float64Array {
  const n = jumps.nStates;
  const out = new Float64Array(n);
  for (let s = 0; s < n; s++) {
    let share = +(s === goal);
    if (s !== goal) for (let c = 0; c < N_ACTIONS; c++) share += mu[c][s];
    out[s] += share * x[s];
  }
  const run = new Float64Array(n);
  for (let c = N_ACTIONS; c < mu.length; c++) {
    const [move, end, duration, gain, order] = [jumps.move[c], jumps.end[c], jumps.duration[c], jumps.gain[c], jumps.order[c - N_ACTIONS]];
    for (let s = 0; s < n; s++) {
      run[s] = s === goal ? 0 : mu[c][s] * x[s];
      if (twice) out[end[s]] += gain[s] * run[s];
    }
    // Move what runs to the next state until the option ends, starting with the longest paths.
    for (let i = n - 1; i >= 0; i--) {
      const s = order[i];
      if (run[s] === 0) continue;
      out[s] += run[s];
      if (led) led[move[s]] += jumps.discount * run[s];
      if (duration[s] > 1) run[move[s]] += jumps.discount * run[s];
    }
  }
  return out;
}
