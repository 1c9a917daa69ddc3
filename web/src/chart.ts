// Line charts with linear or logarithmic axes, bands and marks.
import { Pen } from "./pen";
import { brief } from "./scale";
import { Theme } from "./theme";

export interface Series {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  colour: string;
  /** Up to this x the line is strong, beyond it faint. */
  until?: number;
  dots?: boolean;
  dash?: readonly number[];
  /** Drawn thinner than the others. */
  thin?: boolean;
  label?: string;
}

export interface Mark {
  x: number;
  label?: string;
  strong?: boolean;
}

/** A range around lines, filled. */
export interface Band {
  x: ArrayLike<number>;
  low: ArrayLike<number>;
  high: ArrayLike<number>;
  colour: string;
}

export interface ChartData {
  x: readonly [number, number];
  y: readonly [number, number];
  logY?: boolean;
  xLabel: string;
  yLabel: string;
  series: readonly Series[];
  marks?: readonly Mark[];
  bands?: readonly Band[];
}

const LEFT = 46;
const BOTTOM = 34;
const RIGHT = 20;

export function drawChart(pen: Pen, width: number, height: number, data: ChartData, theme: Theme): void {
  const top = drawLegend(pen, width, data.series, theme) + 24;
  const [wide, high] = [width - LEFT - RIGHT, height - top - BOTTOM];
  const [x0, x1] = data.x;
  const [y0, y1] = data.logY ? data.y.map(Math.log) : data.y;
  const atX = (x: number) => LEFT + ((x - x0) / (x1 - x0 || 1)) * wide;
  const atY = (y: number) => top + high - (((data.logY ? Math.log(Math.max(y, 1e-300)) : y) - y0) / (y1 - y0 || 1)) * high;
  const small = { fill: theme.faint, size: 11 };
  for (const y of data.logY ? logTicks(...data.y) : ticks(...data.y, 4)) {
    pen.path([LEFT, atY(y), LEFT + wide, atY(y)], { stroke: theme.line, width: 1 });
    pen.text(LEFT - 6, atY(y), brief(y), { ...small, align: "right" });
  }
  for (const x of ticks(x0, x1, width > 500 ? 8 : 4)) pen.text(atX(x), top + high + 12, brief(x), { ...small, align: "center" });
  pen.text(LEFT + wide, top + high + 27, data.xLabel, { ...small, align: "right" });
  pen.text(4, top - 12, data.yLabel, small);
  for (const band of data.bands ?? []) drawBand(pen, band, atX, atY);
  for (const mark of data.marks ?? []) drawMark(pen, atX(mark.x), top, high, mark, theme);
  for (const series of data.series) drawSeries(pen, series, atX, atY);
}

/** Names of the lines above the chart, in as many rows as they need; returns their height. */
function drawLegend(pen: Pen, width: number, series: readonly Series[], theme: Theme): number {
  let [x, y] = [4, 0];
  for (const { label, colour } of series) {
    if (!label) continue;
    const long = 26 + 6.4 * label.length;
    if (x > 4 && x + long > width) [x, y] = [4, y + 16];
    pen.path([x, y + 8, x + 14, y + 8], { stroke: colour, width: 3 });
    pen.text(x + 20, y + 8, label, { fill: theme.ink, size: 11 });
    x += long + 8;
  }
  return x > 4 ? y + 16 : 0;
}

function drawBand(pen: Pen, band: Band, atX: (x: number) => number, atY: (y: number) => number): void {
  const points: number[] = [];
  for (let i = 0; i < band.x.length; i++) points.push(atX(band.x[i]), atY(band.high[i]));
  for (let i = band.x.length - 1; i >= 0; i--) points.push(atX(band.x[i]), atY(band.low[i]));
  pen.path(points, { fill: band.colour, opacity: 0.2 });
}

function drawMark(pen: Pen, x: number, top: number, high: number, mark: Mark, theme: Theme): void {
  pen.path([x, top, x, top + high], { stroke: mark.strong ? theme.ink : theme.faint, width: 1.5, dash: mark.strong ? [] : [5, 4] });
  if (mark.label) pen.text(x + 5, top - 8, mark.label, { fill: theme.ink, size: 11 });
}

function drawSeries(pen: Pen, series: Series, atX: (x: number) => number, atY: (y: number) => number): void {
  const points: number[] = [];
  const strong: number[] = [];
  for (let i = 0; i < series.x.length; i++) {
    const point = [atX(series.x[i]), atY(series.y[i])];
    points.push(...point);
    if (series.until === undefined || series.x[i] <= series.until) strong.push(...point);
    if (series.dots) pen.disc(point[0], point[1], 3, { fill: series.colour });
  }
  if (series.dots) return;
  if (strong.length < points.length) pen.path(points, { stroke: series.colour, width: 1, opacity: 0.25, dash: series.dash });
  pen.path(strong, { stroke: series.colour, width: series.thin ? 1.1 : 1.9, dash: series.dash });
}

function ticks(low: number, high: number, most: number): number[] {
  const raw = (high - low) / most;
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((candidate) => candidate >= raw)!;
  const out: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-9); i++) out.push(Number((i * step).toPrecision(12)));
  return out;
}

function logTicks(low: number, high: number): number[] {
  const out: number[] = [];
  const every = Math.ceil(Math.log10(high / low) / 8) || 1;
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += every) {
    for (const k of high / low > 100 ? [1] : [1, 2, 5]) if (k * 10 ** power >= low && k * 10 ** power <= high) out.push(k * 10 ** power);
  }
  return out;
}
