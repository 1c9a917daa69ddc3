// What the library declares: its mazes, and every word that can be chosen with its meaning.
import json from "./declared.json";

/** A field to offer: a word with its meanings, or a number within bounds. */
export interface Setting {
  description: string;
  default: string | number | null;
  words: Record<string, string> | null;
  low: number | null;
  high: number | null;
}

interface Declared {
  mazes: Record<string, string>;
  /** The largest sides of mazes: for rows and options, and for everything else. */
  side: number;
  small_side: number;
  /** The kinds of options, each with the settings that it reads. */
  option_kinds: Record<string, { summary: string; settings: string[] }>;
  option_settings: Record<string, Setting>;
  representations: Record<string, { summary: string; settings: string[] }>;
  bases: Record<string, string>;
  features: Setting;
  bonus: Setting;
  bonus_map: Setting;
  ties: Setting;
  stopping_state: Setting;
  /** The fields of specifications and their defaults. */
  specifications: Record<string, Record<string, string | number | null>>;
}

export const DECLARED = json as unknown as Declared;

/** The first maze of the page. */
export const FIRST_MAZE = DECLARED.mazes.four_rooms;

export const OF_THE_TASK = { sr: "SR of the task", hsr: "HSR of the task" };

/** Every map by its name, with a line about it. */
export const MAPS: Record<string, string> = {
  ...OF_THE_TASK,
  ...Object.fromEntries(Object.entries(DECLARED.representations).map(([name, { summary }]) => [name, summary])),
};

/** What the page can make; a kind of options or a way to choose signs that is missing here is not offered. */
const MADE = ["eigen", "covering", "random", "betweenness", "diffusion"];
const SIGNS = ["positive", "both", "random"];

function only(words: Record<string, string>, offered: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(words).filter(([name]) => offered.includes(name)));
}

export const OPTION_KINDS: Record<string, string> = {
  ...only(Object.fromEntries(Object.entries(DECLARED.option_kinds).map(([name, { summary }]) => [name, summary])), MADE),
  none: "primitive actions only",
};

export const FEATURES = only(DECLARED.features.words ?? {}, ["onehot", "sr", "hsr", "rw_sr", "rw_hsr", "esr", "ehsr"]);
export const BONUSES = only(DECLARED.bonus.words ?? {}, ["none", "norm", "spie", "spie_l1"]);
export const BASES = only(DECLARED.bases, ["nmf", "svd", "rows", "onehot"]);

const SETTINGS = DECLARED.option_settings;
export const OPTION_SETTINGS: Record<string, Setting> = { ...SETTINGS, signs: { ...SETTINGS.signs, words: only(SETTINGS.signs.words ?? {}, SIGNS) } };

/** The names of the settings that a kind of options reads. */
export function settingsOf(kind: string): string[] {
  return kind === "none" ? [] : DECLARED.option_kinds[kind].settings;
}
