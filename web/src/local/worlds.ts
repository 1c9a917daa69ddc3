// From the world that a page describes to its maze, options and maps, each made once and kept for a while.
import { LIMITS } from "../schema";
import { leadingVectors } from "./algebra/spectrum";
import { readScene, Scene } from "./grids/scene";
import { ExpectedMap } from "./maps/expected";
import { HierarchicalMap, PredictiveMap } from "./maps/hierarchical";
import { findJumps } from "./maps/jumps";
import { planOver, walkOver } from "./maps/plan";
import { makeChoices } from "./options/kinds";
import { Choices } from "./options/table";
import { randomWalk } from "./options/eigen";
import { Random } from "./random";
import { needsServer } from "./refused";
import { Filled } from "./request";
import { Work } from "./work";

/** The largest maze that is computed in the browser; a larger one is still drawn and checked. */
export const MOST_CELLS = 31;

/** The newest of what was made, by what it was made of. */
class Kept<T> {
  private readonly values = new Map<string, T>();

  constructor(private readonly most: number) {}

  async get(of: unknown, make: () => T | Promise<T>): Promise<T> {
    const key = JSON.stringify(of);
    const value = this.values.has(key) ? this.values.get(key)! : await make();
    this.values.delete(key);
    this.values.set(key, value);
    if (this.values.size > this.most) this.values.delete(this.values.keys().next().value!);
    return value;
  }
}

const choicesKept = new Kept<Choices>(LIMITS.WORLDS_KEPT);
const spectraKept = new Kept<Float64Array>(LIMITS.WORLDS_KEPT);
const mapsKept = new Kept<PredictiveMap>(2 * LIMITS.WORLDS_KEPT);

/** The maze of a world, if it is small enough to be computed here. */
export function sceneOf(world: Filled): Scene {
  const scene = readScene(world.map);
  const { rows, columns } = scene.layout;
  if (Math.max(rows, columns) > MOST_CELLS) {
    throw needsServer(`the maze has ${rows} x ${columns} cells; more than ${MOST_CELLS} x ${MOST_CELLS}`);
  }
  return scene;
}

export function choicesOf(world: Filled, work: Work): Promise<Choices> {
  const { layout } = sceneOf(world);
  return choicesKept.get([world.map, world.discount, world.options], () => makeChoices(layout, world.discount, world.options, work));
}

/** The leading eigenvalues of the random walk's SR: one constant vector for each part of the maze, then the others. */
export function spectrumOf(world: Filled, work: Work): Promise<Float64Array> {
  const { layout } = sceneOf(world);
  return spectraKept.get([world.map, world.discount], async () => {
    const constant = layout.parts.count;
    const wanted = Math.min(LIMITS.EIGENVALUES, layout.nStates) - constant;
    const rest = wanted > 0 ? (await leadingVectors(randomWalk(layout), wanted, work)).values : [];
    const rates = [...new Array<number>(Math.min(constant, LIMITS.EIGENVALUES)).fill(1), ...rest];
    return Float64Array.from(rates, (rate) => 1 / (1 - world.discount * rate));
  });
}

/** The map "sr" or "hsr" of the world's task, or one that is named itself. */
export function mapOf(world: Filled, which: string, work: Work): Promise<PredictiveMap> {
  const scene = sceneOf(world);
  return mapsKept.get([world, which], () => makeMap(scene, world, which, work));
}

/** The representation that is meant by "sr" or "hsr" of the world's task; those of one goal have no name of their own. */
export function kindOf({ task }: Filled, which: string): string {
  if (which !== "sr" && which !== "hsr") return which;
  return task === "walk" ? `rw_${which}` : task === "every" ? `e${which}` : which;
}

async function makeMap(scene: Scene, world: Filled, which: string, work: Work): Promise<PredictiveMap> {
  const { layout } = scene;
  const { discount, task } = world;
  const kind = kindOf(world, which);
  const alone = kind.endsWith("sr") && !kind.endsWith("hsr");
  const options = alone ? [] : (await choicesOf(world, work)).options;
  const ties = alone ? "uniform" : world.reading.ties;
  const twice = world.reading.stopping_state === "counted_twice";
  if (kind.startsWith("e")) return new ExpectedMap(layout, options, discount, goalsOfEvery(layout.nStates), ties, twice);
  const goal = kind.startsWith("rw_") ? -1 : scene.goal(Number(task));
  const jumps = findJumps(layout, options, discount, goal);
  const mu = goal < 0 ? walkOver(jumps, "uniform") : planOver(jumps, layout.distancesTo(goal), ties);
  return new HierarchicalMap(jumps, mu, { goal, twice }, layout.columns);
}

/** The goals of an expected map: all states, or 64 drawn by seed 0 if there are many. */
export function goalsOfEvery(n: number): number[] {
  if (n <= LIMITS.EVERY_GOAL_STATES) return Array.from({ length: n }, (_, goal) => goal);
  return Array.from(new Random(0).permutation(n).subarray(0, LIMITS.GOALS_DRAWN));
}

