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

/** The lines of a maze without what editors add: a byte order mark, carriage returns, and spaces and empty lines at the end. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n").replace(/[ \n]+$/, "").split("\n");
  const columns = Math.max(...lines.map((line) => line.replace(/ +$/, "").length));
  return lines.map((line) => line.slice(0, columns));
}

/** Reads a maze without goals, whose cells are open. */
export function parseMaze(text: string): Cells {
  const lines = linesOf(text);
  const signs = lines.join("");
  if (!signs) throw new Refused(`line 1, column 1: the layout is empty; ${EXPECTED}`);
  refuseUnknown(lines);
  const columns = Math.max(...lines.map((line) => line.length));
  refuseRagged(lines, columns);
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

function refuseUnknown(lines: readonly string[]): void {
  for (const [row, line] of lines.entries()) {
    const signs = [...line];
    const column = signs.findIndex((sign) => !/[# .S1-9]/.test(sign));
    if (column < 0) continue;
    const code = signs[column].codePointAt(0)!;
    const sign = JSON.stringify(signs[column]) + (code < 127 ? "" : ` (U+${code.toString(16).toUpperCase().padStart(4, "0")})`); // which may be invisible
    throw new Refused(`line ${row + 1}, column ${column + 1}: ${sign} is not allowed in a layout; ${EXPECTED}`);
  }
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
