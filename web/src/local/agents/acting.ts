// What agents can do in a maze, and how they choose: the primitive actions first, then the options.
import { Option } from "../options/table";
import { Random } from "../random";

/** The tables that the learning loops read. Every action leads to one state, and every option takes one action per state. */
export class Choices {
  readonly n: number;
  /** The action of each option, (O, S). */
  readonly action: Int32Array;
  /** 1 where each option stops on arrival, else 0, (O, S). */
  readonly beta: Float64Array;
  /** The choices of each state, those that can be made first, in order, (S, C). */
  readonly available: Int32Array;
  /** How many of them can be made, (S,). */
  readonly nAvailable: Int32Array;

  /** `successors` says where each action leads, (S, A). */
  constructor(
    readonly nStates: number,
    readonly nActions: number,
    readonly successors: Int32Array,
    options: readonly Option[],
  ) {
    this.n = nActions + options.length;
    this.action = new Int32Array(options.length * nStates);
    this.beta = new Float64Array(options.length * nStates);
    options.forEach((option, o) => {
      this.action.set(option.policy, o * nStates);
      this.beta.set(option.termination, o * nStates);
    });
    this.available = new Int32Array(nStates * this.n);
    this.nAvailable = new Int32Array(nStates);
    for (let s = 0; s < nStates; s++) {
      const can = Array.from({ length: this.n }, (_, c) => c).filter((c) => c < nActions || options[c - nActions].initiation[s]);
      this.available.set(can, s * this.n);
      this.nAvailable[s] = can.length;
    }
  }

  /** Whether choice c ends on arrival in a state. */
  stops(c: number, arrived: number): boolean {
    return c < this.nActions || this.beta[(c - this.nActions) * this.nStates + arrived] === 1;
  }
}

/** How choices are made. */
export interface Chooser {
  readonly epsilon: number;
  /** Values this close to the best are equally good. */
  readonly tolerance: number;
}

/** The largest of some values. */
export function bestOf(q: Float64Array): number {
  let best = q[0];
  for (let c = 1; c < q.length; c++) if (q[c] > best) best = q[c];
  return best;
}

/** A choice in s, drawn epsilon-greedily by the values q. */
export function choose(rng: Random, q: Float64Array, choices: Choices, s: number, how: Chooser): number {
  if (rng.random() < how.epsilon) return choices.available[s * choices.n + Math.floor(rng.random() * choices.nAvailable[s])];
  const least = bestOf(q) - how.tolerance;
  let ties = 0;
  let chosen = 0;
  for (let c = 0; c < q.length; c++) {
    if (q[c] >= least) {
      ties++;
      chosen = c;
    }
  }
  if (ties < 2) return chosen;
  let rank = Math.floor(rng.random() * ties);
  for (chosen = -1; rank >= 0; ) if (q[++chosen] >= least) rank--;
  return chosen;
}
