// From the fields of an agent in a request to the rule that its learning loop follows.
import { Explorer, Learner } from "../../schema";
import { PRESETS } from "../declared";
import { needsServer, Refused } from "../refused";
import { LinearQRule } from "./linearq";
import { padded, paddedRows } from "./rows";
import { BonusName, SarsaRule } from "./sarsa";

/** Fixed features of states, as the learning loop reads them. */
export interface Features {
  readonly kind: LinearQRule["kind"];
  readonly X: Float64Array | null;
  readonly width: number;
}

const UPDATES: Record<Required<Learner>["update"], readonly [boolean, boolean, boolean, boolean]> = {
  chosen_and_primitives: [true, true, false, false],
  chosen: [false, true, false, false],
  primitives: [true, false, false, false],
  intra_option: [true, false, true, false],
  running: [true, false, false, true],
};

/** Refuses an agent whose fields contradict each other, in one sentence. */
export function checkLearner(learner: Required<Learner>): void {
  const { features } = learner;
  if (!Object.hasOwn(PRESETS.features.words ?? {}, features)) throw needsServer(`features are '${features}'; learning with them`);
  if (learner.form === "dual" && learnsMap(learner)) {
    throw new Refused(`form is 'dual' and features are '${features}'; rows that are learned online have no dual form`);
  }
  if (learner.map_update === "intra_option" && features !== "hsr") {
    throw new Refused(`map_update is 'intra_option' and features are '${features}'; it updates an HSR that is learned online, features='hsr'`);
  }
  if (learner.map_update === "intra_option" && learner.explore_at === "steps") {
    throw new Refused(
      "map_update is 'intra_option' and explore_at is 'steps'; it needs explore_at='choices', since an interrupted option does not end by its own rule",
    );
  }
}

/** Whether the features are a map that the agent learns online. */
export function learnsMap(learner: Required<Learner>): boolean {
  return learner.features === "sr" || learner.features === "hsr";
}

/** Returns features in the form that is cheaper per step, or in the one that is asked for. `Phi` (S, K) is null if they are one-hot. */
export function featuresOf(Phi: Float64Array | null, nStates: number, nChoices: number, form: Required<Learner>["form"]): Features {
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

export function linearQRule(learner: Required<Learner>, gamma: number, kind: LinearQRule["kind"]): LinearQRule {
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

const BONUSES: readonly string[] = ["none", "norm", "spie", "spie_l1"] satisfies BonusName[];

/** Returns the rule of an agent that explores, or refuses it in one sentence. */
export function sarsaRule(explorer: Required<Explorer>, gamma: number): SarsaRule {
  const { bonus } = explorer;
  if (!BONUSES.includes(bonus)) throw needsServer(`the bonus '${bonus}'`);
  if (bonus === "norm" && explorer.initial_map === "zero") {
    throw new Refused(
      "bonus is 'norm' and initial_map is 'zero'; the row of a state that was never left has norm 0 and an infinite bonus, so start with initial_map='identity'",
    );
  }
  return {
    gamma,
    alpha: explorer.learning_rate,
    mapAlpha: explorer.map_learning_rate,
    epsilon: explorer.epsilon,
    tolerance: explorer.tie_tolerance,
    takesFirst: false,
    bonus: bonus as BonusName,
    weight: explorer.bonus_weight,
    learnsEachStep: explorer.on === "sr",
    paysEachStep: explorer.bonus_per === "step",
    normOfLeft: explorer.norm_of === "left",
    initial: explorer.initial_map === "identity" ? 1 : 0,
  };
}
