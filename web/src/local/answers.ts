// The reply to each request of the page.
import { Do, Replies, Requests } from "../messages";
import { answerExplorations, answerExplore, answerSeeds, answerTrain } from "./agents/runs";
import { answerPython } from "./script";
import { answerBasis, answerDistance, answerMatrix, answerRows, answerValues, answerWorld } from "./see";
import { Work } from "./work";

type Answers = { readonly [D in Do]: (fields: Requests[D], work: Work) => Promise<Replies[D]> };

const ANSWERS: Answers = {
  world: answerWorld,
  rows: answerRows,
  values: answerValues,
  distance: answerDistance,
  matrix: answerMatrix,
  basis: answerBasis,
  train: answerTrain,
  seeds: answerSeeds,
  explore: answerExplore,
  explorations: answerExplorations,
  python: answerPython,
};

/** Returns the reply to a request. An error has one sentence for the page. */
export function answer<D extends Do>(name: D, fields: Requests[D], work: Work): Promise<Replies[D]> {
  return ANSWERS[name](fields, work);
}
