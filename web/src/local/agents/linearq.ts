// Linear Q-learning over actions and options, with maps learned online, by the rules of `hsr.LinearQ`.
//
// The value of choice c in state s is q(c, s) = W(c) . X(s), and an update with error d is W(c) += a d X(s). X holds fixed
// features, or a map whose rows are being learned. One-hot features are not stored, and W is then a table of values.
import { Learner } from "../../messages";
import { addScaled, dot } from "../algebra/dense";
import { Draw } from "../random";
import { bestOf, Choices, choose } from "./acting";

const LARGEST = 1e6; // the goal pays 1, so a larger error means that values have diverged

/** How an episode went. */
export interface Episode {
  readonly steps: number;
  readonly diverged: boolean;
}

/** Whether the features of an agent are a map that it learns itself. */
export const learnsMap = ({ features }: Learner): boolean => features === "sr" || features === "hsr";

export class LinearQ {
  private readonly W: Float64Array[];
  private readonly X: Float64Array[] | null;
  private readonly q: Float64Array;
  private readonly path: Int32Array;

  /** `features` are the rows of fixed features, null for one-hot features or a map that is learned. */
  constructor(
    private readonly choices: Choices,
    private readonly rule: Learner,
    features: Float64Array[] | null,
    private readonly gamma: number,
    private readonly horizon: number,
    private readonly draw: Draw,
    private readonly onStep: (state: number, choice: number, arrived: number) => void,
  ) {
    const { nStates, n } = choices;
    this.X = learnsMap(rule) ? identity(nStates) : features;
    this.W = Array.from({ length: n }, () => new Float64Array(this.X ? this.X[0].length : nStates));
    this.q = new Float64Array(n);
    this.path = new Int32Array(horizon + 1);
  }

  /** Runs one episode. */
  run(start: number, goal: number): Episode {
    const { choices, rule, q, path, gamma, horizon } = this;
    let s = start;
    let time = 0;
    let over = false;
    this.readValues(s);
    while (!over) {
      const c = choose(this.draw, q, choices.available[s], rule);
      let n = 0;
      let total = 0;
      let gain = 1;
      let ended = false;
      let a = c;
      while (!ended) {
        // Act and move.
        a = choices.action(c, s);
        const arrived = choices.next(s, a);
        time++;
        this.onStep(s, c, arrived);
        path[n++] = s;
        // What has ended?
        const terminated = arrived === goal;
        const reward = terminated ? 1 : 0;
        total += gain * reward;
        gain *= gamma;
        over = terminated || time >= horizon;
        ended = over || choices.stops(c, arrived);
        // Learn the map, then read the values of the state that was entered, zero at the goal.
        this.learnMap(n, arrived, gain, ended, terminated);
        const best = terminated ? 0 : this.readValues(arrived);
        // Update values, all from those that were read.
        let error = this.learn(a, s, reward + gamma * best);
        if (ended && c >= choices.nActions) error = Math.max(error, this.learn(c, path[0], total + gain * best));
        s = arrived;
        if (!(error < LARGEST)) return { steps: horizon, diverged: true };
      }
      // Read the values again that the updates have changed.
      if (!over) for (const changed of [a, c]) q[changed] = this.value(changed, s);
    }
    return { steps: time, diverged: false };
  }

  /** The value of the best available choice in each state. */
  values(): Float64Array {
    return Float64Array.from({ length: this.choices.nStates }, (_, s) => this.readValues(s));
  }

  private value(c: number, s: number): number {
    return this.X ? dot(this.W[c], this.X[s]) : this.W[c][s];
  }

  /** Writes the values of the available choices in s into q, and returns the best. */
  private readValues(s: number): number {
    const available = this.choices.available[s];
    for (let i = 0; i < available.length; i++) this.q[available[i]] = this.value(available[i], s);
    return bestOf(this.q, available);
  }

  /** Moves the value of c in s towards a target, unless the error is too large, and returns the size of the error. */
  private learn(c: number, s: number, target: number): number {
    const { rule, W, X } = this;
    const error = target - this.value(c, s);
    const size = Math.abs(error);
    if (!(size < LARGEST)) return size;
    if (X) addScaled(W[c], X[s], rule.learning_rate * error);
    else W[c][s] += rule.learning_rate * error;
    return size;
  }

  /** Learns the map from the last of n steps: the SR from each step, the HSR when the choice has ended. */
  private learnMap(n: number, arrived: number, gain: number, ended: boolean, terminated: boolean): void {
    const { features } = this.rule;
    if (features === "sr") this.learnRow(this.path.subarray(n - 1, n), arrived, this.gamma);
    else if (features === "hsr" && ended) this.learnRow(this.path.subarray(0, n), arrived, gain);
    else return;
    if (terminated) this.learnRow(Int32Array.of(arrived), arrived, 0);
  }

  /** Moves the row of the first state visited towards these visits and, times `gain`, the row of the state that was entered. */
  private learnRow(visited: Int32Array, arrived: number, gain: number): void {
    const rate = this.rule.map_learning_rate;
    const row = this.X![visited[0]];
    const ahead = this.X![arrived];
    for (let i = 0; i < row.length; i++) row[i] += rate * (gain * ahead[i] - row[i]);
    let weight = rate;
    for (const s of visited) {
      row[s] += weight;
      weight *= this.gamma;
    }
  }
}

export function identity(n: number): Float64Array[] {
  return Array.from({ length: n }, (_, s) => Float64Array.from({ length: n }, (_, i) => +(i === s)));
}
