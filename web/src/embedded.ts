// What `hsr lab` or `hsr.widget` wrote into the page: a maze, its discount, maps from files, and rewards.

/** A map of one maze with one discount. */
export interface EmbeddedMap {
  name: string;
  maze: string;
  discount: number;
  /** All rows, one after the other. */
  values: Float64Array;
  /** The Python expression that loads it. */
  code: string;
}

interface Embedded {
  maze: string | null;
  discount: number | null;
  /** The address of the documentation, if the page is part of it. */
  docs: string;
  maps: EmbeddedMap[];
  /** What each state of the maze pays. */
  reward: number[] | null;
}

function read(): Embedded {
  const text = typeof document === "undefined" ? null : document.getElementById("embedded")?.textContent;
  const { maze = null, discount = null, docs = "", maps = [], reward = null } = JSON.parse(text || "{}");
  return { maze, discount, docs, reward, maps: maps.map((map: EmbeddedMap & { f64: string }) => ({ ...map, values: floats(map.f64) })) };
}

function floats(base64: string): Float64Array {
  return new Float64Array(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)).buffer);
}

export const embedded = read();

/** The maps that belong to a maze with this discount. */
export function mapsOf(maze: string, discount: number): EmbeddedMap[] {
  return embedded.maps.filter((map) => map.maze === maze && map.discount === discount);
}

/** The rewards that came with the page, if this is their maze. */
export const rewardOf = (maze: string): number[] | null => (maze === embedded.maze ? embedded.reward : null);
