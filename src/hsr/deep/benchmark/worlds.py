"""The worlds of the benchmark: mazes and stochastic worlds, with their exact answers and logs."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.grids.maze import MAZE_FAMILIES, sample_maze
from hsr.grids.point import fine_layout, point_mdp
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_kinds import reward_tasks
from hsr.mdp.task import goal_distances
from hsr.options.eigen import eigenoptions
from hsr.options.model import option_model
from hsr.options.planning import uniform_policy
from hsr.representation.hierarchical import hierarchical_sr

N_OPTIONS, N_GOALS, N_REWARDS = 8, 32, 8
BEHAVIOURS = ("walk", "mixture")
PATH = 200  # steps of one trajectory
_RANDOM = 0.3  # how often the mixture of goal-directed policies acts at random
_DIRECTED = 4  # policies in the mixture
_OF_POINTS = 13  # smallest size with the world of a point


class World(NamedTuple):
    """A world with exact answers. Those of a batch have a further first axis.

    Parameters
    ----------
    after, chance : arrays of shape (S, A, K)
        The outcomes of each action in each place, and their probabilities.
    acts, stop, available : arrays of shape (C, S)
        The action of each choice, its probability of stopping on arrival, and where it can start.
    exists : bool array of shape (S,)
        Whether a place exists. Worlds of a batch are padded to the same sizes.
    distance : array of shape (S, S)
        Steps of the shortest path.
    goals : int array of shape (G,)
        The goals that are asked for.
    on_path : array of shape (G, S)
        Whether a place is on a shortest path to the goal from the place farthest from it.
    rewards : array of shape (n, S)
        What each of n reward functions pays per visit.
    walk, mixture, choices : arrays of shape (S, S)
        Exact maps of uniform actions, of the other behaviour, and of uniform choices.
    behaviour : array of shape (2, S, A)
        Probability of each action, for both behaviours.
    during, ending : arrays of shape (C, S, S)
        Discounted visits while a choice runs, and the discounted probability of where it stops.
    log_walk, log_mixture : int arrays of shape (n, 3)
        State, action and next state of each step.
    xy, pixels : arrays of shape (S, D)
        Observations.
    discount : scalar
        Discount per step.
    """

    after: Any
    chance: Any
    acts: Any
    stop: Any
    available: Any
    exists: Any
    distance: Any
    goals: Any
    on_path: Any
    rewards: Any
    walk: Any
    mixture: Any
    choices: Any
    behaviour: Any
    during: Any
    ending: Any
    log_walk: Any
    log_mixture: Any
    xy: Any
    pixels: Any
    discount: Any


# The axes of each array: S and K are padded to the largest of a batch.
_AXES = {
    "sak": "after chance",
    "cs": "acts stop available",
    "s": "exists",
    "ss": "distance walk mixture choices",
    "g": "goals",
    "gs": "on_path",
    "ns": "rewards",
    "bsa": "behaviour",
    "css": "during ending",
    "tx": "log_walk log_mixture",
    "sd": "xy",
    "sp": "pixels",
    "": "discount",
}
_AXES_OF = {name: axes for axes, names in _AXES.items() for name in names.split()}


def mazes(n: int, size: int) -> dict[str, GridLayout]:
    """Return n mazes by name, of all families in turn."""
    names = [(family, k) for k in range(-(-n // len(MAZE_FAMILIES))) for family in MAZE_FAMILIES]
    return {f"{family} {k}": sample_maze(family, size, seed=100 + k) for family, k in names[:n]}


def stochastic(size: int, discount: float) -> dict[str, tuple[GridLayout, FiniteMDP]]:
    """Return worlds in which the same action has several outcomes.

    - slip: three in ten steps go in a random direction.
    - teleporters: in four cells of a maze, half of the steps lead to one of the other three.
    - doors: three in ten attempts to enter a door between two rooms succeed.
    - point: a point moves continuously, by up to a cell, through a smaller maze of 7 x 7 cells.
      Places are quarters of cells, which changes its map between cells by 2 %, see
      `hsr.grids.point_map`. Not in mazes of fewer than 13 cells a side, which have fewer places.
    """
    slip, maze, rooms = (
        sample_maze(one, size, seed=99) for one in ("four_rooms", "loops", "rooms")
    )
    P = _dense(grid_mdp(maze, discount))
    gates = np.random.default_rng(99).choice(maze.n_states, 4, replace=False)
    P[gates] *= 0.5
    for gate in gates:
        P[gate][:, gates[gates != gate]] += 0.5 / 3
    Q = _dense(grid_mdp(rooms, discount))
    s, a, t = np.nonzero(Q * np.isin(np.arange(rooms.n_states), rooms.bottlenecks))
    Q[s, a, t] -= 0.7
    Q[s, a, s] += 0.7
    worlds = {
        "slip": (slip, grid_mdp(slip, discount, slip=0.3)),
        "teleporters": (maze, FiniteMDP(P, discount)),
        "doors": (rooms, FiniteMDP(Q, discount)),
    }
    if size >= _OF_POINTS:
        small = sample_maze("rooms", 7, seed=99)
        worlds["point"] = fine_layout(small, 2), point_mdp(small, 2, discount=discount)
    return worlds


def _dense(mdp: FiniteMDP) -> FloatArray:
    return np.stack([mdp.transition_of(a).toarray() for a in range(mdp.n_actions)], axis=1)


def world_of(mdp: FiniteMDP, xy: Any, pixels: Any, n_steps: int, seed: int) -> World:
    """Return the exact answers of an MDP, and logs of both behaviours.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    xy, pixels : arrays of shape (S, ...)
        Observations of each state.
    n_steps : int
        Steps of each log.
    seed : int
        Draws goals, rewards and logs.
    """
    rng, n, P = np.random.default_rng(seed), mdp.n_states, _dense(mdp)
    options = eigenoptions(mdp, n_options=N_OPTIONS)
    model = option_model(mdp, options)
    choices = range(model.n_choices)
    every = np.broadcast_to(np.arange(mdp.n_actions)[:, None], (mdp.n_actions, n))
    distance = np.stack([goal_distances(mdp, x) for x in range(n)], axis=1)
    goals = np.sort(rng.choice(n, min(N_GOALS, n), replace=False))
    far = distance[:, goals].argmax(axis=0)
    length = distance[far][:, :, None] + distance[None]  # through every place, to every place
    on_path = [length[k, :, x] == distance[far[k], x] for k, x in enumerate(goals)]
    rewards = [
        one.reward
        for kind in ("smooth", "mixed")
        for one in reward_tasks(mdp, N_REWARDS, kind=kind, seed=seed)
    ]
    behaviour = np.stack(
        [np.full((n, mdp.n_actions), 1.0 / mdp.n_actions), _mixture(P, distance, rng)]
    )
    maps = [
        np.linalg.inv(np.eye(n) - mdp.discount * np.einsum("sa,sat->st", b, P)) for b in behaviour
    ]
    K = int((P > 0.0).sum(axis=2).max())
    after = np.argsort(-P, axis=2, kind="stable")[:, :, :K]
    chance = np.take_along_axis(P, after, axis=2)
    return World(
        after=after,
        chance=chance,
        acts=np.concatenate([every, options.actions]),
        stop=np.concatenate([np.ones(every.shape), options.termination]),
        available=np.concatenate([np.ones(every.shape, dtype=bool), options.initiation]),
        exists=np.ones(n, dtype=bool),
        distance=distance,
        goals=goals,
        on_path=np.array(on_path, dtype=float),
        rewards=np.stack(rewards),
        walk=maps[0],
        mixture=maps[1],
        choices=hierarchical_sr(model, uniform_policy(model)).toarray(),
        behaviour=behaviour,
        during=np.stack([model.occupancy(c).toarray() for c in choices]),
        ending=np.stack([model.stopping(c).toarray() for c in choices]),
        log_walk=walked(after, chance, behaviour[0], n_steps, rng),
        log_mixture=walked(after, chance, behaviour[1], n_steps, rng),
        xy=np.asarray(xy, dtype=float).reshape(n, -1),
        pixels=np.asarray(pixels, dtype=float).reshape(n, -1),
        discount=np.float64(mdp.discount),
    )


def _mixture(P: FloatArray, distance: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the mean of policies that approach some goals, mixed with uniform actions, (S, A).

    Which goal is approached is drawn again in every step, so the behaviour has exact answers.
    """
    n, n_actions = P.shape[:2]
    goals = rng.choice(n, _DIRECTED, replace=False)
    later = P @ distance[:, goals]  # (S, A, goals)
    best = later <= later.min(axis=1, keepdims=True) + 1e-9
    towards = (best / best.sum(axis=1, keepdims=True)).mean(axis=2)
    return np.asarray(_RANDOM / n_actions + (1.0 - _RANDOM) * towards)


def walked(
    after: IntArray, chance: FloatArray, policy: FloatArray, n_steps: int, rng: np.random.Generator
) -> IntArray:
    """Return steps of a policy, in trajectories that start in states drawn uniformly, (n, 3)."""
    n_paths = -(-n_steps // PATH)
    s, log = rng.integers(len(after), size=n_paths), np.zeros((n_paths, PATH, 3), dtype=np.int64)
    for k in range(PATH):
        a = _drawn(policy[s], rng)
        t = after[s, a, _drawn(chance[s, a], rng)]
        log[:, k] = np.column_stack([s, a, t])
        s = t
    return log.reshape(-1, 3)[:n_steps]


def _drawn(probability: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return one column of each row, drawn with its probabilities."""
    below = np.cumsum(probability, axis=1) <= rng.random(len(probability))[:, None]
    return np.minimum(below.sum(axis=1), probability.shape[1] - 1)


def stacked(worlds: Sequence[World]) -> World:
    """Return a batch of worlds, padded to the same sizes."""
    sizes: dict[str, int] = {}
    for world in worlds:
        for axes, array in ((_AXES_OF[name], array) for name, array in world._asdict().items()):
            for axis, size in zip(axes, np.shape(array), strict=True):
                sizes[axis] = max(size, sizes.get(axis, 0))

    def padded(axes: str, array: Any) -> np.ndarray:
        wide = [(0, sizes[axis] - size) for axis, size in zip(axes, np.shape(array), strict=True)]
        return np.pad(array, wide) if wide else np.asarray(array)

    return World(
        **{
            name: np.stack([padded(_AXES_OF[name], getattr(world, name)) for world in worlds])
            for name in World._fields
        }
    )


def make_worlds(n_mazes: int, size: int, discount: float, n_steps: int) -> tuple[list[str], World]:
    """Return the names of mazes and of stochastic worlds, and the batch of all of them."""
    known = {
        name: (layout, grid_mdp(layout, discount)) for name, layout in mazes(n_mazes, size).items()
    }
    known |= stochastic(size, discount)
    made = [
        world_of(mdp, layout.xy(), layout.pixels(cell_size=1), n_steps, seed)
        for seed, (layout, mdp) in enumerate(known.values())
    ]
    return list(known), stacked(made)


def save_worlds(path: Path, names: Iterable[str], worlds: World) -> None:
    """Write a batch of worlds, in half the bytes where nothing is lost by it."""
    small = {
        name: array.astype({"i": np.int16, "f": np.float32}.get(array.dtype.kind, array.dtype))
        for name, array in worlds._asdict().items()
    }
    np.savez_compressed(path, names=np.array(list(names)), **small)


def read_worlds(path: Path) -> tuple[list[str], World]:
    """Return the names of worlds, and the batch of them, as `save_worlds` wrote them."""
    with np.load(path, allow_pickle=False) as file:
        return file["names"].tolist(), World(*(file[name] for name in World._fields))
