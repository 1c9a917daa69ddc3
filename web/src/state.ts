// Everything that a link restores, in one flat record, and its short spelling in location.hash.
import { Grid, WALL } from "./grid";
import { FIRST_MAZE, LIMITS, Options, Reading, World } from "./schema";

export interface State {
  map: string;
  tab: string;
  view: string;
  tool: string;
  cell: number;
  held: boolean;
  task: NonNullable<World["task"]>;
  discount: number;
  kind: string;
  n: number;
  signs: string;
  settings: string;
  optionSeed: number;
  ties: NonNullable<Reading["ties"]>;
  stopping: NonNullable<Reading["stopping_state"]>;
  log: boolean;
  shared: boolean;
  difference: boolean;
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
  episodes: number;
  horizon: number;
  speed: number;
  trained: boolean;
  episode: number;
  step: number;
  explorers: string;
  exploreSeed: number;
  steps: number;
  exploreSpeed: number;
  explored: boolean;
  time: number;
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
  settings: "",
  optionSeed: 0,
  ties: "uniform",
  stopping: "counted_once",
  log: true,
  shared: true,
  difference: false,
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
  episodes: 50,
  horizon: 2000,
  speed: 300,
  trained: false,
  episode: 0,
  step: 0,
  explorers: "none-sr-0,spie-sr-0,none-sr-1,spie-hsr-1",
  exploreSeed: 0,
  steps: 5000,
  exploreSpeed: 400,
  explored: false,
  time: 0,
};

/** One or two letters per setting; links outlive versions, so a letter never gets a second meaning. */
const LETTERS: Readonly<Record<keyof State, string>> = {
  map: "m", tab: "t", view: "v", tool: "w", cell: "c", held: "h", task: "g", discount: "d", kind: "o", n: "n",
  signs: "s", settings: "oo", optionSeed: "os", ties: "ti", stopping: "st", log: "l", shared: "sh", difference: "di", bottlenecks: "b", other: "ot",
  ramp: "r", option: "op", which: "wh", basis: "ba", k: "k", feature: "p", mazeSize: "ms", mazeSeed: "mz",
  features1: "f1", rate1: "r1", epsilon1: "e1", options1: "o1", features2: "f2", rate2: "r2", epsilon2: "e2",
  options2: "o2", seed: "sd", episodes: "ep", horizon: "ho", speed: "sp", trained: "tr", episode: "e", step: "x",
  explorers: "xa", exploreSeed: "xs", steps: "xn", exploreSpeed: "xp", explored: "xr", time: "xt",
};

/** Settings of options that have a letter of their own in links; all others are pairs in `settings`. */
const OWN_KEY: Readonly<Record<string, "signs" | "optionSeed">> = { signs: "signs", seed: "optionSeed" };

function pairs(state: State): Map<string, string> {
  return new Map(state.settings.split(",").filter(Boolean).map((pair) => pair.split(":") as [string, string]));
}

/** The value of a setting of options; null where it has its default. */
export function optionSetting(state: State, name: string): string | number | null {
  return Object.hasOwn(OWN_KEY, name) ? state[OWN_KEY[name]] : (pairs(state).get(name) ?? null);
}

/** What to change in the state so that a setting of options has this value. */
export function withOptionSetting(state: State, name: string, value: string | number): Partial<State> {
  if (Object.hasOwn(OWN_KEY, name)) return { [OWN_KEY[name]]: value };
  const settings = [...pairs(state).set(name, String(value))].map((pair) => pair.join(":")).join(",");
  return { settings };
}

function optionsOf(state: State): Options {
  const others = [...pairs(state)].map(([name, text]) => [name, text !== "" && Number.isFinite(Number(text)) ? Number(text) : text]);
  const own = { signs: state.signs, seed: state.optionSeed } as Pick<Options, "signs" | "seed">;
  return { kind: state.kind, n: state.n, at_most: true, ...own, ...Object.fromEntries(others) };
}

export function worldOf(state: State): World {
  return {
    map: state.map,
    discount: state.discount,
    options: optionsOf(state),
    reading: { ties: state.ties, stopping_state: state.stopping },
    task: state.task,
  };
}

export function toHash(state: State): string {
  const out = new URLSearchParams();
  for (const key of Object.keys(DEFAULTS) as (keyof State)[]) {
    const value = state[key];
    if (value === DEFAULTS[key]) continue;
    out.set(LETTERS[key], key === "map" ? packMap(state.map) : typeof value === "boolean" ? String(+value) : String(value));
  }
  return out.toString();
}

/** Reads a link; whatever is missing or cannot be read has its default. */
export function fromHash(hash: string): State {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const state: Record<string, unknown> = { ...DEFAULTS };
  for (const key of Object.keys(DEFAULTS) as (keyof State)[]) {
    const text = given.get(LETTERS[key]);
    if (text === null || text in Object.prototype) continue; // "constructor" would be found in every table
    const usual = DEFAULTS[key];
    if (key === "map") state[key] = unpackMap(text) ?? usual;
    else if (typeof usual === "boolean") state[key] = text === "1";
    else if (typeof usual === "number") state[key] = Number.isFinite(Number(text)) ? Number(text) : usual;
    else state[key] = text;
  }
  return state as unknown as State;
}

/** `rows x columns . walls as bits in base64url . start . goal 1 . goal 2`, places as cells, empty where missing. */
export function packMap(text: string): string {
  const grid = Grid.read(text);
  const bytes = new Uint8Array(Math.ceil((grid.rows * grid.columns) / 8));
  for (let at = 0; at < grid.stateAt.length; at++) if (grid.stateAt[at] < 0) bytes[at >> 3] |= 128 >> (at & 7);
  const bits = btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const places = (["S", "1", "2"] as const).map((sign) => (grid.find(sign) < 0 ? "" : String(grid.find(sign))));
  return [`${grid.rows}x${grid.columns}`, bits, ...places].join(".");
}

export function unpackMap(packed: string): string | null {
  try {
    const [size, bits, ...places] = packed.split(".");
    const [rows, columns] = size.split("x").map(Number);
    if (!(rows >= 1 && columns >= 1 && rows <= LIMITS.MAZE_SIDE && columns <= LIMITS.MAZE_SIDE)) return null;
    const bytes = atob(bits.replace(/-/g, "+").replace(/_/g, "/"));
    const chars: string[] = Array.from({ length: rows * columns }, (_, at) => (bytes.charCodeAt(at >> 3) & (128 >> (at & 7)) ? WALL : "."));
    (["S", "1", "2"] as const).forEach((sign, i) => {
      if (places[i] && chars[Number(places[i])] === ".") chars[Number(places[i])] = sign;
    });
    return Array.from({ length: rows }, (_, row) => chars.slice(row * columns, (row + 1) * columns).join("")).join("\n");
  } catch {
    return null;
  }
}
