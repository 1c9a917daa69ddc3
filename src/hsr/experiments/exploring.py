"""One kind of run for all exploration experiments: an agent with a bonus, alone in a maze, for a number of steps.

A `Cell` says everything about such a run but its seed. The seed draws the agent's chances and, unless all runs share one
maze, the maze; it also draws the goal, where there is one. So agents that have a seed in common walk in the same maze.
"""

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.agents import OnlineOptions, Sarsa, explore
from hsr.experiments.setting import Setting
from hsr.mdp import FiniteMDP, GoalTask, GridLayout, grid_mdp, random_maze
from hsr.options import OptionSet, eigenoptions
from hsr.results import Record

START = 0  # the first open cell, at the top left
_DRAWS_A_GOAL = 1


class Maze(Setting):
    """Where agents walk; a maze of its own for each seed, or `one` for all, which `seed` draws."""

    size: int = 21
    discount: float = 0.99
    mazes: Literal["per_seed", "one"] = "per_seed"
    seed: int = 0


class Options(Setting):
    """What can be chosen beside primitive actions; the three fields at the end serve online options."""

    kind: Literal["none", "eigen", "online"] = "eigen"
    n_options: int = 8
    signs: Literal["positive", "both"] = "positive"
    warm_up: int = 1000
    refresh: int = 1000
    values: Literal["keep", "reset"] = "keep"


class Bonus(Setting):
    """What pays beside the goal, and of which map it is taken."""

    kind: Literal["none", "norm", "spie", "spie_l1"] = "spie"
    on: Literal["sr", "hsr"] = "hsr"
    weight: float = 1.0
    per: Literal["step", "choice"] = "step"
    norm_of: Literal["arrived", "left"] = "arrived"


class Agent(Setting):
    """How the agent learns."""

    learning_rate: float = 0.01
    epsilon: float = 0.1
    map_learning_rate: float = 0.01
    initial_map: Literal["identity", "zero"] = "identity"


class Cell(Setting):
    """Everything about a run but its seed.

    goal: none, or drawn among the states whose distance from the start is at least `goal_distance` of the largest one.
    points: number of evenly spaced times at which coverage is kept; the last is the last step.
    """

    maze: Maze = Maze()
    options: Options = Options()
    bonus: Bonus = Bonus()
    agent: Agent = Agent()
    goal: Literal["none", "random"] = "none"
    goal_distance: float = 0.5
    steps: int = 100_000
    points: int = 200


def run(setting: dict[str, Any], seeds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per seed of a cell.

    Arrays: times (n,) and coverage (n,), the share of all states seen by then; goal_time, -1 for never; goals, how often it was
    entered; choice_use (C,); diverged_at, -1 if all is well.
    """
    cell = Cell.model_validate(setting)
    times = times_of(cell.steps, cell.points)
    for seed in seeds:
        begin = time.perf_counter()
        layout, mdp = world_of(cell.maze, seed)
        goal = goal_of(layout, seed, cell.goal_distance) if cell.goal == "random" else None
        task = None if goal is None else GoalTask(START, goal)
        options = options_of(cell.maze, cell.options, seed)
        found = explore(mdp, agent_of(cell), options, seeds=[seed], steps=cell.steps, task=task, start=START, workers=1)
        arrays = {
            "times": times,
            "coverage": coverage_at(times, found.first_visit[0]),
            "goal_time": found.goal_time[0],
            "goals": found.goals[0],
            "choice_use": found.choice_use[0],
            "diverged_at": found.diverged_at[0],
        }
        seconds = time.perf_counter() - begin
        yield Record(experiment=experiment, setting=setting, seed=seed, arrays=arrays, seconds=seconds)


def times_of(steps: int, points: int) -> IntArray:
    """Return evenly spaced numbers of steps, the last of them all steps."""
    return np.unique(-(-steps * np.arange(1, points + 1) // points))


def coverage_at(times: IntArray, first_visit: IntArray) -> FloatArray:
    """Return the share of states first seen at or before each time; -1 is never."""
    seen = np.sort(first_visit[first_visit >= 0])
    return np.searchsorted(seen, times, side="right") / len(first_visit)


def world_of(maze: Maze, seed: int) -> tuple[GridLayout, FiniteMDP]:
    """Return the map and the MDP in which a seed runs."""
    return _world(maze.size, maze.discount, seed if maze.mazes == "per_seed" else maze.seed)


def options_of(maze: Maze, options: Options, seed: int) -> OptionSet | OnlineOptions | None:
    """Return the options of a seed."""
    if options.kind == "none":
        return None
    if options.kind == "online":
        return OnlineOptions(
            options.n_options, warm_up=options.warm_up, refresh=options.refresh, signs=options.signs, values=options.values
        )
    _, mdp = world_of(maze, seed)
    return eigenoptions(mdp, options.n_options, signs=options.signs)


def goal_of(layout: GridLayout, seed: int, goal_distance: float) -> int:
    """Return the goal that a seed draws among the states that are far enough from the start."""
    distances = layout.distances_from(START)
    far = np.flatnonzero((distances >= goal_distance * distances.max()) & (distances > 0))
    return int(np.random.default_rng([seed, _DRAWS_A_GOAL]).choice(far))


def agent_of(cell: Cell) -> Sarsa:
    """Return the agent of a cell."""
    bonus = cell.bonus
    return Sarsa(
        None if bonus.kind == "none" else bonus.kind,
        bonus.on,
        bonus_weight=bonus.weight,
        bonus_per=bonus.per,
        norm_of=bonus.norm_of,
        **cell.agent.model_dump(),
    )


@lru_cache(maxsize=16)
def _world(size: int, discount: float, maze_seed: int) -> tuple[GridLayout, FiniteMDP]:
    layout = random_maze(size, seed=maze_seed)
    return layout, grid_mdp(layout, discount)
