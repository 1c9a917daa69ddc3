// The panel "See": rows, options, matrices or parts of the world as it is set.
import { Desk, WORLD_KEYS } from "./desk";
import { el } from "./dom";
import { segmentField } from "./fields";
import { MatricesView } from "./matrices";
import { OptionsView } from "./optionsview";
import { PartsView } from "./parts";
import { RowsView } from "./rows";

export class See {
  readonly element: HTMLElement;
  readonly rows: RowsView;
  readonly options: OptionsView;
  readonly matrices: MatricesView;
  readonly parts: PartsView;

  constructor(private readonly desk: Desk) {
    this.rows = new RowsView(desk);
    this.options = new OptionsView(desk);
    this.matrices = new MatricesView(desk);
    this.parts = new PartsView(desk);
    const views = segmentField(desk.store, "view", "What to see", "Choose what to see of this world.", {
      rows: "Rows", options: "Options", matrices: "Matrices", parts: "Parts",
    }, "views");
    this.element = el("section", { "aria-label": "See", class: "panel" }, views, ...Object.values(this.views()).map((view) => view.element));
    desk.store.listen((changed) => {
      if (changed.has("view") || changed.has("tab")) this.show();
      else if (WORLD_KEYS.some((key) => changed.has(key)) || (this.view === "parts" && ["which", "basis", "k"].some((key) => changed.has(key as never)))) this.want();
      else if (this.view === "rows" && changed.has("cell")) this.want();
      else if (changed.has("bottlenecks")) this.redraw();
    });
  }

  private views() {
    return { rows: this.rows, options: this.options, matrices: this.matrices, parts: this.parts };
  }

  private get view(): "rows" | "options" | "matrices" | "parts" {
    const { view } = this.desk.store.state;
    return view in this.views() ? (view as "rows") : "rows";
  }

  show(): void {
    for (const [name, view] of Object.entries(this.views())) view.element.hidden = name !== this.view;
    this.want();
  }

  want(): void {
    if (this.desk.store.state.tab === "see") this.views()[this.view].want();
  }

  redraw(): void {
    this.rows.refresh();
    this.options.redraw();
    this.matrices.redraw();
    this.parts.redraw();
  }

  /** The map was checked anew: rooms and bottlenecks are known. */
  checked(): void {
    this.matrices.arrange();
    this.redraw();
  }
}
