// SARSA over actions and options with a bonus from the agent's own map: the loop of the library, event by event.
//
//   Q(s_0, c) += a (R + g^T Q(s_T, c') - Q(s_0, c)),   where R sums the bonuses of the steps
import { Random } from "../random";
import { Chooser, Choices, choose } from "./acting";
import { giveBack, makeRows, padded, Rows } from "./rows";

export type BonusName = "none" | "norm" | "spie" | "spie_l1";

/** How an agent acts and learns. */
export interface SarsaRule extends Chooser {
  readonly gamma: number;
  readonly alpha: number;
  readonly mapAlpha: number;
  readonly bonus: BonusName;
  readonly weight: number;
  /** Whether the map is the SR, which learns at every step; otherwise the HSR, at the end of a choice. */
  readonly learnsEachStep: boolean;
}

export class Sarsa {
  /** The number of steps after which each state was first seen, -1 if it never was. */
  readonly firstVisit: Int32Array;
  diverged = false;
  private readonly Q: Float64Array; // (S, C)
  private readonly rows: Rows; // sums of the map's columns (D,), then the map (S, D); empty if the bonus needs no map
  private readonly rowSums: Float64Array;
  private readonly learnsMap: boolean;
  private readonly width: number;
  private readonly q: Float64Array;
  private readonly path: Int32Array;
  private readonly rng: Random;
  private time = 0;
  private s: number;
  // The last choice waits for the next one, by which its value is updated.
  private awaitsUpdate = false;
  private s0 = 0;
  private c0 = 0;
  private total = 0;
  private gain = 1;

  /** Without a start, the agent begins in a state drawn at random. */
  constructor(
    private readonly choices: Choices,
    private readonly rule: SarsaRule,
    private readonly steps: number,
    start: number | null,
    seed: number | bigint,
  ) {
    const { nStates, n } = choices;
    this.rng = new Random(seed);
    this.s = start ?? Math.floor(this.rng.random() * nStates);
    this.firstVisit = new Int32Array(nStates).fill(-1);
    this.firstVisit[this.s] = 0;
    this.Q = new Float64Array(nStates * n);
    this.width = padded(nStates);
    this.learnsMap = rule.bonus === "spie" || rule.bonus === "spie_l1";
    this.rows = makeRows(this.learnsMap ? (nStates + 1) * this.width : 0);
    if (this.learnsMap) for (let s = 0; s < nStates; s++) this.rows.data[s] = this.rows.data[this.at(s) + s] = 1;
    this.rowSums = new Float64Array(rule.bonus === "norm" ? nStates : 0).fill(1);
    this.q = new Float64Array(n);
    this.path = new Int32Array(n > choices.nActions ? steps + 1 : 2);
  }

  /** Gives the memory back. The agent cannot be used any more. */
  end(): void {
    giveBack(this.rows);
  }

  /** Where the row of a state begins in memory. */
  private at(s: number): number {
    return (s + 1) * this.width;
  }

  /** Whether all steps are used, or a value is not finite. */
  get ended(): boolean {
    return this.diverged || (this.time >= this.steps && !this.awaitsUpdate);
  }

  /** Makes the next choice, updates the value of the former one, and follows the choice to its end. */
  advance(): void {
    const { choices, rule, Q, q, rng } = this;
    this.readValues();
    const c = choose(rng, q, choices, this.s, rule);
    if (this.awaitsUpdate) {
      const place = this.s0 * choices.n + this.c0;
      const value = Q[place] + rule.alpha * (this.total + this.gain * q[c] - Q[place]);
      Q[place] = value;
      this.awaitsUpdate = false;
      this.diverged = !(Math.abs(value) < Infinity);
      if (this.diverged || this.time >= this.steps) return;
    }
    this.follow(c);
    this.awaitsUpdate = true;
  }

  private readValues(): void {
    const { choices, Q, q, s } = this;
    const n = choices.nAvailable[s];
    if (n < q.length) q.fill(-Infinity);
    for (let i = 0; i < n; i++) {
      const c = choices.available[s * choices.n + i];
      q[c] = Q[s * choices.n + c];
    }
  }

  /** Follows a choice to its end, and sums up its bonuses. */
  private follow(c: number): void {
    const { choices, rule, path } = this;
    const { nActions, nStates } = choices;
    const pays = rule.bonus !== "none";
    let s = this.s;
    let n = 0;
    let total = 0;
    let gain = 1;
    let span = 0;
    let ended = false;
    path[0] = s;
    while (!ended) {
      const a = c < nActions ? c : choices.action[(c - nActions) * nStates + s];
      const arrived = choices.successors[s * nActions + a];
      this.time++;
      path[++n] = arrived;
      if (this.firstVisit[arrived] < 0) this.firstVisit[arrived] = this.time;
      ended = this.time >= this.steps || choices.stops(c, arrived);
      const discount = gain;
      span += gain;
      gain *= rule.gamma;
      if (rule.learnsEachStep || ended) {
        const first = rule.learnsEachStep ? n - 1 : 0;
        if (rule.learnsEachStep) this.learnMap(first, n, rule.gamma, 1);
        else this.learnMap(first, n, gain, span);
        if (pays) {
          let pay = rule.learnsEachStep ? rule.weight * discount : rule.weight;
          for (let k = first; k < n; k++) {
            total += pay * this.bonus(path[k], path[k + 1]);
            pay *= rule.gamma;
          }
        }
      }
      s = arrived;
    }
    [this.s0, this.c0, this.s, this.total, this.gain] = [this.s, c, s, total, gain];
  }

  /** Moves the row of path[first] towards the visits along path[first:n] and what path[n] predicts. */
  private learnMap(first: number, n: number, gain: number, span: number): void {
    const { rows, rowSums, path, rule } = this;
    const { data } = rows;
    const s = path[first];
    const last = path[n];
    if (rowSums.length) rowSums[s] += rule.mapAlpha * (span + gain * rowSums[last] - rowSums[s]);
    if (!this.learnsMap) return;
    const squares = rule.bonus === "spie";
    rows.mixMeasuredRow(this.at(s), this.at(last), gain, rule.mapAlpha, this.width, 0, squares);
    let weight = rule.mapAlpha;
    for (let k = first; k < n; k++) {
      const visited = path[k];
      const old = data[this.at(s) + visited];
      const next = old + weight;
      data[this.at(s) + visited] = next;
      data[visited] += squares ? next * next - old * old : next - old;
      weight *= rule.gamma;
    }
  }

  private bonus(s: number, arrived: number): number {
    const { rule } = this;
    const { data } = this.rows;
    if (rule.bonus === "norm") return 1 / this.rowSums[arrived];
    const entry = data[this.at(s) + arrived];
    return (rule.bonus === "spie" ? entry * entry : entry) - data[arrived];
  }
}
