// The replies of the views that show a world: its options, rows of its maps, and whole maps.
import { Replies, Requests } from "../messages";
import { strongestFeatures } from "./bases/kinds";
import { Work } from "./work";
import { choicesOf, mapOf, spectrumOf } from "./worlds";

export async function answerWorld({ world }: Requests["world"], work: Work): Promise<Replies["world"]> {
  const { options, vectors, unique } = await choicesOf(world, work);
  return {
    options: options.map((option, o) => ({
      name: option.name,
      policy: option.policy.map((action, s) => (option.initiation[s] ? action : -1)),
      ends: Array.from(option.termination.keys()).filter((s) => option.termination[s]),
      vector: vectors && vectors[o],
    })),
    spectrum: await spectrumOf(world, work),
    unique,
  };
}

export async function answerRows({ world, state, which }: Requests["rows"], work: Work): Promise<Replies["rows"]> {
  const row = async (name: string) => (await mapOf(world, name, work)).row(state, work);
  return { sr: await row("sr"), hsr: await row("hsr"), other: which === null ? null : await row(which) };
}

export async function answerMatrix({ world, which }: Requests["matrix"], work: Work): Promise<Replies["matrix"]> {
  return { matrix: await (await mapOf(world, which, work)).entries(work) };
}

export async function answerBasis({ world, which, basis, n }: Requests["basis"], work: Work): Promise<Replies["basis"]> {
  const map = await mapOf(world, which, work);
  return strongestFeatures(await map.entries(work), map.nStates, basis, n, work);
}
