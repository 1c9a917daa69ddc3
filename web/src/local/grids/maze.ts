// Random mazes by recursive backtracking, as in `hsr.random_maze`.
import { below, drawsOf } from "../random";
import { Layout } from "./layout";

const STEPS: readonly (readonly [number, number])[] = [[-1, 0], [0, 1], [1, 0], [0, -1]];

/** Returns the text of a maze of size x size cells. */
export function randomMaze(size: number, seed: number): string {
  const side = Math.floor((size - 1) / 2); // rooms of one cell, at odd rows and columns
  const draw = drawsOf(seed);
  const start = below(draw, side * side);
  const walls = new Uint8Array(size * size).fill(1);
  const open = (row: number, column: number) => (walls[row * size + column] = 0);
  const stack = [start];
  open(2 * Math.floor(start / side) + 1, 2 * (start % side) + 1);
  while (stack.length) {
    const room = stack[stack.length - 1];
    const [row, column] = [Math.floor(room / side), room % side];
    const ways = STEPS.map(([down, right]) => [row + down, column + right] as const).filter(
      ([i, j]) => i >= 0 && j >= 0 && i < side && j < side && walls[(2 * i + 1) * size + 2 * j + 1],
    );
    if (!ways.length) {
      stack.pop();
      continue;
    }
    const [i, j] = ways[below(draw, ways.length)];
    open(row + i + 1, column + j + 1);
    open(2 * i + 1, 2 * j + 1);
    stack.push(i * side + j);
  }
  return new Layout({ rows: size, columns: size, walls, start: -1 }).toText();
}
