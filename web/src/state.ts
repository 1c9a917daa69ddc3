// Every setting that a link restores, declared once: its letters in a link, its default and its allowed values.
import { BASES, BONUSES, DECLARED, FEATURES, FIRST_MAZE, MAPS, OPTION_KINDS, OPTION_SETTINGS } from "./declared";
import { embedded } from "./embedded";
import { Grid } from "./grid";
import { LIMITS } from "./limits";
import { Reading, Refused, World } from "./messages";

interface Setting<T> {
  /** Links outlive versions, so letters never get a second meaning. */
  letters: string;
  usual: T;
  /** Returns the value of a text, or refuses it and says what is expected. */
  read(text: string): T;
}

function setting<T>(letters: string, usual: T, expects: string, value: (text: string) => T | undefined): Setting<T> {
  const read = (text: string) => {
    const found = value(text);
    if (found === undefined) throw new Refused(expects);
    return found;
  };
  return { letters, usual, read };
}

const flag = (letters: string, usual = false) => setting<boolean>(letters, usual, "0 or 1", (text) => (text === "0" || text === "1" ? text === "1" : undefined));

const word = <W extends string>(letters: string, usual: W, words: readonly W[]) =>
  setting<W>(letters, usual, `one of ${words.join(", ")}`, (text) => words.find((allowed) => allowed === text));

/** A key of what the library declares. */
const declared = (letters: string, usual: string, words: Record<string, string> | null) => word<string>(letters, usual, Object.keys(words ?? {}));

const real = (letters: string, usual: number, low: number, high: number) =>
  setting<number>(letters, usual, `a number from ${low} to ${high}`, (text) => (text.trim() !== "" && Number(text) >= low && Number(text) <= high ? Number(text) : undefined));

const integer = (letters: string, usual: number, low: number, high: number) =>
  setting<number>(letters, usual, `an integer from ${low} to ${high}`, (text) => (/^\d{1,9}$/.test(text) && Number(text) >= low && Number(text) <= high ? Number(text) : undefined));

const seed = (letters: string) => integer(letters, 0, 0, 999_999);
const rate = (letters: string) => real(letters, 0.01, 0.000001, 1);

function isExplorer(text: string): boolean {
  const [, bonus, on, options] = /^(.*)-(.*)-([01])$/.exec(text) ?? [];
  return options !== undefined && Object.hasOwn(BONUSES, bonus) && Object.hasOwn(DECLARED.bonus_map.words ?? {}, on);
}

const MAP_NAMES = [...Object.keys(MAPS), ...embedded.maps.map((map) => map.name)];

type View = "rows" | "options" | "matrices" | "parts" | "distance";

export const SETTINGS = {
  map: setting("m", FIRST_MAZE, "a maze", (text) => text),
  tab: word<string>("t", "see", ["see", "watch", "explore"]),
  view: word<View>("v", "rows", ["rows", "options", "matrices", "parts", "distance"]),
  tool: word<string>("w", "look", ["look", "wall", "floor", "start", "goal1", "goal2"]),
  cell: integer("c", 44, 0, LIMITS.SIDE ** 2 - 1),
  held: flag("h"),
  task: word<World["task"]>("g", "walk", ["walk", "1", "2", "every"]),
  discount: real("d", 0.9, 0, 0.9999),
  kind: declared("o", "eigen", OPTION_KINDS),
  n: integer("n", 8, 1, LIMITS.OPTIONS),
  signs: declared("s", "positive", OPTION_SETTINGS.signs.words),
  first: declared("of", "skipped", OPTION_SETTINGS.first.words),
  initiation: declared("oi", "point", OPTION_SETTINGS.initiation.words),
  diffusionTime: integer("od", 16, 1, LIMITS.DIFFUSION),
  optionSeed: seed("os"),
  ties: word<Reading["ties"]>("ti", "uniform", ["uniform", "options", "primitives", "random"]),
  stopping: word<Reading["stopping_state"]>("st", "counted_once", ["counted_once", "counted_twice"]),
  log: flag("l", true),
  shared: flag("sh", true),
  difference: flag("di"),
  matched: flag("mh"), // whether the SR in the view of distances has the horizon of the HSR
  bottlenecks: flag("b"),
  other: word<string>("ot", "", ["", ...MAP_NAMES]),
  ramp: word<string>("r", "viridis", ["viridis", "cividis"]),
  option: integer("op", 0, 0, LIMITS.OPTIONS),
  which: word<string>("wh", "hsr", MAP_NAMES),
  basis: declared("ba", "nmf", BASES),
  k: integer("k", 12, 1, LIMITS.COMPONENTS),
  feature: integer("p", 0, 0, LIMITS.COMPONENTS),
  mazeSize: integer("ms", 21, 5, LIMITS.SIDE),
  mazeSeed: seed("mz"),
  features1: declared("f1", "sr", FEATURES),
  rate1: rate("r1"),
  epsilon1: real("e1", 0.1, 0, 1),
  options1: flag("o1", true),
  features2: declared("f2", "hsr", FEATURES),
  rate2: rate("r2"),
  epsilon2: real("e2", 0.1, 0, 1),
  options2: flag("o2", true),
  seed: seed("sd"),
  seeds: integer("ns", 20, 1, LIMITS.SEEDS),
  episodes: integer("ep", 50, 1, LIMITS.EPISODES),
  horizon: integer("ho", 2000, 1, LIMITS.HORIZON),
  speed: real("sp", 300, 1, 20_000),
  trained: flag("tr"),
  episode: integer("e", 0, 0, 2 * LIMITS.EPISODES),
  step: integer("x", 0, 0, LIMITS.HORIZON),
  explorers: setting("xa", "none-sr-0,spie-sr-0,none-sr-1,spie-hsr-1", "up to four agents", (text) => (text.split(",").filter(Boolean).every(isExplorer) ? text : undefined)),
  exploreSeed: seed("xs"),
  exploreSeeds: integer("xm", 10, 1, LIMITS.SEEDS),
  steps: integer("xn", 5000, 1, LIMITS.STEPS),
  exploreSpeed: real("xp", 400, 1, 20_000),
  explored: flag("xr"),
  time: integer("xt", 0, 0, LIMITS.STEPS),
  tour: integer("tu", 0, 0, 6), // the step of the guided tour, 0 outside of it
  large: flag("lg"), // large letters, for a projector
};

export type State = { [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]["usual"] };

export const KEYS = Object.keys(SETTINGS) as (keyof State)[];

export const DEFAULTS = Object.fromEntries(KEYS.map((key) => [key, SETTINGS[key].usual])) as Readonly<State>;

/** The state of a page that was opened without a link: it shows the maze and the map that were written into the page. */
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
