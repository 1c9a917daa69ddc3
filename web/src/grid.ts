// A maze as the page edits it: rows of characters, with open cells numbered row by row as states.
import { linesOf } from "./local/grids/text";

export const WALL = "#";
export const FLOOR = ".";
export type Cell = "#" | "." | "S" | "1" | "2";

export class Grid {
  readonly rows: number;
  readonly columns: number;
  readonly nStates: number;
  /** State of each cell, row by row; -1 at walls. */
  readonly stateAt: Int32Array;
  /** Cell (row * columns + column) of each state. */
  readonly cellOf: Int32Array;

  private constructor(
    readonly lines: readonly string[],
    readonly text: string,
  ) {
    this.rows = lines.length;
    this.columns = lines[0].length;
    this.stateAt = new Int32Array(this.rows * this.columns).fill(-1);
    const cells: number[] = [];
    for (let at = 0; at < this.stateAt.length; at++) {
      if (this.char(at) === WALL) continue;
      this.stateAt[at] = cells.length;
      cells.push(at);
    }
    this.cellOf = Int32Array.from(cells);
    this.nStates = cells.length;
  }

  /** Reads the text of a maze; cells with a sign that is not drawn become floor. */
  static read(text: string): Grid {
    const lines = linesOf(text).map((line) => line.replace(/[^#S12]/g, FLOOR));
    return new Grid(lines, lines.join("\n"));
  }

  char(at: number): string {
    return this.lines[Math.floor(at / this.columns)][at % this.columns];
  }

  index(row: number, column: number): number {
    return row * this.columns + column;
  }

  /** The same map with one cell changed; a start or goal stands in one place only. */
  with(at: number, cell: Cell): Grid {
    const chars = this.lines.join("").split("");
    if (at < 0 || at >= chars.length) return this;
    if ("S12".includes(cell)) for (let i = 0; i < chars.length; i++) if (chars[i] === cell) chars[i] = FLOOR;
    chars[at] = cell;
    return Grid.fromChars(chars, this.columns);
  }

  resized(rows: number, columns: number): Grid {
    const chars: string[] = [];
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const edge = row === 0 || column === 0 || row === rows - 1 || column === columns - 1;
        const inside = row < this.rows - 1 && column < this.columns - 1;
        chars.push(edge ? WALL : inside ? this.char(this.index(row, column)) : FLOOR);
      }
    }
    return Grid.fromChars(chars, columns);
  }

  private static fromChars(chars: readonly string[], columns: number): Grid {
    const lines: string[] = [];
    for (let at = 0; at < chars.length; at += columns) lines.push(chars.slice(at, at + columns).join(""));
    return new Grid(lines, lines.join("\n"));
  }

  find(cell: Cell): number {
    return this.lines.join("").indexOf(cell);
  }

  /** The open cell nearest to a cell, by steps along rows and columns; -1 where all is wall. */
  nearestOpen(at: number): number {
    const row = Math.floor(at / this.columns);
    const column = at % this.columns;
    let best = -1;
    let least = Infinity;
    for (const cell of this.cellOf) {
      const far = Math.abs(Math.floor(cell / this.columns) - row) + Math.abs((cell % this.columns) - column);
      if (far < least) [best, least] = [cell, far];
    }
    return best;
  }

  /** The next open cell from a cell in a direction, over walls if need be; the same cell where there is none. */
  nextOpen(at: number, dRow: number, dColumn: number): number {
    let row = Math.floor(at / this.columns) + dRow;
    let column = (at % this.columns) + dColumn;
    while (row >= 0 && column >= 0 && row < this.rows && column < this.columns) {
      if (this.stateAt[this.index(row, column)] >= 0) return this.index(row, column);
      row += dRow;
      column += dColumn;
    }
    return at;
  }
}
