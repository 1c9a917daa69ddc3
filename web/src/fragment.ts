// Links: the state of the page in the part of an address behind "#", and its careful reading.
import { Grid, WALL } from "./grid";
import { BASES, BONUSES, DECLARED, FEATURES, MAPS, OPTION_KINDS, OPTION_SETTINGS } from "./declared";
import { embedded } from "./embedded";
import { LIMITS } from "./limits";
import { DEFAULTS, FIRST, State, TABS, TASKS, TIES, STOPPING, VIEWS, TOOLS } from "./state";

/** One or two letters per setting; links outlive versions, so a letter never gets a second meaning. */
const LETTERS: Readonly<Record<keyof State, string>> = {
  map: "m", tab: "t", view: "v", tool: "w", cell: "c", held: "h", task: "g", discount: "d", kind: "o", n: "n",
  signs: "s", first: "of", initiation: "oi", diffusionTime: "od", optionSeed: "os", ties: "ti", stopping: "st", log: "l", shared: "sh", difference: "di", matched: "mh", bottlenecks: "b", other: "ot",
  ramp: "r", option: "op", which: "wh", basis: "ba", k: "k", feature: "p", mazeSize: "ms", mazeSeed: "mz",
  features1: "f1", rate1: "r1", epsilon1: "e1", options1: "o1", features2: "f2", rate2: "r2", epsilon2: "e2",
  options2: "o2", seed: "sd", seeds: "ns", episodes: "ep", horizon: "ho", speed: "sp", trained: "tr", episode: "e", step: "x",
  explorers: "xa", exploreSeed: "xs", exploreSeeds: "xm", steps: "xn", exploreSpeed: "xp", explored: "xr", time: "xt", tour: "tu", large: "lg",
};

export const LONGEST_LINK = 8000;

/** Reads the text of one setting: its value, or undefined where it is not allowed. */
interface Rule {
  expects: string;
  read(text: string): State[keyof State] | undefined;
}

const flag: Rule = { expects: "0 or 1", read: (text) => (text === "0" || text === "1" ? text === "1" : undefined) };

const word = (words: readonly string[]): Rule => ({
  expects: `one of ${words.join(", ")}`,
  read: (text) => (words.includes(text) ? text : undefined),
});

const real = (low: number, high: number): Rule => ({
  expects: `a number from ${low} to ${high}`,
  read: (text) => (text.trim() !== "" && Number(text) >= low && Number(text) <= high ? Number(text) : undefined),
});

const integer = (low: number, high: number): Rule => ({
  expects: `an integer from ${low} to ${high}`,
  read: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= low && Number(text) <= high ? Number(text) : undefined),
});

const MAP_NAMES = [...Object.keys(MAPS), ...embedded.maps.map((map) => map.name)];
const features = word(Object.keys(FEATURES));

const setting = (name: string) => word(Object.keys(OPTION_SETTINGS[name].words ?? {}));

const explorers: Rule = {
  expects: "up to four agents",
  read: (text) => (text.split(",").filter(Boolean).every(isExplorer) ? text : undefined),
};

function isExplorer(text: string): boolean {
  const [, bonus, on, options] = /^(.*)-(.*)-([01])$/.exec(text) ?? [];
  return options !== undefined && Object.hasOwn(BONUSES, bonus) && Object.hasOwn(DECLARED.bonus_map.words ?? {}, on);
}

const seed = integer(0, 999_999);
const rate = real(0.000001, 1);
const speed = real(1, 20_000);

const RULES: Readonly<Record<Exclude<keyof State, "map">, Rule>> = {
  tab: word(TABS), view: word(VIEWS), tool: word(TOOLS), cell: integer(0, LIMITS.SIDE ** 2 - 1), held: flag, task: word(TASKS),
  discount: real(0, 0.9999), kind: word(Object.keys(OPTION_KINDS)), n: integer(1, LIMITS.OPTIONS), signs: setting("signs"), first: setting("first"), initiation: setting("initiation"), diffusionTime: integer(1, LIMITS.DIFFUSION), optionSeed: seed, ties: word(TIES), stopping: word(STOPPING),
  log: flag, shared: flag, difference: flag, matched: flag, bottlenecks: flag, other: word(["", ...MAP_NAMES]), ramp: word(["viridis", "cividis"]), option: integer(0, LIMITS.OPTIONS), which: word(MAP_NAMES),
  basis: word(Object.keys(BASES)), k: integer(1, LIMITS.COMPONENTS), feature: integer(0, LIMITS.COMPONENTS), mazeSize: integer(5, LIMITS.SIDE), mazeSeed: seed,
  features1: features, rate1: rate, epsilon1: real(0, 1), options1: flag, features2: features, rate2: rate, epsilon2: real(0, 1), options2: flag,
  seed, seeds: integer(1, LIMITS.SEEDS), episodes: integer(1, LIMITS.EPISODES), horizon: integer(1, LIMITS.HORIZON), speed, trained: flag, episode: integer(0, 2 * LIMITS.EPISODES),
  step: integer(0, LIMITS.HORIZON), explorers, exploreSeed: seed, exploreSeeds: integer(1, LIMITS.SEEDS), steps: integer(1, LIMITS.STEPS), exploreSpeed: speed, explored: flag,
  time: integer(0, LIMITS.STEPS), tour: integer(0, 6), large: flag,
};

export function toHash(state: State): string {
  const out = new URLSearchParams();
  for (const key of Object.keys(DEFAULTS) as (keyof State)[]) {
    const value = state[key];
    if (value === DEFAULTS[key]) continue;
    out.set(LETTERS[key], key === "map" ? packMap(state.map) : typeof value === "boolean" ? String(+value) : String(value));
  }
  return out.toString();
}

/** Writes the state into the address. A page inside of a notebook has no address of its own. */
export function remember(state: State): void {
  if (location.protocol !== "about:") history.replaceState(null, "", `#${toHash(state)}`);
}

const NAMES: Partial<Record<keyof State, string>> = {
  n: "number of options", kind: "kind of options", k: "number of features", which: "map", other: "other map", ramp: "colour map",
  cell: "state", stopping: "stopping state", large: "size of letters", explorers: "agents", held: "hold", log: "scale", shared: "scale",
};

/** A setting in plain words: `mazeSize` is the maze size, `rate1` the rate of agent 1. */
function plainName(key: keyof State): string {
  return NAMES[key] ?? key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/(\d)$/, " of agent $1");
}

/** What a link says, and one sentence about what could not be read; those settings have their defaults. */
export interface Reading {
  state: State;
  problem: string;
}

/** Reads a link, setting by setting. Nothing of it is run or becomes markup. */
export function readHash(hash: string): Reading {
  const text = hash.replace(/^#/, "");
  if (!text) return { state: { ...FIRST }, problem: "" };
  if (text.length > LONGEST_LINK) {
    return { state: { ...DEFAULTS }, problem: `This link has ${text.length} characters; links of the lab have at most ${LONGEST_LINK}. It is ignored.` };
  }
  const given = new URLSearchParams(text);
  const state: Record<string, unknown> = { ...DEFAULTS };
  const problems: string[] = [];
  for (const key of Object.keys(DEFAULTS) as (keyof State)[]) {
    const words = given.get(LETTERS[key]);
    if (words === null) continue;
    if (key === "map") {
      const map = unpackMap(words);
      if (typeof map === "string") state.map = map;
      else problems.push(map.problem);
      continue;
    }
    const value = RULES[key].read(words);
    if (value !== undefined) state[key] = value;
    else problems.push(`the ${plainName(key)} is ${JSON.stringify(words.slice(0, 40))}; expected ${RULES[key].expects}`);
  }
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return { state: state as unknown as State, problem: problems.length ? `Part of this link cannot be read: ${problems[0]}${more}. The usual value is shown instead.` : "" };
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

const PACKED = /^(\d{1,6})x(\d{1,6})\.([\w-]*)\.(\d{0,6})\.(\d{0,6})\.(\d{0,6})$/;

export function unpackMap(packed: string): string | { problem: string } {
  const found = PACKED.exec(packed);
  if (!found) return { problem: "its maze is not written as the lab writes mazes" };
  const [rows, columns] = [Number(found[1]), Number(found[2])];
  const most = LIMITS.SIDE;
  if (rows > most || columns > most) return { problem: `its maze has ${rows} x ${columns} cells; at most ${most} x ${most} are shown` };
  const n = rows * columns;
  const bytes = decoded(found[3]);
  if (n === 0 || bytes?.length !== Math.ceil(n / 8)) return { problem: "its maze is cut off or damaged" };
  const chars: string[] = Array.from({ length: n }, (_, at) => (bytes.charCodeAt(at >> 3) & (128 >> (at & 7)) ? WALL : "."));
  for (const [i, sign] of ["S", "1", "2"].entries()) {
    const place = found[4 + i];
    if (place === "") continue;
    if (chars[Number(place)] !== ".") return { problem: `its maze has ${sign} where no floor is` };
    chars[Number(place)] = sign;
  }
  if (!chars.some((char) => char !== WALL)) return { problem: "its maze has no open cell" };
  return Array.from({ length: rows }, (_, row) => chars.slice(row * columns, (row + 1) * columns).join("")).join("\n");
}

function decoded(bits: string): string | null {
  try {
    return atob(bits.replace(/-/g, "+").replace(/_/g, "/"));
  } catch {
    return null;
  }
}
