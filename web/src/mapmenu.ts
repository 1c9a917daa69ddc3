// Where maps come from: presets, random mazes, text that is pasted or loaded, and another size.
import { Desk } from "./desk";
import { textDialog } from "./dialogs";
import { el } from "./dom";
import { button, numberField, rangeField } from "./fields";
import { Grid } from "./grid";

export class MapMenu {
  readonly element: HTMLElement;

  constructor(private readonly desk: Desk) {
    const { store } = desk;
    const mazes = desk.lane("maze", 60, (reply) => this.take(furnished(Grid.read(reply.map)).text));
    const wantMaze = () => mazes.want({ size: store.state.mazeSize, seed: store.state.mazeSeed }, `${store.state.mazeSize}/${store.state.mazeSeed}`);
    const size = rangeField(store, "mazeSize", "Maze size", "Side of a random maze in cells.", { min: 5, max: 101, step: 2, show: (n) => `${n} × ${n}` });
    const seed = numberField(store, "mazeSeed", "Maze seed", "The same number gives the same maze.", { min: 0, max: 999999 });
    const make = button("Make maze", "Replace the map with a random maze of this size and seed; start and goals are put into corners.", wantMaze);
    const another = button("Another", "Raise the seed by one and make that maze.", () => {
      store.set({ mazeSeed: store.state.mazeSeed + 1 });
      wantMaze();
    }, "quiet");
    this.element = el(
      "div", {},
      this.presets(),
      el("div", { class: "fields" }, size, seed),
      el("div", { class: "bar" }, make, another),
      this.sizes(),
      el("div", { class: "bar" }, ...this.texts()),
    );
  }

  private take(text: string): void {
    const grid = Grid.read(text);
    this.desk.store.edit(grid.text);
    const start = grid.find("S");
    this.desk.store.set({ cell: start < 0 ? grid.nearestOpen(0) : start, option: 0, part: 0 });
  }

  /** Takes a text that someone wrote, if it is a map. */
  private read(text: string): void {
    const odd = /[^#. Ss0-9\r\n]/.exec(text);
    if (odd) this.desk.tell("file", `This text is not a map: it has the sign ${JSON.stringify(odd[0])}; expected #, ., S, 1 and 2.`);
    else if (Grid.read(text).nStates === 0) this.desk.tell("file", "This text is not a map: it has no open cell.");
    else {
      this.desk.tell("file", "");
      this.take(text);
    }
  }

  private presets(): HTMLElement {
    const help = el("small", { class: "help", id: "preset-help" }, "Maps that come with the library.");
    const select = el("select", { id: "preset", "aria-describedby": help.id, title: help.textContent ?? "" }, el("option", { value: "" }, "choose…"));
    const maps = new Map<string, string>();
    select.addEventListener("change", () => {
      const text = maps.get(select.value);
      if (text) this.take(text);
    });
    this.desk.link.ask("presets", {}).reply.then(
      (reply) => {
        for (const [name, text] of Object.entries(reply.maps)) {
          maps.set(name, text);
          select.append(el("option", { value: name }, name.replace(/_/g, " ")));
        }
      },
      (error: Error) => this.desk.tell("presets", error.message),
    );
    this.desk.store.listen((changed) => {
      if (changed.has("map") && maps.get(select.value)?.trim() !== this.desk.store.state.map) select.value = "";
    });
    return el("div", { class: "field" }, el("label", { for: "preset" }, "Preset"), select, help);
  }

  private sizes(): HTMLElement {
    const rows = el("input", { type: "number", min: 3, max: 128, id: "rows", title: "Rows of cells, walls included." });
    const columns = el("input", { type: "number", min: 3, max: 128, id: "columns", title: "Columns of cells, walls included." });
    const show = () => {
      rows.value = String(this.desk.grid.rows);
      columns.value = String(this.desk.grid.columns);
    };
    const resize = () => {
      const fit = (input: HTMLInputElement) => Math.max(3, Math.min(128, Math.round(Number(input.value)) || 3));
      const next = this.desk.grid.resized(fit(rows), fit(columns));
      if (next.nStates > 0) this.desk.store.edit(next.text);
      show();
    };
    rows.addEventListener("change", resize);
    columns.addEventListener("change", resize);
    this.desk.store.listen((changed) => changed.has("map") && show());
    show();
    return el(
      "div", { class: "fields" },
      el("div", { class: "field" }, el("label", { for: "rows" }, "Rows"), rows, el("small", { class: "help" }, "New cells are floor, and the edge is wall.")),
      el("div", { class: "field" }, el("label", { for: "columns" }, "Columns"), columns, el("small", { class: "help" }, "At most 128.")),
    );
  }

  private texts(): HTMLElement[] {
    const file = el("input", { type: "file", accept: ".txt,text/plain", class: "hidden", id: "file", tabindex: -1, "aria-hidden": "true" });
    file.addEventListener("change", async () => {
      const chosen = file.files?.[0];
      if (chosen && chosen.size <= 200_000) this.read(await chosen.text());
      else if (chosen) this.desk.tell("file", "This file is too large to be a map.");
      file.value = "";
    });
    const paste = button("Edit as text", "Paste or type a map: # wall, . floor, S start, 1 and 2 goals.", () =>
      textDialog("The map as text", "# is a wall, . is floor, S the start, 1 and 2 the goals.", this.desk.store.state.map, "Use this map", (text) => this.read(text)),
    );
    const load = button("Load file", "Read a map from a text file.", () => file.click());
    return [paste, load, file];
  }
}

/** A maze comes without start and goals: they are put into three corners. */
function furnished(grid: Grid): Grid {
  const corners = [0, grid.stateAt.length - 1, grid.columns - 1];
  return (["S", "1", "2"] as const).reduce((made, sign, i) => (made.find(sign) < 0 ? made.with(made.nearestOpen(corners[i]), sign) : made), grid);
}
