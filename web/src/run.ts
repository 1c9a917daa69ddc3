// One agent's training run, episode by episode.
import { LearnerReply } from "./messages";

export class AgentRun {
  readonly steps = this.run.steps;
  readonly diverged = this.run.diverged;

  constructor(
    private readonly run: LearnerReply,
    private readonly goals: readonly number[],
  ) {}

  get episodes(): number {
    return this.steps.length;
  }

  length(episode: number): number {
    return this.run.offsets[episode + 1] - this.run.offsets[episode];
  }

  /** The states of an episode, its last one included; empty if it was not run. */
  path(episode: number): Int32Array {
    const { offsets, states, ends } = this.run;
    if (!this.length(episode)) return new Int32Array(0);
    const path = states.slice(offsets[episode], offsets[episode + 1] + 1);
    path[path.length - 1] = ends[episode]; // what follows the last step there is the next episode's start
    return path;
  }

  /** How an episode ended; a run that has diverged does not run the rest. */
  outcome(episode: number): string {
    const end = this.run.ends[episode];
    if (end < 0) return "not run";
    return end === this.goals[episode < this.episodes / 2 ? 0 : 1] ? "goal reached" : "cut off";
  }

  /** The choice under way at a step of an episode: a single action (0 to 3) or an option (4 and on); -1 after the last step. */
  choice(episode: number, step: number): number {
    return step < this.length(episode) ? this.run.choices[this.run.offsets[episode] + step] : -1;
  }

  /** The values at the end of an episode; zeros before the first. */
  valuesAt(episode: number): Float64Array {
    return this.run.values[episode] ?? new Float64Array(this.run.values[0].length);
  }
}
