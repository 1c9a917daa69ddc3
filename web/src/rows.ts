// The view of rows: what the SR and the HSR predict from the state that is looked at.
import { Context } from "./context";
import { REPRESENTATIONS } from "./declared";
import { el } from "./dom";
import { mapsOf } from "./embedded";
import { checkField, labelOf, labels, selectField, wordField } from "./fields";
import { Grid } from "./grid";
import { drawBottlenecks, drawCursor, drawPlaces } from "./layers";
import { MazeFigure, MazeContent } from "./mazefigure";
import { brief, Scale, scaleOf } from "./scale";
import { State } from "./state";

interface Shown {
  /** The world and the other map that were asked for. */
  key: string;
  grid: Grid;
  state: number;
  sr: Float64Array;
  hsr: Float64Array;
  difference: Float64Array;
  other: Float64Array | null;
}

type Name = "sr" | "hsr" | "difference" | "other";

/** How the SR of a task moves. */
const BEHAVIOUR: Record<State["task"], string> = {
  walk: "by a random walk", "1": "on the way to goal 1", "2": "on the way to goal 2", every: "on the way to a goal, averaged over goals",
};

export class RowsView {
  readonly element: HTMLElement;
  readonly maps: Record<Name, MazeFigure>;
  shown: Shown | null = null;
  private readonly figures = el("div", { class: "figures" });
  private edited: number | null = null;
  private readonly described = el("p", { class: "described", id: "described", "aria-live": "polite" });
  private readonly channel = this.context.channel("rows", 40, (reply, fields, key) => {
    const grid = Grid.read(fields.world.map);
    const { sr, hsr, other } = reply;
    this.shown = { key, grid, state: fields.state, sr, hsr, difference: hsr.map((value, i) => value - sr[i]), other };
    const from = this.edited;
    const isNew = from !== null && grid.text === this.context.store.state.map;
    if (isNew) this.edited = null;
    this.refresh();
    if (isNew) this.maps.hsr.figure.invalidate(() => this.context.timings.editToRow.push(performance.now() - from));
  }, (key) => this.forget(key));

  constructor(private readonly context: Context) {
    const { store } = context;
    const make = (title: string, which: Name) => {
      const map = new MazeFigure(title, () => this.content(which), () => context.theme);
      map.choosable(`${title}: arrow keys move to another state`, "described", {
        look: (cell) => !store.state.held && this.look(cell),
        press: (cell, touch) => this.look(cell) && !touch && store.set({ held: !store.state.held }),
        from: () => context.selectedCell,
      });
      return map;
    };
    this.maps = {
      sr: make("SR: over primitive actions", "sr"),
      hsr: make("HSR: over actions and options", "hsr"),
      difference: make("HSR minus SR", "difference"),
      other: make("Another map", "other"),
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
    store.listen((changed) => {
      if (changed.has("map") && this.edited === null) this.edited = performance.now();
      if (["log", "shared", "difference", "bottlenecks", "held", "ramp", "other", "task", "kind"].some((key) => changed.has(key as never))) this.refresh();
    });
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
    offer();
    store.listen((changed) => (["map", "discount", "other"] as const).some((key) => changed.has(key)) && offer());
    return field.element;
  }

  private look(cell: number): boolean {
    if (cell < 0 || this.context.grid.stateAt[cell] < 0) return false;
    this.context.store.set({ cell });
    return true;
  }

  want(): void {
    const state = this.context.selected;
    const which = this.context.store.state.other || null;
    if (state >= 0) this.channel.want({ ...this.context.world(), state, which }, `${which}/${this.context.worldKey()}`);
  }

  /** The rows of this world were refused: those of another one are not shown in their place. */
  private forget(key: string): void {
    if (!this.shown || this.shown.key === key) return;
    this.shown = null;
    this.described.textContent = "";
    this.refresh();
  }

  refresh(): void {
    const { state } = this.context.store;
    this.maps.hsr.figure.element.hidden = state.kind === "none";
    this.maps.difference.figure.element.hidden = !state.difference || state.kind === "none";
    this.maps.other.figure.element.hidden = !state.other;
    const drawn = !this.shown?.other || this.shown.other.length === this.shown.grid.nStates;
    this.maps.other.figure.title = `${labelOf(state.other)}${drawn ? "" : " (its features are not states)"}`;
    this.say();
    this.figures.classList.toggle("trio", state.difference || state.other !== "");
    for (const map of Object.values(this.maps)) map.figure.invalidate();
    this.describe();
  }

  /** What to see in each picture. */
  private say(): void {
    const { task, kind, other } = this.context.store.state;
    const { checked } = this.context;
    const { sr, hsr, difference, other: another } = this.maps;
    const hasDoors = checked.bottlenecks.length > 0 && checked.rooms.some((room) => room > 0); // at least two rooms
    sr.figure.sees = `Bright states are visited soon and often from the framed state ${BEHAVIOUR[task]}. ${kind === "none" ? "Without options the HSR is the same." : task === "walk" && hasDoors ? "Colours drop at doors." : ""}`.trim();
    hsr.figure.sees = "The same with options among the choices: distant states to which options lead become brighter.";
    difference.figure.sees = "Orange: the HSR predicts more visits there. Blue: it predicts fewer.";
    another.figure.sees = `The row of another map, ${labelOf(other)}, from the same state.`;
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
        drawCursor(pen, frame, theme, shown.grid.cellOf[shown.state]);
      },
    };
  }

  private scale(shown: Shown, which: Name): Scale {
    const { log, shared } = this.context.store.state;
    if (which === "difference" || shown[which]?.some((value) => value < 0)) return scaleOf("signed", shown[which] ?? []);
    return shared && which !== "other" ? scaleOf(log ? "log" : "linear", shown.sr, shown.hsr) : scaleOf(log ? "log" : "linear", shown[which] ?? []);
  }

  private describe(): void {
    const { shown } = this;
    if (!shown) return;
    const { held } = this.context.store.state;
    const { checked, grid } = this.context;
    const cell = shown.grid.cellOf[shown.state];
    const place = `State ${shown.state}: row ${Math.floor(cell / shown.grid.columns)}, column ${cell % shown.grid.columns}`;
    const neck = grid.text === shown.grid.text && checked.bottlenecks.includes(shown.state) ? ", a bottleneck" : "";
    const here = `Visits to itself: SR ${brief(shown.sr[shown.state])}, HSR ${brief(shown.hsr[shown.state])}.`;
    const hold = held ? "Held: click the map to release it." : "Click to hold.";
    const text = `${place}${neck}. ${here} ${hold}`;
    if (this.described.textContent !== text) this.described.textContent = text;
  }
}
