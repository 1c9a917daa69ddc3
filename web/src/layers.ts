// The layers of a picture of a maze, each a function of (pen, frame, theme, data).
import { RGB, parseHex } from "./colour";
import { Grid } from "./grid";
import { Pen } from "./pen";
import { Scale } from "./scale";
import { Theme } from "./theme";

/** Where a map lies on its paper: its top left corner and the side of a cell. */
export interface Frame {
  x: number;
  y: number;
  size: number;
  grid: Grid;
}

const centre = (frame: Frame, cell: number): [number, number] => [
  frame.x + ((cell % frame.grid.columns) + 0.5) * frame.size,
  frame.y + (Math.floor(cell / frame.grid.columns) + 0.5) * frame.size,
];

/** Walls, floor, and over the floor a colour per state where `values` are given; states without a number stay floor. */
export function drawGround(pen: Pen, frame: Frame, theme: Theme, values?: ArrayLike<number>, scale?: Scale): void {
  const { grid } = frame;
  const rgba = new Uint8ClampedArray(4 * grid.rows * grid.columns);
  const wall = parseHex(theme.wall);
  const floor = parseHex(theme.floor);
  const ramp = scale?.kind === "signed" ? theme.diverging : theme.sequential;
  for (let cell = 0; cell < grid.stateAt.length; cell++) {
    const state = grid.stateAt[cell];
    let rgb: RGB = state < 0 ? wall : floor;
    if (state >= 0 && values && scale && !Number.isNaN(values[state])) rgb = ramp(scale.unit(values[state]));
    rgba.set([rgb[0], rgb[1], rgb[2], 255], 4 * cell);
  }
  pen.cells(frame.x, frame.y, frame.size, grid.columns, grid.rows, rgba);
}

/** Diagonal lines in the states without a number, so that in the dark they are not taken for low ones. */
export function drawHatch(pen: Pen, { x, y, size, grid }: Frame, theme: Theme, values: ArrayLike<number>): void {
  if (size < 5) return;
  const ink = { stroke: theme.hatch, width: Math.max(0.75, size / 24) };
  for (let state = 0; state < grid.nStates; state++) {
    if (!Number.isNaN(values[state])) continue;
    const [left, top] = [x + (grid.cellOf[state] % grid.columns) * size, y + Math.floor(grid.cellOf[state] / grid.columns) * size];
    pen.path([left, top + size / 2, left + size / 2, top], ink);
    pen.path([left, top + size, left + size, top], ink);
    pen.path([left + size / 2, top + size, left + size, top + size / 2], ink);
  }
}

/** Fine lines between cells, for editing. */
export function drawRaster(pen: Pen, { x, y, size, grid }: Frame, theme: Theme): void {
  if (size < 6) return;
  const ink = { stroke: theme.line, width: 1, opacity: 0.7 };
  for (let row = 0; row <= grid.rows; row++) pen.path([x, y + row * size, x + grid.columns * size, y + row * size], ink);
  for (let column = 0; column <= grid.columns; column++) {
    pen.path([x + column * size, y, x + column * size, y + grid.rows * size], ink);
  }
}

/** Start and goals as letters. */
export function drawPlaces(pen: Pen, frame: Frame, theme: Theme, plain: boolean): void {
  for (const sign of ["S", "1", "2"] as const) {
    const cell = frame.grid.find(sign);
    if (cell < 0) continue;
    const [x, y] = centre(frame, cell);
    const size = Math.min(22, Math.max(9, frame.size * 0.66));
    const letters = plain ? { fill: theme.accent, halo: theme.floor } : { fill: "#ffffff", halo: "rgba(0,0,0,0.75)" };
    pen.text(x, y, sign, { ...letters, size, align: "center", bold: true });
  }
}

export function drawTint(pen: Pen, frame: Frame, theme: Theme, states: readonly number[]): void {
  for (const state of states) {
    const [x, y] = centre(frame, frame.grid.cellOf[state]);
    pen.rect(x - frame.size / 2, y - frame.size / 2, frame.size, frame.size, { fill: theme.warn, opacity: 0.35 });
  }
}

/** A small diamond at each bottleneck. */
export function drawBottlenecks(pen: Pen, frame: Frame, states: readonly number[]): void {
  const r = Math.max(1.5, frame.size * 0.16);
  for (const state of states) {
    const [x, y] = centre(frame, frame.grid.cellOf[state]);
    pen.path([x - r, y, x, y - r, x + r, y, x, y + r], { fill: "#ffffff", stroke: "rgba(0,0,0,0.7)", width: 1 });
  }
}

export function drawCursor(pen: Pen, frame: Frame, theme: Theme, cell: number): void {
  const [x, y] = centre(frame, cell);
  const half = frame.size / 2;
  const width = Math.max(1.5, Math.min(3, frame.size / 8));
  pen.rect(x - half, y - half, frame.size, frame.size, { stroke: theme.paper, width: 2 * width });
  pen.rect(x - half, y - half, frame.size, frame.size, { stroke: theme.accent, width });
}

const TURNS = [[0, -1], [1, 0], [0, 1], [-1, 0]] as const; // up, right, down, left

/** Arrows that show the policy of an option. */
export function drawArrows(pen: Pen, frame: Frame, policy: Int32Array): void {
  const long = frame.size * 0.3;
  const wide = frame.size * 0.18;
  for (let state = 0; state < policy.length; state++) {
    const action = policy[state];
    if (action < 0 || action > 3) continue;
    const [x, y] = centre(frame, frame.grid.cellOf[state]);
    const [dx, dy] = TURNS[action];
    const points = [x + dx * long, y + dy * long, x - dx * long - dy * wide, y - dy * long + dx * wide,
      x - dx * long + dy * wide, y - dy * long - dx * wide];
    pen.path(points, { fill: "#ffffff", stroke: "rgba(0,0,0,0.55)", width: Math.max(0.5, frame.size / 24) });
  }
}

/** Rings where an option stops. */
export function drawEnds(pen: Pen, frame: Frame, theme: Theme, ends: readonly number[]): void {
  for (const state of ends) {
    const [x, y] = centre(frame, frame.grid.cellOf[state]);
    const width = Math.max(1.5, frame.size / 9);
    pen.disc(x, y, frame.size * 0.3, { stroke: "#ffffff", width: width * 2 });
    pen.disc(x, y, frame.size * 0.3, { stroke: theme.accent, width });
  }
}

/** The path of an agent: the whole episode faintly, the last steps strongly, and its position. */
export function drawTrail(pen: Pen, frame: Frame, colour: string, states: Int32Array, now: number): void {
  const whole = Math.floor(now);
  const points: number[] = [];
  for (let i = 0; i <= Math.min(whole, states.length - 1); i++) points.push(...centre(frame, frame.grid.cellOf[states[i]]));
  let [x, y] = points.slice(-2);
  if (whole + 1 < states.length) {
    const [x1, y1] = centre(frame, frame.grid.cellOf[states[whole + 1]]);
    x += (x1 - x) * (now - whole);
    y += (y1 - y) * (now - whole);
    points.push(x, y);
  }
  const width = Math.max(1.2, frame.size / 6);
  const recent = points.slice(-2 * RECENT);
  pen.path(points, { stroke: colour, width: width * 0.6, opacity: 0.45 });
  pen.path(recent, { stroke: "#ffffff", width: width * 2 });
  pen.path(recent, { stroke: colour, width });
  pen.disc(x, y, Math.max(3, frame.size * 0.36), { fill: colour, stroke: "#ffffff", width: Math.max(1.5, frame.size / 12) });
}

const RECENT = 40;
