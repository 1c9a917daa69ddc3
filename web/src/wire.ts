// Requests and their replies, with types made from the server's models, and arrays in base64.
import { Floats, Integers, Replies, Requests } from "./schema";

export type Do = keyof Replies;

/** A request in progress: its reply, and a way to cancel it. */
export interface Pending<T> {
  reply: Promise<T>;
  cancel(): void;
}

/** Whoever answers requests: the server behind a socket, or a kernel behind a widget. */
export interface Link {
  ask<D extends Do>(name: D, fields: Requests[D]): Pending<Replies[D]>;
}

/** This page cancelled the request, so nobody waits for its reply. */
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

export function floats(packed: Floats): Float32Array {
  return new Float32Array(bytes(packed.f32));
}

export function ints(packed: Integers): Int32Array {
  return new Int32Array(bytes(packed.i32));
}
