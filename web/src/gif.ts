// An encoder of animated GIF files: one palette for all frames, and of each frame only what has changed.

const COLOURS = 256;

/** Colours with 5 bits each, as one number. */
const keyOf = (r: number, g: number, b: number) => ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);

/** A palette of the most frequent colours, and the index of the nearest one for any colour. */
export class Palette {
  readonly bytes = new Uint8Array(3 * COLOURS);
  private readonly nearest = new Int16Array(1 << 15).fill(-1);
  private readonly size: number;

  /** Counts the colours of some pictures, 4 bytes per pixel. */
  constructor(pictures: readonly Uint8ClampedArray[]) {
    const counts = new Map<number, number>();
    const example = new Map<number, number>();
    for (const rgba of pictures) {
      for (let at = 0; at < rgba.length; at += 4) {
        const key = keyOf(rgba[at], rgba[at + 1], rgba[at + 2]);
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (!example.has(key)) example.set(key, (rgba[at] << 16) | (rgba[at + 1] << 8) | rgba[at + 2]);
      }
    }
    const kept = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, COLOURS);
    this.size = kept.length;
    kept.forEach(([key], i) => {
      const rgb = example.get(key)!;
      this.bytes.set([rgb >> 16, (rgb >> 8) & 255, rgb & 255], 3 * i);
      this.nearest[key] = i;
    });
  }

  /** The index of each pixel's colour. */
  indices(rgba: Uint8ClampedArray): Uint8Array {
    const out = new Uint8Array(rgba.length / 4);
    for (let i = 0, at = 0; i < out.length; i++, at += 4) {
      const key = keyOf(rgba[at], rgba[at + 1], rgba[at + 2]);
      if (this.nearest[key] < 0) this.nearest[key] = this.search(rgba[at], rgba[at + 1], rgba[at + 2]);
      out[i] = this.nearest[key];
    }
    return out;
  }

  private search(r: number, g: number, b: number): number {
    let best = 0;
    let least = Infinity;
    for (let i = 0; i < this.size; i++) {
      const far = (this.bytes[3 * i] - r) ** 2 + (this.bytes[3 * i + 1] - g) ** 2 + (this.bytes[3 * i + 2] - b) ** 2;
      if (far < least) [best, least] = [i, far];
    }
    return best;
  }
}

export class GifWriter {
  private readonly parts: Uint8Array[] = [];
  private last: Uint8Array | null = null;

  constructor(
    private readonly width: number,
    private readonly height: number,
    palette: Palette,
  ) {
    const letters = (text: string) => [...text].map((char) => char.charCodeAt(0));
    this.parts.push(Uint8Array.from([...letters("GIF89a"), ...word(width), ...word(height), 0xf7, 0, 0]), palette.bytes);
    this.parts.push(Uint8Array.from([0x21, 0xff, 11, ...letters("NETSCAPE2.0"), 3, 1, 0, 0, 0])); // it repeats without end
  }

  /** Adds a picture, given by the index of each pixel, that is shown for some hundredths of a second. */
  add(indices: Uint8Array, hundredths: number): void {
    const { x, y, width, height } = this.changed(indices);
    const piece = new Uint8Array(width * height);
    for (let row = 0; row < height; row++) piece.set(indices.subarray((y + row) * this.width + x, (y + row) * this.width + x + width), row * width);
    this.parts.push(Uint8Array.from([0x21, 0xf9, 4, 4, ...word(hundredths), 0, 0, 0x2c, ...word(x), ...word(y), ...word(width), ...word(height), 0, 8]));
    this.parts.push(blocks(compressed(piece)));
    this.last = indices;
  }

  finish(): Blob {
    return new Blob([...this.parts, Uint8Array.of(0x3b)] as BlobPart[], { type: "image/gif" });
  }

  /** The smallest rectangle that holds everything that differs from the picture before. */
  private changed(indices: Uint8Array) {
    const { last } = this;
    if (!last) return { x: 0, y: 0, width: this.width, height: this.height };
    let [left, top, right, bottom] = [this.width, this.height, -1, -1];
    for (let at = 0; at < indices.length; at++) {
      if (indices[at] === last[at]) continue;
      const [row, column] = [Math.floor(at / this.width), at % this.width];
      if (column < left) left = column;
      if (column > right) right = column;
      if (row < top) top = row;
      bottom = row;
    }
    return right < 0 ? { x: 0, y: 0, width: 1, height: 1 } : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  }
}

const word = (value: number): [number, number] => [value & 255, value >> 8];

const CLEAR = 256;
const END = 257;
const MOST_CODES = 4096;

/** Compresses bytes by the algorithm of Lempel, Ziv and Welch, with codes of 9 to 12 bits. */
export function compressed(bytes: Uint8Array): Uint8Array {
  let out = new Uint8Array(1024);
  let [length, held, bits, size, next] = [0, 0, 0, 9, END + 1];
  let known = new Map<number, number>();
  const write = (code: number) => {
    held |= code << bits;
    bits += size;
    while (bits >= 8) {
      if (length === out.length) out = grown(out);
      out[length++] = held & 255;
      held >>>= 8;
      bits -= 8;
    }
  };
  write(CLEAR);
  let prefix = bytes[0];
  for (let i = 1; i < bytes.length; i++) {
    const pair = (prefix << 8) | bytes[i];
    const code = known.get(pair);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    write(prefix);
    if (next < MOST_CODES) {
      if (next === 1 << size && size < 12) size++;
      known.set(pair, next++);
    } else {
      write(CLEAR);
      known = new Map();
      [size, next] = [9, END + 1];
    }
    prefix = bytes[i];
  }
  write(prefix);
  if (next === 1 << size && size < 12) size++; // the decoder adds one entry more before it reads the end
  write(END);
  if (bits > 0) {
    if (length === out.length) out = grown(out);
    out[length++] = held & 255;
  }
  return out.subarray(0, length);
}

function grown(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length);
  larger.set(bytes);
  return larger;
}

/** Data in blocks of at most 255 bytes, each behind its length, and an empty one at the end. */
function blocks(bytes: Uint8Array): Uint8Array {
  const n = Math.ceil(bytes.length / 255);
  const out = new Uint8Array(bytes.length + n + 1);
  for (let i = 0, to = 0; i < n; i++) {
    const block = bytes.subarray(255 * i, 255 * (i + 1));
    out[to] = block.length;
    out.set(block, to + 1);
    to += block.length + 1;
  }
  return out;
}
