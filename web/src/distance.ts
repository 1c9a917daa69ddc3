// The view "Distance": how visits fall with distance for the SR and the HSR, and how far each of them looks.
import { drawChart } from "./chart";
import { fullPlace } from "./captions";
import { Context } from "./context";
import { el } from "./dom";
import { checkField } from "./fields";
import { Figure, tallest, zoomNow } from "./figure";
import { Replies } from "./messages";
import { Pen } from "./pen";
import { brief } from "./scale";

const NAMES = ["sr", "hsr"] as const;

export class DistanceView {
  readonly element: HTMLElement;
  readonly chart: Figure;
  shown: Replies["distance"] | null = null;
  private readonly words = el("p", { class: "described", "aria-live": "polite" });
  private readonly channel = this.context.channel("distance", 60, (reply, { state }) => {
    this.shown = reply;
    this.words.textContent = `From ${fullPlace(this.context, state)}. Choose another state in the drawing.`;
    this.chart.sees = this.sentence(reply);
    this.redraw();
  }, () => {
    this.shown = null;
    this.chart.sees = "";
    this.redraw();
  });

  constructor(private readonly context: Context) {
    const match = checkField(context.store, "matched", "Match the horizon", "Give the SR the discount at which its fitted horizon is that of the HSR.");
    const show = () => (match.hidden = context.store.state.task !== "walk" || context.store.state.kind === "none");
    context.store.follow(["task", "kind"], show);
    this.chart = new Figure("Visits against distance, on a logarithmic axis", {
      height: (width) => Math.min(tallest(this.chart.canvas) / zoomNow(), Math.max(220, width * 0.6)),
      draw: (pen, width, height) => this.draw(pen, width, height),
    });
    this.chart.element.classList.add("chart");
    this.element = el("div", { class: "view" }, el("div", { class: "controls" }, match), this.words, el("div", { class: "figures" }, this.chart.element));
  }

  want(): void {
    const { matched, task, kind } = this.context.store.state;
    const [state, key] = [this.context.selected, this.context.worldKey()];
    if (state >= 0) this.channel.want({ ...this.context.world(), state, matched: matched && task === "walk" && kind !== "none" }, key);
  }

  redraw(): void {
    this.chart.invalidate();
  }

  private sentence({ sr, hsr, srDiscount }: Replies["distance"]): string {
    const { kind, matched, discount } = this.context.store.state;
    const steps = (length: number) => (length > 0 && length < 1e4 ? `${brief(length)} steps` : "no length: visits do not fall with distance");
    const one = (name: string, { length, predicted }: typeof sr) =>
      `${name} ${Number.isNaN(length) ? "has too few distances to fit a line" : steps(length)}${predicted === null ? "" : ` (predicted ${brief(predicted)})`}`;
    const flat = matched && srDiscount !== discount ? ` Here the SR has the discount ${srDiscount.toFixed(4)}, at which its horizon is ${Math.abs(sr.length - hsr.length) < 0.01 * hsr.length ? "that" : "as near as it comes to that"} of the HSR.` : "";
    return `Horizon, over which visits fall to 1/e: ${[one("SR", sr), ...(kind === "none" ? [] : [one("HSR", hsr)])].join(", ")}.${flat} Dots: mean visits at each distance. Lines: fitted; dashed: predicted.`;
  }

  private draw(pen: Pen, width: number, height: number): void {
    const { shown } = this;
    const { theme, store } = this.context;
    const known = NAMES.filter((name) => shown && shown[name].distances.length && (name === "sr" || store.state.kind !== "none"));
    if (!shown || !known.length) return;
    const all = known.flatMap((name) => [...shown[name].visits, ...shown[name].line]);
    const series = known.flatMap((name, i) => {
      const { distances: x, visits, line, predicted } = shown[name];
      const colour = theme.agents[i];
      const dashed = predicted && line.length ? [{ x, y: x.map((at) => line[0] * Math.exp((x[0] - at) / predicted)), colour, dash: [5, 4], thin: true }] : [];
      return [{ x, y: visits, colour, dots: true, label: name.toUpperCase() }, { x: x.slice(0, line.length), y: line, colour }, ...dashed];
    });
    const last = Math.max(...known.map((name) => shown[name].distances.at(-1)!));
    drawChart(pen, width, height, { x: [0, last], y: [Math.min(...all), Math.max(...all)], logY: true, xLabel: "distance in steps", yLabel: "visits", series }, theme);
  }
}
