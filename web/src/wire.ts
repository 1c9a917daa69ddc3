// What travels between page and server: the shapes of requests and replies, and arrays in base64.

export type Task = "walk" | "1" | "2" | "every";
export type Which = "sr" | "hsr";

export interface World {
  map: string;
  discount: number;
  options: { kind: string; n: number; signs: string; seed: number };
  reading: { ties: string; stopping_state: string };
  task: string;
}

export interface Packed {
  f32?: string;
  i32?: string;
  shape: number[];
}

export interface Check {
  n_states: number;
  rows: number;
  columns: number;
  cells: Packed;
  room_of: Packed;
  bottlenecks: number[];
  start: number | null;
  goals: number[];
  parts: number;
  lost: number[];
  problems: string[];
}

export interface OptionShape {
  name: string;
  policy: Packed;
  ends: number[];
  vector: Packed | null;
}

export interface Replies {
  presets: { maps: Record<string, string> };
  maze: { map: string };
  check: Check;
  world: { options: OptionShape[]; spectrum: Packed; seconds: number };
  rows: { sr: Packed; hsr: Packed };
  matrix: { matrix: Packed };
  basis: { features: Packed };
  train: { run: string; optimal: number[]; agents: { steps: Packed; offsets: Packed; ends: Packed; status?: string }[] };
  path: { states: Packed; choices: Packed };
  values: { values: Packed };
  explore: { times: Packed; agents: { coverage: Packed; first_visit: Packed }[] };
  python: { code: string };
}

export type Do = keyof Replies;
export type Fields = Record<string, unknown>;

/** A request under way: its reply, and a way to give it up. */
export interface Asked<T> {
  reply: Promise<T>;
  cancel(): void;
}

/** Whoever answers requests: the server behind a socket, or a kernel behind a widget. */
export interface Link {
  ask<D extends Do>(name: D, fields: Fields): Asked<Replies[D]>;
}

/** The request was given up by this page, so nobody is waiting for its answer. */
export class Cancelled extends Error {
  constructor() {
    super("cancelled");
  }
}

function bytes(text: string): ArrayBuffer {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}

export function floats(packed: Packed): Float32Array {
  if (packed.f32 === undefined) throw new Error("the reply has no floats where floats were expected");
  return new Float32Array(bytes(packed.f32));
}

export function ints(packed: Packed): Int32Array {
  if (packed.i32 === undefined) throw new Error("the reply has no whole numbers where they were expected");
  return new Int32Array(bytes(packed.i32));
}
