// The colours of pictures in light and dark; lab.css has the same ones for the page around them.
import { diverging, Ramp, RampName, sequential } from "./colour";

export interface Theme {
  paper: string;
  ink: string;
  faint: string;
  line: string;
  wall: string;
  floor: string;
  hatch: string;
  accent: string;
  warn: string;
  agents: readonly string[];
  sequential: Ramp;
  diverging: Ramp;
}

export const LIGHT: Omit<Theme, "sequential" | "diverging"> = {
  paper: "#ffffff",
  ink: "#1d2330",
  faint: "#626b7a",
  line: "#d9dde4",
  wall: "#c3c9d3",
  floor: "#f7f8fa",
  hatch: "#d3d8e0",
  accent: "#0b63c4",
  warn: "#b3261e",
  agents: ["#0b63c4", "#c8501a", "#1a7f5a", "#8a4fb0"],
};

export const DARK: typeof LIGHT = {
  paper: "#181b21",
  ink: "#e6e9ef",
  faint: "#9aa3b2",
  line: "#333944",
  wall: "#454c59",
  floor: "#20242c",
  hatch: "#4b5362",
  accent: "#6cb0ff",
  warn: "#ff9b8f",
  agents: ["#6cb0ff", "#ff9a5c", "#5fd0a3", "#c99bf0"],
};

export function makeTheme(dark: boolean, ramp: RampName): Theme {
  const signed = dark ? diverging("#6fb4ff", "#23272f", "#ff9a5c") : diverging("#1f5a9c", "#f4f3f0", "#b2521a");
  return { ...(dark ? DARK : LIGHT), sequential: sequential(ramp), diverging: signed };
}
