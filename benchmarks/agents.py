"""Time training agents against a NumPy loop of the same rule and against the limit of the machine.

Four rooms, four actions and eight eigenoptions, two goals one after the other, 1000 episodes each,
one core unless said so. The peer is the twin of the tests (`tests/oracles/plain_linear_q.py`): the
same rule in NumPy, one seed at a time. Both take the same steps from the same random numbers;
`error` is the largest difference in steps per episode.

The limit is what the arithmetic of a step costs when nothing else is done: one inner product per
available choice and one more, one row of the map and one row of weights changed, each timed alone
in a compiled loop over rows of the same length that stay in the cache, and that the compiler is
free to reorder, as it is not in ours.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np
from tests.oracles.plain_linear_q import Rule, train_plainly

import hsr
from benchmarks._timing import median_seconds, row
from hsr._base.row_arithmetic import aligned_rows
from hsr._base.threads import one_thread

_FIRST_CALL = """
import time
begin = time.perf_counter()
import hsr
layout = hsr.load_layout("four_rooms")
mdp = hsr.grid_mdp(layout, discount=0.9)
tasks = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
hsr.train(mdp, tasks, hsr.LinearQ("hsr"), hsr.eigenoptions(mdp, 8), seeds=[0], episodes=5)
print(time.perf_counter() - begin)
"""
_BOTH, _CHOSEN = "chosen_and_primitives", "chosen"


class _World:
    """The four rooms with their options and two goals."""

    def __init__(self) -> None:
        layout = hsr.load_layout("four_rooms")
        self.mdp = hsr.grid_mdp(layout, discount=0.9)
        self.options = hsr.eigenoptions(self.mdp, n_options=8)
        self.tasks = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
        self.expected = hsr.expected_hsr(self.mdp, self.options, hsr.goal_tasks(self.mdp)).toarray()

    def train(self, agent: Any, *, has_options: bool = True, **settings: Any) -> Any:
        """Train an agent here, with the options or without."""
        options = self.options if has_options else None
        return hsr.train(self.mdp, self.tasks, agent, options, **settings)


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return the rows of the agents."""
    world = _World()
    episodes, seeds = (20, range(2)) if quick else (1000, range(5))
    races = [
        ("SR rows online, per step", "sr", _BOTH, 100.0),
        ("HSR rows online, per decision", "hsr", _CHOSEN, 150.0),
        ("HSR rows online, per decision", "hsr", _BOTH, None),
        ("fixed features, per decision", world.expected, _CHOSEN, 350.0),
        ("fixed features, per decision", world.expected, _BOTH, None),
    ]
    rows = [_race(world, *race, episodes=episodes, seeds=seeds) for race in races]
    rows += [
        _race(
            world,
            f"{name}, no options, per step",
            features,
            _BOTH,
            None,
            episodes=2 if quick else 20,
            seeds=seeds,
            has_options=False,
        )
        for name, features in (("one-hot features", "onehot"), ("SR rows online", "sr"))
    ]
    rows += [_limit(world, episodes), _all_cores(world)]
    return rows if quick else [*rows, _first_call()]


def _race(
    world: _World,
    name: str,
    features: Any,
    update: str,
    target: float | None,
    *,
    episodes: int,
    seeds: Any,
    has_options: bool = True,
) -> dict[str, Any]:
    """Return the row of one kind of features and one rule: the median of five seeds against the
    median of five calls.
    """
    agent, unit = (
        hsr.LinearQ(features, update=update),
        "step" if name.endswith("step") else "decision",
    )
    settings = {"episodes": episodes, "workers": 1, "has_options": has_options}
    options = world.options if has_options else None
    peer, error = [], 0
    for seed in seeds:
        with one_thread():
            begin = time.perf_counter()
            rule, how = (
                Rule(features, update=update),
                {"episodes": episodes, "horizon": 5000, "options": options},
            )
            plain = train_plainly(world.mdp, world.tasks, seed, rule, **how)
            peer.append(
                (time.perf_counter() - begin)
                / (plain.steps if unit == "step" else plain.decisions).sum()
            )
        error = max(
            error,
            int(abs(world.train(agent, seeds=[seed], **settings).steps[0] - plain.steps).max()),
        )
    many = world.train(agent, seeds=range(20), **settings)
    ours = median_seconds(lambda: world.train(agent, seeds=range(20), **settings))
    ours /= (many.steps if unit == "step" else many.decisions).sum()
    rate = 1 / np.median(peer)
    note = f"{update!r}; {ours * 1e9:.0f} ns per {unit}, 20 seeds in one call; NumPy {rate:,.0f}/s"
    return row(name, ours, float(np.median(peer)), target=target, error=error, note=note)


def _limit(world: _World, episodes: int) -> dict[str, Any]:
    """Return the row of SR rows online against the time that its arithmetic takes alone."""
    n = world.mdp.n_states
    available = world.mdp.n_actions + world.options.initiation.sum(axis=0).mean()
    dot, triad = (
        median_seconds(lambda work=work: work(*_rows(n), 10_000)) / 10_000
        for work in (_dots, _triads)
    )
    agent, settings = hsr.LinearQ("sr"), {"seeds": range(10), "episodes": episodes, "workers": 1}
    n_steps = world.train(agent, **settings).steps.sum()
    ours = median_seconds(lambda: world.train(agent, **settings)) / n_steps
    limit = f"inner product {dot * 1e9:.1f} ns, triad {triad * 1e9:.1f} ns at {n} numbers"
    note = f"fraction of the limit; {limit}"
    return row(
        "SR rows online, machine's limit",
        float(ours),
        (available + 1) * dot + 2 * triad,
        target=0.75,
        note=note,
    )


def _rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    W, x = aligned_rows(12, n), aligned_rows(1, n)
    W[:], x[:] = 0.5, 0.5
    return W, x[0]


@numba.njit(fastmath=True)
def _dots(W, x, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(n):
        w = W[k % W.shape[0]]
        part = 0.0
        for i in range(x.size):
            part += w[i] * x[i]
        total += part
    return total


@numba.njit(fastmath=True)
def _triads(W, x, n):  # type: ignore[no-untyped-def]
    for k in range(n):
        w = W[k % W.shape[0]]
        for i in range(x.size):
            w[i] += 0.01 * (0.9 * x[i] - w[i])


def _all_cores(world: _World) -> dict[str, Any]:
    """Return the row of all of Figure 2's training in one call: every core against one."""
    agents = {name: hsr.LinearQ(name) for name in ("onehot", "sr", "hsr")}

    def work(workers: int | None) -> Any:
        return world.train(agents, seeds=range(20), workers=workers)

    one, every = (median_seconds(lambda workers=workers: work(workers)) for workers in (1, None))
    cpu, begin = _cpu_seconds(), time.perf_counter()
    for _ in range(20):
        work(None)
    busy = (_cpu_seconds() - cpu) / (time.perf_counter() - begin)
    cores = len(os.sched_getaffinity(0))
    size = "3 agents x 20 seeds x 2 x 50 episodes in one call"
    note = f"{size}, {busy:.2f} of {cores} cores busy; peer: one worker"
    return row("Figure 2's training, all cores", every, one, target=0.8 * cores, note=note)


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _first_call() -> dict[str, Any]:
    """Return the row of the first training of a fresh process, with compiled code in its cache:
    room to one second.
    """
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HSR_CACHE_DIR": str(Path(folder) / "cache")}

        def first() -> float:
            done = subprocess.run(
                [sys.executable, "-c", _FIRST_CALL],
                env=env,
                capture_output=True,
                text=True,
                check=True,
            )
            return float(done.stdout)

        cold = first()
        warm = float(np.median([first() for _ in range(5)]))
    note = (
        f"import and first training {warm:.2f} s with a warm cache, {cold:.1f} s with an empty one"
    )
    return row("first training, room to 1 s", warm, 1.0, target=1.0, note=note)
