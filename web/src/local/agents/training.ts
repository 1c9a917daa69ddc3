// Trains one agent with one seed or several, as `hsr.train` does: goal 1 from the start, then goal 2.
import { Learner, LearnerReply } from "../../schema";
import { Unpacked, Wholes } from "../numbers";
import { Work } from "../work";
import { Choices } from "./acting";
import { LinearQ } from "./linearq";
import { Recorder } from "./recorder";
import { Features, linearQRule } from "./rules";

/** One agent before its first step: all that its seeds share. */
export interface Trainee {
  readonly choices: Choices;
  readonly learner: Required<Learner>;
  readonly features: Features;
}

/** What an agent is trained on. */
export interface Course {
  readonly start: number;
  readonly goals: readonly number[];
  readonly episodes: number;
  readonly horizon: number;
  readonly gamma: number;
}

/** The run of one agent with one seed: steps, first step and last state of each episode, every step, and values after each episode. */
export interface LearnerRun {
  readonly steps: Int32Array;
  readonly offsets: Int32Array;
  readonly ends: Int32Array;
  readonly recorder: Recorder;
  readonly values: readonly Float64Array[];
  readonly diverged: boolean;
}

/** The steps of one more seed. */
export interface SeedRun {
  readonly steps: Int32Array;
  readonly diverged: boolean;
}

function agentOf({ choices, learner, features }: Trainee, { gamma, horizon }: Course, seed: number, recorder: Recorder | null): LinearQ {
  return new LinearQ(choices, linearQRule(learner, gamma, features.kind), features.X, features.width, horizon, seed, recorder);
}

/** Trains one seed, with all that can be replayed. A run that diverges keeps its last values. */
export async function replayed(trainee: Trainee, course: Course, seed: number, work: Work): Promise<LearnerRun> {
  const recorder = new Recorder();
  const agent = agentOf(trainee, course, seed, recorder);
  const n = 2 * course.episodes;
  const steps = new Int32Array(n).fill(course.horizon);
  const [offsets, ends, values] = [new Int32Array(n + 1), new Int32Array(n).fill(-1), [] as Float64Array[]];
  let diverged = false;
  for (let episode = 0; episode < n; episode++) {
    if (!diverged) {
      const done = agent.run(course.start, course.goals[Math.floor(episode / course.episodes)]);
      [steps[episode], diverged, ends[episode]] = [done.steps, done.diverged, recorder.last];
      values.push(agent.values());
    } else values.push(values[episode - 1]);
    offsets[episode + 1] = recorder.length;
    if (work.due()) await work.pause();
  }
  agent.end();
  return { steps, offsets, ends, recorder, values, diverged };
}

/** Trains one seed and counts the steps of its episodes. */
export async function counted(trainee: Trainee, course: Course, seed: number, work: Work): Promise<SeedRun> {
  const agent = agentOf(trainee, course, seed, null);
  const steps = new Int32Array(2 * course.episodes).fill(course.horizon);
  let diverged = false;
  for (let episode = 0; episode < steps.length && !diverged; episode++) {
    ({ steps: steps[episode], diverged } = agent.run(course.start, course.goals[Math.floor(episode / course.episodes)]));
    if (work.due()) await work.pause();
  }
  agent.end();
  return { steps, diverged };
}

/** The reply for one agent, with the steps of other seeds after those of the run that is replayed. */
export function replyOf(run: LearnerRun, others: readonly SeedRun[]): Unpacked<LearnerReply> {
  const episodes = run.steps.length / 2;
  const all = [run, ...others];
  const steps = new Int32Array(all.length * run.steps.length);
  all.forEach((one, i) => steps.set(one.steps, i * run.steps.length));
  return {
    steps: new Wholes(run.steps, [2, episodes]),
    offsets: new Wholes(run.offsets),
    ends: new Wholes(run.ends),
    status: run.diverged ? "diverged" : "ok",
    all_steps: new Wholes(steps, [all.length, 2, episodes]),
    n_diverged: all.filter((one) => one.diverged).length,
  };
}
