// One agent's training run as the server computed it, fetched ahead in chunks of complete episodes.
import { Context, floats, ints } from "./context";
import { Cancelled } from "./wire";

const CHUNK = 4000; // steps per request, more only where a single episode is longer
const MOST_VALUES = 200;
const PATIENCE = 1000; // ms before what was refused is asked for again
const SPACING = 100; // ms between requests for values, so that fast playback keeps to the server's pace

export class AgentRun {
  /** First and last episode (exclusive) of each chunk. */
  private readonly spans: [number, number][] = [];
  private readonly chunkOf: Int32Array;
  private readonly chunks = new Map<number, { states: Int32Array; choices: Int32Array } | "asked">();
  private readonly values = new Map<number, Float32Array | "asked">();
  private latest: { episode: number; values: Float32Array } | null = null;
  private asking = 0;
  private lastAsked = -Infinity;

  constructor(
    private readonly context: Context,
    private readonly run: string,
    private readonly agent: number,
    readonly steps: Int32Array,
    private readonly offsets: Int32Array,
    private readonly ends: Int32Array,
    private readonly goals: readonly number[],
    readonly diverged: boolean,
    private readonly arrived: () => void,
  ) {
    const episodes = offsets.length - 1;
    this.chunkOf = new Int32Array(episodes);
    for (let first = 0; first < episodes; ) {
      let end = first + 1;
      while (end < episodes && offsets[end + 1] - offsets[first] <= CHUNK) end++;
      this.chunkOf.fill(this.spans.length, first, end);
      this.spans.push([first, end]);
      first = end;
    }
  }

  get episodes(): number {
    return this.offsets.length - 1;
  }

  length(episode: number): number {
    return this.offsets[episode + 1] - this.offsets[episode];
  }

  /** The states of an episode, its last one included; none of one that was left out, null until they have arrived. */
  path(episode: number): Int32Array | null {
    const chunk = this.chunkOf[episode];
    this.fetch(chunk);
    this.fetch(chunk + 1);
    const known = this.chunks.get(chunk);
    if (!known || known === "asked") return null;
    const { states } = known;
    const base = this.offsets[this.spans[chunk][0]];
    const [from, to] = [this.offsets[episode] - base, this.offsets[episode + 1] - base];
    if (to === from) return new Int32Array(0);
    const out = states.slice(from, to + 1);
    out[out.length - 1] = this.ends[episode]; // what follows the last step there is the next episode's start
    return out;
  }

  /** How an episode ended; a run that diverged leaves out the rest of them. */
  outcome(episode: number): string {
    if (this.ends[episode] < 0) return "left out";
    return this.ends[episode] === this.goals[episode < this.episodes / 2 ? 0 : 1] ? "goal reached" : "cut off";
  }

  /** The choice under way at a step of an episode: a single action (0 to 3) or an option (4 and on); -1 if not known. */
  choice(episode: number, step: number): number {
    const chunk = this.chunkOf[episode];
    const known = this.chunks.get(chunk);
    if (!known || known === "asked" || step >= this.length(episode)) return -1;
    return known.choices[this.offsets[episode] - this.offsets[this.spans[chunk][0]] + step];
  }

  private fetch(chunk: number): void {
    if (chunk >= this.spans.length || this.chunks.has(chunk)) return;
    this.chunks.set(chunk, "asked");
    const [first, end] = this.spans[chunk];
    if (this.offsets[first] === this.offsets[end]) {
      this.chunks.set(chunk, { states: new Int32Array(0), choices: new Int32Array(0) }); // episodes that were left out
      return;
    }
    const fields = { run: this.run, agent: this.agent, begin: this.offsets[first], end: this.offsets[end] };
    this.context.link.ask("path", fields).reply.then(
      (reply) => {
        this.chunks.set(chunk, { states: ints(reply.states), choices: ints(reply.choices) });
        this.arrived();
      },
      (error: Error) => {
        window.setTimeout(() => this.chunks.delete(chunk), PATIENCE); // every frame asks for what is not there
        if (!(error instanceof Cancelled)) this.context.tell("path", error.message);
      },
    );
  }

  /** The values at the end of an episode, or the newest ones known; null before the first. */
  valuesAt(episode: number): Float32Array | null {
    if (episode < 0) return null;
    const known = this.values.get(episode);
    if (known && known !== "asked") return known;
    if (!known && this.asking === 0) this.fetchValues(episode);
    const near = this.values.get(episode - 1);
    return near && near !== "asked" ? near : (this.latest?.values ?? null);
  }

  private fetchValues(episode: number): void {
    this.asking++;
    const wait = this.lastAsked + SPACING - performance.now();
    if (wait > 0) {
      window.setTimeout(() => {
        this.asking--;
        this.arrived(); // draws again, and asks again if these values are still wanted
      }, wait);
      return;
    }
    this.lastAsked = performance.now();
    this.values.set(episode, "asked");
    this.context.link.ask("values", { run: this.run, agent: this.agent, episode }).reply.then(
      (reply) => {
        this.asking--;
        const values = floats(reply.values);
        this.values.set(episode, values);
        this.latest = { episode, values };
        if (this.values.size > MOST_VALUES) this.values.delete(this.values.keys().next().value!);
        this.arrived();
      },
      (error: Error) => {
        this.asking--;
        this.values.delete(episode);
        if (!(error instanceof Cancelled)) this.context.tell("values", error.message);
      },
    );
  }
}
