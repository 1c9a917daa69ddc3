// The panel "Explore": agents without a goal, and how soon each state is seen for the first time.
import { drawChart } from "./chart";
import { Desk, floats, ints, WORLD_KEYS } from "./desk";
import { el } from "./dom";
import { button, numberField } from "./fields";
import { Grid } from "./grid";
import { drawPlaces, Frame } from "./layers";
import { MapPlate } from "./mapplate";
import { Pen } from "./pen";
import { Plate } from "./plate";
import { Player, Reel } from "./player";
import { Scale } from "./scale";
import { Starter } from "./starter";
import { Fields, Replies, World } from "./wire";

export interface Explorer {
  bonus: string;
  on: string;
  options: boolean;
}

const BONUS: Record<string, string> = { none: "none", norm: "norm", spie: "SPIE" };
const MOST = 4;

export function readExplorers(text: string): Explorer[] {
  return text.split(",").filter(Boolean).slice(0, MOST).map((one) => {
    const [bonus, on, options] = one.split("-");
    return { bonus: bonus in BONUS ? bonus : "none", on: on === "hsr" ? "hsr" : "sr", options: options === "1" };
  });
}

const writeExplorers = (all: readonly Explorer[]) => all.map((one) => `${one.bonus}-${one.on}-${+one.options}`).join(",");

function nameOf(one: Explorer): string {
  const bonus = one.bonus === "none" ? "no bonus" : `${one.bonus === "spie" ? "SPIE" : "norm"} of ${one.on.toUpperCase()}`;
  return bonus + (one.options ? ", options" : "");
}

interface Found {
  grid: Grid;
  names: string[];
  times: Int32Array;
  coverage: Float32Array[];
  firstVisit: Int32Array[];
  steps: number;
}

export class Explore {
  readonly element: HTMLElement;
  readonly maps: MapPlate[];
  readonly curve: Plate;
  readonly player: Player;
  found: Found | null = null;
  time = 0;
  private readonly list = el("div", { class: "agents explorers" });
  private readonly notes = [0, 1, 2, 3].map(() => el("p", { class: "described" }));
  private readonly starter: Starter<"explore">;
  private readonly add = button("Add an agent", "Compare up to four agents.", () => this.change([...this.explorers, { bonus: "norm", on: "sr", options: false }]), "quiet");

  constructor(private readonly desk: Desk) {
    const { store } = desk;
    this.maps = [0, 1, 2, 3].map((i) => new MapPlate("", () => this.sheet(i), () => desk.theme, () => Math.max(180, window.innerHeight * 0.4)));
    this.maps.forEach((map, i) => {
      map.plate.canvas.setAttribute("role", "img");
      map.plate.element.append(this.notes[i]);
      map.plate.element.classList.add(`of${i + 1}`);
    });
    this.curve = new Plate("Coverage: share of all states seen so far", {
      height: (width) => Math.max(200, Math.min(380, width * 0.22)),
      draw: (pen, width, height) => this.drawCurve(pen, width, height),
    });
    this.curve.canvas.setAttribute("role", "img");
    this.curve.canvas.setAttribute("aria-label", "Share of all states seen against time");
    this.player = new Player(this.reel(), store, "exploreSpeed", "Step", desk.timings.frames);
    const words = { idle: "Let them explore", help: "Run these agents from the start, then play what they saw.", busy: "Exploring…" };
    this.starter = new Starter(desk, "explore", words, this.player, () => this.request(), (reply, fields, restored) => this.take(reply, fields, restored));
    this.element = el(
      "section", { "aria-label": "Explore", class: "panel" },
      el("p", { class: "intro" }, "There is no goal here. A bonus pays an agent for meeting what its own map finds new; options carry it further at once."),
      this.list,
      el("div", { class: "setup" },
        numberField(store, "steps", "Steps", "How long every agent explores.", { min: 1, max: 100000 }),
        numberField(store, "exploreSeed", "Seed", "The same number repeats the same run.", { min: 0, max: 999999 }),
        this.starter.begin, this.starter.give, this.add),
      this.player.element,
      el("div", { class: "plates small" }, ...this.maps.map((map) => map.plate.element)),
      this.curve.element,
    );
    this.rebuild();
    store.listen((changed) => {
      if (changed.has("explorers")) this.rebuild();
      if ([...WORLD_KEYS.filter((key) => key !== "task"), "explorers", "steps", "exploreSeed"].some((key) => changed.has(key as never))) this.stale();
    });
  }

  get explorers(): Explorer[] {
    return readExplorers(this.desk.store.state.explorers);
  }

  /** A link asked for a run: repeat it and go to where it stood. */
  resume(): void {
    this.starter.start(true);
  }

  private take(reply: Replies["explore"], fields: Fields, restored: boolean): void {
    this.found = {
      grid: Grid.read((fields.world as World).map),
      names: this.explorers.map(nameOf),
      times: ints(reply.times),
      coverage: reply.agents.map((agent) => floats(agent.coverage)),
      firstVisit: reply.agents.map((agent) => ints(agent.first_visit)),
      steps: fields.steps as number,
    };
    this.time = restored ? Math.min(this.desk.store.state.time, this.found.steps) : 0;
    this.desk.store.set({ explored: true });
    this.redraw();
  }

  /** What is asked besides the world. */
  request() {
    const { state } = this.desk.store;
    return { agents: this.explorers, seed: state.exploreSeed, steps: state.steps };
  }

  /** Something else would be asked for now: what was asked for, or has come, is of other agents or another world. */
  private stale(): void {
    this.starter.stop();
    this.desk.store.set({ explored: false, time: 0 });
    if (!this.found) return this.redraw();
    this.found = null;
    this.time = 0;
    this.player.pause();
    this.redraw();
  }

  private change(all: Explorer[]): void {
    this.desk.store.set({ explorers: writeExplorers(all) });
  }

  private rebuild(): void {
    const all = this.explorers;
    const focus = document.activeElement?.id ?? "";
    this.list.replaceChildren(...all.map((one, i) => this.explorerFields(one, i, all)));
    if (focus) document.getElementById(focus)?.focus();
    this.add.disabled = all.length >= MOST;
    this.maps.forEach((map, i) => (map.plate.element.hidden = i >= all.length));
  }

  private explorerFields(one: Explorer, i: number, all: Explorer[]): HTMLElement {
    const update = (patch: Partial<Explorer>) => this.change(all.map((other, j) => (j === i ? { ...other, ...patch } : other)));
    const choice = (label: string, key: "bonus" | "on", choices: Record<string, string>, help: string) => {
      const id = `explorer${i}${key}`;
      const select = el("select", { id, title: help, "aria-describedby": `${id}h`, change: () => update({ [key]: select.value }) });
      for (const [value, text] of Object.entries(choices)) select.append(el("option", { value }, text));
      select.value = one[key];
      return el("div", { class: "field" }, el("label", { for: id }, label), select, el("small", { class: "help", id: `${id}h` }, help));
    };
    const options = el("input", { type: "checkbox", id: `explorer${i}o`, change: () => update({ options: options.checked }) });
    options.checked = one.options;
    const on = choice("from", "on", { sr: "SR", hsr: "HSR" }, "Which learned map the bonus is read from.");
    on.querySelector("select")!.disabled = one.bonus === "none";
    const field = el(
      "fieldset", { class: `agent agent${i + 1}` }, el("legend", {}, `Agent ${i + 1}`),
      choice("Bonus", "bonus", BONUS, "Norm: rows that are still small pay more. SPIE: leaving what led here often pays more."), on,
      el("div", { class: "field check" }, el("label", {}, options, el("span", {}, "options"))),
    );
    if (all.length > 1) field.append(button("Remove", `Remove agent ${i + 1}.`, () => this.change(all.filter((_, j) => j !== i)), "quiet tiny"));
    return field;
  }

  private reel(): Reel {
    const length = () => this.found?.steps ?? 0;
    const move = (time: number) => {
      this.time = Math.max(0, Math.min(length(), time));
      this.desk.store.set({ time: Math.round(this.time) });
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

  redraw(): void {
    const all = this.explorers;
    this.maps.forEach((map, i) => all[i] && this.name(map, i, nameOf(all[i])));
    for (const map of this.maps) map.plate.invalidate();
    this.curve.invalidate();
  }

  private name(map: MapPlate, i: number, name: string): void {
    const { found } = this;
    const seen = found?.firstVisit[i]?.reduce((sum, time) => sum + +(time >= 0 && time <= this.time), 0) ?? 0;
    const text = found ? `${Math.round((100 * seen) / found.grid.nStates)} % of states seen.` : "";
    if (this.notes[i].textContent !== text) this.notes[i].textContent = text;
    map.plate.title = name;
    map.plate.canvas.setAttribute("aria-label", `Agent ${i + 1}, ${name}: when each state was first seen`);
  }

  private drawNow(): void {
    this.found?.names.forEach((name, i) => this.name(this.maps[i], i, name));
    for (const map of this.maps) if (!map.plate.element.hidden) map.plate.drawNow();
    this.curve.drawNow();
  }

  private sheet(i: number) {
    const { found } = this;
    const plain = (pen: Pen, frame: Frame) => drawPlaces(pen, frame, this.desk.theme, !found);
    if (!found?.firstVisit[i]) return { grid: this.desk.grid, above: plain };
    const { steps } = found;
    // Early states are bright: the scale runs from the last step (dark) to the first (bright).
    const scale: Scale = { kind: "linear", low: steps, high: 0, middle: steps / 4, unit: (time) => 1 - Math.sqrt(time / steps) };
    const values = Float32Array.from(found.firstVisit[i], (time) => (time >= 0 && time <= this.time ? time : NaN));
    return { grid: found.grid, values, scale, bar: true, above: plain };
  }

  private drawCurve(pen: Pen, width: number, height: number): void {
    const { found } = this;
    const { theme } = this.desk;
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
