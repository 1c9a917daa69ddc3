// A strip of thumbnails. Each is a button, and the chosen one is shown large elsewhere.
import { el } from "./dom";
import { Grid } from "./grid";
import { drawGround } from "./layers";
import { Figure } from "./figure";
import { Scale } from "./scale";
import { Theme } from "./theme";

export interface Thumb {
  name: string;
  label: string;
  values?: Float64Array;
  scale?: Scale;
}

export class Strip {
  readonly element: HTMLElement;
  readonly figures: Figure[] = [];

  constructor(
    label: string,
    private readonly theme: () => Theme,
    private readonly choose: (index: number) => void,
  ) {
    this.element = el("div", { class: "strip", role: "group", "aria-label": label });
  }

  show(grid: Grid, thumbs: readonly Thumb[], chosen: number): void {
    const focused = [...this.element.children].indexOf(document.activeElement as Element);
    for (const figure of this.figures.splice(0)) figure.remove();
    const buttons = thumbs.map((thumb, index) => {
      const figure = new Figure(thumb.name, {
        height: (width) => (width / grid.columns) * grid.rows,
        draw: (pen, width) => drawGround(pen, { x: 0, y: 0, size: width / grid.columns, grid }, this.theme(), thumb.values, thumb.scale),
      });
      this.figures.push(figure);
      return el(
        "button",
        { type: "button", class: "thumb", title: thumb.label, "aria-label": thumb.label, "aria-pressed": String(index === chosen), click: () => this.choose(index) },
        figure.element,
      );
    });
    this.element.replaceChildren(...buttons);
    if (focused >= 0) buttons[Math.min(focused, buttons.length - 1)]?.focus();
  }

  mark(chosen: number): void {
    [...this.element.children].forEach((child, index) => child.setAttribute("aria-pressed", String(index === chosen)));
  }

  redraw(): void {
    for (const figure of this.figures) figure.invalidate();
  }
}
