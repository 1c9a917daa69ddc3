"""SARSA with the SPIE bonus against a plain NumPy agent of the same rule, per primitive step, in
the four rooms on one core.

The peer (`tests/oracles/plain_sarsa.py`) keeps dense arrays and sums the map's column for each
bonus. Both take the same steps from the same random numbers; `error` is the largest difference
between the times at which states were first seen.
"""

import time
from typing import Any

import numpy as np
from tests.oracles.plain_sarsa import explore_plainly

import hsr
from benchmarks._timing import median_seconds, row


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
