// Made by `python -m hsr.lab.schema` (`make lab-page` calls it). Do not edit.

/** Features of a map. */
export interface Basis {
  id: number;
  scale?: "none" | "max" | "unit_columns" | "unit_rows";
  vectors?: "scaled_left" | "left" | "right";
  start?: "nndsvda" | "random";
  solver?: "hals" | "extrapolated" | "multiplicative";
  parts?: "as_given" | "norms_in_features";
  seed?: number;
  which: string;
  n: number;
  do: "basis";
  world: World;
  kind: string;
}

/** The features of a basis, one row each, strongest first. */
export interface BasisReply {
  features: Floats;
}

/** Cancel another request of the same socket. */
export interface Cancel {
  id: number;
  do: "cancel";
  target: number;
}

/** What a maze is, and what is wrong with it. */
export interface Check {
  id: number;
  do: "check";
  map: string;
}

/** A maze: its size, cells of states, rooms, bottlenecks, start and goals, and its problems. */
export interface CheckReply {
  n_states: number;
  rows: number;
  columns: number;
  cells: Integers;
  room_of: Integers;
  bottlenecks: number[];
  start: number | null;
  goals: number[];
  parts: number;
  lost: number[];
  problems: string[];
}

/** The seen states in which the options arrive and may stop that an agent has at a time. */
export interface Discovery {
  time: number;
  n_options: number;
  ends: number[];
}

/** Let agents explore. */
export interface Explore {
  id: number;
  agents: Explorer[];
  seed?: number;
  steps: number;
  do: "explore";
  world: World;
}

/** Exploring agents, and the times at which their coverage is given. */
export interface ExploreReply {
  times: Integers;
  agents: ExplorerReply[];
}

/** An agent that explores: the fields of `hsr.Sarsa`, and whether it may use options. These are the options of the world, or those that it finds itself if `online` is given. */
export interface Explorer {
  bonus?: string;
  on?: "hsr" | "sr";
  learning_rate?: number;
  epsilon?: number;
  bonus_weight?: number;
  map_learning_rate?: number;
  initial_map?: "identity" | "zero";
  bonus_per?: "step" | "choice";
  norm_of?: "arrived" | "left";
  tie_tolerance?: number;
  options?: boolean;
  online?: Online | null;
}

/** The fraction of states seen at each time, and the time of the first visit to each (or -1). `found` has the options that the agent found itself, at some of the times at which it did. */
export interface ExplorerReply {
  coverage: Floats;
  first_visit: Integers;
  found?: Discovery[];
}

/** An array of real numbers: base64 of 32-bit floats, little endian, and its shape. */
export interface Floats {
  f32: string;
  shape: number[];
}

/** An array of integers: base64 of 32-bit integers, little endian, and its shape. */
export interface Integers {
  i32: string;
  shape: number[];
}

/** An agent to train: the fields of `hsr.LinearQ`, and whether it may use options. */
export interface Learner {
  features?: string;
  learning_rate?: number;
  epsilon?: number;
  explore_with?: "choices" | "primitives";
  explore_at?: "choices" | "steps";
  map_learning_rate?: number;
  initial_map?: "identity" | "zero";
  update?: "chosen_and_primitives" | "chosen" | "primitives" | "intra_option" | "running";
  map_update?: "chosen" | "passed" | "intra_option";
  tie_tolerance?: number;
  ties?: "random" | "first";
  form?: "auto" | "primal" | "dual";
  options?: boolean;
}

/** An agent's steps in each episode, and the first step and the last state of each. `all_steps` of shape (seed, 2, episode) has the steps of all seeds, the replayed one first. In episodes from the one on in which a seed diverged it has the longest that an episode can be. */
export interface LearnerReply {
  steps: Integers;
  offsets: Integers;
  ends: Integers;
  status: string;
  all_steps: Integers;
  n_diverged: number;
}

/** A whole map of a small world. */
export interface Matrix {
  id: number;
  do: "matrix";
  world: World;
  which: string;
}

/** A whole map. */
export interface MatrixReply {
  matrix: Floats;
}

/** A random maze. */
export interface Maze {
  id: number;
  do: "maze";
  size: number;
  seed?: number;
}

/** A random maze as text. */
export interface MazeReply {
  map: string;
}

/** Options that an agent finds in what it has seen: some fields of `hsr.OnlineOptions`. */
export interface Online {
  method?: "eigen" | "covering" | "frontier" | "successor" | "betweenness" | "diffusion";
  warm_up?: number;
  n_options?: number;
  refresh?: number;
}

/** A registered kind of options, and the settings that it reads. */
export interface OptionKind {
  name: string;
  summary: string;
  settings: string[];
}

/** An option: the action in each state (-1 where it cannot start), where it ends, its vector. */
export interface OptionReply {
  name: string;
  policy: Integers;
  ends: number[];
  vector: Floats | null;
}

/** The options of a world: a registered kind or "none", and the settings that the kind reads. */
export interface Options {
  signs?: "positive" | "both" | "svd" | "eigh" | "eig" | "random" | string;
  first?: "skipped" | "counted";
  seed?: number;
  initiation?: "point" | "everywhere";
  diffusion_time?: number;
  kind?: string;
  n?: number;
  at_most?: boolean;
}

/** Some steps of a kept run. */
export interface Path {
  id: number;
  do: "path";
  run: string;
  agent: number;
  begin: number;
  end: number;
}

/** States and choices of a stretch of a run; there is one state more than choices. */
export interface PathReply {
  states: Integers;
  choices: Integers;
}

/** The mazes of the library, and everything that can be chosen by name. */
export interface Presets {
  id: number;
  do: "presets";
}

/** The mazes of the library, and everything that can be chosen by name, plugins included. `maps` holds mazes as text. The other dictionaries hold one line for each name. */
export interface PresetsReply {
  maps: Record<string, string>;
  option_kinds: OptionKind[];
  option_settings: Record<string, Setting>;
  representations: Record<string, string>;
  bases: Record<string, string>;
  features: Setting;
  bonus: Setting;
  bonus_map: Setting;
  discovery: Setting;
  ties: Setting;
  stopping_state: Setting;
}

/** The script that computes what a request shows. */
export interface Python {
  id: number;
  do: "python";
  world: World;
  show: ShowRows | ShowBasis | ShowTrain | ShowExplore;
}

/** A script. */
export interface PythonReply {
  code: string;
}

/** How the hierarchical map fills in what the paper leaves open. */
export interface Reading {
  ties?: "uniform" | "options" | "primitives" | "random";
  stopping_state?: "counted_once" | "counted_twice";
}

/** The reply to each request, by its `do`; there is no object of this class. */
export interface Replies {
  presets: PresetsReply;
  maze: MazeReply;
  check: CheckReply;
  world: WorldReply;
  rows: RowsReply;
  matrix: MatrixReply;
  basis: BasisReply;
  train: TrainReply;
  path: PathReply;
  values: ValuesReply;
  explore: ExploreReply;
  python: PythonReply;
}

/** One row of the maps of a world. */
export interface Rows {
  id: number;
  state: number;
  which?: string | null;
  do: "rows";
  world: World;
}

/** One row of the SR, of the HSR, and of the other map that was asked for. */
export interface RowsReply {
  sr: Floats;
  hsr: Floats;
  other: Floats | null;
}

/** A field to offer: a word with its meanings, or a number within bounds. */
export interface Setting {
  description: string;
  default: string | number | null;
  words: Record<string, string> | null;
  low: number | null;
  high: number | null;
}

/** A script for what `basis` shows; its own `kind` is called `basis` here. */
export interface ShowBasis {
  scale?: "none" | "max" | "unit_columns" | "unit_rows";
  vectors?: "scaled_left" | "left" | "right";
  start?: "nndsvda" | "random";
  solver?: "hals" | "extrapolated" | "multiplicative";
  parts?: "as_given" | "norms_in_features";
  seed?: number;
  which: string;
  n: number;
  kind: "basis";
  basis: string;
}

/** A script for what `explore` shows. */
export interface ShowExplore {
  agents: Explorer[];
  seed?: number;
  steps: number;
  kind: "explore";
}

/** A script for what `rows` shows. */
export interface ShowRows {
  state: number;
  which?: string | null;
  kind: "rows";
}

/** A script for what `train` shows. */
export interface ShowTrain {
  agents: Learner[];
  seed?: number;
  n_seeds?: number;
  episodes: number;
  horizon: number;
  kind: "train";
}

/** Train agents, and keep the run. */
export interface Train {
  id: number;
  agents: Learner[];
  seed?: number;
  n_seeds?: number;
  episodes: number;
  horizon: number;
  do: "train";
  world: World;
}

/** A training run: the name it is kept under, the fewest steps to each goal, and its agents. */
export interface TrainReply {
  run: string;
  optimal: number[];
  agents: LearnerReply[];
}

/** Values at the end of an episode of a kept run. */
export interface Values {
  id: number;
  do: "values";
  run: string;
  agent: number;
  episode: number;
}

/** The value of the best choice in each state. */
export interface ValuesReply {
  values: Floats;
}

/** A maze, the options in it, and the task whose maps are shown. */
export interface World {
  map: string;
  discount?: number;
  options?: Options;
  reading?: Reading;
  task?: "walk" | "1" | "2" | "every";
}

/** The options of a world, and the leading eigenvalues of the random walk's SR. */
export interface WorldReply {
  options: OptionReply[];
  spectrum: Floats;
  seconds: number;
}

/** The options of a world, and the spectrum of its random walk. */
export interface WorldRequest {
  id: number;
  do: "world";
  world: World;
}

export interface Requests {
  presets: Omit<Presets, "id" | "do">;
  maze: Omit<Maze, "id" | "do">;
  check: Omit<Check, "id" | "do">;
  world: Omit<WorldRequest, "id" | "do">;
  rows: Omit<Rows, "id" | "do">;
  matrix: Omit<Matrix, "id" | "do">;
  basis: Omit<Basis, "id" | "do">;
  train: Omit<Train, "id" | "do">;
  path: Omit<Path, "id" | "do">;
  values: Omit<Values, "id" | "do">;
  explore: Omit<Explore, "id" | "do">;
  python: Omit<Python, "id" | "do">;
  cancel: Omit<Cancel, "id" | "do">;
}

export const LIMITS = {
  "FRAME_BYTES": 262144,
  "MAZE_SIDE": 128,
  "MAZE_CHARACTERS": 16640,
  "MESSAGES_PER_SECOND": 60.0,
  "MESSAGES_AT_ONCE": 120,
  "REFUSALS_BEFORE_CLOSING": 120,
  "REQUESTS_IN_PROGRESS": 4,
  "SOCKETS": 256,
  "CONNECTIONS": 512,
  "CONNECTIONS_AT_ONCE": 128,
  "CONNECTION_SECONDS": 20.0,
  "MATRIX_STATES": 500,
  "EVERY_GOAL_STATES": 500,
  "GOALS_DRAWN": 64,
  "BASIS_STATES": 2000,
  "LEARNED_MAP_STATES": 2000,
  "PLUGIN_MAP_STATES": 2000,
  "EIGENVALUES": 64,
  "OPTIONS": 64,
  "COMPONENTS": 64,
  "NMF_ITERATIONS": 200,
  "EPISODES": 200,
  "SEEDS": 50,
  "HORIZON": 5000,
  "STEPS": 100000,
  "COVERAGE_TIMES": 200,
  "DISCOVERIES_SHOWN": 6,
  "SHORTEST_REFRESH": 50,
  "PATH_STEPS": 100000,
  "VALUE_BYTES": 268435456,
  "SCENES_KEPT": 32,
  "WORLDS_KEPT": 8,
  "RUNS_KEPT": 8,
  "SEED_RUNS_KEPT": 32
} as const;
export const LONG_REQUESTS: readonly string[] = ["matrix", "basis", "train", "explore"];
export const FIRST_MAZE = "#############\n#S....#.....#\n#.....#.....#\n#........1..#\n#.....#.....#\n#.....#.....#\n##.####.....#\n#.....###.###\n#.....#.....#\n#.....#.....#\n#.........2.#\n#.....#.....#\n#############";
