// The drawing of the maze: pointer, finger or keys paint it, and unreachable cells are marked.
import { Context } from "./context";
import { el } from "./dom";
import { button, segmentField } from "./fields";
import { Cell, Grid } from "./grid";
import { drawBottlenecks, drawCursor, drawPlaces, drawRaster, drawTint } from "./layers";
import { ARROWS, MazeFigure } from "./mazefigure";

const PAINT: Record<string, Cell> = { wall: "#", floor: ".", start: "S", goal1: "1", goal2: "2" };

/** On a narrow page the maze is small, so that the pictures are in view together with it. */
const height = () => (window.innerWidth <= 900 ? Math.max(150, window.innerHeight * 0.27) : Math.max(200, window.innerHeight * 0.5));

export class Editor {
  readonly element: HTMLElement;
  readonly map: MazeFigure;
  private readonly problems = el("ul", { class: "problems", "aria-live": "polite", "aria-label": "Problems of the maze" });
  private readonly undo = button("Undo", "Undo the last edit (Ctrl+Z).", () => this.context.store.undo(), "quiet");
  private readonly redo = button("Redo", "Redo the edit that was undone (Ctrl+Shift+Z).", () => this.context.store.redo(), "quiet");
  private painting = false;

  constructor(private readonly context: Context) {
    const { store } = context;
    this.map = new MazeFigure("Your maze", () => this.content(), () => context.theme, height);
    this.map.figure.element.classList.add("editor");
    this.map.figure.sees = "S is the start, 1 and 2 are the goals. Choose a tool and draw.";
    const tools = segmentField(
      store, "tool", "Tool", "What a click, a drag or the space bar does on the maze: look at a state, or paint.",
      { look: "Look", wall: "Wall", floor: "Floor", start: "Start", goal1: "Goal 1", goal2: "Goal 2" }, "tools",
    );
    const clear = button("Clear", "Remove all inner walls and keep the size.", () => this.clear(), "quiet");
    this.element = el("div", { class: "drawing" }, tools, this.map.figure.element, el("div", { class: "bar" }, this.undo, this.redo, clear), this.problems);
    this.listenToPointer();
    this.listenToKeys();
    store.follow(["tool"], () => {
      document.body.classList.toggle("painting", store.state.tool !== "look"); // the drawing then stays in view
      this.map.figure.canvas.classList.toggle("paints", store.state.tool !== "look");
    });
    store.follow(["map", "cell", "tool", "held"], () => this.refresh());
  }

  refresh(): void {
    const { store, checked } = this.context;
    this.undo.disabled = !store.canUndo;
    this.redo.disabled = !store.canRedo;
    this.problems.replaceChildren(...checked.problems.map((text) => el("li", {}, text)));
    this.map.figure.invalidate();
  }

  private content() {
    const { grid, checked, store } = this.context;
    return {
      grid,
      above: (pen: never, frame: never) => {
        const { theme } = this.context;
        drawRaster(pen, frame, theme);
        drawTint(pen, frame, theme, checked.lost);
        if (store.state.bottlenecks) drawBottlenecks(pen, frame, checked.bottlenecks);
        drawPlaces(pen, frame, theme, true);
        drawCursor(pen, frame, theme, Math.min(store.state.cell, grid.stateAt.length - 1));
      },
    };
  }

  private clear(): void {
    const { grid, store } = this.context;
    const chars = grid.lines.map((line, row) =>
      [...line].map((char, column) => {
        const edge = row === 0 || column === 0 || row === grid.rows - 1 || column === grid.columns - 1;
        return edge || char !== "#" ? char : ".";
      }).join(""),
    );
    store.edit(Grid.read(chars.join("\n")).text);
  }

  private paint(cell: number): void {
    const { grid, store } = this.context;
    const sign = PAINT[store.state.tool];
    if (cell < 0 || !sign || grid.char(cell) === sign) return;
    if (sign === "#" && grid.nStates <= 1) return;
    store.edit(grid.with(cell, sign).text);
  }

  /** Paints all cells on the straight line between two, so that a fast drag leaves no gaps. */
  private paintLine(from: number, to: number): void {
    const { columns } = this.context.grid;
    const [r0, c0, r1, c1] = [Math.floor(from / columns), from % columns, Math.floor(to / columns), to % columns];
    const steps = Math.max(Math.abs(r1 - r0), Math.abs(c1 - c0), 1);
    for (let i = 1; i <= steps; i++) {
      this.paint(Math.round(r0 + ((r1 - r0) * i) / steps) * columns + Math.round(c0 + ((c1 - c0) * i) / steps));
    }
  }

  private listenToPointer(): void {
    const { canvas } = this.map.figure;
    const { store } = this.context;
    let last = -1;
    const end = () => {
      if (!this.painting) return;
      this.painting = false;
      store.stroke(false);
    };
    canvas.addEventListener("pointerdown", (event) => {
      const cell = this.map.cellAt(event);
      if (cell < 0 || event.button !== 0) return;
      if (store.state.tool === "look") {
        if (this.context.grid.stateAt[cell] >= 0) store.set({ cell, held: event.pointerType === "touch" ? store.state.held : !store.state.held });
        return;
      }
      canvas.setPointerCapture(event.pointerId);
      this.painting = true;
      last = cell;
      store.stroke(true);
      this.paint(cell);
    });
    canvas.addEventListener("pointermove", (event) => {
      const cell = this.map.cellAt(event);
      if (cell < 0) return;
      if (this.painting) {
        this.paintLine(last, cell);
        last = cell;
      } else if (store.state.tool === "look" && !store.state.held && this.context.grid.stateAt[cell] >= 0) {
        store.set({ cell });
      }
    });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(name, end);
  }

  private listenToKeys(): void {
    const { canvas } = this.map.figure;
    const { store } = this.context;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "Your maze: arrow keys move the cursor, Enter or the space bar paints with the chosen tool, or holds the state");
    canvas.setAttribute("aria-describedby", "described");
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { grid } = this.context;
      const [row, column] = [Math.floor(store.state.cell / grid.columns), store.state.cell % grid.columns];
      const turn = ARROWS[event.key];
      if (turn) {
        const r = Math.max(0, Math.min(grid.rows - 1, row + turn[0]));
        const c = Math.max(0, Math.min(grid.columns - 1, column + turn[1]));
        store.set({ cell: grid.index(r, c) });
      } else if (event.key === " " || event.key === "Enter") {
        if (store.state.tool === "look") store.set({ held: !store.state.held });
        else this.paint(store.state.cell);
      } else return;
      event.preventDefault();
    });
  }
}
