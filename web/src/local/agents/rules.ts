// From the fields of an agent in a request to the rule that its learning loop follows.
import { Explorer, Learner } from "../../messages";
import { LinearQRule } from "./linearq";
import { padded, paddedRows } from "./rows";
import { BonusName, SarsaRule } from "./sarsa";

/** Fixed features of states, as the learning loop reads them. */
export interface Features {
  readonly kind: LinearQRule["kind"];
  readonly X: Float64Array | null;
  readonly width: number;
}

/** Whether the features are a map that the agent learns online. */
export function learnsMap(learner: Learner): boolean {
  return learner.features === "sr" || learner.features === "hsr";
}

/** Returns features in the form that is cheaper per step. `Phi` (S, K) is null if they are one-hot. */
export function featuresOf(Phi: Float64Array | null, nStates: number, nChoices: number): Features {
  if (!Phi) return { kind: "table", X: null, width: nStates };
  const k = Phi.length / nStates;
  if (nStates <= (nChoices + 3) * k) {
    return { kind: "dual", X: paddedRows(innerProducts(Phi, nStates, k), nStates, padded(nStates)), width: padded(nStates) };
  }
  return { kind: "linear", X: paddedRows(Phi, k, padded(k)), width: padded(k) };
}

function innerProducts(Phi: Float64Array, n: number, k: number): Float64Array {
  const K = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let c = 0; c < k; c++) sum += Phi[i * k + c] * Phi[j * k + c];
      K[i * n + j] = K[j * n + i] = sum;
    }
  }
  return K;
}

export function linearQRule(learner: Learner, gamma: number, kind: LinearQRule["kind"]): LinearQRule {
  return {
    kind,
    gamma,
    alpha: learner.learning_rate,
    mapAlpha: learner.map_learning_rate,
    epsilon: learner.epsilon,
    tolerance: learner.tie_tolerance,
    map: learnsMap(learner) ? (learner.features as "sr" | "hsr") : null,
  };
}

/** Returns the rule of an agent that explores. */
export function sarsaRule(explorer: Explorer, gamma: number): SarsaRule {
  return {
    gamma,
    alpha: explorer.learning_rate,
    mapAlpha: explorer.map_learning_rate,
    epsilon: explorer.epsilon,
    tolerance: explorer.tie_tolerance,
    bonus: explorer.bonus as BonusName,
    weight: explorer.bonus_weight,
    learnsEachStep: explorer.on === "sr",
  };
}
