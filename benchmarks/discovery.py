"""Time agents with online frontier options, per step, against a NumPy agent of the same rule.

The maze has 31 x 31 cells. The peer (`tests/oracles/plain_sarsa.py` with `plain_frontier.py`)
counts in arrays and searches with a queue. Both take the same steps from the same random numbers;
`error` is the largest difference between the times at which states were first seen. Both times are
processor time, with all options that are found.
"""

import time
from typing import Any

import numpy as np
from tests.oracles.plain_frontier import frontier_plainly
from tests.oracles.plain_sarsa import explore_plainly

import hsr
from benchmarks._timing import least_cpu_seconds, row
from hsr.agents.frontier import frontier_choices

N_OPTIONS = 8


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return the rows of whole runs and of one search."""
    mdp = hsr.grid_mdp(hsr.random_maze(31, seed=0), discount=0.99)
    steps, seeds = (1000, range(1)) if quick else (10_000, range(5))
    rows = [
        _race(mdp, hsr.Sarsa(bonus, "hsr"), every, steps, seeds)
        for bonus, every in (("none", 100), ("none", 1000), ("spie", 100), ("spie", 1000))
    ]
    return [*rows, _search(mdp)]


def _race(
    mdp: hsr.FiniteMDP, agent: hsr.Sarsa, every: int, steps: int, seeds: range
) -> dict[str, Any]:
    """Return the row of one agent, the same steps for both sides."""
    online = hsr.OnlineOptions(N_OPTIONS, method="frontier", warm_up=every, refresh=every)
    begin = time.process_time()
    plain = [
        explore_plainly(mdp, agent, online, seed=seed, steps=steps, start=0).first_visit
        for seed in seeds
    ]
    peer = (time.process_time() - begin) / (steps * len(seeds))
    how: dict[str, Any] = {"seeds": seeds, "steps": steps, "start": 0, "workers": 1}
    error = int(np.abs(hsr.explore(mdp, agent, online, **how).first_visit - plain).max())
    ours = least_cpu_seconds(lambda: hsr.explore(mdp, agent, online, **how), repetitions=7)
    ours /= steps * len(seeds)
    name = f"frontier options every {every} steps, per step"
    bonus = "with SPIE on the HSR" if agent.bonus == "spie" else "without a bonus"
    note = f"{bonus}; {len(seeds)} seeds x {steps:,} steps, all searches included"
    return row(name, ours, peer, target=100.0, error=error, note=note)


def _search(mdp: hsr.FiniteMDP) -> dict[str, Any]:
    """Return the row of one search, half of the maze visited by a random walk."""
    rng, s, visited = np.random.default_rng(0), 0, np.zeros(mdp.n_states, dtype=bool)
    tried = np.zeros((mdp.n_states, mdp.n_actions), dtype=np.int32)
    assert mdp.successors is not None
    visited[0] = True
    while visited.mean() < 0.5:
        a = int(rng.integers(mdp.n_actions))
        tried[s, a] += 1
        s = int(mdp.successors[s, a])
        visited[s] = True

    def found() -> hsr.OptionSet:
        return frontier_choices(mdp, tried.ravel(), np.zeros(0), N_OPTIONS)[0]

    def plainly() -> hsr.OptionSet:
        return frontier_plainly(tried, mdp.successors, visited, N_OPTIONS)

    error = float(np.abs(found().policy - plainly().policy).max())
    ours = least_cpu_seconds(lambda: [found() for _ in range(200)]) / 200
    peer = least_cpu_seconds(lambda: [plainly() for _ in range(5)]) / 5
    known = f"{int(visited.sum())} of {mdp.n_states} states visited"
    note = f"{N_OPTIONS} options and their tables, {known}"
    return row("frontier options, one search", ours, peer, target=None, error=error, note=note)
