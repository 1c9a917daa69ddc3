// The outcome of each choice: primitive actions first, then options, each with one end and duration per state.
import { Layout, N_ACTIONS } from "../grids/layout";
import { Option } from "../options/table";

/** Tables of all choices, one array over states each. */
export interface Jumps {
  nStates: number;
  discount: number;
  /** The state after the first step, the state in which the choice ends, its steps, and discount^steps. */
  move: Int32Array[];
  end: Int32Array[];
  duration: Int32Array[];
  gain: Float64Array[];
  /** For each option the states by rising duration: the next state comes before the state. */
  order: Int32Array[];
  available: Uint8Array[];
}

/** Returns the tables of a world. Options also stop on entering `goal`, if it is not -1. */
export function findJumps(layout: Layout, options: readonly Option[], discount: number, goal: number): Jumps {
  return withOptions(primitiveJumps(layout, discount), layout, options, goal);
}

/** Returns the tables of primitive actions, and those of options after them. */
export function withOptions(primitives: Jumps, layout: Layout, options: readonly Option[], goal: number): Jumps {
  const { move, end, duration, gain, available } = primitives;
  const table: Jumps = { ...primitives, move: [...move], end: [...end], duration: [...duration], gain: [...gain], order: [], available: [...available] };
  for (const option of options) addOption(table, layout, option, goal);
  return table;
}

export function primitiveJumps(layout: Layout, discount: number): Jumps {
  const n = layout.nStates;
  const table: Jumps = { nStates: n, discount, move: [], end: [], duration: [], gain: [], order: [], available: [] };
  for (let a = 0; a < N_ACTIONS; a++) {
    const next = Int32Array.from({ length: n }, (_, s) => layout.successors[N_ACTIONS * s + a]);
    table.move.push(next);
    table.end.push(next);
    table.duration.push(new Int32Array(n).fill(1));
    table.gain.push(new Float64Array(n).fill(discount));
    table.available.push(new Uint8Array(n).fill(1));
  }
  return table;
}

function addOption(table: Jumps, layout: Layout, option: Option, goal: number): void {
  const { nStates: n, discount } = table;
  const move = new Int32Array(n);
  const end = new Int32Array(n);
  const duration = new Int32Array(n); // 0: not known yet
  const gain = new Float64Array(n);
  for (let s = 0; s < n; s++) move[s] = layout.successors[N_ACTIONS * s + option.policy[s]];
  const path = new Int32Array(n);
  let longest = 1;
  for (let root = 0; root < n; root++) {
    // Walk until the option stops or the rest of the walk is known, then go back and write the states of the walk.
    let length = 0;
    for (let s = root; duration[s] === 0; s = move[s]) {
      if (length === n) throw new Error("an option does not end");
      path[length++] = s;
      if (option.termination[move[s]] || move[s] === goal) break;
    }
    while (length > 0) {
      const s = path[--length];
      const next = move[s];
      const stops = option.termination[next] || next === goal;
      end[s] = stops ? next : end[next];
      duration[s] = stops ? 1 : duration[next] + 1;
      gain[s] = stops ? discount : discount * gain[next];
      longest = Math.max(longest, duration[s]);
    }
  }
  table.move.push(move);
  table.end.push(end);
  table.duration.push(duration);
  table.gain.push(gain);
  table.order.push(byDuration(duration, longest));
  table.available.push(option.initiation);
}

function byDuration(duration: Int32Array, longest: number): Int32Array {
  const first = new Int32Array(longest + 2);
  for (const steps of duration) first[steps + 1]++;
  for (let steps = 1; steps < first.length; steps++) first[steps] += first[steps - 1];
  const order = new Int32Array(duration.length);
  duration.forEach((steps, s) => (order[first[steps]++] = s));
  return order;
}

/** The number of other states from which some option leads to a state or through it. */
export function sourcesOf({ nStates, move, duration, order, available }: Jumps, state: number): number {
  const leads = new Uint8Array(nStates);
  order.forEach((states, o) => {
    const c = N_ACTIONS + o;
    const passes = new Uint8Array(nStates);
    for (const s of states) {
      passes[s] = +(move[c][s] === state || (duration[c][s] > 1 && passes[move[c][s]] === 1));
      if (s !== state && available[c][s]) leads[s] |= passes[s];
    }
  });
  return leads.reduce((sum, led) => sum + led, 0);
}
