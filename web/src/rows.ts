// The view of rows: what the SR and the HSR predict from the state that is looked at.
import { Desk, floats } from "./desk";
import { el } from "./dom";
import { checkField, selectField } from "./fields";
import { Grid } from "./grid";
import { drawBottlenecks, drawCursor, drawPlaces } from "./layers";
import { MapPlate, MapSheet } from "./mapplate";
import { brief, Scale, scaleOf } from "./scale";
import { World } from "./wire";

interface Shown {
  grid: Grid;
  state: number;
  sr: Float32Array;
  hsr: Float32Array;
  difference: Float32Array;
}

export class RowsView {
  readonly element: HTMLElement;
  readonly maps: Record<"sr" | "hsr" | "difference", MapPlate>;
  shown: Shown | null = null;
  private readonly plates = el("div", { class: "plates" });
  private edited: number | null = null;
  private readonly described = el("p", { class: "described", id: "described", "aria-live": "polite" });
  private readonly lane = this.desk.lane("rows", 40, (reply, fields) => {
    const grid = Grid.read((fields.world as World).map);
    const [sr, hsr] = [floats(reply.sr), floats(reply.hsr)];
    this.shown = { grid, state: fields.state as number, sr, hsr, difference: hsr.map((value, i) => value - sr[i]) };
    const from = this.edited;
    const isNew = from !== null && grid.text === this.desk.store.state.map;
    if (isNew) this.edited = null;
    this.refresh();
    if (isNew) this.maps.hsr.plate.invalidate(() => this.desk.timings.editToRow.push(performance.now() - from));
  });

  constructor(private readonly desk: Desk) {
    const { store } = desk;
    const make = (title: string, which: "sr" | "hsr" | "difference") => {
      const map = new MapPlate(title, () => this.sheet(which), () => desk.theme);
      map.choosable(`${title}: arrow keys move to another state`, "described", {
        look: (cell) => !store.state.held && this.look(cell),
        press: (cell, touch) => this.look(cell) && !touch && store.set({ held: !store.state.held }),
        from: () => desk.lookedCell,
      });
      return map;
    };
    this.maps = {
      sr: make("SR: over steps", "sr"),
      hsr: make("HSR: over steps and options", "hsr"),
      difference: make("HSR less SR", "difference"),
    };
    const controls = el(
      "div", { class: "controls" },
      checkField(store, "log", "Logarithmic", "Colours follow the logarithm, so that far states can be told apart."),
      checkField(store, "shared", "Same scale", "Both maps use one scale; otherwise each uses its own."),
      checkField(store, "difference", "Difference", "Show where the HSR predicts more visits than the SR, and where fewer."),
      checkField(store, "bottlenecks", "Bottlenecks", "Mark narrow places: walls on both sides along one axis, open along the other."),
      selectField(store, "ramp", "Colours", "Both ramps rise evenly in lightness; cividis also for colour-blind eyes.", { viridis: "viridis", cividis: "cividis" }),
    );
    this.plates.append(...Object.values(this.maps).map((map) => map.plate.element));
    this.element = el("div", { class: "view" }, controls, this.described, this.plates);
    store.listen((changed) => {
      if (changed.has("map") && this.edited === null) this.edited = performance.now();
      if (["log", "shared", "difference", "bottlenecks", "held", "ramp"].some((key) => changed.has(key as never))) this.refresh();
    });
  }

  private look(cell: number): boolean {
    if (cell < 0 || this.desk.grid.stateAt[cell] < 0) return false;
    this.desk.store.set({ cell });
    return true;
  }

  want(): void {
    const state = this.desk.looked;
    if (state >= 0) this.lane.want({ ...this.desk.world(), state }, this.desk.worldKey());
  }

  refresh(): void {
    const { state } = this.desk.store;
    this.maps.difference.plate.element.hidden = !state.difference;
    this.plates.classList.toggle("trio", state.difference);
    for (const map of Object.values(this.maps)) map.plate.invalidate();
    this.describe();
  }

  private sheet(which: "sr" | "hsr" | "difference"): MapSheet | null {
    const { shown } = this;
    const { store, checked } = this.desk;
    if (!shown) return { grid: this.desk.grid };
    return {
      grid: shown.grid,
      values: shown[which],
      scale: this.scale(shown, which),
      bar: true,
      above: (pen, frame, theme) => {
        if (store.state.bottlenecks && checked?.map === shown.grid.text) drawBottlenecks(pen, frame, checked.bottlenecks);
        drawPlaces(pen, frame, theme, false);
        drawCursor(pen, frame, theme, shown.grid.cellOf[shown.state]);
      },
    };
  }

  private scale(shown: Shown, which: "sr" | "hsr" | "difference"): Scale {
    const { log, shared } = this.desk.store.state;
    if (which === "difference") return scaleOf("signed", shown.difference);
    return shared ? scaleOf(log ? "log" : "linear", shown.sr, shown.hsr) : scaleOf(log ? "log" : "linear", shown[which]);
  }

  private describe(): void {
    const { shown } = this;
    if (!shown) return;
    const { held } = this.desk.store.state;
    const { checked, grid } = this.desk;
    const cell = shown.grid.cellOf[shown.state];
    const place = `State ${shown.state}: row ${Math.floor(cell / shown.grid.columns)}, column ${cell % shown.grid.columns}`;
    const current = checked?.map === grid.text && checked.map === shown.grid.text;
    const neck = current && checked.bottlenecks.includes(shown.state) ? ", a bottleneck" : "";
    const here = `Visits to itself: SR ${brief(shown.sr[shown.state])}, HSR ${brief(shown.hsr[shown.state])}.`;
    const hold = held ? "Held: click the map to let go." : "Click to hold.";
    const text = `${place}${neck}. ${here} ${hold}`;
    if (this.described.textContent !== text) this.described.textContent = text;
  }
}
