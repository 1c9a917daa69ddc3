// Agents that learn and explore for a page: the replies of the server's runs, step for step.
import { Explorer, Learner, LIMITS } from "../../schema";
import { Answer } from "../answer";
import { Reals, Wholes } from "../numbers";
import { needsServer, Refused } from "../refused";
import { filledRequest } from "../request";
import { sceneOf } from "../worlds";
import { coverageAt, timesOf } from "./coverage";
import { checkLearner, sarsaRule } from "./rules";
import { Sarsa } from "./sarsa";
import { counted, LearnerRun, replayed, replyOf, SeedRun } from "./training";
import { choicesFor, featuresFor, tasksOf } from "./world";

const CHOICES_AT_ONCE = 64; // between two looks at the clock

interface KeptRun {
  readonly handle: string;
  readonly agents: readonly LearnerRun[];
  /** The other seeds of each agent, as far as they were asked for. */
  readonly others: readonly SeedRun[][];
}

const kept = new Map<string, KeptRun>();
let trained = 0;

export const answerTrain: Answer<"train"> = async (fields, work) => {
  const { world, seed, n_seeds, episodes, horizon, agents } = filledRequest("train", fields);
  const learners = agents as Required<Learner>[];
  learners.forEach(checkLearner);
  checkSeed(seed + n_seeds);
  const { optimal, ...tasks } = tasksOf(world);
  const course = { ...tasks, episodes, horizon, gamma: world.discount };
  const trainees = await inTurn(learners, async (learner) => {
    const choices = await choicesFor(world, learner, work);
    return { learner, choices, features: await featuresFor(world, learner, choices, work) };
  });
  const run = await keep(JSON.stringify([{ ...world, task: "walk" }, learners, seed, episodes, horizon]), async () => ({
    handle: `run ${++trained}`,
    agents: await inTurn(trainees, (trainee) => replayed(trainee, course, seed, work)),
    others: trainees.map(() => []),
  }));
  for (const [i, trainee] of trainees.entries()) {
    // Two requests for the same run may take turns here: each seed has a place of its own.
    for (let k = 0; k < n_seeds - 1; k++) run.others[i][k] ??= await counted(trainee, course, seed + 1 + k, work);
  }
  return { run: run.handle, optimal, agents: run.agents.map((agent, i) => replyOf(agent, run.others[i].slice(0, n_seeds - 1))) };
};

export const answerPath: Answer<"path"> = (fields) => {
  const { run, agent, begin, end } = filledRequest("path", fields);
  const { recorder } = find(run, agent);
  if (!(begin < end && end <= recorder.length) || end - begin > LIMITS.PATH_STEPS) {
    throw new Refused(`begin is ${begin} and end is ${end}; expected begin < end <= ${recorder.length}, at most ${LIMITS.PATH_STEPS} steps apart`);
  }
  const { states, choices } = recorder.between(begin, end);
  return { states: new Wholes(states), choices: new Wholes(choices) };
};

export const answerValues: Answer<"values"> = (fields) => {
  const { run, agent, episode } = filledRequest("values", fields);
  const { values } = find(run, agent);
  if (episode >= values.length) throw new Refused(`episode is ${episode}; this run has episodes 0..${values.length - 1}`);
  return { values: new Reals(values[episode]) };
};

export const answerExplore: Answer<"explore"> = async (fields, work) => {
  const { world, seed, steps, agents } = filledRequest("explore", fields);
  const explorers = agents as Required<Explorer>[];
  checkSeed(seed);
  if (explorers.some((one) => one.options && one.online)) throw needsServer("finding options while exploring");
  const rules = explorers.map((explorer) => sarsaRule(explorer, world.discount));
  const { start } = sceneOf(world).layout;
  const times = timesOf(steps);
  const seen = await inTurn(rules, async (rule, i) => {
    const choices = await choicesFor(world, explorers[i], work);
    const agent = new Sarsa(choices, rule, steps, start < 0 ? null : start, seed);
    while (!agent.ended) {
      for (let k = 0; k < CHOICES_AT_ONCE && !agent.ended; k++) agent.advance();
      if (work.due()) await work.pause();
    }
    agent.end();
    return { coverage: new Reals(coverageAt(agent.firstVisit, times)), first_visit: new Wholes(agent.firstVisit) };
  });
  return { times: new Wholes(times), agents: seen };
};

/** A number of this browser cannot tell larger seeds from each other. */
function checkSeed(seed: number): void {
  if (!Number.isSafeInteger(seed)) throw needsServer(`seed is ${seed}; a seed above ${Number.MAX_SAFE_INTEGER}`);
}

/** The run of a key, made now if it is not kept; the one that was asked for longest ago is dropped first. */
async function keep(key: string, make: () => Promise<KeptRun>): Promise<KeptRun> {
  let run = kept.get(key);
  if (!run) {
    const made = await make();
    run = kept.get(key) ?? made; // another request may have made it meanwhile
  }
  kept.delete(key);
  kept.set(key, run);
  if (kept.size > LIMITS.RUNS_KEPT) kept.delete(kept.keys().next().value!);
  return run;
}

function find(handle: string, agent: number): LearnerRun {
  const run = [...kept.values()].find((one) => one.handle === handle);
  if (!run) throw new Refused(`run is '${handle}'; there is no such run any more, so train again`);
  if (agent >= run.agents.length) throw new Refused(`agent is ${agent}; this run has agents 0..${run.agents.length - 1}`);
  return run.agents[agent];
}

/** Asks for one thing after the other, so that each can take its time. */
async function inTurn<T, R>(all: readonly T[], make: (one: T, i: number) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const [i, one] of all.entries()) made.push(await make(one, i));
  return made;
}
