"""Expected maps over every goal, against one exact map per goal and against the machine's limit.

The peer computes the policy and the dense map of each goal, for some of the goals, and its time is
scaled to all of them. The limit is the time in which this machine, with all its cores, can write
and read the entries that the rows really have: 12 bytes for each, twice.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import hsr
from benchmarks._timing import median_seconds, row
from hsr.kernels import expected
from hsr.representation.on_all_cores import cores
from hsr.representation.over_goals import _Lists, goal_maps

_BYTES = 2 * (8 + 4)
_SAMPLE = 32


def run(quick: bool = False) -> list[dict]:
    """Return the rows of both maps for 453, 808, 1640 and 4208 states."""
    sizes = [(2, 3)] if quick else [(3, 7), (4, 7), (5, 8), (8, 8)]
    targets = {453: 5.0, 808: 5.0, 1640: 5.0}
    rows = []
    for rooms, size in sizes:
        mdp = hsr.grid_mdp(hsr.room_grid(rooms, size), discount=0.9)
        target = targets.get(mdp.n_states)
        rows += _compare(mdp, None, target)
        rows += _compare(mdp, hsr.eigenoptions(mdp, n_options=8), None)
    return rows


def _compare(mdp: hsr.FiniteMDP, options: hsr.OptionSet | None, target: float | None) -> list[dict]:
    tasks = hsr.goal_tasks(mdp)
    some = tasks[:: max(1, len(tasks) // _SAMPLE)]
    kind = "SR" if options is None else "HSR"
    repetitions = 1 if mdp.n_states > 2000 else 3

    def ours(which: list[hsr.GoalTask]) -> np.ndarray:
        if options is None:
            return hsr.expected_sr(mdp, which).toarray()
        return hsr.expected_hsr(mdp, options, which).toarray()

    def peer() -> np.ndarray:
        if options is None:
            policies = [hsr.greedy_policy(mdp, task) for task in some]
            return hsr.expected_sr(mdp, some, policies=policies).toarray()
        model = hsr.option_model(mdp, options)
        plans = [hsr.plan_over_options(model, task) for task in some]
        return hsr.expected_hsr(mdp, options, some, policies=plans).toarray()

    seconds = median_seconds(lambda: ours(tasks), repetitions=repetitions)
    peer_seconds = median_seconds(peer, repetitions=repetitions) * len(tasks) / len(some)
    entries = _entries(mdp, options)
    limit = entries * _BYTES / _bandwidth()
    name = f"expected {kind}, N={mdp.n_states}"
    note = f"every state a goal; {entries:.2g} entries; peer: one map per goal, scaled"
    error = float(abs(ours(some) - peer()).max())
    share = f"{limit / seconds:.2f} of {_bandwidth() / 1e9:.0f} GB/s on {cores()} cores"
    return [
        row(name, seconds, peer_seconds, target=target, error=error, note=note),
        row(f"{name}, machine's limit", seconds, limit, target=None, note=share),
    ]


def _entries(mdp: hsr.FiniteMDP, options: hsr.OptionSet | None) -> float:
    """Return the number of entries of the rows of all goals, from a sample of goals."""
    n = mdp.n_states
    maps = goal_maps(
        mdp, np.arange(n), options, ties="uniform", twice=False, continues=False,
        draws=np.zeros(n), progress=False,
    )  # fmt: skip
    lists = _Lists.with_room(1, n, n * n)
    goals = np.arange(0, n, max(1, n // _SAMPLE))
    total = 0
    for goal in goals:
        expected.rows_of_goal(maps.world, goal, *lists.of(0), False)
        total += int(lists.length[0].sum())
    return total * n / goals.size


def _bandwidth() -> float:
    """Return the bytes per second that all cores together can copy, read and written."""
    blocks = [(np.ones(2**22), np.empty(2**22)) for _ in range(cores())]

    def copy_all() -> None:
        with ThreadPoolExecutor(cores()) as pool:
            list(pool.map(lambda pair: [np.copyto(pair[1], pair[0]) for _ in range(8)], blocks))

    return 8 * 2 * sum(one.nbytes for one, _ in blocks) / median_seconds(copy_all, repetitions=3)
