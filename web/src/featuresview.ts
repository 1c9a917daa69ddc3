// The view of features: a basis of a map, such as its NMF parts; one feature is shown large.
import { bounded } from "./bounded";
import { aboutFeature } from "./captions";
import { Context } from "./context";
import { BASES, MAPS } from "./declared";
import { el } from "./dom";
import { declaredField, labelOf, rangeField } from "./fields";
import { Grid } from "./grid";
import { drawBottlenecks, drawPlaces, Frame } from "./layers";
import { MazeFigure } from "./mazefigure";
import { Pen } from "./pen";
import { scaleOf } from "./scale";
import { Store } from "./store";
import { Strip } from "./strip";
import { LIMITS } from "./limits";

export const basisField = (store: Store) => declaredField(store, "basis", "Basis", "How features are computed from the map.", BASES);

export class FeaturesView {
  readonly element: HTMLElement;
  readonly map: MazeFigure;
  features: Float64Array[] = [];
  private grid: Grid;
  /** The world, map and basis whose features are shown; null where none are. */
  private key: string | null = null;
  private signed = false;
  private unique = true;
  private kind = "";
  private readonly strip: Strip;
  private readonly channel = this.context.channel("basis", 120, (reply, fields, key) => {
    this.key = key;
    this.grid = Grid.read(fields.world.map);
    this.features = reply.features;
    this.unique = reply.unique;
    this.signed = reply.features.some((feature) => feature.some((value) => value < 0));
    this.kind = fields.basis;
    this.refresh(true);
  }, (key) => this.forget(key));

  constructor(private readonly context: Context) {
    const { store } = context;
    this.grid = context.grid;
    this.strip = new Strip("Features: choose one to see it large", () => context.theme, (feature) => store.set({ feature }));
    this.map = new MazeFigure("Feature", () => this.content(), () => context.theme);
    const controls = el(
      "div", { class: "controls" },
      declaredField(store, "which", "Map", "The map from which the features are computed.", MAPS),
      basisField(store),
      rangeField(store, "k", "Number K", "How many features are shown at most, strongest first.", { min: 1, max: LIMITS.COMPONENTS }),
    );
    this.element = bounded(context, "Features are computed for", controls, el("div", { class: "pinned" }, this.map.figure.element, this.strip.element));
    store.on(["feature"], () => this.refresh(false));
  }

  /** The request was refused: clears features that belong to another request. */
  private forget(key: string): void {
    if (this.key === key) return;
    [this.key, this.grid, this.features] = [null, this.context.grid, []];
    this.refresh(true);
  }

  want(): void {
    if (this.context.isLarge) return this.forget("");
    const { which, basis, k } = this.context.store.state;
    const n = Math.min(k, this.context.grid.nStates);
    this.channel.want({ ...this.context.world(), which, basis, n }, `${which}/${basis}/${n}/${this.context.worldKey()}`);
  }

  private get name(): string {
    return this.signed ? "Vector" : "Part";
  }

  get thumbs() {
    return this.strip.figures;
  }

  get chosen(): number {
    return Math.max(0, Math.min(this.context.store.state.feature, this.features.length - 1));
  }

  private scaleAt(feature: number) {
    return this.features[feature] && scaleOf(this.signed ? "signed" : "linear", this.features[feature]);
  }

  private refresh(again: boolean): void {
    if (again) {
      const name = this.name;
      const thumbs = this.features.map((values, i) => ({ name: String(i + 1), label: `${name} ${i + 1}`, values, scale: this.scaleAt(i) }));
      this.strip.show(this.grid, thumbs, this.chosen);
    } else this.strip.mark(this.chosen);
    this.map.figure.title = this.features.length === 0 ? "Feature" : `${labelOf(this.kind)}: ${this.name.toLowerCase()} ${this.chosen + 1} of ${this.features.length}`;
    if (this.grid.text === this.context.store.state.map) this.map.figure.sees = this.sentence();
    this.redraw();
  }

  /** What to see in the chosen feature. */
  private sentence(): string {
    const values = this.features[this.chosen];
    if (!values) return "";
    const doubt = this.unique ? "" : " Some singular values are almost equal, so these features depend on rounding, and Python may find others.";
    return aboutFeature(values, this.kind, this.context) + doubt;
  }

  redraw(): void {
    this.strip.redraw();
    this.map.figure.invalidate();
  }

  private content() {
    const { checked, store } = this.context;
    return {
      grid: this.grid,
      values: this.features[this.chosen],
      scale: this.scaleAt(this.chosen),
      bar: true,
      above: (pen: Pen, frame: Frame) => {
        if (store.state.bottlenecks && store.state.map === this.grid.text) drawBottlenecks(pen, frame, checked.bottlenecks);
        drawPlaces(pen, frame, this.context.theme, false);
      },
    };
  }
}
