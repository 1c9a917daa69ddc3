// Trains one agent with one seed or several, as `hsr.train` does: goal 1 from the start, then goal 2.
import { Learner, LearnerReply, SeedReply } from "../../messages";
import { Work } from "../work";
import { Choices } from "./acting";
import { LinearQ } from "./linearq";
import { Recorder } from "./recorder";
import { Features, linearQRule } from "./rules";

/** One agent before its first step: all that its seeds share. */
export interface Trainee {
  readonly choices: Choices;
  readonly learner: Learner;
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

function agentOf({ choices, learner, features }: Trainee, { gamma, horizon }: Course, seed: number, recorder: Recorder | null): LinearQ {
  return new LinearQ(choices, linearQRule(learner, gamma, features.kind), features.X, features.width, horizon, seed, recorder);
}

/** Trains one seed, with all that can be replayed. A run that diverges keeps its last values. */
export async function replayed(trainee: Trainee, course: Course, seed: number, work: Work): Promise<LearnerReply> {
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
  return { steps, offsets, ends, ...recorder.all(), values, diverged };
}

/** Trains one seed and counts the steps of its episodes. */
export async function counted(trainee: Trainee, course: Course, seed: number, work: Work): Promise<SeedReply> {
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
