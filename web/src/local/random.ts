// Random numbers: streams of uniform draws, each determined by a seed.

/** Returns the next number of a stream, in [0, 1). */
export type Draw = () => number;

/** The generator sfc32 of Chris Doty-Humphrey. */
export function drawsOf(seed: number): Draw {
  let [a, b, c, counter] = [0, seed | 0, Math.floor(seed / 2 ** 32) | 0, 1];
  const next = () => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 15; i++) next(); // until the seed has reached all bits
  return next;
}

/** An integer from 0 to n - 1. */
export const below = (draw: Draw, n: number): number => Math.floor(draw() * n);

/** `count` different integers from 0 to n - 1, in random order. */
export function sample(draw: Draw, n: number, count: number): number[] {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = 0; i < count; i++) {
    const j = i + below(draw, n - i);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order.slice(0, count);
}
