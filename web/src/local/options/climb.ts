// The exact policy of an eigenoption: climb a vector v, stop at any time, in one pass from the best state to the worst.
//
// With pseudo-reward v(s') - v(s) and discount g, U = v + optimal value satisfies U(s) = max(v(s), max (1 - g) v(s') +
// g U(s')). States are settled as in Dijkstra's algorithm. The steps are those of the library, so that ties are, too.
import { Layout, N_ACTIONS } from "../grids/layout";

const STOP_TOLERANCE = 1e-10;
const DOUBTFUL = 8; // a difference within this factor of a tie or of a stop depends on rounding

/** How much less than the best an action may be worth to count as equally good. */
const tieAt = (discount: number) => Math.min(1e-11, Math.max(1e-13, 1e-8 * (1 - discount)));
const isNear = (size: number, bound: number) => size > bound / DOUBTFUL && size < bound * DOUBTFUL;

/** A heap of states whose largest key comes first. */
class Heap {
  size = 0;
  private readonly keys: Float64Array;
  private readonly states: Int32Array;

  constructor(most: number) {
    this.keys = new Float64Array(most);
    this.states = new Int32Array(most);
  }

  get state(): number {
    return this.states[0];
  }

  get key(): number {
    return this.keys[0];
  }

  push(key: number, state: number): void {
    const { keys, states } = this;
    let i = this.size++;
    for (; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (keys[parent] >= key) break;
      keys[i] = keys[parent];
      states[i] = states[parent];
      i = parent;
    }
    keys[i] = key;
    states[i] = state;
  }

  pop(): void {
    const { keys, states } = this;
    const last = --this.size;
    const [key, state] = [keys[last], states[last]];
    let i = 0;
    for (let child = 1; child < last; child = 2 * i + 1) {
      if (child + 1 < last && keys[child + 1] > keys[child]) child++;
      if (keys[child] <= key) break;
      keys[i] = keys[child];
      states[i] = states[child];
      i = child;
    }
    keys[i] = key;
    states[i] = state;
  }
}

/** The action of each state, where the option stops, and whether all of it is independent of rounding. */
export interface Climb {
  policy: Int32Array;
  stops: Uint8Array;
  certain: boolean;
}

/** Returns the policy that climbs v best. */
export function climb(layout: Layout, v: Float64Array, discount: number): Climb {
  const { nStates: n, successors } = layout;
  const value = v.slice();
  const place = settle(layout, v, value, discount);
  const policy = new Int32Array(n);
  const stops = new Uint8Array(n);
  const worth = (state: number) => (1 - discount) * v[state] + discount * value[state];
  const best = new Float64Array(n).fill(-Infinity);
  const tie = tieAt(discount);
  let certain = true;
  for (let s = 0; s < n; s++) {
    for (let a = 0; a < N_ACTIONS; a++) best[s] = Math.max(best[s], worth(successors[N_ACTIONS * s + a]));
    const gain = best[s] - v[s];
    stops[s] = +(gain <= STOP_TOLERANCE);
    certain &&= !isNear(gain, STOP_TOLERANCE);
  }
  for (let s = 0; s < n; s++) {
    // The first of the best actions, preferably one that leads to a state settled earlier, or to an end.
    let [chosen, rises] = [-1, false];
    for (let a = 0; a < N_ACTIONS && !rises; a++) {
      const next = successors[N_ACTIONS * s + a];
      const loss = best[s] - worth(next);
      certain &&= stops[s] === 1 || !isNear(loss, tie);
      if (loss > tie) continue;
      rises = !stops[s] && (place[next] < place[s] || stops[next] === 1);
      if (chosen < 0 || rises) chosen = a;
    }
    policy[s] = chosen;
  }
  return { policy, stops, certain };
}

/** Writes U into `value`, and returns the place of each state in the order in which it was settled. */
function settle(layout: Layout, v: Float64Array, value: Float64Array, discount: number): Int32Array {
  const { nStates: n } = layout;
  const before = predecessors(layout);
  const place = new Int32Array(n).fill(n);
  const byHeight = Int32Array.from(Array.from(v.keys()).sort((one, other) => v[one] - v[other] || one - other));
  const heap = new Heap(N_ACTIONS * n + 1);
  let top = n - 1;
  for (let settled = 0; settled < n; settled++) {
    while (heap.size > 0 && place[heap.state] < n) heap.pop();
    while (top >= 0 && place[byHeight[top]] < n) top--;
    let s = byHeight[top];
    if (heap.size > 0 && heap.key > v[s]) {
      s = heap.state;
      heap.pop();
    }
    place[s] = settled;
    const offer = (1 - discount) * v[s] + discount * value[s];
    for (const p of before[s]) {
      if (place[p] === n && offer > value[p]) {
        value[p] = offer;
        heap.push(offer, p);
      }
    }
  }
  return place;
}

/** The states from which some action leads to each state, in order. */
function predecessors(layout: Layout): number[][] {
  const before: number[][] = Array.from({ length: layout.nStates }, () => []);
  layout.successors.forEach((next, e) => before[next].push(Math.floor(e / N_ACTIONS)));
  return before;
}
