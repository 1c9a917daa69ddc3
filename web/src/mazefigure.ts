// A figure of a maze in which pointer, finger or arrow keys choose cells.
import { BAR_HEIGHT, drawBar } from "./colourbar";
import { Grid } from "./grid";
import { drawGround, drawHatch, Frame } from "./layers";
import { Pen } from "./pen";
import { Figure, tallest, zoomNow } from "./figure";
import { Scale } from "./scale";
import { Theme } from "./theme";

export interface MazeContent {
  grid: Grid;
  values?: ArrayLike<number>;
  scale?: Scale;
  /** Layers above the ground. */
  above?(pen: Pen, frame: Frame, theme: Theme): void;
  bar?: boolean;
  /** States without a number are hatched: nothing is known of them yet. */
  hatched?: boolean;
}

/** The rows and columns by which arrow keys move. */
export const ARROWS: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export class MazeFigure {
  readonly figure: Figure;
  private frame: Frame | null = null;

  /** `content` is called at every drawing; null leaves the figure empty. */
  constructor(
    title: string,
    private readonly content: () => MazeContent | null,
    private readonly theme: () => Theme,
    private readonly most: (canvas: HTMLCanvasElement) => number = tallest,
  ) {
    this.figure = new Figure(title, {
      height: (width) => this.heightAt(width),
      draw: (pen, width) => this.draw(pen, width),
    });
  }

  private cellSize(grid: Grid, width: number): number {
    const size = Math.min(width / grid.columns, this.most(this.figure.canvas) / zoomNow() / grid.rows);
    const density = zoomNow() * (window.devicePixelRatio || 1);
    return Math.max(1 / density, Math.floor(size * density) / density); // whole device pixels keep the edges sharp
  }

  private heightAt(width: number): number {
    const content = this.content();
    if (!content) return 40;
    return this.cellSize(content.grid, width) * content.grid.rows + (content.bar ? BAR_HEIGHT + 8 : 0);
  }

  private draw(pen: Pen, width: number): void {
    const content = this.content();
    if (!content) return;
    const { grid } = content;
    const size = this.cellSize(grid, width);
    const frame = { x: Math.floor((width - size * grid.columns) / 2), y: 0, size, grid };
    this.frame = frame;
    drawGround(pen, frame, this.theme(), content.values, content.scale);
    if (content.hatched && content.values) drawHatch(pen, frame, this.theme(), content.values);
    content.above?.(pen, frame, this.theme());
    if (content.bar && content.scale) drawBar(pen, frame.x, size * grid.rows + 8, size * grid.columns, content.scale, this.theme());
  }

  /** The cell under a pointer, -1 outside. */
  cellAt(event: { clientX: number; clientY: number }): number {
    const frame = this.frame;
    if (!frame) return -1;
    const box = this.figure.canvas.getBoundingClientRect();
    const zoom = zoomNow();
    const column = Math.floor(((event.clientX - box.left) / zoom - frame.x) / frame.size);
    const row = Math.floor(((event.clientY - box.top) / zoom - frame.y) / frame.size);
    const { grid } = frame;
    return row < 0 || column < 0 || row >= grid.rows || column >= grid.columns ? -1 : grid.index(row, column);
  }

  /** Makes the map choose cells: `point` on hover and by arrows from `from()`, `press` on click and tap, `hold` on Enter. */
  choosable(
    label: string, describedBy: string, actions: { point(cell: number): void; press(cell: number, touch: boolean): void; hold(): void; from(): number },
  ): void {
    const { canvas } = this.figure;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", label);
    canvas.setAttribute("aria-describedby", describedBy);
    canvas.addEventListener("pointermove", (event) => event.pointerType !== "touch" && actions.point(this.cellAt(event)));
    canvas.addEventListener("click", (event) => actions.press(this.cellAt(event), (event as PointerEvent).pointerType === "touch"));
    canvas.addEventListener("keydown", (event) => {
      const turn = ARROWS[event.key];
      const grid = this.frame?.grid;
      if (!grid || event.ctrlKey || event.metaKey || event.altKey) return;
      if (turn) actions.point(grid.nextOpen(actions.from(), ...turn));
      else if (event.key === "Enter" || event.key === " ") actions.hold();
      else return;
      event.preventDefault();
    });
  }
}
