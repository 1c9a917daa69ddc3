"""Time expected maps over every goal against one exact map per goal and the machine's limit.

All times are the least processor time of several calls, of all threads together, so that other
programs on the machine hardly matter. The peer computes the policy and the dense map of each goal,
for some of the goals, and its time is scaled to all of them. It is how all expected maps were
computed before.

The limit is the time in which one core can move the numbers that must be moved. In worlds without
randomness these are the entries that the rows really have: 12 bytes for each, written and read. In
slipping worlds all entries of all maps count, and each needs a multiply-add per entry of a row of
U: 8 bytes that are read, at the speed at which a core reads and writes its own cache.
"""

from functools import cache

import numpy as np

import hsr
from benchmarks._timing import least_cpu_seconds, row
from hsr.kernels import expected
from hsr.representation.over_goals import goal_plans, lists_for
from hsr.representation.over_goals_by_factors import FactorisedMaps

_BYTES = 2 * (8 + 4)
_SAMPLE = 32


def run(quick: bool = False) -> list[dict]:
    """Return the rows of both maps for 453, 808, 1640 and 4208 states, and slipping worlds."""
    sizes = [(2, 3)] if quick else [(3, 7), (4, 7), (5, 8), (8, 8)]
    rows = []
    for rooms, size in sizes:
        rows += compare(rooms, size)
    for rooms, size in sizes[:2]:
        rows += compare(rooms, size, slip=0.1)
    return rows


def compare(rooms: int, size: int, *, slip: float = 0.0) -> list[dict]:
    """Return the rows of both maps in one world."""
    mdp = hsr.grid_mdp(hsr.room_grid(rooms, size), discount=0.9, slip=slip)
    target = 5.0 if mdp.n_states in (453, 808, 1640) else None
    options = hsr.eigenoptions(mdp, n_options=8)
    return [*_compare(mdp, None, target), *_compare(mdp, options, target if slip else None)]


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

    seconds = least_cpu_seconds(lambda: ours(tasks), repetitions=repetitions)
    peer_seconds = least_cpu_seconds(peer, repetitions=repetitions) * len(tasks) / len(some)
    limit, share = _limit(mdp, options)
    name = f"expected {kind}, N={mdp.n_states}" + ("" if mdp.is_deterministic else ", slipping")
    note = "every state a goal, processor time; peer: one map per goal, scaled"
    error = float(abs(ours(some) - peer()).max())
    return [
        row(name, seconds, peer_seconds, target=target, error=error, note=note),
        row(f"{name}, machine's limit", seconds, limit, target=None, note=share),
    ]


def _limit(mdp: hsr.FiniteMDP, options: hsr.OptionSet | None) -> tuple[float, str]:
    """Return the least processor time that the numbers need, and what it is."""
    n = mdp.n_states
    if mdp.is_deterministic:
        entries, speed = _entries(mdp, options), _bandwidth(2**22)
        return entries * _BYTES / speed, f"{entries:.2g} entries at {speed / 1e9:.1f} GB/s per core"
    goals, zeros = np.arange(n), np.zeros(n)
    maps = FactorisedMaps(mdp, goals, zeros, zeros, False, False, False, None, lambda *_: None)
    products, speed = n * n * (maps.chains.places.upper.size + n), _bandwidth(2**14)
    return products * 8 / speed, f"{products:.2g} multiply-adds at {speed / 1e9:.0f} GB/s per core"


def _entries(mdp: hsr.FiniteMDP, options: hsr.OptionSet | None) -> float:
    """Return the number of entries of the rows of all goals, from a sample of goals."""
    n = mdp.n_states
    plans = goal_plans(mdp, options, ties="uniform", twice=False, draws=np.zeros(n))
    lists = lists_for(1, n, n * n)
    goals = np.arange(0, n, max(1, n // _SAMPLE))
    total = 0
    for goal in goals:
        expected.rows_of_goal(plans, goal, *(array[0] for array in lists))
        total += int(lists[3].sum())
    return total * n / goals.size


@cache
def _bandwidth(numbers: int) -> float:
    """Return the bytes per second that one core can copy in such an array, read and written.

    It is the fastest of many short measurements, taken once for all rows. Both arrays are parts of
    one, because the speed between two separate small arrays varied tenfold.
    """
    both = np.ones(2 * numbers)
    one, other = both[:numbers], both[numbers:]
    times = 2**23 // numbers

    def copy() -> None:
        for _ in range(times):
            np.copyto(other, one)

    return times * 2 * one.nbytes / least_cpu_seconds(copy, repetitions=50)
