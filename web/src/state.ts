// Everything that a link restores, in one flat record.
import { FIRST_MAZE } from "./declared";
import { embedded } from "./embedded";
import { Grid } from "./grid";
import { Reading, World } from "./messages";

export const TABS = ["see", "watch", "explore"] as const;
export const VIEWS = ["rows", "options", "matrices", "parts", "distance"] as const;
export const TOOLS = ["look", "wall", "floor", "start", "goal1", "goal2"] as const;
export const TASKS = ["walk", "1", "2", "every"] as const satisfies readonly World["task"][];
export const TIES = ["uniform", "options", "primitives", "random"] as const satisfies readonly Reading["ties"][];
export const DRAWN_SIGNS = "random";
export const STOPPING = ["counted_once", "counted_twice"] as const satisfies readonly Reading["stopping_state"][];

export interface State {
  map: string;
  tab: string;
  view: string;
  tool: string;
  cell: number;
  held: boolean;
  task: World["task"];
  discount: number;
  kind: string;
  n: number;
  signs: string;
  first: string;
  initiation: string;
  diffusionTime: number;
  optionSeed: number;
  ties: Reading["ties"];
  stopping: Reading["stopping_state"];
  log: boolean;
  shared: boolean;
  difference: boolean;
  /** Whether the SR in the view of distances has the discount at which it looks as far as the HSR. */
  matched: boolean;
  bottlenecks: boolean;
  other: string;
  ramp: string;
  option: number;
  which: string;
  basis: string;
  k: number;
  feature: number;
  mazeSize: number;
  mazeSeed: number;
  features1: string;
  rate1: number;
  epsilon1: number;
  options1: boolean;
  features2: string;
  rate2: number;
  epsilon2: number;
  options2: boolean;
  seed: number;
  seeds: number;
  episodes: number;
  horizon: number;
  speed: number;
  trained: boolean;
  episode: number;
  step: number;
  explorers: string;
  exploreSeed: number;
  exploreSeeds: number;
  steps: number;
  exploreSpeed: number;
  explored: boolean;
  time: number;
  /** The step of the guided tour, 0 outside of it. */
  tour: number;
  /** Large letters, for a projector. */
  large: boolean;
}

export const DEFAULTS: Readonly<State> = {
  map: FIRST_MAZE,
  tab: "see",
  view: "rows",
  tool: "look",
  cell: 44,
  held: false,
  task: "walk",
  discount: 0.9,
  kind: "eigen",
  n: 8,
  signs: "positive",
  first: "skipped",
  initiation: "point",
  diffusionTime: 16,
  optionSeed: 0,
  ties: "uniform",
  stopping: "counted_once",
  log: true,
  shared: true,
  difference: false,
  matched: false,
  bottlenecks: false,
  other: "",
  ramp: "viridis",
  option: 0,
  which: "hsr",
  basis: "nmf",
  k: 12,
  feature: 0,
  mazeSize: 21,
  mazeSeed: 0,
  features1: "sr",
  rate1: 0.01,
  epsilon1: 0.1,
  options1: true,
  features2: "hsr",
  rate2: 0.01,
  epsilon2: 0.1,
  options2: true,
  seed: 0,
  seeds: 20,
  episodes: 50,
  horizon: 2000,
  speed: 300,
  trained: false,
  episode: 0,
  step: 0,
  explorers: "none-sr-0,spie-sr-0,none-sr-1,spie-hsr-1",
  exploreSeed: 0,
  exploreSeeds: 10,
  steps: 5000,
  exploreSpeed: 400,
  explored: false,
  time: 0,
  tour: 0,
  large: false,
};

/** What the page begins with where no link says more: the maze and the map that were written into it. */
export const FIRST: Readonly<State> = {
  ...DEFAULTS,
  map: Grid.read(embedded.maze ?? FIRST_MAZE).text,
  discount: embedded.discount ?? DEFAULTS.discount,
  other: embedded.maps[0]?.name ?? "",
};

export function worldOf(state: State): World {
  return {
    map: state.map,
    discount: state.discount,
    options: {
      kind: state.kind, n: state.n, signs: state.signs, first: state.first, seed: state.optionSeed, initiation: state.initiation, diffusion_time: state.diffusionTime,
    },
    reading: { ties: state.ties, stopping_state: state.stopping },
    task: state.task,
  };
}
