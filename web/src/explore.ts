// The panel "Explore": agents without a goal, and how soon each state is seen for the first time.
import { drawChart } from "./chart";
import { bounded } from "./bounded";
import { percent } from "./captions";
import { Context, WORLD_KEYS } from "./context";
import { BONUSES, DECLARED } from "./declared";
import { el, write } from "./dom";
import { button, labelOf, labels, numberField, wordField } from "./fields";
import { Grid } from "./grid";
import { drawPlaces, Frame } from "./layers";
import { MazeFigure } from "./mazefigure";
import { Pen } from "./pen";
import { Figure } from "./figure";
import { Film, momentsTo } from "./film";
import { Player, Playable } from "./player";
import { Scale } from "./scale";
import { Spread, spreadOf } from "./spread";
import { Starter } from "./starter";
import { LIMITS } from "./limits";
import { Explorer, Replies, Requests } from "./messages";

/** An agent as the page offers it: "1" stands for the options of the world, "0" for none. */
type Agent = Pick<Explorer, "bonus" | "on"> & { options: string };

const MOST = 4;

export function readExplorers(text: string): Agent[] {
  return text.split(",").filter(Boolean).slice(0, MOST).map((one) => {
    const [, bonus, on, options] = /^(.*)-(.*)-(.*)$/.exec(one) ?? []; // names of bonuses may contain "-"
    return { bonus: bonus || "none", on: (on || "sr") as Agent["on"], options: options || "0" };
  });
}

const writeExplorers = (all: readonly Agent[]) => all.map((one) => `${one.bonus}-${one.on}-${one.options}`).join(",");

function nameOf(one: Agent): string {
  const bonus = one.bonus === "none" ? "no bonus" : `${labelOf(one.bonus)} of ${one.on.toUpperCase()}`;
  return bonus + (one.options === "1" ? ", options" : "");
}

interface Found {
  grid: Grid;
  names: string[];
  times: Int32Array;
  coverage: Float64Array[];
  firstVisit: Int32Array[];
  /** Of each agent over all seeds; empty until the other seeds have arrived. */
  spreads: Spread[];
  steps: number;
}

export class Explore {
  readonly element: HTMLElement;
  readonly maps: MazeFigure[];
  readonly curve: Figure;
  readonly player: Player;
  found: Found | null = null;
  time = 0;
  private readonly answer = el("p", { class: "answer", "aria-live": "polite" });
  private readonly list = el("div", { class: "agents explorers" });
  private readonly notes = [0, 1, 2, 3].map(() => el("p", { class: "described" }));
  private readonly starter: Starter<"explore">;
  private readonly add = button("Add an agent", "Compare up to four agents.", () => this.change([...this.explorers, { bonus: "norm", on: "sr", options: "0" }]), "quiet");

  constructor(private readonly context: Context) {
    const { store } = context;
    this.maps = [0, 1, 2, 3].map((i) => new MazeFigure("", () => this.content(i), () => context.theme, () => Math.max(180, window.innerHeight * 0.4)));
    this.maps.forEach((map, i) => {
      map.figure.sees = "Bright states were seen early, dark ones late, and hatched ones not yet.";
      map.figure.element.append(this.notes[i]);
      map.figure.element.classList.add("legend", `of${i + 1}`);
    });
    this.curve = new Figure("Coverage: fraction of all states seen so far", {
      height: (width) => Math.max(200, Math.min(380, width * 0.22)),
      draw: (pen, width, height) => this.drawCurve(pen, width, height),
    });
    this.player = new Player(this.playable(), store, "exploreSpeed", "Step");
    const words = { idle: "Let them explore", help: "Run these agents from the start, then play their coverage.", busy: "Exploring…" };
    this.starter = new Starter(context, "explore", words, this.player, {
      request: () => this.request(),
      receive: (reply, fields, restored) => this.receive(reply, fields, restored),
      compare: (others) => this.compare(others),
    });
    const content = bounded(
      context, "Agents explore",
      el("p", { class: "intro" }, "There is no goal here. A bonus rewards an agent for states that are novel according to its own map. One choice of an option can carry it far."),
      this.list,
      el("div", { class: "setup" },
        numberField(store, "steps", "Steps", "How long every agent explores.", { min: 1, max: LIMITS.STEPS }),
        numberField(store, "exploreSeed", "Seed", "The seed of the run that is replayed.", { min: 0, max: 999999 }),
        numberField(store, "exploreSeeds", "Number of seeds", "This seed and the following ones explore; their mean and spread are drawn.", { min: 1, max: LIMITS.SEEDS }),
        this.starter.begin, this.starter.give, this.add),
      this.player.element, this.answer,
      el("div", { class: "figures small" }, ...this.maps.map((map) => map.figure.element)),
      this.curve.element,
    );
    this.element = el("section", { "aria-label": "Explore", class: "panel" }, content);
    store.follow(["explorers"], () => this.rebuild());
    store.on([...WORLD_KEYS.filter((key) => key !== "task"), "explorers", "steps", "exploreSeed", "exploreSeeds"], () => this.stale());
  }

  get explorers(): Agent[] {
    return readExplorers(this.context.store.state.explorers);
  }

  /** Repeats the run of a link and returns to its position. */
  resume(): void {
    this.starter.start(true);
  }

  private receive(reply: Replies["explore"], fields: Requests["explore"], restored: boolean): void {
    this.found = {
      grid: Grid.read(fields.world.map),
      names: this.explorers.map(nameOf),
      times: reply.times,
      coverage: reply.agents.map((agent) => agent.coverage),
      firstVisit: reply.agents.map((agent) => agent.firstVisit),
      spreads: [],
      steps: fields.steps,
    };
    this.compare(null);
    this.time = restored ? Math.min(this.context.store.state.time, this.found.steps) : 0;
    this.context.store.set({ explored: true });
    this.redraw();
  }

  /** Compares the replayed run with the other seeds of each agent, if they have arrived. */
  private compare(others: Float64Array[][] | null): void {
    const { found } = this;
    if (!found) return;
    if (others) found.spreads = others.map((seeds, i) => spreadOf([found.coverage[i], ...seeds]));
    const n = this.context.store.state.exploreSeeds;
    const seen = found.names.map((name, i) => `${name} ${percent((found.spreads[i]?.mean ?? found.coverage[i]).at(-1)!)}`);
    const of = found.spreads.length ? `on average over ${n} seeds` : "in the replayed run";
    this.answer.textContent = `Seen after ${found.steps} steps ${of}: ${seen.join("; ")}.`;
    this.curve.sees = found.spreads.length ? "Dashed: the mean. Band: the 10 % to 90 % quantiles." : n > 1 ? `The other seeds ${this.starter.others}.` : "One seed is no evidence: raise the number of seeds to see a mean and a spread.";
    this.redraw();
  }

  /** What is asked besides the world. */
  request() {
    const { state } = this.context.store;
    const agents = this.explorers.map(({ bonus, on, options }) => ({ bonus, on, options: options === "1" }));
    return { agents, seed: state.exploreSeed, n_seeds: state.exploreSeeds, steps: state.steps };
  }

  /** The settings have changed: discards the run, which belongs to other agents or another world. */
  stale(): void {
    this.starter.stop();
    this.context.store.set({ explored: false, time: 0 });
    if (!this.found) return this.redraw();
    this.found = null;
    this.curve.sees = this.answer.textContent = "";
    this.time = 0;
    this.player.pause();
    this.redraw();
  }

  private change(all: Agent[]): void {
    this.context.store.set({ explorers: writeExplorers(all) });
  }

  private rebuild(): void {
    const all = this.explorers;
    const focus = document.activeElement?.id ?? "";
    this.list.replaceChildren(...all.map((one, i) => this.explorerFields(one, i, all)));
    if (focus) document.getElementById(focus)?.focus();
    this.add.disabled = all.length >= MOST;
    this.maps.forEach((map, i) => (map.figure.element.hidden = i >= all.length));
  }

  private explorerFields(one: Agent, i: number, all: Agent[]): HTMLElement {
    const update = (patch: Partial<Agent>) => this.change(all.map((other, j) => (j === i ? { ...other, ...patch } : other)));
    const choice = (label: string, key: keyof Agent, words: Record<string, string>, help: string, names = labels(words)) => {
      const field = wordField(label, help, () => one[key], (value) => update({ [key]: value }));
      field.offer(names, words);
      field.input.id = field.element.querySelector("label")!.htmlFor = `explorer${i}${key}`; // keeps the focus when the list is made again
      return field.element;
    };
    const given = { "0": "primitive actions only", "1": "the options of this world" };
    const options = choice("Options", "options", given, "The options that it can choose.", { "0": "none", "1": "of this world" });
    options.classList.add("wide");
    const on = choice("from", "on", DECLARED.bonus_map.words ?? {}, "The map that the bonus is read from.");
    on.querySelector("select")!.disabled = one.bonus === "none";
    const field = el(
      "fieldset", { class: `agent agent${i + 1}` }, el("legend", {}, `Agent ${i + 1}`),
      choice("Bonus", "bonus", BONUSES, "The intrinsic reward for novel states."), on,
      options,
    );
    if (all.length > 1) field.append(button("Remove", `Remove agent ${i + 1}.`, () => this.change(all.filter((_, j) => j !== i)), "quiet tiny"));
    return field;
  }

  private playable(): Playable {
    const length = () => this.found?.steps ?? 0;
    const move = (time: number) => {
      this.time = Math.max(0, Math.min(length(), time));
      this.context.store.set({ time: Math.round(this.time) });
    };
    return {
      ready: () => this.found !== null,
      length,
      position: () => Math.round(this.time),
      seek: move,
      advance: (steps) => move(this.time + steps),
      ended: () => this.time >= length(),
      draw: () => this.drawNow(),
      first: 0,
      words: () => `of ${length()}`,
    };
  }

  /** The whole exploration; null where there is none. */
  film(): Film | null {
    const { found, time } = this;
    if (!found) return null;
    this.player.pause();
    const goTo = (moment: number) => {
      this.time = moment;
      this.drawNow();
    };
    const gone = () => this.found !== found;
    return { moments: momentsTo(found.steps), goTo, gone, end: () => this.player.seek(time) };
  }

  redraw(): void {
    const all = this.explorers;
    this.maps.forEach((map, i) => all[i] && this.name(map, i, nameOf(all[i])));
    for (const map of this.maps) map.figure.invalidate();
    this.curve.invalidate();
  }

  private name(map: MazeFigure, i: number, name: string): void {
    const { found } = this;
    const seen = found?.firstVisit[i]?.reduce((sum, time) => sum + +(time >= 0 && time <= this.time), 0) ?? 0;
    const text = found ? `${Math.round((100 * seen) / found.grid.nStates)} % of states seen.` : "";
    write(this.notes[i], text);
    map.figure.title = name;
  }

  private drawNow(): void {
    this.found?.names.forEach((name, i) => this.name(this.maps[i], i, name));
    for (const map of this.maps) if (!map.figure.element.hidden) map.figure.drawNow();
    this.curve.drawNow();
  }

  private content(i: number) {
    const { found } = this;
    const plain = (pen: Pen, frame: Frame) => drawPlaces(pen, frame, this.context.theme, !found);
    if (!found?.firstVisit[i]) return { grid: this.context.grid, above: plain };
    const { steps } = found;
    // Early states are bright: the scale runs from the last step (dark) to the first (bright).
    const scale: Scale = { kind: "linear", low: steps, high: 0, middle: steps / 4, unit: (time) => 1 - Math.sqrt(time / steps) };
    const values = Float32Array.from(found.firstVisit[i], (time) => (time >= 0 && time <= this.time ? time : NaN));
    return { grid: found.grid, values, scale, bar: true, hatched: true, above: plain };
  }

  private drawCurve(pen: Pen, width: number, height: number): void {
    const { found } = this;
    const { theme } = this.context;
    if (!found) {
      pen.text(width / 2, height / 2, "Choose agents and let them explore.", { fill: theme.faint, size: 13, align: "center" });
      return;
    }
    drawChart(pen, width, height, {
      x: [0, found.steps], y: [0, 1], xLabel: "step", yLabel: "coverage",
      series: [
        ...found.coverage.map((y, i) => ({ x: found.times, y, colour: theme.agents[i], until: this.time, label: found.names[i] })),
        ...found.spreads.map(({ mean }, i) => ({ x: found.times, y: mean, colour: theme.agents[i], dash: [5, 3], thin: true })),
      ],
      bands: found.spreads.map(({ low, high }, i) => ({ x: found.times, low, high, colour: theme.agents[i] })),
      marks: [{ x: this.time, strong: true }],
    }, theme);
  }
}
