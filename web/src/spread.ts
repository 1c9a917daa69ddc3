// Statistics over seeds: the mean and quantiles of each episode.

export interface Spread {
  mean: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

/** The mean, and the quantiles `share` and 1 - `share`, of the numbers of each seed. */
export function spreadOf(seeds: readonly ArrayLike<number>[], share = 0.1): Spread {
  const [n, nSeeds] = [seeds[0].length, seeds.length];
  const out = { mean: new Float64Array(n), low: new Float64Array(n), high: new Float64Array(n) };
  const column = new Float64Array(nSeeds);
  for (let episode = 0; episode < n; episode++) {
    for (let seed = 0; seed < nSeeds; seed++) column[seed] = seeds[seed][episode];
    out.mean[episode] = column.reduce((sum, value) => sum + value, 0) / nSeeds;
    column.sort();
    out.low[episode] = quantile(column, share);
    out.high[episode] = quantile(column, 1 - share);
  }
  return out;
}

/** A quantile of sorted numbers, linear between neighbours. */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  return sorted[below] + (at - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

/** The mean of each half of a curve, rounded: of the episodes to goal 1, and of those to goal 2. */
export function halves(mean: Float64Array): number[] {
  const half = mean.length / 2;
  return [mean.slice(0, half), mean.slice(half)].map((part) => Math.round(part.reduce((sum, value) => sum + value, 0) / half));
}
