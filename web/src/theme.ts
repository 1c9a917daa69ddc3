// The colours of pictures, which lab.css declares for light and for dark pages.
import { diverging, Ramp, RampName, sequential } from "./colour";

const NAMES = ["paper", "ink", "faint", "line", "wall", "floor", "hatch", "accent", "warn"] as const;

export interface Theme extends Record<(typeof NAMES)[number], string> {
  agents: readonly string[];
  sequential: Ramp;
  diverging: Ramp;
}

/** Returns the colours that the page has at this moment. */
export function themeNow(ramp: RampName): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const named = Object.fromEntries(NAMES.map((name) => [name, colour(name)])) as Record<(typeof NAMES)[number], string>;
  return {
    ...named,
    agents: [1, 2, 3, 4].map((i) => colour(`agent${i}`)),
    sequential: sequential(ramp),
    diverging: diverging(colour("negative"), colour("zero"), colour("positive")),
  };
}
