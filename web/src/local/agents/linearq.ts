// Linear Q-learning over actions and options, with maps learned online: the loop of the library, event by event.
//
// The value of choice c in state s is q(c, s) = W(c) . X(s), and an update with error d is W(c) += a d X(s). What W and X are
// depends on the kind:
//   linear   W (C, D) weights, X (S, D) features, which may be a map whose rows are being learned
//   dual     W (C, S) values, X (S, S) inner products of fixed features
//   table    W (C, S) values, one-hot features
import { Random } from "../random";
import { bestOf, Chooser, Choices, choose } from "./acting";
import { Recorder } from "./recorder";
import { giveBack, makeRows, padded, Rows } from "./rows";

const LARGEST = 1e6; // the goal pays 1: a larger error means that values have blown up

/** How an agent acts and learns. */
export interface LinearQRule extends Chooser {
  readonly kind: "table" | "dual" | "linear";
  readonly gamma: number;
  readonly alpha: number;
  readonly mapAlpha: number;
  /** The map that is learned, which is then X. */
  readonly map: "sr" | "hsr" | null;
}

/** How an episode went. */
export interface Episode {
  readonly steps: number;
  readonly diverged: boolean;
}

export class LinearQ {
  private readonly width: number;
  private readonly rows: Rows;
  private readonly x0: number; // where X begins in memory, after W
  private readonly q: Float64Array;
  private readonly path: Int32Array;
  private readonly rng: Random;
  private readonly linear: boolean;

  /** `X` holds padded rows of width `width` for fixed features, and is ignored for one-hot features and maps that are learned. */
  constructor(
    private readonly choices: Choices,
    private readonly rule: LinearQRule,
    X: Float64Array | null,
    width: number,
    private readonly horizon: number,
    seed: number | bigint,
    private readonly recorder: Recorder | null = null,
  ) {
    const { nStates, n } = choices;
    this.width = rule.map ? padded(nStates) : rule.kind === "table" ? nStates : width;
    this.linear = rule.kind === "linear";
    this.x0 = n * this.width;
    this.rows = makeRows(this.x0 + (rule.map ? nStates * this.width : (X?.length ?? 0)));
    if (X) this.rows.data.set(X, this.x0);
    if (rule.map) for (let s = 0; s < nStates; s++) this.rows.data[this.at(s) + s] = 1;
    this.q = new Float64Array(n);
    this.path = new Int32Array(horizon + 1);
    this.rng = new Random(seed);
  }

  /** Runs one episode. */
  run(start: number, goal: number): Episode {
    const { choices, rule, rng, q, path, horizon } = this;
    const { nActions, nStates } = choices;
    const { gamma } = rule;
    let s = start;
    let time = 0;
    let over = false;
    this.readValues(s);
    while (!over) {
      const c = choose(rng, q, choices, s, rule);
      let n = 0;
      let total = 0;
      let gain = 1;
      let ended = false;
      let a = c;
      while (!ended) {
        // Act and move.
        if (c >= nActions) a = choices.action[(c - nActions) * nStates + s];
        const arrived = choices.successors[s * nActions + a];
        time++;
        this.recorder?.step(s, c, arrived);
        path[n++] = s;
        // What has ended?
        const terminated = arrived === goal;
        const reward = terminated ? 1 : 0;
        total += gain * reward;
        gain *= gamma;
        over = terminated || time >= horizon;
        ended = over || choices.stops(c, arrived);
        // Learn the map, then read the values where the step led, zero at the goal.
        if (rule.map) this.learnMap(s, arrived, n, ended, terminated);
        const best = terminated ? 0 : this.readValues(arrived);
        // Update values, all from those that were read.
        let error = this.learn(a, s, reward + gamma * best);
        if (ended && c >= nActions) error = larger(error, this.learn(c, path[0], total + gain * best));
        s = arrived;
        if (!(error < LARGEST)) return { steps: horizon, diverged: true };
      }
      // Read what the updates have moved.
      if (!over) {
        q[a] = this.value(a, s);
        if (c !== a && q[c] > -Infinity) q[c] = this.value(c, s);
      }
    }
    return { steps: time, diverged: false };
  }

  /** The value of the best choice that can be made in each state. */
  values(): Float64Array {
    return Float64Array.from({ length: this.choices.nStates }, (_, s) => this.readValues(s));
  }

  /** Gives the memory back. The agent cannot be used any more. */
  end(): void {
    giveBack(this.rows);
  }

  /** Where the row of a state begins in memory. */
  private at(s: number): number {
    return this.x0 + s * this.width;
  }

  private value(c: number, s: number): number {
    const { width, rows } = this;
    return this.linear ? rows.dot(c * width, this.at(s), width) : rows.data[c * width + s];
  }

  /** Writes the values of the choices in s into q, minus infinity for what cannot be chosen, and returns the best. */
  private readValues(s: number): number {
    const { choices, q } = this;
    const n = choices.nAvailable[s];
    if (n < q.length) q.fill(-Infinity);
    for (let i = 0; i < n; i++) {
      const c = choices.available[s * choices.n + i];
      q[c] = this.value(c, s);
    }
    return bestOf(q);
  }

  /** Moves the value of c in s towards a target, unless the error is too large, and returns the size of the error. */
  private learn(c: number, s: number, target: number): number {
    const { rule, width, rows } = this;
    const delta = target - this.value(c, s);
    const size = Math.abs(delta);
    if (size < LARGEST) {
      if (rule.kind === "table") rows.data[c * width + s] += rule.alpha * delta;
      else rows.addRow(c * width, this.at(s), rule.alpha * delta, width);
    }
    return size;
  }

  /** Learns the map from a step: the SR at once, the HSR when the choice has ended. */
  private learnMap(s: number, arrived: number, n: number, ended: boolean, terminated: boolean): void {
    if (this.rule.map === "sr") this.learnStep(s, arrived, this.rule.gamma);
    else if (ended) this.learnChoice(n, arrived);
    else return;
    if (terminated) this.learnStep(arrived, arrived, 0);
  }

  /** Moves the row of s towards one visit and what the state arrived in predicts. */
  private learnStep(s: number, arrived: number, gamma: number): void {
    const { rows, rule } = this;
    rows.mixRow(this.at(s), this.at(arrived), gamma, rule.mapAlpha, this.width);
    rows.data[this.at(s) + s] += rule.mapAlpha;
  }

  /** Learns the HSR's row of the state in which a choice was made. */
  private learnChoice(n: number, arrived: number): void {
    const { rule, rows, width, path } = this;
    const row = this.at(path[0]);
    let gain = 1;
    for (let k = 0; k < n; k++) gain *= rule.gamma;
    rows.mixRow(row, this.at(arrived), gain, rule.mapAlpha, width);
    let weight = rule.mapAlpha;
    for (let j = 0; j < n; j++) {
      rows.data[row + path[j]] += weight;
      weight *= rule.gamma;
    }
  }
}

/** The larger of two errors, where not-a-number is larger than any number. */
function larger(error: number, size: number): number {
  return Number.isNaN(error) || size <= error ? error : size;
}
