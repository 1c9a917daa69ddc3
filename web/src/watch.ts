// The panel "Watch": two agents learn goal 1, then goal 2, side by side.
import { Band, ChartData, drawChart, Series } from "./chart";
import { bounded } from "./bounded";
import { Context, WORLD_KEYS } from "./context";
import { FEATURES } from "./declared";
import { el, write } from "./dom";
import { button, checkField, declaredField, labelOf, numberField, rangeField } from "./fields";
import { Grid } from "./grid";
import { drawEnds, drawPlaces, drawTrail, Frame } from "./layers";
import { MazeFigure } from "./mazefigure";
import { Pen } from "./pen";
import { Figure } from "./figure";
import { Film, momentsTo } from "./film";
import { Player, Playable } from "./player";
import { AgentRun } from "./run";
import { scaleOf } from "./scale";
import { halves, Spread, spreadOf } from "./spread";
import { otherWorlds } from "./otherworlds";
import { Starter } from "./starter";
import { State } from "./state";
import { LIMITS } from "./limits";
import { Replies, Requests, SeedReply } from "./messages";

const OWN_KEYS: readonly (keyof State)[] = [
  "features1", "rate1", "epsilon1", "options1", "features2", "rate2", "epsilon2", "options2", "seed", "seeds", "episodes", "horizon",
];

interface Running {
  grid: Grid;
  agents: AgentRun[];
  optimal: number[];
  names: string[];
  options: boolean[];
  /** Of each agent over all seeds; the replayed seed is one of them. */
  spreads: Spread[];
  diverged: number[];
  nSeeds: number;
  horizon: number;
  /** Whether an episode of any seed was cut off, or was not run because values had diverged. */
  cut: boolean;
}

export class Watch {
  readonly element: HTMLElement;
  readonly maps: MazeFigure[];
  readonly curve: Figure;
  readonly player: Player;
  running: Running | null = null;
  /** Where playback stands: an episode, and steps into it. */
  episode = 0;
  step = 0;
  /** The means over seeds. */
  private readonly answer = el("p", { class: "answer", "aria-live": "polite" });
  private readonly notes = [1, 2].map((i) => el("p", { class: "described", id: `agent${i}` }));
  private readonly starter: Starter<"train">;

  constructor(private readonly context: Context) {
    const { store } = context;
    this.maps = [0, 1].map((i) => new MazeFigure(`Agent ${i + 1}`, () => this.content(i), () => context.theme));
    this.maps.forEach((map, i) => {
      map.figure.sees = "Colours are the values learned so far (hatched: none yet), the line is the path of this episode, the ring is the goal.";
      map.figure.element.append(this.notes[i]);
      map.figure.element.classList.add("legend", `of${i + 1}`);
    });
    this.curve = new Figure("Steps to the goal in each episode", {
      height: (width) => Math.max(170, Math.min(640, width * (window.innerWidth > 900 ? 0.9 : 0.45))), // on a phone the agents are seen with it
      draw: (pen, width, height) => this.drawCurve(pen, width, height),
    });
    this.curve.element.classList.add("chart", "legend");
    const toSwitch = button("Goal switch", "Jump to the first episode with goal 2.", () => this.running && this.player.seek(this.running.agents[0].episodes / 2), "quiet");
    this.player = new Player(this.playable(), store, "speed", "Episode", toSwitch);
    const words = { idle: "Let them learn", help: "Train both agents, then play their episodes.", busy: "Learning…" };
    this.starter = new Starter(context, "train", words, this.player, {
      request: () => this.request(),
      receive: (reply, fields, restored) => this.receive(reply, fields, restored),
      compare: (others) => this.compare(others),
    });
    const setup = el(
      "div", { class: "setup" },
      numberField(store, "episodes", "Episodes per goal", "Episodes from the start to goal 1, then as many to goal 2.", { min: 1, max: LIMITS.EPISODES }),
      numberField(store, "horizon", "Longest episode", "An episode is cut off after this number of steps.", { min: 1, max: LIMITS.HORIZON }),
      numberField(store, "seed", "Seed", "The seed of the run that is replayed. The same seed repeats the same run.", { min: 0, max: 999999 }),
      numberField(store, "seeds", "Number of seeds", "This seed and the following ones are trained; their mean and spread are drawn.", { min: 1, max: LIMITS.SEEDS }),
      this.starter.begin, this.starter.give,
    );
    const content = bounded(
      context, "Agents learn in",
      el("p", { class: "intro" }, "Both agents start at S and learn goal 1, then goal 2. One seed is replayed; the curve compares it with the other seeds."),
      el("div", { class: "agents" }, this.agentFields(1), this.agentFields(2)),
      setup,
      otherWorlds(context, () => this.starter.start()),
      this.player.element, this.answer,
      el("div", { class: "figures trio" }, ...this.maps.map((map) => map.figure.element), this.curve.element),
    );
    this.element = el("section", { "aria-label": "Watch", class: "panel" }, content);
    store.on([...WORLD_KEYS.filter((key) => key !== "task"), ...OWN_KEYS], () => this.stale());
  }

  /** Repeats the run of a link and returns to its position. */
  resume(): void {
    this.starter.start(true);
  }

  private receive(reply: Replies["train"], fields: Requests["train"], restored: boolean): void {
    const grid = Grid.read(fields.world.map);
    const goals = (["1", "2"] as const).map((sign) => grid.stateAt[grid.find(sign)]);
    const agents = reply.agents.map((agent) => new AgentRun(agent, goals));
    const { state } = this.context.store;
    this.running = { grid, agents, optimal: reply.optimal, names: this.names(), options: [state.options1, state.options2], spreads: [], diverged: [], nSeeds: 1, horizon: fields.horizon, cut: false };
    this.compare(agents.map(() => []));
    [this.episode, this.step] = restored ? [Math.min(state.episode, agents[0].episodes - 1), state.step] : [0, 0];
    this.context.store.set({ trained: true });
    this.redraw();
  }

  /** Compares the run that is replayed with other seeds of each agent, if there are any. */
  private compare(others: SeedReply[][] | null): void {
    const { running } = this;
    if (!running) return;
    if (!others) return this.say(running);
    const all = running.agents.map((agent, i) => [agent, ...others[i]]);
    running.spreads = all.map((seeds) => spreadOf(seeds.map(({ steps }) => steps)));
    running.diverged = all.map((seeds) => seeds.filter(({ diverged }) => diverged).length);
    running.nSeeds = all[0].length;
    running.cut = all.some((seeds) => seeds.some(({ steps }) => steps.some((n) => n >= running.horizon)));
    this.say(running);
    this.redraw();
  }

  /** Writes the means above the pictures, and what lines mean below the curve. */
  private say(running: Running): void {
    const { nSeeds, diverged, cut, horizon } = running;
    const seeds = nSeeds > 1
      ? `Solid: the replayed run. Dashed: the mean of ${nSeeds} seeds. Band: their 10 % to 90 % quantiles.`
      : this.context.store.state.seeds > 1
        ? `The other seeds ${this.starter.others}.`
        : "One seed is no evidence: raise the number of seeds to see a mean and a spread.";
    const lost = diverged.some((n) => n > 0);
    const divergence = lost ? ` The values of ${diverged.join(" and ")} seeds diverged.` : "";
    const counted = lost
      ? ` An episode that is cut off, or not run after that, counts as ${horizon} steps.`
      : ` An episode that is cut off counts as ${horizon} steps, so means are lower bounds.`;
    const means = running.names.map((name, i) => `${name} ${halves(running.spreads[i].mean).join(" and ")}`).join(", ");
    this.answer.textContent = nSeeds > 1 ? `Mean steps per episode to goal 1 and goal 2: ${means}.` : "";
    this.curve.sees = `Lower is better. ${seeds}${divergence}${nSeeds > 1 && cut ? counted : ""}`;
  }

  private agentFields(i: 1 | 2): HTMLElement {
    const { store } = this.context;
    return el(
      "fieldset", { class: `agent agent${i}` }, el("legend", {}, `Agent ${i}`),
      declaredField(store, `features${i}`, "Features", "What a state looks like to the agent.", FEATURES),
      rangeField(store, `rate${i}`, "Learning rate", "The step size of the values.", { min: 0.0001, max: 1, log: true }),
      rangeField(store, `epsilon${i}`, "Epsilon", "The probability of a random choice.", { min: 0, max: 1, step: 0.01, slider: [0, 0.5] }),
      checkField(store, `options${i}`, "may use options", "Whether it can choose options as well as primitive actions."),
    );
  }

  private names(): string[] {
    const { state } = this.context.store;
    return ([1, 2] as const).map((i) => `${labelOf(state[`features${i}`])}${state[`options${i}`] ? " + options" : ""}`);
  }

  /** What is asked besides the world. */
  request() {
    const { state } = this.context.store;
    const agents = ([1, 2] as const).map((i) => ({
      features: state[`features${i}`], learning_rate: state[`rate${i}`], epsilon: state[`epsilon${i}`], options: state[`options${i}`],
    }));
    return { agents, seed: state.seed, n_seeds: state.seeds, episodes: state.episodes, horizon: state.horizon };
  }

  /** The settings have changed: discards the run, which belongs to other agents or another world. */
  stale(): void {
    this.starter.stop();
    this.curve.sees = this.answer.textContent = "";
    this.context.store.set({ trained: false, episode: 0, step: 0 });
    if (!this.running) return;
    this.running = null;
    this.player.pause();
    [this.episode, this.step] = [0, 0];
    this.redraw();
  }

  private playable(): Playable {
    const last = () => (this.running ? this.running.agents[0].episodes - 1 : 0);
    return {
      ready: () => this.running !== null,
      length: last,
      position: () => this.episode,
      seek: (episode) => {
        this.episode = Math.max(0, Math.min(last(), Math.round(episode)));
        this.step = 0;
        this.remember();
      },
      advance: (steps) => this.advance(steps),
      ended: () => this.running === null || (this.episode >= last() && this.step >= this.longest(this.episode)),
      draw: () => this.drawNow(),
      first: 1,
      words: (episode) => `of ${last() + 1}, towards goal ${episode <= last() / 2 ? 1 : 2}`,
    };
  }

  private longest(episode: number): number {
    return Math.max(...this.running!.agents.map((agent) => agent.length(episode)));
  }

  private advance(steps: number): void {
    const { running } = this;
    if (!running) return;
    const last = running.agents[0].episodes - 1;
    const rest = steps > 1 ? Math.min(12, steps * 8) : 0; // a moment at the goal before the next episode
    this.step += steps;
    while (this.episode < last && this.step > this.longest(this.episode) + rest) {
      this.step = Math.max(0, this.step - this.longest(this.episode) - rest);
      this.episode++;
    }
    if (this.episode >= last) this.step = Math.min(this.step, this.longest(last));
    this.remember();
  }

  /** The episode that is shown, step by step; null where nothing has been learned. */
  film(): Film | null {
    const { running, episode, step } = this;
    if (!running) return null;
    this.player.pause();
    const goTo = (moment: number) => {
      [this.episode, this.step] = [episode, moment];
      this.drawNow();
    };
    const gone = () => this.running !== running;
    const end = () => {
      goTo(step);
      this.remember();
      this.player.refresh();
    };
    return { moments: momentsTo(this.longest(episode)), goTo, gone, end };
  }

  private remember(): void {
    this.context.store.set({ episode: this.episode, step: Math.round(this.step) });
  }

  redraw(): void {
    for (const map of this.maps) map.figure.invalidate();
    this.curve.invalidate();
    this.note();
  }

  private drawNow(): void {
    for (const map of this.maps) map.figure.drawNow();
    this.curve.drawNow();
    this.note();
  }

  private note(): void {
    const { running } = this;
    this.notes.forEach((note, i) => {
      const agent = running?.agents[i];
      let text = "";
      if (agent && running) {
        const length = agent.length(this.episode);
        const at = Math.min(Math.floor(this.step), length);
        const best = running.optimal[this.episode < agent.episodes / 2 ? 0 : 1];
        const choice = agent.choice(this.episode, at);
        const how = choice < 0 || !running.options[i] ? "" : choice < 4 ? ", a primitive action" : `, option ${choice - 3}`;
        text = `Step ${at} of ${length}${how}${at === length ? `, ${agent.outcome(this.episode)}` : ""}; shortest path ${best}.${agent.diverged ? " Its values diverged: lower the learning rate." : ""}`;
      }
      write(note, text);
    });
  }

  private content(i: number) {
    const { running } = this;
    this.maps[i].figure.title = `Agent ${i + 1}: ${(running?.names ?? this.names())[i]}`;
    if (!running) return { grid: this.context.grid, above: (pen: Pen, frame: Frame) => drawPlaces(pen, frame, this.context.theme, true) };
    const agent = running.agents[i];
    const done = this.step >= agent.length(this.episode);
    const values = agent.valuesAt(done ? this.episode : this.episode - 1).map((value) => (value === 0 ? NaN : value)); // a value of exactly 0 means that nothing has been learned
    const path = agent.path(this.episode);
    return {
      grid: running.grid,
      values,
      scale: scaleOf("log", values),
      bar: true,
      hatched: true,
      above: (pen: Pen, frame: Frame) => {
        const goal = running.grid.find(this.episode < agent.episodes / 2 ? "1" : "2");
        drawEnds(pen, frame, this.context.theme, [running.grid.stateAt[goal]]);
        if (path.length) drawTrail(pen, frame, this.context.theme.agents[i], path, Math.min(this.step, path.length - 1));
        drawPlaces(pen, frame, this.context.theme, false);
      },
    };
  }

  private drawCurve(pen: Pen, width: number, height: number): void {
    const { running } = this;
    const { theme } = this.context;
    if (!running) {
      pen.text(width / 2, height / 2, "Choose two agents and let them learn.", { fill: theme.faint, size: 13, align: "center" });
      return;
    }
    drawChart(pen, width, height, this.curveData(running), theme);
  }

  private curveData(running: Running): ChartData {
    const { theme } = this.context;
    const n = running.agents[0].episodes;
    const x = Array.from({ length: n }, (_, i) => i + 1);
    const series: Series[] = running.agents.map((agent, i) => ({
      x, y: agent.steps, colour: theme.agents[i], until: this.episode + 1, label: running.names[i],
    }));
    running.optimal.forEach((best, i) => {
      if (best > 0) series.push({ x: [1 + (i * n) / 2, (n / 2) * (i + 1)], y: [best, best], colour: theme.ink, dash: [1, 5] });
    });
    const bands: Band[] = [];
    if (running.nSeeds > 1) {
      running.spreads.forEach((spread, i) => {
        bands.push({ x, low: spread.low, high: spread.high, colour: theme.agents[i] });
        series.push({ x, y: spread.mean, colour: theme.agents[i], dash: [5, 3], thin: true });
      });
    }
    const all = [...running.agents.flatMap((agent) => [...agent.steps]), ...running.spreads.flatMap((spread) => [...spread.mean, ...spread.low, ...spread.high])];
    const low = Math.max(1, Math.min(...all, ...running.optimal.filter((best) => best > 0)) * 0.8);
    return {
      x: [1, n], y: [low, Math.max(...all, low * 2) * 1.2], logY: true, xLabel: "episode", yLabel: "steps, dotted: shortest", series, bands,
      marks: [{ x: n / 2 + 0.5, label: "goal moves" }, { x: this.episode + 1, strong: true }],
    };
  }
}
