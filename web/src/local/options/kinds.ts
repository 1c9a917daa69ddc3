// Makes the options of a kind, fewer than requested if the maze is small.
import { Options, Refused } from "../../messages";
import { Layout } from "../grids/layout";
import { drawsOf, sample } from "../random";
import { Work } from "../work";
import { eigenoptions } from "./eigen";
import { betweennessOptions, checkTargets, coveringOptions, diffusionOptions } from "./landmarks";
import { Choices, optionTo } from "./table";

/** Returns the options that a page asks for. */
export async function makeChoices(layout: Layout, discount: number, asked: Options, work: Work): Promise<Choices> {
  if (asked.kind === "none") return { options: [], vectors: null, unique: true };
  for (let n = asked.n; n >= 1; n--) {
    try {
      return await make(layout, discount, n, asked, work);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
  throw new Refused("This maze is too small for options of this kind.");
}

async function make(layout: Layout, discount: number, n: number, asked: Options, work: Work): Promise<Choices> {
  const alone = (options: Choices["options"]): Choices => ({ options, vectors: null, unique: true });
  if (asked.kind === "eigen") return eigenoptions(layout, discount, n, asked, work);
  if (asked.kind === "covering") return alone(await coveringOptions(layout, n, asked.initiation, work));
  if (asked.kind === "betweenness") return alone(await betweennessOptions(layout, n, work));
  if (asked.kind === "diffusion") return alone(await diffusionOptions(layout, n, asked.diffusion_time, work));
  checkTargets(layout, n);
  return alone(sample(drawsOf(asked.seed), layout.nStates, n).map((target) => optionTo(layout, target)));
}
