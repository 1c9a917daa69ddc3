// The largest sizes that the page computes.
import { DECLARED } from "./declared";

export const LIMITS = {
  /** The side of the largest maze, in cells: its rows and options are computed. */
  SIDE: DECLARED.side,
  /** The side of the largest maze for whole maps, features and agents. */
  SMALL_SIDE: DECLARED.small_side,
  GOALS_DRAWN: 64,
  EIGENVALUES: 64,
  OPTIONS: 64,
  DIFFUSION: 9999,
  COMPONENTS: 64,
  NMF_ITERATIONS: 200,
  EPISODES: 200,
  SEEDS: 50,
  HORIZON: 5000,
  STEPS: 100_000,
  COVERAGE_TIMES: 200,
  WORLDS_KEPT: 8,
} as const;

/** Why a maze is too large for a view, in one sentence; empty where it is not. */
export function tooLarge(what: string, { rows, columns }: { rows: number; columns: number }): string {
  const most = LIMITS.SMALL_SIDE;
  return Math.max(rows, columns) <= most ? "" : `${what} mazes of up to ${most} × ${most} cells; this one has ${rows} × ${columns}.`;
}
