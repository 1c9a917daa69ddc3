// Records a run as an animated GIF.
import { GifWriter, Palette } from "./gif";

/** What is filmed: moments, and how to go to one. */
export interface Film {
  moments: readonly number[];
  goTo(moment: number): void;
  /** Whether the run is no longer there, because another one or another world was asked for. */
  gone(): boolean;
  /** Returns to where playback was, if the run is still there. */
  end(): void;
}

export const MOST_FRAMES = 80;
const PAUSE = 8; // hundredths of a second per frame
const REST = 150; // at the last one

/** Evenly spaced integers from 0 to `last`, both included, at most MOST_FRAMES. */
export function momentsTo(last: number): number[] {
  const n = Math.min(MOST_FRAMES, last + 1);
  return Array.from({ length: n }, (_, i) => Math.round((i * last) / Math.max(1, n - 1)));
}

/** Draws each moment with `draw` and encodes them; `tell` gets the part that is done. Throws if the run is gone. */
export async function filmed(film: Film, draw: () => ImageData, tell: (part: number) => void): Promise<Blob> {
  try {
    const at = (moment: number) => {
      if (film.gone()) throw new Error("the run is no longer shown");
      film.goTo(moment);
      return draw();
    };
    const { moments } = film;
    const samples = [];
    for (const i of [0, Math.floor(moments.length / 2), moments.length - 1]) samples.push(at(moments[i]));
    const palette = new Palette(samples.map((picture) => picture.data));
    const { width, height } = samples[0];
    const writer = new GifWriter(width, height, palette);
    for (const [i, moment] of moments.entries()) {
      writer.add(palette.indices(at(moment).data), i === moments.length - 1 ? REST : PAUSE);
      tell((i + 1) / moments.length);
      await new Promise<void>((resolve) => window.setTimeout(resolve)); // the page stays alive
    }
    return writer.finish();
  } finally {
    if (!film.gone()) film.end();
  }
}
