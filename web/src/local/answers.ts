// The reply to each request, computed in the browser; the counterpart of the server's answers.
import { Replies, Requests } from "../schema";
import { Do } from "../wire";
import { answerExplore, answerPath, answerTrain, answerValues } from "./agents/runs";
import { Answer } from "./answer";
import { PRESETS } from "./declared";
import { randomMaze } from "./grids/maze";
import { describe, readScene } from "./grids/scene";
import { Unpacked } from "./numbers";
import { Refused } from "./refused";
import { filledRequest } from "./request";
import { answerPython } from "./script";
import { answerBasis, answerMatrix, answerRows, answerWorld } from "./see";
import { Work } from "./work";

export type { Answer };

type Answers = { readonly [D in Do]: Answer<D> };

const ANSWERS: Answers = {
  presets: () => PRESETS,
  maze: ({ size, seed }) => ({ map: randomMaze(size, seed) }),
  check: ({ map }) => describe(readScene(map)),
  world: answerWorld,
  rows: answerRows,
  matrix: answerMatrix,
  basis: answerBasis,
  train: answerTrain,
  path: answerPath,
  values: answerValues,
  explore: answerExplore,
  python: answerPython,
};

/** Returns the reply to a request, with arrays of 64-bit numbers. An `Error` has one sentence for the page. */
export async function answer<D extends Do>(name: D, fields: Requests[D], work: Work): Promise<Unpacked<Replies[D]>> {
  if (!Object.hasOwn(ANSWERS, name)) throw new Refused(`do is '${String(name)}'; there is nothing to ${String(name)} here`);
  return ANSWERS[name](filledRequest(name, fields), work);
}
