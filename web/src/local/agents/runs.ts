// Agents that learn and explore, for the replies of the page.
import { DECLARED } from "../../declared";
import { LIMITS } from "../../limits";
import { Explorer, Learner, LearnerReply, Refused, Replies, Requests, World } from "../../messages";
import { N_ACTIONS } from "../grids/layout";
import { rowsOf } from "../algebra/dense";
import { Draw, drawsOf } from "../random";
import { Work } from "../work";
import { choicesOf, mapOf, sceneOf } from "../worlds";
import { Choices } from "./acting";
import { LinearQ, learnsMap } from "./linearq";
import { Sarsa } from "./sarsa";

const CHOICES_AT_ONCE = 64; // between two looks at the clock

/** One agent before its first step. A map that it learns itself is not among its features. */
interface Trainee {
  readonly choices: Choices;
  readonly learner: Learner;
  readonly features: Float64Array[] | null;
}

export async function answerTrain(asked: Requests["train"], work: Work): Promise<Replies["train"]> {
  const trainees = await traineesOf(asked, work);
  return { optimal: tasksOf(asked.world).optimal, agents: await inTurn(trainees, (trainee) => trained(trainee, asked, drawsOf(asked.seed), work)) };
}

export async function answerSeeds(asked: Requests["seeds"], work: Work): Promise<Replies["seeds"]> {
  const trainees = await traineesOf(asked, work);
  const counted = (trainee: Trainee, seed: number) => trained(trainee, asked, drawsOf(seed), work, false);
  const agents = await inTurn(trainees, (trainee) => inTurn(otherSeeds(asked), (seed) => counted(trainee, seed)));
  return { agents: agents.map((seeds) => seeds.map(({ steps, diverged }) => ({ steps, diverged }))) };
}

/** The start, goal 1 and goal 2, and the fewest steps to each. */
function tasksOf(world: World): { start: number; goals: number[]; optimal: number[] } {
  const scene = sceneOf(world);
  const goals = [scene.goal(1), scene.goal(2)];
  const distances = scene.layout.distancesTo(scene.start);
  const optimal = goals.map((goal) => distances[goal]);
  const lost = optimal.findIndex((steps) => steps < 0);
  if (lost >= 0) throw new Refused(`goal ${lost + 1} cannot be reached from the start`);
  return { start: scene.start, goals, optimal };
}

/** The agents of a request, before their first step. */
export function traineesOf({ world, agents }: Requests["train"], work: Work): Promise<Trainee[]> {
  return inTurn(agents, async (given) => {
    const learner = { ...DECLARED.specifications.LinearQ, options: true, ...given } as Learner;
    const choices = await choicesFor(world, learner, work);
    return { learner, choices, features: await featuresFor(world, learner, choices, work) };
  });
}

/** Trains one agent: goal 1 from the start, then goal 2. A run that diverges keeps its last values. */
export async function trained({ choices, learner, features }: Trainee, { world, episodes, horizon }: Requests["train"], draw: Draw, work: Work, records = true): Promise<LearnerReply> {
  const { start, goals } = tasksOf(world);
  const n = 2 * episodes;
  const [steps, ends, offsets] = [new Int32Array(n).fill(horizon), new Int32Array(n).fill(-1), new Int32Array(n + 1)];
  const [states, taken, values]: [number[], number[], Float64Array[]] = [[], [], []];
  let [last, diverged] = [-1, false];
  const agent = new LinearQ(choices, learner, features, world.discount, horizon, draw, (state, choice, arrived) => {
    last = arrived;
    if (!records) return;
    states.push(state);
    taken.push(choice);
  });
  for (let episode = 0; episode < n; episode++) {
    if (!diverged) {
      ({ steps: steps[episode], diverged } = agent.run(start, goals[Math.floor(episode / episodes)]));
      ends[episode] = last;
    }
    offsets[episode + 1] = states.length;
    if (records) values.push(agent.values());
    if (work.due()) await work.pause();
  }
  states.push(last);
  return { steps, offsets, ends, states: Int32Array.from(states), choices: Int32Array.from(taken), values, diverged };
}

export async function answerExplore(asked: Requests["explore"], work: Work): Promise<Replies["explore"]> {
  const times = timesOf(asked.steps);
  const agents = await inTurn(asked.agents, async (given) => {
    const { firstVisit } = await explored(given, asked, drawsOf(asked.seed), work);
    return { coverage: coverageAt(firstVisit, times), firstVisit };
  });
  return { times, agents };
}

export async function answerExplorations(asked: Requests["explorations"], work: Work): Promise<Replies["explorations"]> {
  const times = timesOf(asked.steps);
  const coverage = async (given: Partial<Explorer>, seed: number) => coverageAt((await explored(given, asked, drawsOf(seed), work)).firstVisit, times);
  return { agents: await inTurn(asked.agents, (given) => inTurn(otherSeeds(asked), (seed) => coverage(given, seed))) };
}

/** Lets one agent explore for all its steps. */
export async function explored(given: Partial<Explorer>, { world, steps }: Requests["explore"], draw: Draw, work: Work): Promise<Sarsa> {
  const { start } = sceneOf(world).layout;
  const explorer = { ...DECLARED.specifications.Sarsa, options: true, ...given } as Explorer;
  const agent = new Sarsa(await choicesFor(world, explorer, work), explorer, world.discount, steps, start < 0 ? null : start, draw);
  while (!agent.ended) {
    for (let k = 0; k < CHOICES_AT_ONCE && !agent.ended; k++) agent.advance();
    if (work.due()) await work.pause();
  }
  return agent;
}

/** The times at which coverage is shown, in steps counted from 1, evenly spaced. */
function timesOf(steps: number): Int32Array {
  const last = LIMITS.COVERAGE_TIMES - 1;
  return Int32Array.from({ length: last + 1 }, (_, i) => 1 + Math.floor((i * (steps - 1)) / last));
}

/** The fraction of states seen by each time. */
function coverageAt(firstVisit: Int32Array, times: Int32Array): Float64Array {
  return Float64Array.from(times, (time) => firstVisit.reduce((seen, at) => seen + +(at >= 0 && at <= time), 0) / firstVisit.length);
}

/** What an agent can do: the primitive actions, and the options of the world if it may use them. */
async function choicesFor(world: World, agent: { options: boolean }, work: Work): Promise<Choices> {
  const { layout } = sceneOf(world);
  const { options } = agent.options ? await choicesOf(world, work) : { options: [] };
  return new Choices(layout.nStates, N_ACTIONS, layout.successors, options);
}

/** The rows of an exact map of the default reading, whatever task and reading the world has: they belong to the maps that are shown. */
async function featuresFor(world: World, learner: Learner, choices: Choices, work: Work): Promise<Float64Array[] | null> {
  const kind = learner.features;
  if (kind === "onehot" || learnsMap(learner)) return null;
  if (kind.endsWith("hsr") && choices.n === choices.nActions) {
    throw new Refused(`An agent that sees states through the ${kind === "ehsr" ? "expected HSR" : "HSR"} needs options.`);
  }
  const map = await mapOf({ ...world, task: "walk", reading: { ties: "uniform", stopping_state: "counted_once" } }, kind, work);
  return rowsOf(await map.entries(work), map.nStates);
}

/** The seeds that are run after the one that is replayed. */
function otherSeeds({ seed, n_seeds }: { seed: number; n_seeds: number }): number[] {
  return Array.from({ length: n_seeds - 1 }, (_, k) => seed + 1 + k);
}

/** Makes one item after the other. */
async function inTurn<T, R>(all: readonly T[], make: (of: T) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const item of all) made.push(await make(item));
  return made;
}
