// A maze and its geometry: states, moves, connected parts, rooms, bottlenecks and distances.
import { Cells } from "./text";

export const N_ACTIONS = 4;
const MOVES: readonly (readonly [number, number])[] = [[-1, 0], [0, 1], [1, 0], [0, -1]]; // up, right, down, left

/** Labels 0, 1, ... of the states (-1 for none), by their smallest state, and how many there are. */
export interface Labels {
  of: Int32Array;
  count: number;
}

/** The open cells of a maze are its states, numbered row by row. */
export class Layout {
  readonly nStates: number;
  readonly stateAt: Int32Array;
  readonly cellOf: Int32Array;
  /** Where each action leads from each state, four per state; a move into a wall stays. */
  readonly successors: Int32Array;
  readonly start: number;
  readonly narrow: Uint8Array;
  readonly parts: Labels;
  readonly rooms: Labels;

  constructor(cells: Cells) {
    const { walls } = cells;
    [this.rows, this.columns] = [cells.rows, cells.columns];
    this.stateAt = new Int32Array(walls.length);
    this.cellOf = Int32Array.from(Array.from(walls.keys()).filter((cell) => !walls[cell]));
    this.nStates = this.cellOf.length;
    this.stateAt.fill(-1);
    this.cellOf.forEach((cell, state) => (this.stateAt[cell] = state));
    this.start = cells.start < 0 ? -1 : this.stateAt[cells.start];
    this.successors = this.moves();
    this.narrow = this.findNarrow();
    this.parts = this.components(() => true);
    this.rooms = this.components((state) => !this.narrow[state]);
  }

  readonly rows: number;
  readonly columns: number;

  /** Steps from every state to `goal`, -1 where there is no path. Paths on a grid lead both ways. */
  distancesTo(goal: number): Int32Array {
    return this.searchFrom(goal).distance;
  }

  /** The same, with the states that have a path, nearest first. */
  searchFrom(goal: number): { distance: Int32Array; reached: Int32Array } {
    const distance = new Int32Array(this.nStates).fill(-1);
    const queue = new Int32Array(this.nStates);
    distance[goal] = 0;
    queue[0] = goal;
    let tail = 1;
    for (let head = 0; head < tail; head++) {
      const state = queue[head];
      for (let a = 0; a < N_ACTIONS; a++) {
        const next = this.successors[N_ACTIONS * state + a];
        if (distance[next] >= 0) continue;
        distance[next] = distance[state] + 1;
        queue[tail++] = next;
      }
    }
    return { distance, reached: queue.subarray(0, tail) };
  }

  /** The maze as text, without goals. */
  toText(): string {
    const sign = (cell: number) => (this.stateAt[cell] < 0 ? "#" : this.stateAt[cell] === this.start ? "S" : ".");
    const line = (row: number) => Array.from({ length: this.columns }, (_, column) => sign(row * this.columns + column)).join("");
    return Array.from({ length: this.rows }, (_, row) => line(row)).join("\n");
  }

  private moves(): Int32Array {
    const table = new Int32Array(N_ACTIONS * this.nStates);
    for (let state = 0; state < this.nStates; state++) {
      const [row, column] = [Math.floor(this.cellOf[state] / this.columns), this.cellOf[state] % this.columns];
      MOVES.forEach(([down, right], action) => {
        const [i, j] = [row + down, column + right];
        const inside = i >= 0 && j >= 0 && i < this.rows && j < this.columns;
        const next = inside ? this.stateAt[i * this.columns + j] : -1;
        table[N_ACTIONS * state + action] = next < 0 ? state : next;
      });
    }
    return table;
  }

  /** Narrow states are blocked on both sides along one axis and open on both sides along the other. */
  private findNarrow(): Uint8Array {
    return Uint8Array.from({ length: this.nStates }, (_, state) => {
      const [up, right, down, left] = MOVES.map((_, a) => this.successors[N_ACTIONS * state + a] === state);
      return +((up && down && !left && !right) || (left && right && !up && !down));
    });
  }

  private components(member: (state: number) => boolean): Labels {
    const labels = new Int32Array(this.nStates).fill(-1);
    let count = 0;
    for (let source = 0; source < this.nStates; source++) {
      if (labels[source] >= 0 || !member(source)) continue;
      const stack = [source];
      labels[source] = count;
      while (stack.length) {
        const state = stack.pop()!;
        for (let a = 0; a < N_ACTIONS; a++) {
          const next = this.successors[N_ACTIONS * state + a];
          if (labels[next] >= 0 || !member(next)) continue;
          labels[next] = count;
          stack.push(next);
        }
      }
      count++;
    }
    return { of: labels, count };
  }
}
