// Eigenoptions: one option per slow mode of the random walk, climbing that mode.
import { Entries } from "../algebra/resolvent";
import { leadingVectors, Walk } from "../algebra/spectrum";
import { Layout, N_ACTIONS } from "../grids/layout";
import { drawsOf } from "../random";
import { Work } from "../work";
import { climb } from "./climb";
import { Choices, optionThatStops } from "./table";

/** What eigenoptions read of a request. */
export interface EigenSettings {
  signs: string;
  first: string;
  seed: number;
}

/** The walk that takes every action with the same probability. */
export function randomWalk(layout: Layout): Walk {
  const moves = new Entries(layout.nStates);
  layout.successors.forEach((next, e) => moves.add(Math.floor(e / N_ACTIONS), next, 1 / N_ACTIONS));
  return { moves, parts: layout.parts, width: layout.columns };
}

/** Returns the options of the leading eigenvectors, and the vectors, scaled to a largest magnitude of 1. */
export async function eigenoptions(layout: Layout, discount: number, n: number, settings: EigenSettings, work: Work): Promise<Choices> {
  const rule = settings.signs;
  const constant = settings.first === "counted" ? 1 : 0;
  const nVectors = rule === "both" ? Math.floor((n + 1) / 2) : n;
  const pattern = signsOf(rule, nVectors - constant, settings.seed);
  const modes = nVectors > constant ? await leadingVectors(randomWalk(layout), nVectors - constant, work) : { vectors: [], certain: true };
  const found = [...modes.vectors];
  let unique = modes.certain;
  if (constant) found.unshift(new Float64Array(layout.nStates).fill(1));
  const named = found.flatMap((vector, k) => {
    const name = `v${k + 1 - constant}`;
    const size = vector.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0) || 1;
    const scaled = vector.map((entry) => entry / size);
    const opposite = () => ({ name: `-${name}`, vector: scaled.map((entry) => -entry) });
    if (rule === "both") return [{ name: `+${name}`, vector: scaled }, opposite()];
    if (rule === "positive" || k < constant) return [{ name, vector: scaled }];
    return [pattern[k - constant] === "-" ? opposite() : { name: `+${name}`, vector: scaled }];
  }).slice(0, n);
  const options = [];
  for (const { name, vector } of named) {
    if (work.due()) await work.pause();
    const { policy, stops, certain } = climb(layout, vector, discount);
    unique &&= certain;
    options.push(optionThatStops(name, policy, stops));
  }
  return { options, vectors: named.map(({ vector }) => vector), unique };
}

/** The sign of each vector, as a string of + and -; "both" has none. */
function signsOf(rule: string, nVectors: number, seed: number): string {
  const draw = drawsOf(seed);
  return Array.from({ length: nVectors }, () => (rule === "random" && draw() < 0.5 ? "-" : "+")).join("");
}
