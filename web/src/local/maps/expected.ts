// The mean over goals of the maps of their optimal policies. A plan has no cycles, so no linear system needs to be solved.
import { Layout, N_ACTIONS } from "../grids/layout";
import { Option } from "../options/table";
import { Work } from "../work";
import { Counting, HierarchicalMap, PredictiveMap, visits } from "./hierarchical";
import { Jumps, primitiveJumps, withOptions } from "./jumps";
import { planOver, Ties, walkOver } from "./plan";

/** The plan towards one goal: what it chooses, and the states from the goal outwards. */
interface Plan {
  jumps: Jumps;
  mu: Float64Array[];
  outwards: Int32Array;
  counting: Counting;
}

export class ExpectedMap implements PredictiveMap {
  /** The map of goals that cannot be reached: nothing is planned, all choices tie. */
  private readonly wandering: HierarchicalMap | null;
  private readonly primitives: Jumps;

  constructor(
    private readonly layout: Layout,
    private readonly options: readonly Option[],
    discount: number,
    private readonly goals: readonly number[],
    private readonly ties: Ties,
    private readonly twice: boolean,
  ) {
    this.primitives = primitiveJumps(layout, discount);
    const jumps = withOptions(this.primitives, layout, options, -1);
    this.wandering = layout.parts.count === 1 ? null : new HierarchicalMap(jumps, walkOver(jumps, ties), { goal: -1, twice }, layout.columns);
  }

  get nStates(): number {
    return this.layout.nStates;
  }

  async row(state: number, work: Work, led?: Float64Array): Promise<Float64Array> {
    const { parts } = this.layout;
    const total = new Float64Array(this.nStates);
    for (const goal of this.goals) {
      if (parts.of[goal] !== parts.of[state]) continue;
      if (work.due()) await work.pause();
      const plan = this.plan(goal);
      add(total, visits(plan.jumps, plan.mu, plan.counting, choicesMade(plan, state), led), 1);
    }
    if (led) for (let s = 0; s < led.length; s++) led[s] /= this.goals.length;
    return this.mean(total, state);
  }

  async entries(work: Work): Promise<Float64Array> {
    const n = this.nStates;
    const total = new Float64Array(n * n);
    const map = new Float64Array(n * n);
    for (const goal of this.goals) {
      const plan = this.plan(goal);
      for (const s of plan.outwards) {
        if (work.due()) await work.pause();
        const row = map.subarray(s * n, s * n + n);
        writeRow(plan, s, row, map);
        add(total.subarray(s * n, s * n + n), row, 1);
      }
    }
    for (let s = 0; s < n; s++) this.mean(total.subarray(s * n, s * n + n), s);
    return total;
  }

  /** Adds the goals that cannot be reached from a state to its row, and divides by the number of goals. */
  private mean(total: Float64Array, state: number): Float64Array {
    const { parts } = this.layout;
    const away = this.goals.filter((goal) => parts.of[goal] !== parts.of[state]).length;
    if (away && this.wandering) add(total, this.wandering.row(state), away);
    for (let i = 0; i < total.length; i++) total[i] /= this.goals.length;
    return total;
  }

  private plan(goal: number): Plan {
    const jumps = withOptions(this.primitives, this.layout, this.options, goal);
    const { distance, reached } = this.layout.searchFrom(goal);
    return { jumps, mu: planOver(jumps, distance, this.ties), outwards: reached, counting: { goal, twice: this.twice } };
  }
}

function add(total: Float64Array, more: Float64Array, times: number): void {
  for (let i = 0; i < total.length; i++) total[i] += times * more[i];
}

/** The expected discounted number of choices made in each state when the plan starts in one of them. */
function choicesMade({ jumps, mu, outwards, counting }: Plan, state: number): Float64Array {
  const x = new Float64Array(jumps.nStates);
  x[state] = 1;
  for (let i = outwards.length - 1; i >= 0; i--) {
    const s = outwards[i];
    if (x[s] === 0 || s === counting.goal) continue;
    for (let c = 0; c < mu.length; c++) if (mu[c][s] > 0) x[jumps.end[c][s]] += x[s] * mu[c][s] * jumps.gain[c][s];
  }
  return x;
}

/** Writes the row of a state into the map of a plan, in which those of states nearer to the goal are known. */
function writeRow({ jumps, mu, counting }: Plan, s: number, row: Float64Array, map: Float64Array): void {
  row.fill(0);
  if (s === counting.goal) {
    row[s] = 1;
    return;
  }
  for (let c = 0; c < mu.length; c++) {
    let weight = mu[c][s];
    if (weight === 0) continue;
    let state = s;
    for (let step = 0; step < jumps.duration[c][s]; step++) {
      row[state] += weight;
      weight *= jumps.discount;
      state = jumps.move[c][state];
    }
    if (counting.twice && c >= N_ACTIONS) row[state] += weight;
    const after = state * row.length;
    for (let j = 0; j < row.length; j++) row[j] += weight * map[after + j];
  }
}
