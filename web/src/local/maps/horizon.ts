// The horizon of a row of a map: visits by distance, the decay length of a fitted line, and the predicted one.
import { Decay } from "../../messages";
import { Layout, N_ACTIONS } from "../grids/layout";
import { Jumps } from "./jumps";

const FEWEST = 3; // a line through two points always fits
const STEEPEST = 40; // a horizon below 1/40 of a step is none

/** The geometric mean of visits at each distance from 1 on, and a line through their logarithms, as `hsr.horizon` fits it. */
export function decayOf(row: Float64Array, distances: Int32Array): Omit<Decay, "predicted"> {
  const logs = new Map<number, number[]>();
  row.forEach((visits, s) => {
    if (distances[s] >= 1 && visits > 0) logs.set(distances[s], [...(logs.get(distances[s]) ?? []), Math.log(visits)]);
  });
  const x = [...logs.keys()].sort((a, b) => a - b);
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const y = x.map((at) => mean(logs.get(at)!));
  const [x0, y0] = [mean(x), mean(y)];
  const slope = x.reduce((sum, at, i) => sum + (at - x0) * (y[i] - y0), 0) / x.reduce((sum, at) => sum + (at - x0) ** 2, 0);
  const line = x.length < FEWEST ? [] : x.map((at) => Math.exp(y0 + slope * (at - x0)));
  return { distances: x, visits: y.map(Math.exp), line, length: x.length < FEWEST ? NaN : -1 / slope };
}

/** The decay length at which visits reproduce themselves: 1 = mean over states of sum_c mu(s, c) g^T cosh(X / length). */
export function predictedLength(layout: Layout, jumps: Jumps, mu: readonly Float64Array[]): number {
  const gains: number[] = [];
  const far: number[] = [];
  const to = new Map<number, Int32Array>();
  mu.forEach((share, c) => {
    for (let s = 0; s < jumps.nStates; s++) {
      const end = jumps.end[c][s];
      if (!share[s]) continue;
      if (c >= N_ACTIONS && !to.has(end)) to.set(end, layout.distancesTo(end));
      gains.push((share[s] * jumps.gain[c][s]) / jumps.nStates);
      far.push(c < N_ACTIONS ? +(end !== s) : to.get(end)![s]);
    }
  });
  const falls = (rate: number) => gains.reduce((sum, gain, i) => sum + gain * Math.cosh(rate * far[i]), 0) < 1;
  let [low, high] = [0, STEEPEST];
  if (falls(high)) return 0;
  for (let i = 0; i < 60; i++) [low, high] = falls((low + high) / 2) ? [(low + high) / 2, high] : [low, (low + high) / 2];
  return 1 / low;
}
