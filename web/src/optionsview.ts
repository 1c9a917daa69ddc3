// The view of options: the policy of each, where it stops, the vector that it climbs, and the spectrum.
import { drawChart } from "./chart";
import { placeOf } from "./captions";
import { Context } from "./context";
import { el } from "./dom";
import { Grid } from "./grid";
import { drawArrows, drawEnds, drawPlaces, Frame } from "./layers";
import { MazeFigure } from "./mazefigure";
import { OptionReply } from "./messages";
import { Pen } from "./pen";
import { Figure, tallest, zoomNow } from "./figure";
import { Scale, scaleOf } from "./scale";
import { Strip } from "./strip";

interface Drawn extends OptionReply {
  scale: Scale | undefined;
}

export class OptionsView {
  readonly element: HTMLElement;
  readonly map: MazeFigure;
  readonly spectrum: Figure;
  options: Drawn[] = [];
  private grid: Grid;
  /** The world whose options are shown; null where none is. */
  private key: string | null = null;
  private eigenvalues: Float64Array = new Float64Array();
  private unique = true;
  private readonly words = el("p", { class: "described", "aria-live": "polite" });
  private readonly strip: Strip;
  private readonly channel = this.context.channel("world", 150, (reply, fields, key) => {
    this.key = key;
    this.grid = Grid.read(fields.world.map);
    this.eigenvalues = reply.spectrum;
    this.unique = reply.unique;
    this.options = reply.options.map((option) => ({ ...option, scale: option.vector ? scaleOf("signed", option.vector) : undefined }));
    this.refresh(true);
  }, (key) => this.forget(key));

  constructor(private readonly context: Context) {
    const { store } = context;
    this.grid = context.grid;
    this.strip = new Strip("Options: choose one", () => context.theme, (option) => store.set({ option }));
    this.map = new MazeFigure("Option", () => this.content(), () => context.theme);
    this.spectrum = new Figure("Spectrum of the random walk", {
      height: (width) => Math.min(tallest(this.spectrum.canvas) / zoomNow(), width * 0.6),
      draw: (pen, width, height) => this.drawSpectrum(pen, width, height),
    });
    this.element = el("div", { class: "view" }, this.words, this.strip.element, el("div", { class: "figures" }, this.map.figure.element, this.spectrum.element));
    store.on(["option"], () => this.refresh(false));
  }

  /** The request was refused: clears options that belong to another request. */
  private forget(key: string): void {
    if (this.key === key) return;
    [this.key, this.grid, this.options, this.eigenvalues] = [null, this.context.grid, [], new Float64Array()];
    this.refresh(true);
  }

  want(): void {
    this.channel.want(this.context.world(), this.context.worldKey());
  }

  get chosen(): number {
    return Math.max(0, Math.min(this.context.store.state.option, this.options.length - 1));
  }

  private refresh(again: boolean): void {
    const option = this.options[this.chosen];
    if (again) {
      const thumbs = this.options.map((one, i) => ({
        name: String(i + 1), label: `Option ${i + 1}, ${one.name}`, values: one.vector ?? ends(one), scale: one.scale ?? scaleOf("linear", [1]),
      }));
      this.strip.show(this.grid, thumbs, this.chosen);
    } else this.strip.mark(this.chosen);
    const none = this.key === null ? "" : "There are no options. Choose a kind in the menu Options.";
    this.words.textContent = option ? this.describe(option) : none;
    this.map.figure.title = option ? `Option ${this.chosen + 1} (${option.name})` : "No option";
    this.map.figure.sees = option ? seesOf(option, this.grid) : "Without an option only the maze is drawn.";
    const leading = option?.vector ? "The options use the leading vectors, which" : "The leading vectors";
    this.spectrum.sees = `Each dot is an eigenvalue. ${leading} change slowest along the maze.`;
    this.redraw();
  }

  private describe(option: Drawn): string {
    const able = option.policy.reduce((sum, action) => sum + +(action >= 0), 0);
    const climbs = option.vector ? " Colours show the vector that it climbs." : "";
    const doubt = this.unique ? "" : " Some eigenvalues of this maze are almost equal, so these options depend on rounding, and Python may find others.";
    return `Arrows show its policy, rings where it stops. It can start in ${able} of ${option.policy.length} states and stops in ${option.ends.length}.${climbs}${doubt}`;
  }

  redraw(): void {
    this.strip.redraw();
    this.map.figure.invalidate();
    this.spectrum.invalidate();
  }

  private content() {
    const option = this.options[this.chosen];
    return {
      grid: this.grid,
      values: option?.vector ?? undefined,
      scale: option?.scale,
      bar: Boolean(option?.scale),
      above: (pen: Pen, frame: Frame) => {
        if (!option) return;
        drawArrows(pen, frame, option.policy);
        drawEnds(pen, frame, this.context.theme, option.ends);
        drawPlaces(pen, frame, this.context.theme, false);
      },
    };
  }

  private drawSpectrum(pen: Pen, width: number, height: number): void {
    const { theme } = this.context;
    const values = this.eigenvalues;
    if (!values.length) return;
    const high = Math.max(...values);
    const x = Array.from(values, (_, i) => i + 1);
    const used = new Set(this.options.filter((option) => option.vector).map((option) => option.name.replace(/^[+-]/, ""))).size; // +v1 and -v1 climb one vector
    const dots = (keep: (i: number) => boolean, colour: string) => {
      const kept = x.filter((_, i) => keep(i));
      return { x: kept, y: kept.map((i) => values[i - 1]), colour, dots: true };
    };
    drawChart(pen, width, height, {
      x: [1, Math.max(2, values.length)], y: [0, high], xLabel: used ? "eigenvector (coloured: used)" : "eigenvector", yLabel: "eigenvalue of the SR",
      series: [dots((i) => i === 0 || i > used, theme.faint), dots((i) => i > 0 && i <= used, theme.accent)],
    }, theme);
  }
}

/** What to see in the picture of an option. */
function seesOf({ ends, vector, longest }: Drawn, grid: Grid): string {
  const where = ends.length === 1 ? `at ${placeOf(grid, ends[0])}` : ends.length ? `at ${ends.length} rings` : "nowhere";
  return `The arrows ${vector ? "climb the vector shown in colour" : "show where it leads"}. The option stops ${where}; its longest path takes ${longest} steps.`;
}

/** Of an option without a vector only its ends are coloured. */
function ends(option: Drawn): Float64Array {
  const values = new Float64Array(option.policy.length).fill(NaN);
  for (const state of option.ends) values[state] = 0.5;
  return values;
}
