// The HSR learned by intra-option updates: a map of each choice, from every step that the choice could have taken.
import { bestOf, Chooser, Choices } from "./acting";

/** The rates at which maps are learned. */
interface Rates {
  readonly gamma: number;
  readonly mapAlpha: number;
}

export class ChoiceMaps {
  /** Psi (C, S, D), each at first the map M. */
  private readonly Psi: Float64Array;

  /** `M` (S, D) is the HSR, with padded rows. It changes with the maps of the choices. */
  constructor(
    private readonly choices: Choices,
    private readonly M: Float64Array,
    private readonly width: number,
  ) {
    this.Psi = new Float64Array(choices.n * M.length);
    for (let c = 0; c < choices.n; c++) this.Psi.set(M, c * M.length);
  }

  /**
   * Learns from a step by action a from s to t. The values q of the choices in s become the probabilities with which the agent
   * would choose them, exploring among the first `tried`.
   */
  learn(q: Float64Array, tried: number, how: Chooser & Rates, s: number, a: number, t: number, terminated: boolean): void {
    const { choices, M, Psi, width } = this;
    const { nActions, nStates, action, beta } = choices;
    const alpha = how.mapAlpha;
    toProbabilities(q, choices, s, tried, how);
    // Follow the policy.
    const row = s * width;
    for (let j = 0; j < width; j++) M[row + j] -= alpha * M[row + j];
    for (let c = 0; c < q.length; c++) {
      if (!(q[c] > 0)) continue;
      const from = c * M.length + row;
      for (let j = 0; j < width; j++) M[row + j] += alpha * q[c] * Psi[from + j];
    }
    // The primitive action, then the options that would have taken it and can be running here.
    this.learnOne(a, q[a], s, t, 1, how);
    for (let c = nActions; c < choices.n; c++) {
      const o = (c - nActions) * nStates;
      if (action[o + s] !== a || !(beta[o + s] < 1 || choices.canBegin(c, s))) continue;
      this.learnOne(c, q[c], s, t, terminated ? 1 : beta[o + t], how);
    }
  }

  /** Moves Psi(c, s) towards its target, and M(s) with it by the probability of c in s. */
  private learnOne(c: number, share: number, s: number, t: number, stop: number, rates: Rates): void {
    const { M, Psi, width } = this;
    const [here, there, ahead] = [s * width, t * width, c * M.length + t * width];
    const own = c * M.length + here;
    for (let j = 0; j < width; j++) {
      let change = rates.mapAlpha * (rates.gamma * (stop * M[there + j] + (1 - stop) * Psi[ahead + j]) - Psi[own + j]);
      if (j === s) change += rates.mapAlpha;
      Psi[own + j] += change;
      M[here + j] += share * change;
    }
  }
}

/** Replaces the values of the choices in s by the probabilities with which they are drawn. */
function toProbabilities(q: Float64Array, choices: Choices, s: number, n: number, how: Chooser): void {
  const least = bestOf(q) - how.tolerance;
  let ties = 0;
  for (const value of q) if (value >= least) ties++;
  let taken = how.takesFirst ? Math.min(ties, 1) : ties;
  for (let c = 0; c < q.length; c++) {
    if (q[c] >= least && taken > 0) {
      q[c] = (1 - how.epsilon) / (how.takesFirst ? 1 : ties);
      taken--;
    } else q[c] = 0;
  }
  for (let i = 0; i < n; i++) q[choices.available[s * choices.n + i]] += how.epsilon / n;
}
