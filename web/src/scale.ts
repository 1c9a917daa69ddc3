// Scales that map numbers to the unit interval: linear, logarithmic, or signed around zero.

export type ScaleKind = "linear" | "log" | "signed";

export interface Scale {
  kind: ScaleKind;
  low: number;
  high: number;
  /** The number halfway along the colours. */
  middle: number;
  unit(value: number): number;
}

const DECADES = 4; // a logarithmic scale never reaches further down than this

export function scaleOf(kind: ScaleKind, ...arrays: readonly ArrayLike<number>[]): Scale {
  let high = -Infinity;
  let least = Infinity;
  let far = 0;
  for (const array of arrays) {
    for (let i = 0; i < array.length; i++) {
      const value = array[i];
      if (value > high) high = value;
      if (value > 0 && value < least) least = value;
      if (Math.abs(value) > far) far = Math.abs(value);
    }
  }
  if (kind === "signed") return signed(far > 0 ? far : 1);
  if (!(high > 0)) return linear(0, 1);
  return kind === "linear" ? linear(0, high) : log(Math.max(Math.min(least, high / 10), high * 10 ** -DECADES), high);
}

function linear(low: number, high: number): Scale {
  return { kind: "linear", low, high, middle: (low + high) / 2, unit: (value) => (value - low) / (high - low) };
}

function log(low: number, high: number): Scale {
  const span = Math.log(high / low);
  return { kind: "log", low, high, middle: Math.sqrt(low * high), unit: (value) => (value <= low ? 0 : Math.log(value / low) / span) };
}

function signed(far: number): Scale {
  return { kind: "signed", low: -far, high: far, middle: 0, unit: (value) => 0.5 + value / (2 * far) };
}

/** Three significant digits, without a tail of zeros. */
export function brief(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e4 || size < 1e-3) return value.toExponential(1).replace("e+", "e");
  return String(Number(value.toPrecision(3)));
}
