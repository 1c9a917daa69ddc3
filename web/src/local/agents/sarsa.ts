// SARSA over actions and options with a bonus from the agent's own map, by the rules of `hsr.Sarsa`.
//
//   Q(s_0, c) += a (R + g^T Q(s_T, c') - Q(s_0, c)),   where R sums the bonuses of the steps
import { Explorer } from "../../messages";
import { below, Draw } from "../random";
import { Choices, choose } from "./acting";
import { identity } from "./linearq";

/** A choice that was followed to its end: where it began, its bonuses, and discount^steps. */
interface Followed {
  state: number;
  choice: number;
  total: number;
  gain: number;
}

export class Sarsa {
  /** The number of steps after which each state was first seen, -1 if it never was. */
  readonly firstVisit: Int32Array;
  diverged = false;
  readonly Q: Float64Array[]; // (S, C)
  /** The map, for the bonuses that read its columns, and the sums of each column: of the entries, or of their squares. */
  private readonly M: Float64Array[];
  private readonly columnSums: Float64Array;
  /** The sum of each row of the map. */
  private readonly rowSums: Float64Array;
  private readonly path: Int32Array;
  private readonly squares: boolean;
  private time = 0;
  private s: number;
  /** The last choice, whose value is updated by the next one. */
  private last: Followed | null = null;

  /** Without a start, the agent begins in a state drawn at random. */
  constructor(
    private readonly choices: Choices,
    private readonly rule: Explorer,
    private readonly gamma: number,
    private readonly steps: number,
    start: number | null,
    private readonly draw: Draw,
  ) {
    const { nStates, n } = choices;
    this.s = start ?? below(draw, nStates);
    this.firstVisit = new Int32Array(nStates).fill(-1);
    this.firstVisit[this.s] = 0;
    this.Q = Array.from({ length: nStates }, () => new Float64Array(n));
    this.squares = rule.bonus === "spie";
    this.M = this.squares || rule.bonus === "spie_l1" ? identity(nStates) : [];
    this.columnSums = new Float64Array(nStates).fill(1);
    this.rowSums = new Float64Array(nStates).fill(1);
    this.path = new Int32Array(n > choices.nActions ? steps + 1 : 2);
  }

  /** Whether all steps are used, or a value is not finite. */
  get ended(): boolean {
    return this.diverged || (this.time >= this.steps && !this.last);
  }

  /** Makes the next choice, updates the value of the former one, and follows the choice to its end. */
  advance(): void {
    const { choices, rule, Q, s, last } = this;
    const c = choose(this.draw, Q[s], choices.available[s], rule);
    this.last = null;
    if (last) {
      const q = Q[last.state];
      q[last.choice] += rule.learning_rate * (last.total + last.gain * Q[s][c] - q[last.choice]);
      this.diverged = !Number.isFinite(q[last.choice]);
      if (this.ended) return;
    }
    this.last = this.follow(c);
  }

  /** Follows a choice to its end, learns the map, and sums up the bonuses. */
  private follow(choice: number): Followed {
    const { choices, rule, path, gamma, s: state } = this;
    const eachStep = rule.on === "sr"; // the SR learns at each step, the HSR at the end of a choice
    let n = 0;
    let total = 0;
    let gain = 1;
    let ended = false;
    path[0] = state;
    while (!ended) {
      const arrived = choices.next(this.s, choices.action(choice, this.s));
      this.time++;
      path[++n] = arrived;
      if (this.firstVisit[arrived] < 0) this.firstVisit[arrived] = this.time;
      ended = this.time >= this.steps || choices.stops(choice, arrived);
      const before = gain;
      gain *= gamma;
      if (eachStep) total += before * this.learn(path.subarray(n - 1, n + 1), gamma);
      else if (ended) total = this.learn(path.subarray(0, n + 1), gain);
      this.s = arrived;
    }
    return { state, choice, total, gain };
  }

  /** Moves the row of the first state towards the visits along a path and what its last state predicts; returns the bonuses of its steps. */
  private learn(path: Int32Array, gain: number): number {
    const { M, columnSums, rowSums, rule, gamma, squares } = this;
    const rate = rule.map_learning_rate;
    const n = path.length - 1;
    const [s, last] = [path[0], path[n]];
    const visits = path.subarray(0, n).reduce((sum, _, k) => sum + gamma ** k, 0);
    rowSums[s] += rate * (visits + gain * rowSums[last] - rowSums[s]);
    if (M.length) {
      const [row, ahead] = [M[s], M[last]];
      const move = (i: number, by: number) => {
        columnSums[i] += squares ? by * (2 * row[i] + by) : by;
        row[i] += by;
      };
      for (let i = 0; i < row.length; i++) move(i, rate * (gain * ahead[i] - row[i]));
      for (let k = 0; k < n; k++) move(path[k], rate * gamma ** k);
    }
    let total = 0;
    for (let k = 0; k < n; k++) total += rule.bonus_weight * gamma ** k * this.bonus(path[k], path[k + 1]);
    return total;
  }

  private bonus(s: number, arrived: number): number {
    const { rule, M, columnSums } = this;
    if (rule.bonus === "none") return 0;
    if (rule.bonus === "norm") return 1 / this.rowSums[arrived];
    const entry = M[s][arrived];
    return (this.squares ? entry * entry : entry) - columnSums[arrived];
  }
}
