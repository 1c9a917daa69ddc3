// How much of a maze an agent has seen, at some times.
import { LIMITS } from "../../limits";

/** The times at which coverage is shown, in steps counted from 1: evenly spaced, rounded as NumPy rounds. */
export function timesOf(steps: number): Int32Array {
  const n = LIMITS.COVERAGE_TIMES;
  const gap = (steps - 1) / (n - 1);
  return Int32Array.from({ length: n }, (_, i) => (i === n - 1 ? steps : halfToEven(i * gap + 1)));
}

function halfToEven(x: number): number {
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 ? low + 1 : low;
}

/** The fraction of states seen by each time. */
export function coverageAt(firstVisit: Int32Array, times: Int32Array): Float64Array {
  const seen = [...firstVisit].filter((time) => time >= 0).sort((one, other) => one - other);
  let count = 0;
  return Float64Array.from(times, (time) => {
    while (count < seen.length && seen[count] <= time) count++;
    return count / firstVisit.length;
  });
}
