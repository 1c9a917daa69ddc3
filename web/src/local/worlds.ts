// The maze, options and maps of the world that the page describes, kept in a small cache.
import { EmbeddedMap } from "../embedded";
import { LIMITS } from "../limits";
import { Refused, World } from "../messages";
import { leadingVectors } from "./algebra/spectrum";
import { readScene, Scene } from "./grids/scene";
import { ExpectedMap } from "./maps/expected";
import { HierarchicalMap, PredictiveMap } from "./maps/hierarchical";
import { findJumps } from "./maps/jumps";
import { planOver, walkOver } from "./maps/plan";
import { makeChoices } from "./options/kinds";
import { Choices } from "./options/table";
import { randomWalk } from "./options/eigen";
import { drawsOf, sample } from "./random";
import { Work } from "./work";

/** A cache of the newest values, by what they were computed from. */
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

let embeddedMaps: readonly EmbeddedMap[] = [];

/** Keeps the maps that came with the page. */
export function keepEmbedded(maps: readonly EmbeddedMap[]): void {
  embeddedMaps = maps;
}

/** The maze of a world. */
export function sceneOf({ map }: World): Scene {
  return readScene(map);
}

export function choicesOf(world: World, work: Work): Promise<Choices> {
  const { layout } = sceneOf(world);
  return choicesKept.get([world.map, world.discount, world.options], () => makeChoices(layout, world.discount, world.options, work));
}

/** The leading eigenvalues of the random walk's SR: one constant vector for each part of the maze, then the others. */
export function spectrumOf(world: World, work: Work): Promise<Float64Array> {
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
export function mapOf(world: World, which: string, work: Work): Promise<PredictiveMap> {
  const scene = sceneOf(world);
  return mapsKept.get([world, which], () => makeMap(scene, world, which, work));
}

/** The representation that is meant by "sr" or "hsr" of the world's task; those of one goal have no name of their own. */
export function kindOf({ task }: World, which: string): string {
  if (which !== "sr" && which !== "hsr") return which;
  return task === "walk" ? `rw_${which}` : task === "every" ? `e${which}` : which;
}

async function makeMap(scene: Scene, world: World, which: string, work: Work): Promise<PredictiveMap> {
  const { layout } = scene;
  const { discount, task } = world;
  const given = embeddedMaps.find((map) => map.name === which);
  if (given) return new GivenMap(given, world);
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

/** A map that came with the page. */
class GivenMap implements PredictiveMap {
  readonly nStates: number;

  constructor(
    private readonly map: EmbeddedMap,
    { map: maze, discount }: World,
  ) {
    if (map.maze !== maze || map.discount !== discount) throw new Refused(`The map ${map.name} belongs to another maze or discount.`);
    this.nStates = Math.sqrt(map.values.length);
  }

  row(state: number): Float64Array {
    return this.map.values.slice(state * this.nStates, (state + 1) * this.nStates);
  }

  async entries(): Promise<Float64Array> {
    return this.map.values;
  }
}

/** The Python expression that loads a map which came with the page; null for any other map. */
export function codeOfGiven(which: string): string | null {
  return embeddedMaps.find((map) => map.name === which)?.code ?? null;
}

/** The goals of an expected map: all states of a small maze, or 64 drawn by seed 0. */
export function goalsOfEvery(n: number): number[] {
  if (n <= LIMITS.SMALL_SIDE ** 2) return Array.from({ length: n }, (_, goal) => goal);
  return sample(drawsOf(0), n, LIMITS.GOALS_DRAWN);
}
