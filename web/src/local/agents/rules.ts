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

const UPDATES: Record<Learner["update"], readonly [boolean, boolean, boolean, boolean]> = {
  chosen_and_primitives: [true, true, false, false],
  chosen: [false, true, false, false],
  primitives: [true, false, false, false],
  intra_option: [true, false, true, false],
  running: [true, false, false, true],
};

/** Whether the features are a map that the agent learns online. */
export function learnsMap(learner: Learner): boolean {
  return learner.features === "sr" || learner.features === "hsr";
}

/** Returns features in the form that is cheaper per step, or in the one that is asked for. `Phi` (S, K) is null if they are one-hot. */
export function featuresOf(Phi: Float64Array | null, nStates: number, nChoices: number, form: Learner["form"]): Features {
  if (!Phi && form !== "primal") return { kind: "table", X: null, width: nStates };
  const features = Phi ?? identity(nStates);
  const k = features.length / nStates;
  if (form === "dual" || (form === "auto" && nStates <= (nChoices + 3) * k)) {
    return { kind: "dual", X: paddedRows(innerProducts(features, nStates, k), nStates, padded(nStates)), width: padded(nStates) };
  }
  return { kind: "linear", X: paddedRows(features, k, padded(k)), width: padded(k) };
}

function identity(n: number): Float64Array {
  const I = new Float64Array(n * n);
  for (let i = 0; i < n; i++) I[i * n + i] = 1;
  return I;
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
  const [learnsPrimitives, learnsChosen, learnsConsistent, learnsRunning] = UPDATES[learner.update];
  return {
    kind,
    gamma,
    alpha: learner.learning_rate,
    mapAlpha: learner.map_learning_rate,
    epsilon: learner.epsilon,
    tolerance: learner.tie_tolerance,
    takesFirst: learner.ties === "first",
    learnsPrimitives,
    learnsChosen,
    learnsConsistent,
    learnsRunning,
    map: learnsMap(learner) ? (learner.features as "sr" | "hsr") : null,
    mapUpdate: learner.map_update,
    initial: learner.initial_map === "identity" ? 1 : 0,
    triesPrimitives: learner.explore_with === "primitives",
    exploresEachStep: learner.explore_at === "steps",
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
    takesFirst: false,
    bonus: explorer.bonus as BonusName,
    weight: explorer.bonus_weight,
    learnsEachStep: explorer.on === "sr",
    paysEachStep: explorer.bonus_per === "step",
    normOfLeft: explorer.norm_of === "left",
    initial: explorer.initial_map === "identity" ? 1 : 0,
  };
}
