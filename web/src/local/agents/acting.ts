// What agents can do in a maze, and how they choose: the primitive actions first, then the options.
import { Random } from "../random";

/** Options that take one action per state: arrays of shape (O, S), row after row. */
export interface FixedOptions {
  readonly n: number;
  /** The action in every state, also where the option cannot begin. */
  readonly actions: ArrayLike<number>;
  /** The probability that it stops on arrival. */
  readonly termination: ArrayLike<number>;
  /** Where it can begin. */
  readonly initiation: ArrayLike<number | boolean>;
}

/** A world in which every action leads to one state. */
export interface AgentWorld {
  readonly nStates: number;
  readonly nActions: number;
  /** Where each action leads, of shape (S, A). */
  readonly successors: ArrayLike<number>;
  readonly discount: number;
}

/** The tables that the learning loops read. */
export class Choices {
  readonly nStates: number;
  readonly nActions: number;
  readonly n: number;
  /** Where each action leads, (S, A). */
  readonly successors: Int32Array;
  /** The action of each option, (O, S). */
  readonly action: Int32Array;
  /** The probability that each option stops on arrival, (O, S). */
  readonly beta: Float64Array;
  /** The choices of each state, those that can be made first, in order, (S, C). */
  readonly available: Int32Array;
  /** How many of them can be made, (S,). */
  readonly nAvailable: Int32Array;

  constructor(world: AgentWorld, options: FixedOptions | null) {
    const nOptions = options?.n ?? 0;
    [this.nStates, this.nActions, this.n] = [world.nStates, world.nActions, world.nActions + nOptions];
    this.successors = Int32Array.from(world.successors);
    this.action = Int32Array.from(options?.actions ?? []);
    this.beta = Float64Array.from(options?.termination ?? []);
    this.available = new Int32Array(this.nStates * this.n);
    this.nAvailable = new Int32Array(this.nStates);
    for (let s = 0; s < this.nStates; s++) {
      const can = Array.from({ length: this.n }, (_, c) => c).filter((c) => c < this.nActions || options!.initiation[(c - this.nActions) * this.nStates + s]);
      this.available.set(can, s * this.n);
      this.nAvailable[s] = can.length;
    }
  }

  /** Whether choice c is one of those that can be made in s. */
  canBegin(c: number, s: number): boolean {
    for (let i = 0; i < this.nAvailable[s]; i++) if (this.available[s * this.n + i] === c) return true;
    return false;
  }
}

/** How choices are made. */
export interface Chooser {
  readonly epsilon: number;
  /** Values this close to the best are equally good. */
  readonly tolerance: number;
  /** Whether the first of equally good choices is taken, instead of one drawn at random. */
  readonly takesFirst: boolean;
}

/** The largest of some values. */
export function bestOf(q: Float64Array): number {
  let best = q[0];
  for (let c = 1; c < q.length; c++) if (q[c] > best) best = q[c];
  return best;
}

/**
 * A choice in s, drawn epsilon-greedily by the values q. A random choice is one of the first n that can be made in s. With
 * `explores` it is already decided that the choice is random.
 */
export function choose(rng: Random, q: Float64Array, choices: Choices, s: number, n: number, how: Chooser, explores: boolean): number {
  if (explores || rng.random() < how.epsilon) return choices.available[s * choices.n + Math.floor(rng.random() * n)];
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
  let rank = how.takesFirst ? 0 : Math.floor(rng.random() * ties);
  for (chosen = -1; rank >= 0; ) if (q[++chosen] >= least) rank--;
  return chosen;
}

/** Whether an option stops where it does so with probability beta. */
export function stops(rng: Random, beta: number): boolean {
  return beta === 1 || (beta > 0 && rng.random() < beta);
}
