// Arrays of replies before they are packed: real numbers of 64 bits, and integers, with their shape.
import { Floats, Integers } from "../schema";

/** An array of real numbers, row after row. */
export class Reals {
  constructor(
    readonly values: Float64Array,
    readonly shape: number[] = [values.length],
  ) {}
}

/** An array of integers, row after row. */
export class Wholes {
  constructor(
    readonly values: Int32Array,
    readonly shape: number[] = [values.length],
  ) {}
}

/** A reply whose arrays are not packed yet, so that tests can read all their digits. */
export type Unpacked<T> = T extends Floats
  ? Reals
  : T extends Integers
    ? Wholes
    : T extends readonly (infer U)[]
      ? Unpacked<U>[]
      : T extends object
        ? { [K in keyof T]: Unpacked<T[K]> }
        : T;

/** Returns a reply as the server sends it: arrays as 32-bit numbers in base64. */
export function packed<T>(reply: Unpacked<T>): T {
  return pack(reply) as T;
}

function pack(value: unknown): unknown {
  if (value instanceof Reals) return { f32: base64(Float32Array.from(value.values)), shape: value.shape };
  if (value instanceof Wholes) return { i32: base64(value.values), shape: value.shape };
  if (Array.isArray(value)) return value.map(pack);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, pack(field)]));
}

const PIECE = 0x6000; // bytes per call, a multiple of three: a call takes a limited number of arguments

function base64(numbers: Float32Array | Int32Array): string {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return text;
}
