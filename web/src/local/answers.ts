// The reply to each request, computed in the browser; the counterpart of the server's answers.
import { Replies, Requests } from "../schema";
import { Do } from "../wire";
import { Unpacked } from "./numbers";
import { needsServer, Refused } from "./refused";
import { Work } from "./work";

/** Computes the reply to one kind of request. */
export type Answer<D extends Do> = (fields: Requests[D], work: Work) => Unpacked<Replies[D]> | Promise<Unpacked<Replies[D]>>;

type Answers = { readonly [D in Do]: Answer<D> };

const refuse = (what: string) => () => {
  throw needsServer(what);
};

const ANSWERS: Answers = {
  presets: refuse("a list of mazes"),
  maze: refuse("a random maze"),
  check: refuse("a check of the maze"),
  world: refuse("this view"),
  rows: refuse("this view"),
  matrix: refuse("this view"),
  basis: refuse("this view"),
  train: refuse("training agents"),
  path: refuse("training agents"),
  values: refuse("training agents"),
  explore: refuse("exploring"),
  python: refuse("code for Python"),
};

/** Returns the reply to a request, with arrays of 64-bit numbers. An `Error` has one sentence for the page. */
export async function answer<D extends Do>(name: D, fields: Requests[D], work: Work): Promise<Unpacked<Replies[D]>> {
  if (!Object.hasOwn(ANSWERS, name)) throw new Refused(`do is '${String(name)}'; there is nothing to ${String(name)} here`);
  return ANSWERS[name](fields, work);
}
