// What the page asks its worker, and what the worker replies.

export interface Options {
  kind: string;
  /** At most this many; fewer where the maze is too small. */
  n: number;
  signs: string;
  first: string;
  seed: number;
  initiation: string;
  diffusion_time: number;
}

export interface Reading {
  ties: "uniform" | "options" | "primitives" | "random";
  stopping_state: "counted_once" | "counted_twice";
}

/** A maze, the options in it, and the task whose maps are shown. */
export interface World {
  map: string;
  discount: number;
  options: Options;
  reading: Reading;
  task: "walk" | "1" | "2" | "every";
}

/** An agent to train: fields of `hsr.LinearQ` (the others have their defaults), and whether it may use options. */
export interface Learner {
  features: string;
  learning_rate: number;
  epsilon: number;
  map_learning_rate: number;
  tie_tolerance: number;
  options: boolean;
}

/** An agent that explores: fields of `hsr.Sarsa`, and whether it may use the options of the world. */
export interface Explorer extends Omit<Learner, "features"> {
  bonus: string;
  on: "hsr" | "sr";
  bonus_weight: number;
}

/** Agents that learn goal 1, then goal 2. The run of `seed` is replayed, the other seeds are counted. */
export interface Training {
  agents: Partial<Learner>[];
  seed: number;
  n_seeds: number;
  episodes: number;
  horizon: number;
}

/** Agents without a goal. The run of `seed` is replayed, of the other seeds coverage alone is kept. */
export interface Exploring {
  agents: Partial<Explorer>[];
  seed: number;
  n_seeds: number;
  steps: number;
}

export interface Features {
  which: string;
  basis: string;
  n: number;
}

/** What a script is written for. */
export type Show =
  | { kind: "rows"; state: number; which: string | null; reward: number[] | null }
  | { kind: "matrix"; which: string | null }
  | { kind: "world" }
  | { kind: "distance"; state: number; srDiscount: number }
  | ({ kind: "basis" } & Features)
  | ({ kind: "train" } & Training)
  | ({ kind: "explore" } & Exploring);

/** Visits by distance: their geometric means, the fitted line, its decay length in steps, and the predicted one. */
export interface Decay {
  distances: number[];
  visits: number[];
  line: number[];
  length: number;
  predicted: number | null;
}

export interface Requests {
  world: { world: World };
  rows: { world: World; state: number; which: string | null };
  values: { world: World; reward: number[] };
  /** With `matched` the SR gets the discount at which it looks as far as the HSR. */
  distance: { world: World; state: number; matched: boolean };
  matrix: { world: World; which: string };
  basis: { world: World } & Features;
  train: { world: World } & Training;
  seeds: { world: World } & Training;
  explore: { world: World } & Exploring;
  explorations: { world: World } & Exploring;
  python: { world: World; show: Show };
}

/** An option: the action in each state (-1 where it cannot start), where it ends, the length of its longest path, and the vector that it climbs. */
export interface OptionReply {
  name: string;
  policy: Int32Array;
  ends: number[];
  longest: number;
  vector: Float64Array | null;
}

/** The run of one agent: steps of each episode, first step and last state of each, every state and choice, and values after each episode. */
export interface LearnerReply {
  steps: Int32Array;
  offsets: Int32Array;
  ends: Int32Array;
  states: Int32Array;
  choices: Int32Array;
  values: Float64Array[];
  diverged: boolean;
}

/** The steps of another seed. */
export interface SeedReply {
  steps: Int32Array;
  diverged: boolean;
}

export interface Replies {
  /** `unique` is false where equal eigenvalues leave the vectors, and so the options, to rounding. */
  world: { options: OptionReply[]; spectrum: Float64Array; unique: boolean };
  /** One row of each map; of the visits of the HSR those to which options lead; and from how many states options lead to its darkest state. */
  rows: { sr: Float64Array; hsr: Float64Array; led: Float64Array; sources: number; other: Float64Array | null };
  /** Each map times the rewards. */
  values: { sr: Float64Array; hsr: Float64Array };
  distance: { sr: Decay; hsr: Decay; srDiscount: number };
  matrix: { matrix: Float64Array };
  basis: { features: Float64Array[]; unique: boolean };
  train: { optimal: number[]; agents: LearnerReply[] };
  /** Of each agent the seeds after the first. */
  seeds: { agents: SeedReply[][] };
  /** Of each agent the coverage of the seeds after the first. */
  explorations: { agents: Float64Array[][] };
  explore: { times: Int32Array; agents: { coverage: Float64Array; firstVisit: Int32Array }[] };
  python: { code: string };
}

export type Do = keyof Replies;

/** A request that is refused: its message is one sentence for the person at the page. */
export class Refused extends Error {}

/** The page has cancelled the request and does not wait for its reply. */
export class Cancelled extends Error {
  constructor() {
    super("cancelled");
  }
}
