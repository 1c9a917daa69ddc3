// What the library declares: its mazes, and every choice with its meaning.
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

// The lists below say what the page can compute. It does not offer anything else that the library registers.
function only(words: Record<string, string>, offered: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(words).filter(([name]) => offered.includes(name)));
}

const summaries = (entries: Record<string, { summary: string }>) =>
  Object.fromEntries(Object.entries(entries).map(([name, { summary }]) => [name, summary]));

/** Maps by their names, each with a line about it; those of the task come first. */
export const REPRESENTATIONS = only(summaries(DECLARED.representations), ["rw_sr", "rw_hsr", "esr", "ehsr"]);
export const MAPS: Record<string, string> = { sr: "SR of the task", hsr: "HSR of the task", ...REPRESENTATIONS };

export const OPTION_KINDS: Record<string, string> = {
  ...only(summaries(DECLARED.option_kinds), ["eigen", "covering", "random", "betweenness", "diffusion"]),
  none: "primitive actions only",
};

export const FEATURES = only(DECLARED.features.words ?? {}, ["onehot", "sr", "hsr", "rw_sr", "rw_hsr", "esr", "ehsr"]);
export const BONUSES = only(DECLARED.bonus.words ?? {}, ["none", "norm", "spie", "spie_l1"]);
export const BASES = only(DECLARED.bases, ["nmf", "svd", "rows", "onehot"]);

const SETTINGS = DECLARED.option_settings;
export const OPTION_SETTINGS: Record<string, Setting> = { ...SETTINGS, signs: { ...SETTINGS.signs, words: only(SETTINGS.signs.words ?? {}, ["positive", "both", "random"]) } };

/** The names of the settings that a kind of options reads. */
export function settingsOf(kind: string): string[] {
  return kind === "none" ? [] : DECLARED.option_kinds[kind].settings;
}
