"""Time grid environments against others of Gymnasium, and a batch against Gymnasium's batch of it.

Every environment is made by its id, with the wrappers that Gymnasium puts around it, and walks at
random; the time includes the resets after episodes. The batches have 64 and 1,024 copies, moves
that slip and starts drawn at random. The ratio grows with the number of copies, because a step of
the batch takes a few microseconds however few there are. `error` is the largest difference between
the two batches in anything that 200 steps return.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np

import hsr.envs  # noqa: F401 - registers the environments
from benchmarks._timing import median_seconds, row

_ID = "hsr/FourRooms-v0"
_STEPS = 2000


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return the rows of single environments and of the batch."""
    repetitions = 1 if quick else 5
    ours = _seconds_a_step(gymnasium.make(_ID), repetitions)
    peers = [
        "FrozenLake8x8-v1",
        *(["minigrid:MiniGrid-FourRooms-v0"] if find_spec("minigrid") else []),
    ]
    rows = [
        _single(name, ours, _seconds_a_step(gymnasium.make(name), repetitions)) for name in peers
    ]
    batches = {64: None} if quick else {64: None, 1024: 100.0}
    return [*rows, *(_batch(n, repetitions, target) for n, target in batches.items())]


def _single(name: str, ours: float, peer: float) -> dict[str, Any]:
    rates = f"{1 / ours:,.0f} steps/s, peer: {name.split(':')[-1]}, {1 / peer:,.0f}"
    note = f"one environment, a random walk; {rates}"
    return row("environment step", ours, peer, target=None, note=note)


def _seconds_a_step(env: gymnasium.Env, repetitions: int) -> float:
    actions = np.random.default_rng(0).integers(env.action_space.n, size=_STEPS).tolist()

    def walk() -> None:
        env.reset(seed=0)
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return median_seconds(walk, repetitions=repetitions) / _STEPS


def _batch(n: int, repetitions: int, target: float | None) -> dict[str, Any]:
    """Return the row of n copies: the time of a step of all of them."""
    settings = {"num_envs": n, "slip": 0.1, "start": "random", "max_episode_steps": 100}
    ours = gymnasium.make_vec(_ID, **settings)
    peer = gymnasium.make_vec(_ID, vectorization_mode="sync", **settings)
    actions = np.random.default_rng(0).integers(4, size=(200, n))
    error = max(
        _difference(one, other)
        for one, other in zip(_life(ours, actions), _life(peer, actions), strict=True)
    )
    fast, slow = (
        median_seconds(_stepping(envs, actions), repetitions=repetitions) for envs in (ours, peer)
    )
    rates = f"{n / fast / 1e6:,.0f} million steps/s, peer: SyncVectorEnv, {n / slow:,.0f}"
    note = f"{n:,} copies; {rates}"
    return row("environment step, batch", fast, slow, target=target, error=error, note=note)


def _stepping(envs: gymnasium.vector.VectorEnv, actions: np.ndarray) -> Callable[[], Any]:
    envs.reset(seed=0)
    turns = iter(range(10**9))
    return lambda: envs.step(actions[next(turns) % len(actions)])


def _life(envs: gymnasium.vector.VectorEnv, actions: np.ndarray) -> list[np.ndarray]:
    """Return everything that a reset and the steps after it return, as arrays of numbers."""
    state, info = envs.reset(seed=0)
    told = [state, info["cell"]]
    for step in actions:
        *arrays, info = envs.step(step)
        told += [*arrays, info["cell"]]
    return told


def _difference(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one.astype(float) - other).max())
