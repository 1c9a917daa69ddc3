// Links: writes the state of the page into the part of the address after "#", and reads it with checks.
import { Grid, WALL } from "./grid";
import { LIMITS } from "./limits";
import { Refused } from "./messages";
import { DEFAULTS, FIRST, KEYS, SETTINGS, State } from "./state";

const LONGEST_LINK = 8000;

export function toHash(state: State): string {
  const out = new URLSearchParams();
  for (const key of KEYS) {
    const value = state[key];
    if (value === DEFAULTS[key]) continue;
    out.set(SETTINGS[key].letters, key === "map" ? packMap(state.map) : typeof value === "boolean" ? String(+value) : String(value));
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

/** The state that a link describes, and one sentence about settings that could not be read, which get their defaults. */
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
  for (const key of KEYS) {
    const words = given.get(SETTINGS[key].letters);
    if (words === null) continue;
    try {
      state[key] = key === "map" ? unpackMap(words) : SETTINGS[key].read(words);
    } catch (error) {
      const { message } = error as Error;
      problems.push(key === "map" ? message : `the ${plainName(key)} is ${JSON.stringify(words.slice(0, 40))}; expected ${message}`);
    }
  }
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return { state: state as unknown as State, problem: problems.length ? `Part of this link cannot be read: ${problems[0]}${more}. The usual value is shown instead.` : "" };
}

/** `rows x columns . walls as bits in base64url . start . goal 1 . goal 2`, places as cells, empty where missing. */
function packMap(text: string): string {
  const grid = Grid.read(text);
  const bytes = new Uint8Array(Math.ceil((grid.rows * grid.columns) / 8));
  for (let at = 0; at < grid.stateAt.length; at++) if (grid.stateAt[at] < 0) bytes[at >> 3] |= 128 >> (at & 7);
  const bits = btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const places = (["S", "1", "2"] as const).map((sign) => (grid.find(sign) < 0 ? "" : String(grid.find(sign))));
  return [`${grid.rows}x${grid.columns}`, bits, ...places].join(".");
}

const PACKED = /^(\d{1,6})x(\d{1,6})\.([\w-]*)\.(\d{0,6})\.(\d{0,6})\.(\d{0,6})$/;

/** Reads a maze that was packed, or refuses it. */
function unpackMap(packed: string): string {
  const found = PACKED.exec(packed);
  if (!found) throw new Refused("its maze is not written as the lab writes mazes");
  const [rows, columns] = [Number(found[1]), Number(found[2])];
  const most = LIMITS.SIDE;
  if (rows > most || columns > most) throw new Refused(`its maze has ${rows} x ${columns} cells; at most ${most} x ${most} are shown`);
  const n = rows * columns;
  const bytes = decoded(found[3]);
  if (n === 0 || bytes.length !== Math.ceil(n / 8)) throw new Refused("its maze is cut off or damaged");
  const chars: string[] = Array.from({ length: n }, (_, at) => (bytes.charCodeAt(at >> 3) & (128 >> (at & 7)) ? WALL : "."));
  for (const [i, sign] of ["S", "1", "2"].entries()) {
    const place = found[4 + i];
    if (place === "") continue;
    if (chars[Number(place)] !== ".") throw new Refused(`its maze has ${sign} where no floor is`);
    chars[Number(place)] = sign;
  }
  if (!chars.some((char) => char !== WALL)) throw new Refused("its maze has no open cell");
  return Array.from({ length: rows }, (_, row) => chars.slice(row * columns, (row + 1) * columns).join("")).join("\n");
}

function decoded(bits: string): string {
  try {
    return atob(bits.replace(/-/g, "+").replace(/_/g, "/"));
  } catch {
    return "";
  }
}
