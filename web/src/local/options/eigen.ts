// Eigenoptions: one option per slow mode of the random walk, climbing that mode.
import { Entries } from "../algebra/resolvent";
import { leadingVectors, Walk } from "../algebra/spectrum";
import { Layout, N_ACTIONS } from "../grids/layout";
import { Random } from "../random";
import { needsServer, Refused } from "../refused";
import { Work } from "../work";
import { climb } from "./climb";
import { Choices, optionThatStops } from "./table";

const SOLVERS = ["svd", "eigh", "eig"];

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
  const found = nVectors > constant ? await modesOf(layout, nVectors - constant, work) : [];
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
    if (!certain) throw needsServer(`two ways to climb ${name} are equally good, so that rounding decides between them; showing it`);
    options.push(optionThatStops(name, policy, stops));
  }
  return { options, vectors: named.map(({ vector }) => vector) };
}

async function modesOf(layout: Layout, wanted: number, work: Work): Promise<Float64Array[]> {
  const { vectors, certain } = await leadingVectors(randomWalk(layout), wanted, work);
  if (!certain) throw needsServer("two eigenvalues of the walk are almost equal, so that rounding decides their vectors; showing them");
  return vectors;
}

/** The sign of each vector, as a string of + and -; "both" has none. */
function signsOf(rule: string, nVectors: number, seed: number): string {
  if (rule === "positive" || rule === "both") return "+".repeat(nVectors);
  if (SOLVERS.includes(rule)) throw needsServer(`signs is '${rule}'; asking a solver for signs`);
  if (rule === "random") {
    const random = new Random(seed);
    return Array.from({ length: nVectors }, () => "+-"[random.below(2)]).join("");
  }
  if (rule.length !== nVectors) {
    throw new Refused(`signs is ${`'${rule}'`.slice(0, 80)}, a pattern of ${rule.length} signs; ${nVectors} eigenvectors need ${nVectors}`);
  }
  return rule;
}
