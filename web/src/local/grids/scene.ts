// A maze while it is drawn: a goal may be missing or unreachable, and problems are listed.
import { Refused } from "../../messages";
import { Layout } from "./layout";
import { linesOf, parseMaze } from "./text";

/** A maze without its goals, and the state of each goal by its number. */
export class Scene {
  constructor(
    readonly layout: Layout,
    readonly goals: ReadonlyMap<number, number>,
  ) {}

  /** The start; an error if there is none. */
  get start(): number {
    if (this.layout.start < 0) throw new Refused("the maze has no start; mark one cell with S");
    return this.layout.start;
  }

  /** The state of goal 1 or 2; an error if there is none. */
  goal(number: number): number {
    const goal = this.goals.get(number);
    if (goal === undefined) throw new Refused(`the maze has no goal ${number}; mark one cell with ${number}`);
    return goal;
  }
}

/** Returns the maze of a text, or refuses it in one sentence. */
export function readScene(text: string): Scene {
  const layout = new Layout(parseMaze(text.replace(/[1-9]/g, ".")));
  const goals = new Map<number, number>();
  linesOf(text).forEach((line, row) => {
    for (const { index: column, 0: sign } of line.matchAll(/[1-9]/g)) {
      const state = layout.stateAt[row * layout.columns + column];
      if (goals.has(Number(sign))) {
        throw new Refused(`line ${row + 1}, column ${column + 1}: goal ${sign} is there already; mark one cell with ${sign}`);
      }
      goals.set(Number(sign), state);
    }
  });
  return new Scene(layout, new Map([...goals].sort(([one], [other]) => one - other)));
}

/** A maze: its rooms, bottlenecks and start, the states that the start cannot reach, and its problems as sentences. */
export interface Checked {
  nStates: number;
  rooms: Int32Array;
  bottlenecks: number[];
  start: number | null;
  goals: number[];
  lost: number[];
  problems: string[];
}

export function describe(scene: Scene): Checked {
  const { layout } = scene;
  const states = Array.from({ length: layout.nStates }, (_, state) => state);
  const distances = layout.start < 0 ? null : layout.distancesTo(layout.start);
  const lost = distances ? states.filter((state) => distances[state] < 0) : [];
  return {
    nStates: layout.nStates,
    rooms: layout.rooms.of,
    bottlenecks: states.filter((state) => layout.narrow[state]),
    start: layout.start < 0 ? null : layout.start,
    goals: [...scene.goals.values()],
    lost,
    problems: problems(scene, lost),
  };
}

/** What keeps agents from learning in this maze, one sentence each. */
function problems(scene: Scene, lost: number[]): string[] {
  const missing = [1, 2].filter((number) => !scene.goals.has(number)).map((number) => [`goal ${number}`, String(number)]);
  if (scene.layout.start < 0) missing.unshift(["start", "S"]);
  const list = (words: string[]) => words.join(", ").replace(/, ([^,]*)$/, " and $1");
  const [names, signs] = [0, 1].map((i) => list(missing.map((one) => (i ? one[i] : `no ${one[i]}`))));
  const found = missing.length ? [`there is ${names}: for agents, mark ${missing.length > 1 ? "cells" : "a cell"} with ${signs}`] : [];
  for (const [number, goal] of scene.goals) if (lost.includes(goal)) found.push(`goal ${number} cannot be reached from the start`);
  if (lost.length) {
    const cells = lost.length === 1 ? "1 cell cannot" : `${lost.length} cells cannot`;
    found.push(`the maze has ${scene.layout.parts.count} parts: ${cells} be reached from the start`);
  }
  return found;
}
