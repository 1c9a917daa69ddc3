// Agents that learn and explore for a page: the replies of the server's runs, step for step.
import { ExploreReply, Learner, LIMITS, PathReply, Requests, TrainReply, ValuesReply, World } from "../../schema";
import { complete } from "../fields";
import { Reals, Unpacked, Wholes } from "../numbers";
import { needsServer, Refused } from "../refused";
import { Work } from "../work";
import { AgentWorld, Choices, FixedOptions } from "./acting";
import { coverageAt, timesOf } from "./coverage";
import { featuresOf, learnsMap, readLearner, sarsaRule } from "./rules";
import { Sarsa } from "./sarsa";
import { counted, LearnerRun, replayed, replyOf, SeedRun, Trainee } from "./training";

const CHOICES_AT_ONCE = 64; // between two looks at the clock
const MOST_STATES = 31 * 31; // of a map that is learned here

type Maybe<T> = T | Promise<T>;

/** The maze in which agents learn. */
export interface Place extends AgentWorld {
  /** The start, null if there is none. */
  readonly start: number | null;
  /** The states of goal 1 and goal 2, and the fewest steps to each; an error if the maze has no start or no such goals. */
  tasks(): { start: number; goals: number[]; optimal: number[] };
}

/** Whoever makes mazes, options and maps of a world. */
export interface Maker {
  place(world: World): Maybe<Place>;
  /** The options of a world, null if there are none. */
  options(world: World, work: Work): Maybe<FixedOptions | null>;
  /** A map (S, S) by the name of its kind, for agents with these options. */
  map(world: World, kind: string, options: FixedOptions | null, work: Work): Maybe<Float64Array>;
}

interface KeptRun {
  readonly handle: string;
  readonly agents: readonly LearnerRun[];
  /** The other seeds of each agent, as far as they were asked for. */
  readonly others: readonly SeedRun[][];
}

export class Runs {
  private readonly kept = new Map<string, KeptRun>();
  private trained = 0;

  constructor(private readonly maker: Maker) {}

  async train(given: Requests["train"], work: Work): Promise<Unpacked<TrainReply>> {
    const { seed, n_seeds, episodes, horizon } = complete("Train", given);
    const world = complete("World", given.world);
    const learners = given.agents.map(readLearner);
    checkCount(learners, 2);
    const place = await this.maker.place(world);
    const { optimal, ...tasks } = place.tasks();
    const course = { ...tasks, episodes, horizon, gamma: place.discount };
    const trainees = await inTurn(learners, (learner) => this.prepare(world, place, learner, work));
    const run = await this.keep(JSON.stringify([{ ...world, task: "walk" }, learners, seed, episodes, horizon]), async () => ({
      handle: `run ${++this.trained}`,
      agents: await inTurn(trainees, (trainee) => replayed(trainee, course, seed, work)),
      others: trainees.map(() => []),
    }));
    for (const [i, trainee] of trainees.entries()) {
      // Two requests for the same run may take turns here: each seed has a place of its own.
      for (let k = 0; k < n_seeds - 1; k++) run.others[i][k] ??= await counted(trainee, course, seed + 1 + k, work);
    }
    return { run: run.handle, optimal, agents: run.agents.map((agent, i) => replyOf(agent, run.others[i].slice(0, n_seeds - 1))) };
  }

  path({ run, agent, begin, end }: Requests["path"]): Unpacked<PathReply> {
    const { recorder } = this.find(run, agent);
    if (!(begin < end && end <= recorder.length) || end - begin > LIMITS.PATH_STEPS) {
      throw new Refused(`begin is ${begin} and end is ${end}; expected begin < end <= ${recorder.length}, at most ${LIMITS.PATH_STEPS} steps apart`);
    }
    const { states, choices } = recorder.between(begin, end);
    return { states: new Wholes(states), choices: new Wholes(choices) };
  }

  values({ run, agent, episode }: Requests["values"]): Unpacked<ValuesReply> {
    const { values } = this.find(run, agent);
    if (!(episode in values)) throw new Refused(`episode is ${episode}; this run has episodes 0..${values.length - 1}`);
    return { values: new Reals(values[episode]) };
  }

  async explore(given: Requests["explore"], work: Work): Promise<Unpacked<ExploreReply>> {
    const { seed, steps } = complete("Explore", given);
    const world = complete("World", given.world);
    const explorers = given.agents.map((agent, i) => complete("Explorer", agent, `agents.${i}.`));
    checkCount(explorers, 4);
    const place = await this.maker.place(world);
    const rules = explorers.map((explorer) => sarsaRule(explorer, place.discount));
    const times = timesOf(steps);
    const agents = await inTurn(rules, async (rule, i) => {
      checkSize(place, rule.bonus !== "none", `bonus is '${rule.bonus}'`);
      const options = explorers[i].options ? await this.maker.options(world, work) : null;
      const agent = new Sarsa(new Choices(place, options), rule, steps, place.start, seed);
      while (!agent.ended) {
        for (let k = 0; k < CHOICES_AT_ONCE && !agent.ended; k++) agent.advance();
        if (work.due()) await work.pause();
      }
      return { coverage: new Reals(coverageAt(agent.firstVisit, times)), first_visit: new Wholes(agent.firstVisit) };
    });
    return { times: new Wholes(times), agents };
  }

  private async prepare(world: World, place: Place, learner: Required<Learner>, work: Work): Promise<Trainee> {
    checkSize(place, learner.features !== "onehot", `features are '${learner.features}'`);
    const options = learner.options ? await this.maker.options(world, work) : null;
    const choices = new Choices(place, options);
    if (learnsMap(learner)) return { choices, learner, features: { kind: "linear", X: null, width: 0 } };
    const Phi = learner.features === "onehot" ? null : await this.maker.map(world, learner.features, options, work);
    return { choices, learner, features: featuresOf(Phi, place.nStates, choices.n, learner.form) };
  }

  /** The run of a key, made now if it is not kept; the one that was asked for longest ago is dropped first. */
  private async keep(key: string, make: () => Promise<KeptRun>): Promise<KeptRun> {
    let run = this.kept.get(key);
    if (!run) {
      const made = await make();
      run = this.kept.get(key) ?? made; // another request may have made it meanwhile
    }
    this.kept.delete(key);
    this.kept.set(key, run);
    if (this.kept.size > LIMITS.RUNS_KEPT) this.kept.delete(this.kept.keys().next().value!);
    return run;
  }

  private find(handle: string, agent: number): LearnerRun {
    const run = [...this.kept.values()].find((one) => one.handle === handle);
    if (!run) throw new Refused(`run is '${handle}'; there is no such run any more, so train again`);
    if (!(agent in run.agents)) throw new Refused(`agent is ${agent}; this run has agents 0..${run.agents.length - 1}`);
    return run.agents[agent];
  }
}

/** Asks for one thing after the other, so that each can take its time. */
async function inTurn<T, R>(all: readonly T[], make: (one: T, i: number) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const [i, one] of all.entries()) made.push(await make(one, i));
  return made;
}

function checkCount(agents: readonly unknown[], most: number): void {
  if (agents.length < 1 || agents.length > most) throw new Refused(`agents has ${agents.length} entries; expected 1 to ${most}`);
}

function checkSize(place: Place, learnsMap: boolean, what: string): void {
  if (learnsMap && place.nStates > MOST_STATES) throw needsServer(`${what} and the maze has ${place.nStates} states; a map of more than ${MOST_STATES}`);
}
