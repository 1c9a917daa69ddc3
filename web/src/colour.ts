// Colours of numbers: two perceptually uniform ramps as small tables, and a diverging one mixed in OKLab.

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

/** From one hue over a neutral colour to another, in even steps of lightness; 0.5 is the neutral. */
export function diverging(low: string, neutral: string, high: string): Ramp {
  const stops = [low, neutral, high].map((hex) => toLab(parseHex(hex)) as unknown as RGB);
  const inLab = between(stops);
  return tabulated((unit) => fromLab(inLab(unit)));
}

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const gamma = (value: number) => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);

function toLab(rgb: RGB): RGB {
  const [r, g, b] = rgb.map((value) => linear(value / 255));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromLab([L, a, b]: RGB): RGB {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return rgb.map((value) => 255 * gamma(Math.max(0, Math.min(1, value)))) as unknown as RGB;
}
