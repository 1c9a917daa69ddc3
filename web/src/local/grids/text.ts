// The text format of mazes, with the rules and error messages of `hsr.grids.parse_layout`.
import { Refused } from "../../messages";

const EXPECTED = "expected '#' (wall), '.' or a space (open), 'S' (start) or '1' to '9' (goals)";

/** What the text of a maze says: its size, true at walls (row after row), and the cell of the start or -1. */
export interface Cells {
  rows: number;
  columns: number;
  walls: Uint8Array;
  start: number;
}

/** Reads a maze without goals, whose cells are open. */
export function parseMaze(text: string): Cells {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n").replace(/[ \n]+$/, "");
  if (!plain) throw new Refused(`line 1, column 1: the layout is empty; ${EXPECTED}`);
  refuseUnknown(plain);
  const lines = plain.split("\n");
  const columns = Math.max(...lines.map((line) => line.replace(/ +$/, "").length));
  refuseRagged(lines, columns);
  const signs = lines.map((line) => line.slice(0, columns)).join("");
  const walls = Uint8Array.from(signs, (sign) => +(sign === "#"));
  if (walls.every(Boolean)) {
    throw new Refused(`line 1, column 1: every cell of the ${lines.length} x ${columns} layout is a wall; ${EXPECTED}`);
  }
  const start = signs.indexOf("S");
  const second = signs.indexOf("S", start + 1);
  if (start >= 0 && second >= 0) {
    throw new Refused(`${place(second, columns)}: a second 'S'; expected one, and the first is at ${place(start, columns)}`);
  }
  return { rows: lines.length, columns, walls, start };
}

function place(cell: number, columns: number): string {
  return `line ${Math.floor(cell / columns) + 1}, column ${(cell % columns) + 1}`;
}

function refuseUnknown(text: string): void {
  const odd = /[^# .S1-9\n]/u.exec(text);
  if (!odd) return;
  const before = text.slice(0, odd.index).split("\n");
  throw new Refused(`line ${before.length}, column ${[...before.at(-1)!].length + 1}: ${JSON.stringify(odd[0])} is not allowed in a layout; ${EXPECTED}`);
}

/** Blames the short line, or the long one if most lines are shorter. */
function refuseRagged(lines: string[], columns: number): void {
  const lengths = lines.map((line) => line.length);
  const short = lengths.flatMap((length, line) => (length < columns ? [line] : []));
  if (!short.length) return;
  const first = short[0];
  const long = lengths.findIndex((length) => length >= columns);
  if (short.length > lines.length / 2) {
    const expected = Math.max(...short.map((line) => lengths[line]));
    throw new Refused(
      `line ${long + 1}, column ${expected + 1}: the line has ${columns} columns; expected ${lengths[first]}, as in line ${first + 1}`,
    );
  }
  throw new Refused(
    `line ${first + 1}, column ${lengths[first] + 1}: the line has ${lengths[first]} columns; expected ${columns}, as in line ${long + 1}`,
  );
}
