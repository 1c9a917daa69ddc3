// The colour bar below a heat map, with the numbers at its ends and in the middle.
import { Pen } from "./pen";
import { Scale, brief } from "./scale";
import { Theme } from "./theme";

export const BAR_HEIGHT = 30;

export function drawBar(pen: Pen, x: number, y: number, width: number, scale: Scale, theme: Theme): void {
  const steps = 128;
  const ramp = scale.kind === "signed" ? theme.diverging : theme.sequential;
  const side = width / steps;
  const rows = Math.max(1, Math.round(8 / side));
  const rgba = new Uint8ClampedArray(4 * steps * rows);
  for (let i = 0; i < steps * rows; i++) rgba.set([...ramp((i % steps) / (steps - 1)), 255], 4 * i);
  pen.cells(x, y, side, steps, rows, rgba);
  const letters = { fill: theme.faint, size: 11 };
  const least = scale.kind === "log" ? `≤ ${brief(scale.low)}` : brief(scale.low);
  pen.text(x, y + 19, least, letters);
  const more = !scale.bent || width < 225 ? "" : width < 285 ? " (compressed)" : " (compressed below)";
  if (width > 150) pen.text(x + width / 2, y + 19, brief(scale.middle) + more, { ...letters, align: "center" });
  pen.text(x + width, y + 19, brief(scale.high), { ...letters, align: "right" });
}
