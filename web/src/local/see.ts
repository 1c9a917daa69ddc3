// The replies for the views of a world: its options, rows of its maps, and whole maps.
import { Replies, Requests } from "../messages";
import { dot } from "./algebra/dense";
import { strongestFeatures } from "./bases/kinds";
import { N_ACTIONS } from "./grids/layout";
import { decayOf, predictedLength } from "./maps/horizon";
import { findJumps, sourcesOf } from "./maps/jumps";
import { walkOver } from "./maps/plan";
import { Option } from "./options/table";
import { Work } from "./work";
import { choicesOf, mapOf, sceneOf, spectrumOf } from "./worlds";

export async function answerWorld({ world }: Requests["world"], work: Work): Promise<Replies["world"]> {
  const { options, vectors, unique } = await choicesOf(world, work);
  const { duration } = findJumps(sceneOf(world).layout, options, world.discount, -1);
  return {
    options: options.map((option, o) => ({
      name: option.name,
      policy: option.policy.map((action, s) => (option.initiation[s] ? action : -1)),
      ends: Array.from(option.termination.keys()).filter((s) => option.termination[s]),
      longest: Math.max(...duration[N_ACTIONS + o].filter((_, s) => option.initiation[s])),
      vector: vectors && vectors[o],
    })),
    spectrum: await spectrumOf(world, work),
    unique,
  };
}

export async function answerRows({ world, state, which }: Requests["rows"], work: Work): Promise<Replies["rows"]> {
  const row = async (name: string) => (await mapOf(world, name, work)).row(state, work);
  const map = await mapOf(world, "hsr", work);
  const led = new Float64Array(map.nStates);
  const hsr = await map.row(state, work, led);
  const jumps = findJumps(sceneOf(world).layout, (await choicesOf(world, work)).options, world.discount, -1);
  const sources = sourcesOf(jumps, hsr.indexOf(hsr.reduce((least, visits) => Math.min(least, visits), Infinity)));
  return { sr: await row("sr"), hsr, led, sources, other: which === null ? null : await row(which) };
}

export async function answerValues({ world, reward }: Requests["values"], work: Work): Promise<Replies["values"]> {
  const pays = Float64Array.from(reward);
  const worth = async (which: string) => {
    const map = await mapOf(world, which, work);
    const entries = await map.entries(work);
    return pays.map((_, s) => dot(entries.subarray(s * map.nStates, (s + 1) * map.nStates), pays));
  };
  return { sr: await worth("sr"), hsr: await worth("hsr") };
}

export async function answerDistance({ world, state, matched }: Requests["distance"], work: Work): Promise<Replies["distance"]> {
  const { layout } = sceneOf(world);
  const distances = layout.distancesTo(state);
  const decay = async (which: string, discount: number) => decayOf(await (await mapOf({ ...world, discount }, which, work)).row(state, work), distances);
  const predicted = async (discount: number, options: Option[]) => {
    const jumps = findJumps(layout, options, discount, -1);
    return world.task === "walk" ? predictedLength(layout, jumps, walkOver(jumps, "uniform")) : null;
  };
  const hsr = await decay("hsr", world.discount);
  let [low, high] = matched && hsr.length > 0 ? [0.01, 0.9999] : [world.discount, world.discount];
  for (let i = 0; i < 40 && high - low > 1e-9; i++) {
    const middle = (low + high) / 2;
    [low, high] = (await decay("sr", middle)).length < hsr.length ? [middle, high] : [low, middle];
    if (work.due()) await work.pause();
  }
  const { options } = await choicesOf(world, work);
  return {
    sr: { ...(await decay("sr", high)), predicted: await predicted(high, []) },
    hsr: { ...hsr, predicted: await predicted(world.discount, options) },
    srDiscount: high,
  };
}

export async function answerMatrix({ world, which }: Requests["matrix"], work: Work): Promise<Replies["matrix"]> {
  return { matrix: await (await mapOf(world, which, work)).entries(work) };
}

export async function answerBasis({ world, which, basis, n }: Requests["basis"], work: Work): Promise<Replies["basis"]> {
  const map = await mapOf(world, which, work);
  return strongestFeatures(await map.entries(work), map.nStates, basis, n, work);
}
