// The replies of the views that show a world: its options, rows of its maps, and whole maps.
import { LIMITS } from "../schema";
import { Answer } from "./answer";
import { strongestFeatures } from "./bases/kinds";
import { Reals, Wholes } from "./numbers";
import { Refused } from "./refused";
import { Filled } from "./request";
import { choicesOf, mapOf, sceneOf, spectrumOf } from "./worlds";

export const answerWorld: Answer<"world"> = async ({ world }, work) => {
  const began = performance.now();
  const choices = await choicesOf(world, work);
  const options = choices.options.map((option, o) => ({
    name: option.name,
    policy: new Wholes(option.policy.map((action, s) => (option.initiation[s] ? action : -1))),
    ends: Array.from(option.termination.keys()).filter((s) => option.termination[s]),
    vector: choices.vectors && new Reals(choices.vectors[o]),
  }));
  const spectrum = new Reals(await spectrumOf(world, work));
  return { options, spectrum, seconds: (performance.now() - began) / 1000 };
};

export const answerRows: Answer<"rows"> = async ({ world, state, which }, work) => {
  const { nStates } = sceneOf(world).layout;
  if (state >= nStates) throw new Refused(`state is ${state}; this maze has states 0..${nStates - 1}`);
  const row = async (name: string) => new Reals(await (await mapOf(world, name, work)).row(state, work));
  const other = which === null ? null : await row(which);
  return { sr: await row("sr"), hsr: await row("hsr"), other };
};

export const answerMatrix: Answer<"matrix"> = async ({ world, which }, work) => {
  checkStates(world, LIMITS.MATRIX_STATES, "a whole map");
  const map = await mapOf(world, which, work);
  return { matrix: new Reals(await map.entries(work), [map.nStates, map.nStates]) };
};

export const answerBasis: Answer<"basis"> = async (asked, work) => {
  checkStates(asked.world, LIMITS.BASIS_STATES, "a basis");
  const map = await mapOf(asked.world, asked.which, work);
  const features = await strongestFeatures(await map.entries(work), map.nStates, asked, work);
  const all = new Float64Array(features.length * map.nStates);
  features.forEach((feature, k) => all.set(feature, k * map.nStates));
  return { features: new Reals(all, [features.length, map.nStates]) };
};

/** Refuses a world with too many states. */
function checkStates(world: Filled, most: number, what: string): void {
  const { nStates } = sceneOf(world).layout;
  if (nStates > most) throw new Refused(`the maze has ${nStates} states; ${what} is made here for at most ${most}`);
}
