"""Time SARSA with SPIE, per step in the four rooms, against a NumPy agent of the same rule.

The peer (`tests/oracles/plain_sarsa.py`) keeps dense arrays and sums the map's column for each
bonus. Both take the same steps from the same random numbers; `error` is the largest difference
between the times at which states were first seen.

The limit is what the arithmetic of a step costs when nothing else is done: one row of the map and
the sums over its columns changed, in a compiled loop over rows that stay in the cache.
"""

import time
from typing import Any

import numba
import numpy as np
from tests.oracles.plain_sarsa import explore_plainly

import hsr
from benchmarks._timing import median_seconds, row
from hsr._base.row_arithmetic import aligned_rows


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return the rows without options on the SR and with eight eigenoptions on the HSR."""
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.99)
    seeds = range(1 if quick else 5)
    steps = 100_000 if quick else 1_000_000
    return [
        _race(
            "SARSA with SPIE, SR, no options",
            mdp,
            hsr.Sarsa("spie", "sr"),
            None,
            seeds,
            steps,
            800.0,
        ),
        _race(
            "SARSA with SPIE, HSR, 8 eigenoptions",
            mdp,
            hsr.Sarsa("spie", "hsr"),
            hsr.eigenoptions(mdp, 8),
            seeds,
            steps,
            None,
        ),
        _limit(mdp, seeds, steps),
    ]


def _race(
    name: str,
    mdp: hsr.FiniteMDP,
    agent: hsr.Sarsa,
    options: hsr.OptionSet | None,
    seeds: range,
    steps: int,
    target: float | None,
) -> dict[str, Any]:
    """Return the row of one agent: medians over seeds, ours over enough steps for the call to cost
    nothing.
    """
    few = steps // 50
    peer, error = [], 0
    for seed in seeds:
        begin = time.perf_counter()
        plain = explore_plainly(mdp, agent, options, seed=seed, steps=few, start=0)
        peer.append((time.perf_counter() - begin) / few)
        first_visit = hsr.explore(
            mdp, agent, options, seeds=[seed], steps=few, start=0
        ).first_visit[0]
        error = max(error, int(np.abs(first_visit - plain.first_visit).max()))
    ours = median_seconds(
        lambda: hsr.explore(mdp, agent, options, seeds=seeds, steps=steps, start=0, workers=1)
    )
    ours /= steps * len(seeds)
    rates = f"{ours * 1e9:.0f} ns per step, {1 / np.median(peer):,.0f} steps/s in plain NumPy"
    note = f"{rates}; tables and results included"
    return row(name, ours, float(np.median(peer)), target=target, error=error, note=note)


def _limit(mdp: hsr.FiniteMDP, seeds: range, steps: int) -> dict[str, Any]:
    """Return the row of SPIE on the SR against the time that its arithmetic takes alone.

    The note says what a step costs without a map and without a bonus: all that is not arithmetic
    on rows.
    """
    n = mdp.n_states
    M, sums = aligned_rows(n, n), aligned_rows(1, n)
    M[:], sums[:] = 0.5, 0.25 * n
    limit = median_seconds(lambda: _measured_rows(M, sums[0], 10_000)) / 10_000
    ours, bare = (
        median_seconds(
            lambda agent=agent: hsr.explore(
                mdp, agent, None, seeds=seeds, steps=steps, start=0, workers=1
            )
        )
        / (steps * len(seeds))
        for agent in (hsr.Sarsa("spie", "sr"), hsr.Sarsa(None, "sr"))
    )
    row_alone, rest = (f"{seconds * 1e9:.0f} ns" for seconds in (limit, bare))
    parts = f"row and column sums alone {row_alone}, without map and bonus {rest}"
    note = f"fraction of the limit; of {ours * 1e9:.0f} ns per step, {parts}"
    return row("SARSA with SPIE, machine's limit", ours, limit, target=0.75, note=note)


@numba.njit(fastmath=True)
def _measured_rows(M, sums, n):  # type: ignore[no-untyped-def]
    for k in range(n):
        x, ahead = M[k % M.shape[0]], M[(k + 1) % M.shape[0]]
        for i in range(x.size):
            old = x[i]
            new = old + 0.01 * (0.9 * ahead[i] - old)
            x[i] = new
            sums[i] += new * new - old * old
