// The view of whole matrices, states ordered by room so that rooms become blocks.
import { BAR_HEIGHT, drawBar } from "./colourbar";
import { Desk, floats } from "./desk";
import { el } from "./dom";
import { Pen } from "./pen";
import { Plate } from "./plate";
import { brief, Scale, scaleOf } from "./scale";
import { Which, World } from "./wire";

export const MOST_STATES = 500;
const SMALLEST_ROOM = 4; // a maze has hundreds of rooms of one cell, whose lines would hide the matrix

export class MatricesView {
  readonly element: HTMLElement;
  readonly plates: Record<Which, Plate>;
  readonly matrices: Partial<Record<Which, Float32Array>> = {};
  private readonly words = el("p", { class: "described", "aria-live": "polite" });
  private order = new Int32Array();
  private starts: number[] = [];
  private readonly lanes = { sr: this.makeLane("sr"), hsr: this.makeLane("hsr") };

  constructor(private readonly desk: Desk) {
    this.plates = { sr: this.makePlate("sr", "SR: all rows"), hsr: this.makePlate("hsr", "HSR: all rows") };
    this.element = el("div", { class: "view" }, this.words, el("div", { class: "plates" }, this.plates.sr.element, this.plates.hsr.element));
    desk.store.listen((changed) => (["log", "shared", "cell"] as const).some((key) => changed.has(key)) && this.redraw());
  }

  private makeLane(which: Which) {
    return this.desk.lane("matrix", 100, (reply, fields) => {
      if ((fields.world as World).map !== this.desk.store.state.map) return;
      this.matrices[which] = floats(reply.matrix);
      this.arrange();
      this.redraw();
    });
  }

  want(): void {
    const { grid } = this.desk;
    for (const plate of Object.values(this.plates)) plate.element.hidden = grid.nStates > MOST_STATES;
    if (grid.nStates > MOST_STATES) {
      delete this.matrices.sr;
      delete this.matrices.hsr;
      this.words.textContent = `This map has ${grid.nStates} states; matrices are drawn up to ${MOST_STATES}. Use rows instead, or a smaller map.`;
      this.redraw();
      return;
    }
    this.words.textContent = "Each row is one state, each column what it predicts. Lines part the rooms; bottlenecks come last. Click a row to look at its state.";
    for (const which of ["sr", "hsr"] as const) this.lanes[which].want({ ...this.desk.world(), which }, this.desk.worldKey());
  }

  /** States sorted by room; states of no room (bottlenecks) at the end. */
  arrange(): void {
    const { checked, grid } = this.desk;
    const rooms = checked?.map === grid.text ? checked.rooms : new Int32Array(grid.nStates);
    const place = (state: number) => (rooms[state] < 0 ? Infinity : rooms[state]);
    this.order = Int32Array.from(Array.from(rooms.keys()).sort((a, b) => place(a) - place(b) || a - b));
    this.starts = [];
    for (let from = 0, to; from < this.order.length; from = to) {
      to = from + 1;
      while (to < this.order.length && rooms[this.order[to]] === rooms[this.order[from]]) to++;
      if (to - from >= SMALLEST_ROOM) this.starts.push(from, to);
    }
  }

  redraw(): void {
    this.plates.sr.invalidate();
    this.plates.hsr.invalidate();
  }

  private size(width: number): number {
    return Math.min(width, Math.max(240, window.innerHeight * 0.68));
  }

  private makePlate(which: Which, title: string): Plate {
    const plate = new Plate(title, {
      height: (width) => (this.matrices[which] ? this.size(width) + BAR_HEIGHT + 8 : 30),
      draw: (pen, width) => this.draw(pen, which, width),
    });
    const at = (event: PointerEvent | MouseEvent): [number, number] | null => {
      const n = this.order.length;
      const side = this.size(plate.width);
      const i = Math.floor((event.offsetY / side) * n);
      const j = Math.floor(((event.offsetX - (plate.width - side) / 2) / side) * n);
      return i >= 0 && j >= 0 && i < n && j < n ? [this.order[i], this.order[j]] : null;
    };
    plate.canvas.setAttribute("role", "img");
    plate.canvas.setAttribute("aria-label", `${title}, ordered by room`);
    plate.canvas.addEventListener("pointermove", (event) => {
      const pair = at(event);
      const matrix = this.matrices[which];
      if (!pair || !matrix) return;
      this.words.textContent = `${which.toUpperCase()} from state ${pair[0]} to state ${pair[1]}: ${brief(matrix[pair[0] * this.order.length + pair[1]])} visits.`;
    });
    plate.canvas.addEventListener("click", (event) => {
      const pair = at(event);
      if (pair) this.desk.store.set({ cell: this.desk.grid.cellOf[pair[0]], held: true });
    });
    return plate;
  }

  private scale(which: Which): Scale {
    const { log, shared } = this.desk.store.state;
    const { sr, hsr } = this.matrices;
    const arrays = shared && sr && hsr ? [sr, hsr] : [this.matrices[which]!];
    return scaleOf(log ? "log" : "linear", ...arrays);
  }

  private draw(pen: Pen, which: Which, width: number): void {
    const matrix = this.matrices[which];
    const n = this.order.length;
    if (!matrix || matrix.length !== n * n) return;
    const { theme, grid } = this.desk;
    const scale = this.scale(which);
    const rgba = new Uint8ClampedArray(4 * n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const [r, g, b] = theme.sequential(scale.unit(matrix[this.order[i] * n + this.order[j]]));
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
    const row = this.order.indexOf(this.desk.looked);
    if (row >= 0 && grid.nStates === n) drawPointer(pen, x, ((row + 0.5) / n) * side);
    drawBar(pen, x, side + 8, side, scale, theme);
  }
}

/** A small arrow at the left edge, pointing at the row of the state that is looked at. */
function drawPointer(pen: Pen, x: number, y: number): void {
  pen.path([x, y - 6, x + 11, y, x, y + 6], { fill: "#ffffff", stroke: "rgba(0,0,0,0.8)", width: 1.2 });
}
