// The view of rows: what the SR and the HSR predict from the selected state.
import { aboutDifference, aboutHsr, aboutOther, aboutReward, aboutSr, aboutSums, aboutValues, fullPlace } from "./captions";
import { Context } from "./context";
import { REPRESENTATIONS } from "./declared";
import { el, write } from "./dom";
import { mapsOf, rewardOf } from "./embedded";
import { checkField, labelOf, labels, selectField, wordField } from "./fields";
import { Grid } from "./grid";
import { drawBottlenecks, drawCursor, drawEnds, drawPlaces } from "./layers";
import { MazeFigure, MazeContent } from "./mazefigure";
import { brief, Scale, scaleOf } from "./scale";

/** What the rewards are worth from each state, and the world that this belongs to. */
interface Worth {
  world: string;
  srValue?: Float64Array;
  hsrValue?: Float64Array;
}

interface Shown extends Worth {
  /** The world and the other map that were asked for. */
  key: string;
  grid: Grid;
  state: number;
  sr: Float64Array;
  hsr: Float64Array;
  /** Of the visits of the HSR those to which options lead. */
  led: Float64Array;
  sources: number;
  difference: Float64Array;
  other: Float64Array | null;
  reward: number[] | null;
}

type Name = "sr" | "hsr" | "difference" | "other" | "reward" | "srValue" | "hsrValue";

export class RowsView {
  readonly element: HTMLElement;
  readonly maps: Record<Name, MazeFigure>;
  shown: Shown | null = null;
  private readonly figures = el("div", { class: "figures swipe" });
  /** The cell that is pointed at while a state is held; -1 for none. */
  private pointed = -1;
  private readonly described = el("p", { class: "described", id: "described", "aria-live": "polite" });
  private readonly channel = this.context.channel("rows", 40, (reply, fields, key) => {
    const grid = Grid.read(fields.world.map);
    const { sr, hsr, led, sources, other } = reply;
    const world = JSON.stringify(fields.world);
    const reward = rewardOf(grid.text);
    if (this.worth.world !== world) this.worth = { world };
    this.shown = { ...this.worth, key, grid, state: fields.state, sr, hsr, led, sources, difference: hsr.map((value, i) => value - sr[i]), other, reward };
    this.redraw();
    if (reward && !this.worth.srValue && !this.context.isLarge) this.values.want({ world: fields.world, reward }, world);
  }, (key) => this.forget(key));
  private worth: Worth = { world: "" };
  private readonly values = this.context.channel("values", 100, ({ sr, hsr }, _, world) => {
    if (world !== this.worth.world) return;
    Object.assign(this.worth, { srValue: sr, hsrValue: hsr });
    if (this.shown) Object.assign(this.shown, this.worth);
    this.redraw();
  });

  constructor(private readonly context: Context) {
    const { store } = context;
    const make = (title: string, which: Name) => {
      const map = new MazeFigure(title, () => this.content(which), () => context.theme);
      map.choosable(`${title}: arrow keys move to another state, Enter holds it`, "described", {
        point: (cell) => (store.state.held ? this.point(cell) : this.look(cell)),
        press: (cell, touch) => this.press(cell, touch),
        hold: () => store.set({ held: !store.state.held }),
        from: () => (store.state.held && this.pointed >= 0 ? this.pointed : context.selectedCell),
      });
      return map;
    };
    this.maps = {
      sr: make("SR: over primitive actions", "sr"),
      hsr: make("HSR: over actions and options", "hsr"),
      difference: make("HSR minus SR", "difference"),
      other: make("Another map", "other"),
      reward: make("Rewards of the task", "reward"),
      srValue: make("Value of each state: SR", "srValue"),
      hsrValue: make("Value of each state: HSR", "hsrValue"),
    };
    const controls = el(
      "div", { class: "controls" },
      checkField(store, "log", "Logarithmic", "Colours follow the logarithm, so that distant states can be distinguished."),
      checkField(store, "shared", "Same scale", "The SR and the HSR use one scale; otherwise each uses its own."),
      checkField(store, "difference", "Difference", "Show where the HSR predicts more visits than the SR, and where it predicts fewer."),
      checkField(store, "bottlenecks", "Bottlenecks", "Mark narrow places: walls on both sides along one axis, open cells along the other."),
      this.otherField(),
      selectField(store, "ramp", "Colours", "Both colour maps rise evenly in lightness. Cividis also suits colour-blind readers.", { viridis: "viridis", cividis: "cividis" }),
    );
    this.figures.append(...Object.values(this.maps).map((map) => map.figure.element));
    this.element = el("div", { class: "view" }, controls, this.described, this.figures);
    store.on(["map", "cell", "held"], () => (this.pointed = -1));
    store.on(["log", "shared", "difference", "bottlenecks", "held", "ramp", "other", "task", "kind"], () => this.redraw());
  }

  /** The menu of other maps: those of the library, and those that came with the page for this maze and discount. */
  private otherField(): HTMLElement {
    const { store } = this.context;
    const field = wordField("Another map", "A map to show next to the SR and the HSR of the task.", () => store.state.other, (other) => store.set({ other }));
    const offer = () => {
      const { map, discount, other } = store.state;
      const given = mapsOf(map, discount).map(({ name }) => [name, "A map from a file."]);
      const words = { "": "", ...REPRESENTATIONS, ...Object.fromEntries(given) };
      if (!Object.hasOwn(words, other)) store.set({ other: "" });
      field.offer(labels(words), words);
    };
    store.follow(["map", "discount", "other"], offer);
    return field.element;
  }

  private isOpen(cell: number): boolean {
    return cell >= 0 && this.context.grid.stateAt[cell] >= 0;
  }

  private look(cell: number): void {
    if (this.isOpen(cell)) this.context.store.set({ cell });
  }

  /** Reads the number of another state, while one is held. */
  private point(cell: number): void {
    const to = this.isOpen(cell) && cell !== this.context.selectedCell ? cell : -1;
    if (to === this.pointed) return;
    this.pointed = to;
    this.redraw();
  }

  /** Holds a state; a finger then points at others, and the held state itself is released. */
  private press(cell: number, touch: boolean): void {
    const { store, selectedCell } = this.context;
    if (!this.isOpen(cell)) return;
    if (store.state.held && cell !== selectedCell && touch) this.point(cell);
    else store.set({ cell, held: !store.state.held || cell !== selectedCell });
  }

  want(): void {
    const state = this.context.selected;
    const which = this.context.store.state.other || null;
    if (state >= 0) this.channel.want({ ...this.context.world(), state, which }, `${which}/${this.context.worldKey()}`);
  }

  /** The request was refused: clears rows that belong to another request. */
  private forget(key: string): void {
    if (!this.shown || this.shown.key === key) return;
    this.shown = null;
    this.described.textContent = "";
    this.redraw();
  }

  redraw(): void {
    const { state } = this.context.store;
    this.maps.hsr.figure.element.hidden = state.kind === "none";
    this.maps.difference.figure.element.hidden = !state.difference || state.kind === "none";
    this.maps.other.figure.element.hidden = !state.other;
    this.maps.other.figure.title = labelOf(state.other);
    this.maps.reward.figure.element.hidden = !rewardOf(state.map);
    this.maps.srValue.figure.element.hidden = !this.shown?.srValue;
    this.maps.hsrValue.figure.element.hidden = !this.shown?.hsrValue || state.kind === "none";
    this.say();
    this.figures.classList.toggle("trio", state.difference || state.other !== "" || !!rewardOf(state.map));
    for (const map of Object.values(this.maps)) map.figure.invalidate();
    this.describe();
  }

  /** Writes the sentence above each picture. */
  private say(): void {
    const { shown, context, maps } = this;
    if (!shown || shown.grid.text !== context.store.state.map) return; // the numbers of the new maze have not arrived yet
    const { sr, hsr, led, sources, state, other, reward, srValue, hsrValue } = shown;
    maps.sr.figure.sees = aboutSr(sr, state, context, context.distancesFrom(state));
    maps.hsr.figure.sees = aboutHsr(sr, hsr, led, sources, context);
    maps.difference.figure.sees = aboutDifference(sr, hsr);
    if (other) maps.other.figure.sees = aboutOther(sr, other);
    if (srValue) maps.srValue.figure.sees = aboutValues(srValue, shown.grid);
    if (hsrValue) maps.hsrValue.figure.sees = aboutValues(hsrValue, shown.grid);
    if (reward) maps.reward.figure.sees = aboutReward(reward, context.store.state.kind === "none" ? { SR: sr } : { SR: sr, HSR: hsr });
  }

  private content(which: Name): MazeContent | null {
    const { shown } = this;
    const { store, checked } = this.context;
    if (!shown || shown[which]?.length !== shown.grid.nStates) return { grid: this.context.grid }; // nothing, or no map over states
    return {
      grid: shown.grid,
      values: shown[which] ?? undefined,
      scale: this.scale(shown, which),
      bar: true,
      above: (pen, frame, theme) => {
        if (store.state.bottlenecks && shown.grid.text === store.state.map) drawBottlenecks(pen, frame, checked.bottlenecks);
        drawPlaces(pen, frame, theme, false);
        if (this.pointed >= 0) drawEnds(pen, frame, theme, [shown.grid.stateAt[this.pointed]]);
        drawCursor(pen, frame, theme, shown.grid.cellOf[shown.state]);
      },
    };
  }

  private scale(shown: Shown, which: Name): Scale {
    const { log, shared } = this.context.store.state;
    if (shared && which.endsWith("Value")) return scaleOf("signed", shown.srValue ?? [], shown.hsrValue ?? []);
    if (which === "difference" || which === "reward" || shown[which]?.some((value) => value < 0)) return scaleOf("signed", shown[which] ?? []);
    return scaleOf(log ? "log" : "linear", ...(shared && (which === "sr" || which === "hsr") ? [shown.sr, shown.hsr] : [shown[which] ?? []]));
  }

  private describe(): void {
    const { shown, pointed, context } = this;
    if (!shown || shown.grid.text !== context.store.state.map) return;
    const { held, kind, other } = context.store.state;
    const numbers = (to: number) => [
      `SR ${brief(shown.sr[to])}`, ...(kind === "none" ? [] : [`HSR ${brief(shown.hsr[to])}`]), ...(shown.other ? [`${labelOf(other)} ${brief(shown.other[to])}`] : []),
    ].join(", ");
    const to = pointed < 0 ? -1 : shown.grid.stateAt[pointed];
    const from = `From ${fullPlace(context, shown.state)} to`;
    const hint = held ? "Point at another state to read it; click this one to release it." : "Click, tap or press Enter to hold it.";
    const sums = aboutSums(shown.sr, kind === "none" ? shown.sr : shown.hsr);
    const away = to < 0 ? 0 : context.distancesFrom(shown.state)[to];
    const steps = away < 0 ? "no path" : `${away} step${away === 1 ? "" : "s"}`;
    const text = to < 0 ? `${from} itself: ${numbers(shown.state)} visits. ${sums} ${hint}` : `${from} ${fullPlace(context, to)} (${steps}): ${numbers(to)} visits. ${sums}`;
    write(this.described, text);
  }
}
