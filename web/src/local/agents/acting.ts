// What agents can choose in a maze, and how they choose: the primitive actions first, then the options.
import { Option } from "../options/table";
import { below, Draw } from "../random";

/** The tables that the learning loops read. Every action leads to one state, and every option takes one action per state. */
export class Choices {
  readonly n: number;
  /** The choices that are available in each state, in order. */
  readonly available: Int32Array[];

  /** `successors` says where each action leads, (S, A). */
  constructor(
    readonly nStates: number,
    readonly nActions: number,
    private readonly successors: Int32Array,
    private readonly options: readonly Option[],
  ) {
    this.n = nActions + options.length;
    const all = Int32Array.from({ length: this.n }, (_, c) => c);
    this.available = Array.from({ length: nStates }, (_, s) => all.filter((c) => c < nActions || options[c - nActions].initiation[s]));
  }

  /** The action that choice c takes in s. */
  action(c: number, s: number): number {
    return c < this.nActions ? c : this.options[c - this.nActions].policy[s];
  }

  /** The state to which an action leads. */
  next(s: number, action: number): number {
    return this.successors[s * this.nActions + action];
  }

  /** Whether choice c ends on arrival in a state. */
  stops(c: number, arrived: number): boolean {
    return c < this.nActions || this.options[c - this.nActions].termination[arrived] === 1;
  }
}

/** How choices are made. Values within the tolerance of the best are equally good. */
export interface Chooser {
  readonly epsilon: number;
  readonly tie_tolerance: number;
}

/** The largest value of the choices that are available. */
export function bestOf(q: Float64Array, available: Int32Array): number {
  let best = -Infinity;
  for (let i = 0; i < available.length; i++) if (q[available[i]] > best) best = q[available[i]];
  return best;
}

/** An available choice, drawn epsilon-greedily by the values q. */
export function choose(draw: Draw, q: Float64Array, available: Int32Array, { epsilon, tie_tolerance }: Chooser): number {
  if (draw() < epsilon) return available[below(draw, available.length)];
  const least = bestOf(q, available) - tie_tolerance;
  const best = available.filter((c) => q[c] >= least);
  return best.length === 1 ? best[0] : best[below(draw, best.length)];
}
