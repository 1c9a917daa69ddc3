// The menu of mazes: presets, random mazes, a pasted or loaded text, and another size.
import { Context } from "./context";
import { textDialog } from "./dialogs";
import { DECLARED } from "./declared";
import { el } from "./dom";
import { button, countField, labels, numberField, rangeField, wordField } from "./fields";
import { Grid } from "./grid";
import { LIMITS } from "./limits";
import { randomMaze } from "./local/grids/maze";
import { readScene } from "./local/grids/scene";

export class MazeMenu {
  readonly element: HTMLElement;

  constructor(private readonly context: Context) {
    const { store } = context;
    const wantMaze = () => this.use(furnished(Grid.read(randomMaze(store.state.mazeSize, store.state.mazeSeed))).text);
    const size = rangeField(store, "mazeSize", "Maze size", "Side of a random maze in cells.", { min: 5, max: LIMITS.SIDE, step: 2 });
    const seed = numberField(store, "mazeSeed", "Maze seed", "The same number gives the same maze.", { min: 0, max: 999999 });
    const make = button("Make maze", "Replace the maze with a random one of this size and seed. The start and both goals are placed in corners.", wantMaze);
    const another = button("Another", "Increase the seed by one and make that maze.", () => {
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

  private use(text: string): void {
    const grid = Grid.read(text);
    this.context.store.edit(grid.text);
    const start = grid.find("S");
    this.context.store.set({ cell: start < 0 ? grid.nearestOpen(0) : start, option: 0, feature: 0 });
  }

  /** Uses a text that someone wrote, if it is a maze. */
  private read(text: string): void {
    let problem = "";
    try {
      const { rows, columns } = readScene(text).layout;
      if (Math.max(rows, columns) > LIMITS.SIDE) problem = `it has ${rows} × ${columns} cells; the lab shows at most ${LIMITS.SIDE} × ${LIMITS.SIDE}`;
    } catch (error) {
      problem = (error as Error).message;
    }
    this.context.tell("file", problem && `This text is not used: ${problem}.`);
    if (!problem) this.use(text);
  }

  private presets(): HTMLElement {
    const { mazes } = DECLARED;
    const { store } = this.context;
    const present = () => Object.keys(mazes).find((name) => mazes[name].trim() === store.state.map) ?? "";
    const field = wordField("Preset", "Mazes that come with the library.", present, (name) => name && this.use(mazes[name]));
    field.offer({ "": "choose…", ...labels(mazes) });
    store.on(["map"], field.show);
    return field.element;
  }

  private sizes(): HTMLElement {
    const { context } = this;
    const range = { min: 3, max: LIMITS.SIDE };
    const resize = (rows: number, columns: number) => {
      const next = context.grid.resized(rows, columns);
      if (next.nStates > 0) context.store.edit(next.text);
    };
    const rows = countField("Rows", "New cells are floor, and the border is wall.", range, () => context.grid.rows, (n) => resize(n, context.grid.columns));
    const columns = countField("Columns", `At most ${LIMITS.SIDE}.`, range, () => context.grid.columns, (n) => resize(context.grid.rows, n));
    for (const field of [rows, columns]) context.store.on(["map"], field.show);
    return el("div", { class: "fields" }, rows.element, columns.element);
  }

  private texts(): HTMLElement[] {
    const file = el("input", { type: "file", accept: ".txt,text/plain", class: "hidden", id: "file", tabindex: -1, "aria-hidden": "true" });
    file.addEventListener("change", async () => {
      const chosen = file.files?.[0];
      if (chosen && chosen.size <= 200_000) this.read(await chosen.text());
      else if (chosen) this.context.tell("file", "This file is too large to be a maze.");
      file.value = "";
    });
    const paste = button("Edit as text", "Paste or type a maze: # wall, . floor, S start, 1 and 2 goals.", () =>
      textDialog("The maze as text", "# is a wall, . is floor, S is the start, 1 and 2 are the goals.", this.context.store.state.map, "Use this maze", (text) => this.read(text)),
    );
    const load = button("Load file", "Read a maze from a text file.", () => file.click());
    return [paste, load, file];
  }
}

/** Places the start and both goals in three corners. */
function furnished(grid: Grid): Grid {
  const corners = [0, grid.stateAt.length - 1, grid.columns - 1];
  return (["S", "1", "2"] as const).reduce((made, sign, i) => (made.find(sign) < 0 ? made.with(made.nearestOpen(corners[i]), sign) : made), grid);
}
