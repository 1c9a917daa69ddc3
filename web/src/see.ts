// The panel "See": rows, options, matrices or features of the world.
import { Context, WORLD_KEYS } from "./context";
import { el } from "./dom";
import { segmentField } from "./fields";
import { MatricesView } from "./matrices";
import { OptionsView } from "./optionsview";
import { DistanceView } from "./distance";
import { FeaturesView } from "./featuresview";
import { RowsView } from "./rows";

export class See {
  readonly element: HTMLElement;
  readonly rows = new RowsView(this.context);
  readonly options = new OptionsView(this.context);
  readonly matrices = new MatricesView(this.context);
  readonly features = new FeaturesView(this.context);
  readonly distance = new DistanceView(this.context);

  constructor(private readonly context: Context) {
    const views = segmentField(context.store, "view", "What to see", "Choose what to see of this world.", {
      rows: "Rows", options: "Options", distance: "Distance", matrices: "Matrices", parts: "Features",
    }, "views");
    this.element = el("section", { "aria-label": "See", class: "panel" }, views, ...Object.values(this.views()).map((view) => view.element));
    context.store.listen((changed) => {
      if (changed.has("view") || changed.has("tab")) this.show();
      else if (WORLD_KEYS.some((key) => changed.has(key)) || (this.view === "parts" && ["which", "basis", "k"].some((key) => changed.has(key as never))) || changed.has("other") || changed.has("matched")) this.want();
      else if ((this.view === "rows" || this.view === "distance") && changed.has("cell")) this.want();
      else if (changed.has("bottlenecks")) this.redraw();
    });
  }

  private views() {
    return { rows: this.rows, options: this.options, matrices: this.matrices, parts: this.features, distance: this.distance };
  }

  private get view() {
    return this.context.store.state.view;
  }

  show(): void {
    for (const [name, view] of Object.entries(this.views())) view.element.hidden = name !== this.view;
    this.want();
  }

  want(): void {
    if (this.context.store.state.tab === "see") this.views()[this.view].want();
  }

  redraw(): void {
    for (const view of Object.values(this.views())) view.redraw();
  }
}
