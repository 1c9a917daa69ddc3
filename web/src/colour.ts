// Colours of numbers: two perceptually uniform ramps as small tables, and a diverging one between three colours.

export type RGB = readonly [number, number, number];
export type Ramp = (unit: number) => RGB;

const TABLES = {
  viridis: "440154 48186a 472d7b 424086 3b528b 33638d 2c728e 26828e 21918c 1fa088 28ae80 3fbc73 5ec962 84d44b addc30 d8e219 fde725",
  cividis: "00224e 002e6a 1a386f 32436d 434e6c 535a6d 61656f 6f7073 7d7c78 8c8878 9b9476 aba072 bcae6c cdbb63 dec958 f0d846 fee838",
};

export type RampName = keyof typeof TABLES;

export function parseHex(hex: string): RGB {
  const value = parseInt(hex.replace("#", "").trim(), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Turns a ramp into 256 ready colours; a heat map asks for thousands. */
function tabulated(ramp: Ramp): Ramp {
  const table = Array.from({ length: 256 }, (_, i) => ramp(i / 255).map(Math.round) as unknown as RGB);
  return (unit) => table[Math.max(0, Math.min(255, Math.round(unit * 255)))];
}

function between(stops: readonly RGB[]): Ramp {
  return (unit) => {
    const at = Math.max(0, Math.min(1, unit)) * (stops.length - 1);
    const low = Math.min(stops.length - 2, Math.floor(at));
    const part = at - low;
    return [0, 1, 2].map((i) => stops[low][i] * (1 - part) + stops[low + 1][i] * part) as unknown as RGB;
  };
}

export function sequential(name: RampName): Ramp {
  return tabulated(between(TABLES[name].split(" ").map(parseHex)));
}

/** From one hue over a neutral colour to another; 0.5 is the neutral. */
export function diverging(low: string, neutral: string, high: string): Ramp {
  return tabulated(between([low, neutral, high].map(parseHex)));
}
