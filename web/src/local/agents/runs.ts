// Agents that learn and explore for a page, step for step as those of the library.
import { DECLARED } from "../../declared";
import { Explorer, Learner, Replies, Requests } from "../../messages";
import { Work } from "../work";
import { sceneOf } from "../worlds";
import { coverageAt, timesOf } from "./coverage";
import { sarsaRule } from "./rules";
import { Sarsa } from "./sarsa";
import { counted, Course, replayed, Trainee } from "./training";
import { choicesFor, featuresFor, tasksOf } from "./world";

const CHOICES_AT_ONCE = 64; // between two looks at the clock

export async function answerTrain(asked: Requests["train"], work: Work): Promise<Replies["train"]> {
  const { trainees, course, optimal } = await classOf(asked, work);
  return { optimal, agents: await inTurn(trainees, (trainee) => replayed(trainee, course, asked.seed, work)) };
}

export async function answerSeeds(asked: Requests["seeds"], work: Work): Promise<Replies["seeds"]> {
  const { trainees, course } = await classOf(asked, work);
  const seeds = Array.from({ length: asked.n_seeds - 1 }, (_, k) => asked.seed + 1 + k);
  return { agents: await inTurn(trainees, (trainee) => inTurn(seeds, (seed) => counted(trainee, course, seed, work))) };
}

/** The agents before their first step, and what they are trained on. */
async function classOf({ world, episodes, horizon, agents }: Requests["train"], work: Work): Promise<{ trainees: Trainee[]; course: Course; optimal: number[] }> {
  const { optimal, ...tasks } = tasksOf(world);
  const trainees = await inTurn(agents, async (given) => {
    const learner = { ...DECLARED.specifications.LinearQ, options: true, ...given } as Learner;
    const choices = await choicesFor(world, learner, work);
    return { learner, choices, features: await featuresFor(world, learner, choices, work) };
  });
  return { trainees, course: { ...tasks, episodes, horizon, gamma: world.discount }, optimal };
}

export async function answerExplore(asked: Requests["explore"], work: Work): Promise<Replies["explore"]> {
  const times = timesOf(asked.steps);
  const agents = await inTurn(asked.agents, async (given) => {
    const firstVisit = await firstVisitsOf(given, asked, asked.seed, work);
    return { coverage: coverageAt(firstVisit, times), firstVisit };
  });
  return { times, agents };
}

export async function answerExplorations(asked: Requests["explorations"], work: Work): Promise<Replies["explorations"]> {
  const times = timesOf(asked.steps);
  const seeds = Array.from({ length: asked.n_seeds - 1 }, (_, k) => asked.seed + 1 + k);
  const coverage = async (given: Partial<Explorer>, seed: number) => coverageAt(await firstVisitsOf(given, asked, seed, work), times);
  return { agents: await inTurn(asked.agents, (given) => inTurn(seeds, (seed) => coverage(given, seed))) };
}

/** When an agent sees each state for the first time. */
async function firstVisitsOf(given: Partial<Explorer>, { world, steps }: Requests["explore"], seed: number, work: Work): Promise<Int32Array> {
  const { start } = sceneOf(world).layout;
  const explorer = { ...DECLARED.specifications.Sarsa, options: true, ...given } as Explorer;
  const choices = await choicesFor(world, explorer, work);
  const agent = new Sarsa(choices, sarsaRule(explorer, world.discount), steps, start < 0 ? null : start, seed);
  while (!agent.ended) {
    for (let k = 0; k < CHOICES_AT_ONCE && !agent.ended; k++) agent.advance();
    if (work.due()) await work.pause();
  }
  agent.end();
  return agent.firstVisit;
}

/** Asks for one thing after the other, so that each can take its time. */
async function inTurn<T, R>(all: readonly T[], make: (one: T) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const one of all) made.push(await make(one));
  return made;
}
