// The view of parts: a map written with K numbers per state, by SVD or NMF; one part pinned large.
import { Desk, floats } from "./desk";
import { el } from "./dom";
import { rangeField, segmentField } from "./fields";
import { Grid } from "./grid";
import { drawBottlenecks, drawPlaces, Frame } from "./layers";
import { MapPlate } from "./mapplate";
import { Pen } from "./pen";
import { scaleOf } from "./scale";
import { Strip } from "./strip";
import { World } from "./wire";

export class PartsView {
  readonly element: HTMLElement;
  readonly map: MapPlate;
  features: Float32Array[] = [];
  private grid: Grid;
  private signed = false;
  private readonly strip: Strip;
  private readonly lane = this.desk.lane("basis", 120, (reply, fields) => {
    this.grid = Grid.read((fields.world as World).map);
    const all = floats(reply.features);
    const n = reply.features.shape[0];
    this.features = Array.from({ length: n }, (_, i) => all.subarray((i * all.length) / n, ((i + 1) * all.length) / n));
    this.signed = fields.kind === "svd";
    this.refresh(true);
  });

  constructor(private readonly desk: Desk) {
    const { store } = desk;
    this.grid = desk.grid;
    this.strip = new Strip("Parts: choose one to see it large", () => desk.theme, (part) => store.set({ part }));
    this.map = new MapPlate("Part", () => this.sheet(), () => desk.theme);
    const controls = el(
      "div", { class: "controls" },
      segmentField(store, "which", "Which map", "Which map is taken apart.", { sr: "SR", hsr: "HSR" }),
      segmentField(store, "basis", "Kind of parts", "NMF: parts that only add up. SVD: patterns that may cancel each other, the most important first.", { nmf: "NMF parts", svd: "SVD vectors" }),
      rangeField(store, "k", "Number K", "How many parts the map is written with.", { min: 1, max: 64 }),
    );
    this.element = el("div", { class: "view" }, controls, el("div", { class: "pinned" }, this.map.plate.element, this.strip.element));
    store.listen((changed) => changed.has("part") && this.refresh(false));
  }

  want(): void {
    const { which, basis, k } = this.desk.store.state;
    const n = Math.min(k, this.desk.grid.nStates);
    this.lane.want({ ...this.desk.world(), which, kind: basis, n }, `${which}/${basis}/${n}/${this.desk.worldKey()}`);
  }

  get thumbs() {
    return this.strip.plates;
  }

  get chosen(): number {
    return Math.max(0, Math.min(this.desk.store.state.part, this.features.length - 1));
  }

  private scaleAt(part: number) {
    return this.features[part] && scaleOf(this.signed ? "signed" : "linear", this.features[part]);
  }

  private refresh(anew: boolean): void {
    if (anew) {
      const name = this.signed ? "Vector" : "Part";
      const thumbs = this.features.map((values, i) => ({ name: String(i + 1), label: `${name} ${i + 1}`, values, scale: this.scaleAt(i) }));
      this.strip.show(this.grid, thumbs, this.chosen);
    } else this.strip.mark(this.chosen);
    this.map.plate.title = `${this.signed ? "Singular vector" : "Part"} ${this.chosen + 1} of ${this.features.length}`;
    this.redraw();
  }

  redraw(): void {
    this.strip.redraw();
    this.map.plate.invalidate();
  }

  private sheet() {
    const { checked, store } = this.desk;
    return {
      grid: this.grid,
      values: this.features[this.chosen],
      scale: this.scaleAt(this.chosen),
      bar: true,
      above: (pen: Pen, frame: Frame) => {
        if (store.state.bottlenecks && checked?.map === this.grid.text) drawBottlenecks(pen, frame, checked.bottlenecks);
        drawPlaces(pen, frame, this.desk.theme, false);
      },
    };
  }
}
