// The panel "Explore": agents without a goal, and how soon each state is seen for the first time.
import { drawChart } from "./chart";
import { Context, floats, ints, WORLD_KEYS } from "./context";
import { el } from "./dom";
import { button, labelOf, labels, numberField, sentence } from "./fields";
import { Grid } from "./grid";
import { drawEnds, drawPlaces, Frame } from "./layers";
import { MazeFigure } from "./mazefigure";
import { Pen } from "./pen";
import { Figure } from "./figure";
import { Film, momentsTo } from "./film";
import { Player, Playable } from "./player";
import { Scale } from "./scale";
import { Starter } from "./starter";
import { Discovery, Explorer, LIMITS, Online, Replies, Requests } from "./schema";

/** An agent as the page offers it. Its options: "0" none, "1" those of the world, else the method by which it finds them. */
type Agent = Required<Pick<Explorer, "bonus" | "on">> & { options: string };

type Method = NonNullable<Online["method"]>;

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
  return bonus + (one.options === "0" ? "" : one.options === "1" ? ", options" : `, finds options: ${labelOf(one.options)}`);
}

const findsOptions = (one: Agent) => one.options !== "0" && one.options !== "1";

interface Found {
  grid: Grid;
  names: string[];
  times: Int32Array;
  coverage: Float32Array[];
  firstVisit: Int32Array[];
  /** Of each agent the options that it found itself, by time. */
  discoveries: Discovery[][];
  steps: number;
}

export class Explore {
  readonly element: HTMLElement;
  readonly maps: MazeFigure[];
  readonly curve: Figure;
  readonly player: Player;
  found: Found | null = null;
  time = 0;
  private bonuses: Record<string, string> = {};
  private bonusMaps: Record<string, string> = {};
  private methods: Record<string, string> = {};
  private readonly every: HTMLElement;
  private readonly list = el("div", { class: "agents explorers" });
  private readonly notes = [0, 1, 2, 3].map(() => el("p", { class: "described" }));
  private readonly starter: Starter<"explore">;
  private readonly add = button("Add an agent", "Compare up to four agents.", () => this.change([...this.explorers, { bonus: "norm", on: "sr", options: "0" }]), "quiet");

  constructor(private readonly context: Context) {
    const { store } = context;
    this.maps = [0, 1, 2, 3].map((i) => new MazeFigure("", () => this.content(i), () => context.theme, () => Math.max(180, window.innerHeight * 0.4)));
    this.maps.forEach((map, i) => {
      map.figure.canvas.setAttribute("role", "img");
      map.figure.sees = "Bright states were seen early, dark ones late, and hatched ones not yet.";
      map.figure.element.append(this.notes[i]);
      map.figure.element.classList.add(`of${i + 1}`);
    });
    this.curve = new Figure("Coverage: fraction of all states seen so far", {
      height: (width) => Math.max(200, Math.min(380, width * 0.22)),
      draw: (pen, width, height) => this.drawCurve(pen, width, height),
    });
    this.curve.sees = "The sooner a line rises to 1, the sooner that agent has seen the whole maze.";
    this.curve.canvas.setAttribute("role", "img");
    this.curve.canvas.setAttribute("aria-label", "Fraction of all states seen against time");
    this.player = new Player(this.playable(), store, "exploreSpeed", "Step", context.timings.frames);
    const words = { idle: "Let them explore", help: "Run these agents from the start, then play their coverage.", busy: "Exploring…" };
    this.starter = new Starter(context, "explore", words, this.player, () => this.request(), (reply, fields, restored) => this.receive(reply, fields, restored));
    this.every = numberField(store, "every", "New options every", "Agents that find options themselves make them again after this many steps.", { min: LIMITS.SHORTEST_REFRESH, max: LIMITS.STEPS });
    this.element = el(
      "section", { "aria-label": "Explore", class: "panel" },
      el("p", { class: "intro" }, "There is no goal here. A bonus pays an agent for states that its own map finds new. Options carry it further with one choice: those of the world, or those that it finds itself in what it has seen."),
      this.list,
      el("div", { class: "setup" },
        numberField(store, "steps", "Steps", "How long every agent explores.", { min: 1, max: LIMITS.STEPS }),
        numberField(store, "exploreSeed", "Seed", "The same seed repeats the same run.", { min: 0, max: 999999 }),
        this.every,
        this.starter.begin, this.starter.give, this.add),
      this.player.element,
      el("div", { class: "figures small" }, ...this.maps.map((map) => map.figure.element)),
      this.curve.element,
    );
    this.rebuild();
    context.withPresets((presets) => {
      this.bonuses = presets.bonus.words ?? {};
      this.bonusMaps = presets.bonus_map.words ?? {};
      this.methods = presets.discovery.words ?? {};
      this.rebuild();
    });
    store.listen((changed) => {
      if (changed.has("explorers")) this.rebuild();
      if ([...WORLD_KEYS.filter((key) => key !== "task"), "explorers", "steps", "every", "exploreSeed"].some((key) => changed.has(key as never))) this.stale();
    });
  }

  get explorers(): Agent[] {
    return readExplorers(this.context.store.state.explorers);
  }

  /** A link asked for a run: repeat it and go to where playback was. */
  resume(): void {
    this.starter.start(true);
  }

  private receive(reply: Replies["explore"], fields: Requests["explore"], restored: boolean): void {
    this.found = {
      grid: Grid.read(fields.world.map),
      names: this.explorers.map(nameOf),
      times: ints(reply.times),
      coverage: reply.agents.map((agent) => floats(agent.coverage)),
      firstVisit: reply.agents.map((agent) => ints(agent.first_visit)),
      discoveries: reply.agents.map((agent) => agent.found ?? []),
      steps: fields.steps,
    };
    this.time = restored ? Math.min(this.context.store.state.time, this.found.steps) : 0;
    this.context.store.set({ explored: true });
    this.redraw();
  }

  /** What is asked besides the world. */
  request() {
    const { state } = this.context.store;
    const agents = this.explorers.map((one) => ({
      bonus: one.bonus, on: one.on, options: one.options !== "0",
      ...(findsOptions(one) ? { online: { method: one.options as Method, n_options: state.n, warm_up: state.every, refresh: state.every } } : {}),
    }));
    return { agents, seed: state.exploreSeed, steps: state.steps };
  }

  /** The settings have changed: a run in progress or shown belongs to other agents or another world. */
  stale(): void {
    this.starter.stop();
    this.context.store.set({ explored: false, time: 0 });
    if (!this.found) return this.redraw();
    this.found = null;
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
    this.every.hidden = !all.some(findsOptions);
    this.add.disabled = all.length >= MOST;
    this.maps.forEach((map, i) => (map.figure.element.hidden = i >= all.length));
  }

  private explorerFields(one: Agent, i: number, all: Agent[]): HTMLElement {
    const update = (patch: Partial<Agent>) => this.change(all.map((other, j) => (j === i ? { ...other, ...patch } : other)));
    const choice = (label: string, key: keyof Agent, words: Record<string, string>, help: string, names: Record<string, string> = {}) => {
      const id = `explorer${i}${key}`;
      const select = el("select", { id, title: help, "aria-describedby": `${id}h`, change: () => update({ [key]: select.value }) });
      const all = words[one[key]] === undefined ? { ...words, [one[key]]: "" } : words;
      for (const [value, text] of Object.entries(labels(all))) select.append(el("option", { value, title: all[value] && sentence(all[value]) }, names[value] ?? text));
      select.value = one[key];
      return el("div", { class: "field" }, el("label", { for: id }, label), select, el("small", { class: "help", id: `${id}h` }, help));
    };
    const found = Object.fromEntries(Object.keys(this.methods).map((name) => [name, `finds: ${labelOf(name)}`]));
    const given = { "0": "primitive actions only", "1": "the options of this world, which nobody had to find", ...this.methods };
    const options = choice("Options", "options", given, "The options that it can choose.", { "0": "none", "1": "of this world", ...found });
    options.classList.add("wide");
    const on = choice("from", "on", this.bonusMaps, "The map that the bonus is read from.");
    on.querySelector("select")!.disabled = one.bonus === "none";
    const field = el(
      "fieldset", { class: `agent agent${i + 1}` }, el("legend", {}, `Agent ${i + 1}`),
      choice("Bonus", "bonus", this.bonuses, "What the agent is paid for novelty."), on,
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
      words: (time) => `${time} of ${length()}`,
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
    const end = () => {
      if (!gone()) this.player.seek(time);
    };
    return { moments: momentsTo(found.steps), goTo, ready: () => true, gone, end };
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
    const now = found && this.discoveryAt(i);
    const options = now ? ` Rings: where its ${now.n_options} options may stop.` : "";
    const text = found ? `${Math.round((100 * seen) / found.grid.nStates)} % of states seen.${options}` : "";
    if (this.notes[i].textContent !== text) this.notes[i].textContent = text;
    map.figure.title = name;
    map.figure.canvas.setAttribute("aria-label", `Agent ${i + 1}, ${name}: when each state was first seen`);
  }

  /** The options that an agent has found by now, if it finds any. */
  private discoveryAt(i: number): Discovery | null {
    return this.found?.discoveries[i]?.filter((found) => found.time <= this.time).at(-1) ?? null;
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
    const above = (pen: Pen, frame: Frame) => {
      drawEnds(pen, frame, this.context.theme, this.discoveryAt(i)?.ends ?? []);
      plain(pen, frame);
    };
    return { grid: found.grid, values, scale, bar: true, hatched: true, above };
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
      series: found.coverage.map((y, i) => ({ x: found.times, y, colour: theme.agents[i], until: this.time, label: found.names[i] })),
      marks: [{ x: this.time, strong: true }],
    }, theme);
  }
}
