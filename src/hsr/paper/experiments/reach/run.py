"""One kind of run: a map is learned in a maze, and then leads to every goal."""

import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

import hsr
from hsr.paper.axes import Axes
from hsr.paper.experiment import Work
from hsr.paper.setting import SeedCount, Setting
from hsr.paper.store import Record
from hsr.toolkit import FloatArray

LEARNERS = ("sr", "log sr", "hsr", "exact sr", "exact hsr", "no map")
READ_OUTS = ("actions", "options to the end", "options at every step")
SEEDS_OF_A_MAZE = 1000
TARGET_RATE = 0.2  # the best of 0.01, 0.05 and 0.2 for the SR in logarithms

Updates = Annotated[int, Field(ge=1, description="number of gradient steps")]
Width = Annotated[int, Field(ge=1, description="units per hidden layer")]


class ReachCondition(Setting):
    """Everything that defines the runs of one map except the maze."""

    learner: Literal["sr", "log sr", "hsr", "exact sr", "exact hsr", "no map"]
    noise: float
    size: int
    discount: float
    steps: int
    updates: Updates
    width: Width
    seeds: SeedCount


class Maze:
    """A maze with its choices.

    Parameters
    ----------
    condition : ReachCondition
        Size and discount.
    number : int
        Draws the maze and the signs of its eigenoptions.
    """

    def __init__(self, condition: ReachCondition, number: int) -> None:
        self.mdp = hsr.grid_mdp(hsr.random_maze(condition.size, seed=number), condition.discount)
        self.options = hsr.eigenoptions(self.mdp, n_options=8, signs="random", seed=number)
        self.choices = hsr.option_model(self.mdp, self.options)
        self.actions = hsr.option_model(self.mdp, None)

    def exact(self, hierarchical: bool) -> FloatArray:
        """Return the exact successor features of choices, of the SR or of the HSR."""
        model = self.choices if hierarchical else self.actions
        M = hsr.hierarchical_sr(model, hsr.uniform_choice(model))
        return hsr.successor_of_choices(model, M)

    def reach(self, psi: FloatArray) -> list[hsr.Reach]:
        """Return what each read-out of a map reaches, in the order of `READ_OUTS`."""
        n_actions = self.mdp.n_actions
        of_actions, of_choices = psi[:, :n_actions], psi
        if psi.shape[1] == n_actions:
            of_choices = hsr.successor_of_choices(self.choices, psi.mean(axis=1))
        return [
            hsr.reach_goals(self.actions, of_actions),
            hsr.reach_goals(self.choices, of_choices),
            hsr.reach_goals(self.choices, of_choices, every_step=True),
        ]


def run(setting: dict[str, Any], mazes: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per maze, with the seed as the first axis of its arrays.

    The arrays are `reached` and `path_ratio` (seed, read-out), and `error` (seed,), the distance of
    the map from the exact one, relative to its size.
    """
    condition = ReachCondition.model_validate(setting)
    for number in mazes:
        begin = time.perf_counter()
        maze = Maze(condition, number)
        maps = maps_of(condition, maze, number)
        exact = maze.exact(condition.learner.endswith("hsr"))
        found = [maze.reach(psi) for psi in maps]
        arrays = {
            "reached": np.array([[one.reached for one in seed] for seed in found]),
            "path_ratio": np.array([[one.path_ratio for one in seed] for seed in found]),
            "error": np.array(
                [np.linalg.norm(psi - exact) / np.linalg.norm(exact) for psi in maps]
            ),
        }
        yield Record(experiment, setting, number, arrays, time.perf_counter() - begin)


def maps_of(condition: ReachCondition, maze: Maze, number: int) -> list[FloatArray]:
    """Return the successor features of choices of each seed, (S, C, S)."""
    seeds = [SEEDS_OF_A_MAZE * number + k for k in range(condition.seeds)]
    hierarchical = condition.learner.endswith("hsr")
    if condition.learner == "no map":
        return [np.zeros_like(maze.exact(False))] * len(seeds)
    if condition.learner.startswith("exact"):
        psi, spread = maze.exact(hierarchical), condition.noise / (1.0 - condition.discount)
        return [psi + spread * np.random.default_rng(one).normal(size=psi.shape) for one in seeds]
    from hsr import deep

    how: dict[str, Any] = {
        "world": maze.mdp,
        "network": deep.Network(width=condition.width),
        "training": deep.Training(
            n_updates=condition.updates, target_rate=TARGET_RATE, n_reports=1
        ),
        "seed": seeds,
    }
    steps = deep.random_steps(maze.mdp, condition.steps, seed=number)
    if hierarchical:
        learned = deep.learn_hsr(steps, maze.options, **how)
    else:
        scale = "log" if condition.learner == "log sr" else "linear"
        learned = deep.learn_sr(steps, scale=scale, **how)
    return [one.of_choices() for one in learned]


def _coordinates(setting: Any, arrays: Any) -> dict[str, Any]:
    return {"read-out": READ_OUTS}


AXES = Axes(
    {"reached": ("seed", "read-out"), "path_ratio": ("seed", "read-out"), "error": ("seed",)},
    _coordinates,
)
REACHING = Work(run, axes=AXES)
