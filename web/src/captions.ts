// The sentences above pictures, computed from their numbers.
import { Context } from "./context";
import { Grid } from "./grid";
import { Checked } from "./local/grids/scene";
import { brief } from "./scale";

type Numbers = ArrayLike<number>;

const SAME = 1e-6; // of all visits: rows that differ by less are identical

export const percent = (share: number) => `${share > 0 && share < 0.01 ? "less than 1" : Math.round(100 * share)} %`;

/** The name of a state everywhere on the page: its line and column in the text of the maze, counted from 1. */
export function placeOf(grid: Grid, state: number): string {
  const cell = grid.cellOf[state];
  return `line ${Math.floor(cell / grid.columns) + 1}, column ${(cell % grid.columns) + 1}`;
}

/** The same, and whether it is the start, a goal or a door. */
export function fullPlace({ grid, checked }: Pick<Context, "grid" | "checked">, state: number): string {
  const sign = grid.char(grid.cellOf[state]);
  const name = sign === "S" ? "the start, " : sign === "1" || sign === "2" ? `goal ${sign}, ` : "";
  const door = !name && hasRooms(checked) && checked.bottlenecks.includes(state) ? "the door at " : "";
  return name + door + placeOf(grid, state);
}

/** Whether there are at least two rooms with a narrow place between them. */
export const hasRooms = (checked: Checked): boolean => checked.bottlenecks.length > 0 && checked.rooms.some((room) => room > 0);

const total = (values: Numbers) => Array.prototype.reduce.call(values, (sum, value) => (sum as number) + (value as number), 0) as number;

function largest(n: number, of: (state: number) => number): number {
  let best = 0;
  for (let state = 1; state < n; state++) if (of(state) > of(best)) best = state;
  return best;
}

/** The share of all visits that two rows put into different states. */
export function moved(one: Numbers, other: Numbers): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += Math.abs(one[i] - other[i]);
  return sum / (2 * Math.max(total(one), total(other)) || 1);
}

/** The smallest number of steps within which half of all visits fall. */
export function halfWithin(row: Numbers, distances: Numbers): number {
  const half = total(row) / 2;
  for (let steps = 0, sum = 0; steps < row.length; steps++) {
    for (let s = 0; s < row.length; s++) if (distances[s] === steps) sum += row[s];
    if (sum >= half) return steps;
  }
  return 0;
}

export function aboutSr(row: Numbers, state: number, { checked }: Pick<Context, "checked">, distances: Numbers): string {
  const steps = halfWithin(row, distances);
  const near = steps ? `Half of all visits fall within ${steps} step${steps === 1 ? "" : "s"} of the framed state.` : "Half of all visits fall on the framed state itself.";
  const room = checked.rooms[state];
  if (!hasRooms(checked) || room < 0) return near;
  const inside = Array.prototype.reduce.call(row, (sum, value, s) => (sum as number) + (checked.rooms[s] === room ? (value as number) : 0), 0) as number;
  return `${near} ${percent(inside / total(row))} stay in its room.`;
}

/** What the numbers of a row sum to. */
export function aboutSums(sr: Numbers, hsr: Numbers): string {
  const [one, other] = [sr, hsr].map((row) => brief(total(row)));
  if (one !== other) return `The row of the SR sums to ${one}, that of the HSR to ${other}.`;
  return `${sr === hsr ? "The" : "Each"} row sums to ${one}.`;
}

/** Compares the HSR with the SR. `led` holds the visits to which options lead, `sources` the number of states from which options lead to the darkest. */
export function aboutHsr(sr: Numbers, hsr: Numbers, led: Numbers, sources: number, context: Pick<Context, "grid" | "checked">): string {
  const byOptions = total(led) / total(hsr);
  if (moved(sr, hsr) < SAME) {
    return `Identical to the SR here, because ${byOptions < SAME ? "the plan takes no option" : "the options that are taken lead along the same steps"}.`;
  }
  const gain = largest(hsr.length, (s) => hsr[s] - sr[s]);
  const dark = largest(hsr.length, (s) => -hsr[s]);
  const why = sources ? `options lead there from ${sources} of ${hsr.length - 1} states` : "no option leads there";
  return `Options lead to ${percent(byOptions)} of all visits. Largest gain at ${fullPlace(context, gain)}: ${brief(sr[gain])} to ${brief(hsr[gain])} visits. ` +
    `Fewest visits at ${placeOf(context.grid, dark)}: ${brief(hsr[dark])}; ${why}.`;
}

export function aboutDifference(sr: Numbers, hsr: Numbers): string {
  const share = moved(sr, hsr);
  if (share < SAME) return "There is no difference from this state.";
  const more = Array.prototype.filter.call(hsr, (value, s) => value > sr[s]).length;
  return `The HSR moves ${percent(share)} of all visits: more in ${more} states (orange), fewer in ${hsr.length - more} (blue).`;
}

export function aboutOther(sr: Numbers, other: Numbers): string {
  const share = moved(sr, other);
  return share < SAME ? "Identical to the SR from this state." : `From the same state. It differs from the SR by ${percent(share)} of all visits.`;
}

/** The value of the framed state by each map. */
export function aboutReward(reward: Numbers, rows: Record<string, Numbers>): string {
  const worth = (row: Numbers) => brief(total(Array.from(reward, (pays, s) => pays * row[s])));
  const told = Object.entries(rows).map(([name, row]) => `${worth(row)} by the ${name}`);
  return `The framed state has the value ${told.join(" and ")}: its visits times the rewards.`;
}

/** Where the value of a map is largest and smallest. */
export function aboutValues(values: Numbers, grid: Grid): string {
  const [most, least] = [1, -1].map((sign) => largest(values.length, (s) => sign * values[s]));
  return `The expected discounted reward. Largest at ${placeOf(grid, most)}: ${brief(values[most])}. Smallest at ${placeOf(grid, least)}: ${brief(values[least])}.`;
}

/** Describes a whole map; `sr` is another map to compare it with. */
export function aboutMatrix(map: Numbers, sr: Numbers | undefined, { grid, checked }: Pick<Context, "grid" | "checked">): string {
  const n = grid.nStates;
  if (sr && moved(sr, map) < SAME) return "Identical to the SR.";
  if (sr) {
    const mean = (values: Numbers, column: number) => Array.from({ length: n }, (_, s) => values[s * n + column]).reduce((a, b) => a + b, 0) / n;
    const bright = largest(n, (column) => mean(map, column) - mean(sr, column));
    return `It moves ${percent(moved(sr, map))} of all visits. The state that gains most is at ${placeOf(grid, bright)}: ${brief(mean(sr, bright))} to ${brief(mean(map, bright))} visits, on average over the starts.`;
  }
  if (!hasRooms(checked)) return "Each line of the picture is the prediction from one state. This maze has no separate rooms, so there are no blocks.";
  let [inside, all] = [0, 0];
  for (let s = 0; s < n; s++) {
    if (checked.rooms[s] < 0) continue;
    for (let t = 0; t < n; t++) {
      all += map[s * n + t];
      if (checked.rooms[s] === checked.rooms[t]) inside += map[s * n + t];
    }
  }
  return `Blocks are rooms: ${percent(inside / all)} of all visits stay in the room where they begin.`;
}

export function aboutFeature(values: Numbers, kind: string, { grid, checked }: Pick<Context, "grid" | "checked">): string {
  const n = values.length;
  const top = placeOf(grid, largest(n, (s) => Math.abs(values[s])));
  if (kind === "onehot") return `This feature is 1 at ${top} and 0 everywhere else.`;
  if (kind === "rows") return `This feature is one column of the map: what each state predicts about one of them. It is largest at ${top}.`;
  const least = SAME * Math.abs(values[largest(n, (s) => Math.abs(values[s]))]); // rounding has no sign
  const [up, down] = [1, -1].map((sign) => Array.prototype.filter.call(values, (value) => sign * value > least).length);
  if (up && down) return `Two colours are two signs: positive in ${up} states, negative in ${down}. Largest at ${top}.`;
  const sizes = Array.from(values, Math.abs);
  const order = sizes.map((_, s) => s).sort((a, b) => sizes[b] - sizes[a]);
  const half = total(sizes) / 2;
  let count = 0;
  for (let sum = 0; sum < half && count < n; count++) sum += sizes[order[count]];
  const room = checked.rooms[order[0]];
  const inside = sizes.filter((_, s) => checked.rooms[s] === room).reduce((a, b) => a + b, 0) / (2 * half || 1);
  return `Half of its weight lies in ${count} of ${n} states, around ${top}.${hasRooms(checked) && room >= 0 ? ` ${percent(inside)} lie in one room.` : ""}`;
}
