// Options as tables: the action in each state, where the option stops, and where it can start.
import { Layout, N_ACTIONS } from "../grids/layout";

/** One option of a deterministic world. */
export interface Option {
  name: string;
  policy: Int32Array;
  /** 1 where the option stops on arrival, else 0. */
  termination: Float64Array;
  /** 1 where the option may be chosen. */
  initiation: Uint8Array;
  /** The state to which it leads, if it leads to one. */
  target?: number;
}

/** The options of a world, the vector that each climbs, if its kind has one, and whether they are independent of rounding. */
export interface Choices {
  options: Option[];
  vectors: Float64Array[] | null;
  unique: boolean;
}

/** An option that may be chosen wherever it does not stop. */
export function optionThatStops(name: string, policy: Int32Array, stops: ArrayLike<number>): Option {
  return { name, policy, termination: Float64Array.from(stops), initiation: Uint8Array.from(stops, (stop) => +!stop) };
}

/** An option that takes a shortest path to a state, by the first of equally good actions. */
export function optionTo(layout: Layout, target: number): Option {
  const distance = layout.distancesTo(target);
  const policy = Int32Array.from({ length: layout.nStates }, (_, s) => Math.max(0, shortestActions(layout, distance, s).indexOf(true)));
  return { ...optionThatStops(`to ${target}`, policy, distance.map((steps) => +(steps <= 0))), target };
}

/** Which actions lie on a shortest path; all of them at the goal, and where it cannot be reached. */
export function shortestActions(layout: Layout, distance: Int32Array, state: number): boolean[] {
  return Array.from({ length: N_ACTIONS }, (_, a) => distance[state] <= 0 || distance[layout.successors[N_ACTIONS * state + a]] === distance[state] - 1);
}
