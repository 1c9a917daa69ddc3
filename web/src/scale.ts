// Scales that map numbers to the unit interval: linear, logarithmic, or signed around zero.

export type ScaleKind = "linear" | "log" | "signed";

export interface Scale {
  kind: ScaleKind;
  low: number;
  high: number;
  /** The number halfway along the colours. */
  middle: number;
  /** Whether the darker half of the colours spans more decades than the brighter half. */
  bent?: boolean;
  unit(value: number): number;
}

const DECADES = 4; // at most, of the brighter half of logarithmic colours; the darker half reaches down to the least number

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
  return kind === "linear" ? linear(0, high) : log(Math.min(least, high / 10), high);
}

function linear(low: number, high: number): Scale {
  return { kind: "linear", low, high, middle: (low + high) / 2, unit: (value) => (value - low) / (high - low) };
}

function log(low: number, high: number): Scale {
  const bent = high / low > 10 ** (2 * DECADES);
  const middle = bent ? high * 10 ** -DECADES : Math.sqrt(low * high);
  const [least, half, most] = [low, middle, high].map(Math.log); // their ratios may be infinite
  const unit = (value: number) => {
    if (value >= middle) return 0.5 + (0.5 * (Math.log(value) - half)) / (most - half);
    const part = value <= low ? 1 : (half - Math.log(value)) / (half - least);
    return 0.5 - 0.5 * (bent ? Math.sqrt(part) : part); // with hundreds of decades, the upper ones get more colours
  };
  return { kind: "log", low, high, middle, bent, unit };
}

function signed(far: number): Scale {
  return { kind: "signed", low: -far, high: far, middle: 0, unit: (value) => 0.5 + value / (2 * far) };
}

/** All digits of large integers, or three significant digits, or two and an exponent; without a tail of zeros. */
export function brief(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(1).replace(".0e", "e").replace("e+", "e");
  return String(size >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));
}
