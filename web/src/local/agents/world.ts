// What agents need of a world: its tasks, the choices that can be made in it, and features of its states.
import { Learner, Refused, World } from "../../messages";
import { N_ACTIONS } from "../grids/layout";
import { Work } from "../work";
import { choicesOf, mapOf, sceneOf } from "../worlds";
import { Choices } from "./acting";
import { Features, featuresOf, learnsMap } from "./rules";

/** The start, goal 1 and goal 2, and the fewest steps to each. */
export interface Tasks {
  readonly start: number;
  readonly goals: readonly number[];
  readonly optimal: number[];
}

export function tasksOf(world: World): Tasks {
  const scene = sceneOf(world);
  const { start } = scene;
  const goals = [scene.goal(1), scene.goal(2)];
  const distances = scene.layout.distancesTo(start);
  const optimal = goals.map((goal) => distances[goal]);
  const lost = optimal.findIndex((steps) => steps < 0);
  if (lost >= 0) throw new Refused(`goal ${lost + 1} cannot be reached from the start`);
  return { start, goals, optimal };
}

/** What an agent can do: the primitive actions, and the options of the world if it may use them. */
export async function choicesFor(world: World, agent: { options: boolean }, work: Work): Promise<Choices> {
  const { layout } = sceneOf(world);
  const { options } = agent.options ? await choicesOf(world, work) : { options: [] };
  return new Choices(layout.nStates, N_ACTIONS, layout.successors, options);
}

/** The features of an agent that has these choices. A map that the agent learns itself is not known yet. */
export async function featuresFor(world: World, learner: Learner, choices: Choices, work: Work): Promise<Features> {
  if (learnsMap(learner)) return { kind: "linear", X: null, width: 0 };
  const { nStates, n } = choices;
  const Phi = learner.features === "onehot" ? null : await fixedMap(world, learner.features, choices, work);
  return featuresOf(Phi, nStates, n);
}

/** A map of its own, whatever the task and the reading of the world: they belong to the maps that are shown. */
async function fixedMap(world: World, kind: string, choices: Choices, work: Work): Promise<Float64Array> {
  if (kind.endsWith("hsr") && choices.n === choices.nActions) {
    throw new Refused(`An agent that sees states through the ${kind === "ehsr" ? "expected HSR" : "HSR"} needs options.`);
  }
  const map = await mapOf({ ...world, task: "walk", reading: { ties: "uniform", stopping_state: "counted_once" } }, kind, work);
  return map.entries(work);
}
