// The view of whole matrices, states ordered by room so that rooms become blocks.
import { BAR_HEIGHT, drawBar } from "./colourbar";
import { bounded } from "./bounded";
import { aboutMatrix, placeOf } from "./captions";
import { Context } from "./context";
import { el, freshId, write } from "./dom";
import { labelOf } from "./fields";
import { Pen } from "./pen";
import { Figure, tallest, zoomNow } from "./figure";
import { ARROWS } from "./mazefigure";
import { brief, Scale, scaleOf } from "./scale";

const NAMES = ["sr", "hsr", "other"] as const;
type Name = (typeof NAMES)[number];

interface Matrix {
  /** The map and the world that were asked for. */
  key: string;
  /** The maze, as text. */
  maze: string;
  values: Float64Array;
}

const SMALLEST_ROOM = 4; // a maze has hundreds of rooms of one cell, whose lines would hide the matrix

export class MatricesView {
  readonly element: HTMLElement;
  readonly figures: Record<Name, Figure>;
  readonly matrices: Partial<Record<Name, Matrix>> = {};
  private readonly words = el("p", { class: "described", "aria-live": "polite", id: freshId() });
  private order = new Int32Array();
  /** The maze whose states are in this order. */
  private ordered = "";
  private starts: number[] = [];
  /** Row and column, in the order shown, of the number that the keyboard looks at. */
  private cursor: [number, number] | null = null;
  private readonly channels = { sr: this.makeChannel("sr"), hsr: this.makeChannel("hsr"), other: this.makeChannel("other") };

  constructor(private readonly context: Context) {
    this.figures = {
      sr: this.makeFigure("sr", "SR: from all states"), hsr: this.makeFigure("hsr", "HSR: from all states"), other: this.makeFigure("other", "Another map: from all states"),
    };
    this.element = bounded(context, "Matrices are drawn for", this.words, el("div", { class: "figures swipe" }, ...Object.values(this.figures).map((figure) => figure.element)));
    context.store.on(["log", "shared", "cell"], () => this.redraw());
  }

  private makeChannel(which: Name) {
    return this.context.channel("matrix", 100, (reply, fields, key) => {
      if (fields.world.map !== this.context.store.state.map) return;
      this.matrices[which] = { key, maze: fields.world.map, values: reply.matrix };
      this.say();
      this.redraw();
    }, (key) => {
      if (this.matrices[which]?.key === key) return;
      delete this.matrices[which]; // of another world or another map
      this.redraw();
    }, aboutOf(which));
  }

  /** The numbers to show, if they are of the maze whose states are in order. */
  private numbers(which: Name): Float64Array | undefined {
    const matrix = this.matrices[which];
    return matrix?.maze === this.ordered ? matrix.values : undefined;
  }

  want(): void {
    const { other } = this.context.store.state;
    this.figures.other.element.hidden = !other;
    this.figures.hsr.element.hidden = this.context.store.state.kind === "none";
    this.figures.other.title = `${labelOf(other)}: from all states`;
    if (!other) this.leave("other");
    if (this.context.isLarge) return NAMES.forEach((name) => this.leave(name));
    if (this.ordered !== this.context.grid.text) this.arrange();
    write(this.words, "A row holds the visits from one state, a column those to one state. Point at an entry to read it; click to select the state of its row. White lines separate the rooms; bottlenecks come last.");
    for (const name of NAMES) {
      const which = name === "other" ? other : name;
      if (which) this.channels[name].want({ ...this.context.world(), which }, `${which}/${this.context.worldKey()}`);
    }
  }

  /** Writes the sentence above each matrix. */
  private say(): void {
    for (const name of NAMES) {
      const map = this.numbers(name);
      const sr = name === "sr" ? undefined : this.numbers("sr");
      if (map && (sr || name === "sr")) this.figures[name].sees = aboutMatrix(map, sr, this.context);
    }
  }

  /** Cancels the request for a matrix and removes it. */
  private leave(which: Name): void {
    this.channels[which].drop();
    delete this.matrices[which];
    this.context.tell(aboutOf(which), "");
  }

  /** States sorted by room; states of no room (bottlenecks) at the end. */
  private arrange(): void {
    const { checked, grid } = this.context;
    const { rooms } = checked;
    const place = (state: number) => (rooms[state] < 0 ? Infinity : rooms[state]);
    if (this.cursor && Math.max(...this.cursor) >= rooms.length) this.cursor = null;
    this.order = Int32Array.from(Array.from(rooms.keys()).sort((a, b) => place(a) - place(b) || a - b));
    this.ordered = grid.text;
    this.starts = [];
    for (let from = 0, to; from < this.order.length; from = to) {
      to = from + 1;
      while (to < this.order.length && rooms[this.order[to]] === rooms[this.order[from]]) to++;
      if (to - from >= SMALLEST_ROOM) this.starts.push(from, to);
    }
  }

  redraw(): void {
    for (const figure of Object.values(this.figures)) figure.invalidate();
  }

  private size(width: number): number {
    return Math.min(width, tallest(this.figures.sr.canvas) / zoomNow());
  }

  private makeFigure(which: Name, title: string): Figure {
    const figure = new Figure(title, {
      height: (width) => (this.matrices[which] ? this.size(width) + BAR_HEIGHT + 8 : 30),
      draw: (pen, width) => this.draw(pen, which, width),
    });
    const at = (event: PointerEvent | MouseEvent): [number, number] | null => {
      const n = this.order.length;
      const side = this.size(figure.width);
      const i = Math.floor((event.offsetY / zoomNow() / side) * n);
      const j = Math.floor(((event.offsetX / zoomNow() - (figure.width - side) / 2) / side) * n);
      return i >= 0 && j >= 0 && i < n && j < n ? [this.order[i], this.order[j]] : null;
    };
    const { canvas } = figure;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", `${title}, ordered by room: arrow keys move from number to number, Enter looks at the state of the line`);
    canvas.setAttribute("aria-describedby", this.words.id);
    canvas.addEventListener("keydown", (event) => this.press(event, which));
    canvas.addEventListener("focus", () => this.redraw());
    canvas.addEventListener("blur", () => this.redraw());
    figure.canvas.addEventListener("pointermove", (event) => {
      const pair = at(event);
      if (pair) this.tell(which, ...pair);
    });
    figure.canvas.addEventListener("click", (event) => {
      const pair = at(event);
      if (pair) this.context.store.set({ cell: this.context.grid.cellOf[pair[0]], held: true });
    });
    return figure;
  }

  private tell(which: Name, from: number, to: number): void {
    const matrix = this.numbers(which);
    if (!matrix) return;
    const { grid, store } = this.context;
    const known = NAMES.filter((name) => this.numbers(name));
    const read = known.map((name) => `${name === "other" ? labelOf(store.state.other) : name.toUpperCase()} ${brief(this.numbers(name)![from * this.order.length + to])}`);
    write(this.words, `From ${placeOf(grid, from)} to ${placeOf(grid, to)}: ${read.join(", ")} visits.`);
  }

  /** The keyboard moves a cursor over the numbers; with Shift by ten, Enter chooses the row. */
  private press(event: KeyboardEvent, which: Name): void {
    const n = this.order.length;
    if (!n || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Math.max(0, this.order.indexOf(this.context.selected));
    const [row, column] = this.cursor ?? [at, at];
    const by = event.shiftKey ? 10 : 1;
    const turn = ARROWS[event.key];
    if (turn) {
      const within = (place: number) => Math.max(0, Math.min(n - 1, place));
      this.cursor = [within(row + by * turn[0]), within(column + by * turn[1])];
      this.tell(which, this.order[this.cursor[0]], this.order[this.cursor[1]]);
      this.redraw();
    } else if (event.key === "Enter" || event.key === " ") {
      this.context.store.set({ cell: this.context.grid.cellOf[this.order[row]], held: true });
    } else return;
    event.preventDefault();
  }

  private scale(which: Name): Scale {
    const { log, shared } = this.context.store.state;
    const [sr, hsr] = [this.numbers("sr"), this.numbers("hsr")];
    const own = this.numbers(which)!;
    if (own.some((value) => value < 0)) return scaleOf("signed", own);
    return scaleOf(log ? "log" : "linear", ...(shared && sr && hsr && which !== "other" ? [sr, hsr] : [own]));
  }

  private draw(pen: Pen, which: Name, width: number): void {
    const matrix = this.numbers(which);
    const n = this.order.length;
    if (!matrix || matrix.length !== n * n) return;
    const { theme, grid } = this.context;
    const scale = this.scale(which);
    const ramp = scale.kind === "signed" ? theme.diverging : theme.sequential;
    const rgba = new Uint8ClampedArray(4 * n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const [r, g, b] = ramp(scale.unit(matrix[this.order[i] * n + this.order[j]]));
        const at = 4 * (i * n + j);
        rgba[at] = r;
        rgba[at + 1] = g;
        rgba[at + 2] = b;
        rgba[at + 3] = 255;
      }
    }
    const side = this.size(width);
    const x = (width - side) / 2;
    pen.cells(x, 0, side / n, n, n, rgba);
    for (const start of this.starts) {
      const at = (start / n) * side;
      pen.path([x, at, x + side, at], { stroke: "#ffffff", width: 1, opacity: 0.75 });
      pen.path([x + at, 0, x + at, side], { stroke: "#ffffff", width: 1, opacity: 0.75 });
    }
    const row = this.order.indexOf(this.context.selected);
    if (row >= 0 && grid.nStates === n) drawPointer(pen, x, ((row + 0.5) / n) * side);
    if (this.cursor && document.activeElement === this.figures[which].canvas) drawCross(pen, x, side, side / n, this.cursor);
    drawBar(pen, x, side + 8, side, scale, theme);
  }
}

/** Each matrix has its own message, which an answer about another one leaves. */
const aboutOf = (which: Name) => `matrix ${which}`;

/** The row and the column of the keyboard's cursor, and its place. */
function drawCross(pen: Pen, x: number, side: number, size: number, [row, column]: readonly [number, number]): void {
  const [atX, atY] = [x + (column + 0.5) * size, (row + 0.5) * size];
  const half = Math.max(4, size);
  for (const ink of [{ stroke: "rgba(0,0,0,0.8)", width: 3 }, { stroke: "#ffffff", width: 1.2 }]) {
    pen.path([x, atY, x + side, atY], { ...ink, opacity: 0.6 });
    pen.path([atX, 0, atX, side], { ...ink, opacity: 0.6 });
    pen.rect(atX - half, atY - half, 2 * half, 2 * half, ink);
  }
}

/** A small arrow at the left edge, pointing at the row of the state that is looked at. */
function drawPointer(pen: Pen, x: number, y: number): void {
  pen.path([x, y - 6, x + 11, y, x, y + 6], { fill: "#ffffff", stroke: "rgba(0,0,0,0.8)", width: 1.2 });
}
