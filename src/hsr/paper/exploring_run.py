"""Runs a cell of an exploration experiment, and makes the maze, the options and the goal that a
seed draws.
"""

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.agents import OnlineOptions, Sarsa, explore
from hsr.grids import GridLayout, grid_mdp, random_maze
from hsr.mdp import FiniteMDP, GoalTask
from hsr.options import OptionSet, eigenoptions
from hsr.paper.exploring import Cell, Maze, Options
from hsr.paper.store import Record

START = 0  # the first open cell, at the top left
_DRAWS_A_GOAL = 1


def run(setting: dict[str, Any], seeds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per seed of a cell.

    Arrays: times (n,) and coverage (n,), the share of all states seen by then; goal_time, -1 for
    never; goals, how often it was entered; choice_use (C,); diverged_at, -1 if all is well.
    """
    cell = Cell.model_validate(setting)
    times = times_of(cell.steps, cell.points)
    for seed in seeds:
        begin = time.perf_counter()
        layout, mdp = world_of(cell.maze, seed)
        goal = goal_of(layout, seed, cell.goal_distance) if cell.goal == "random" else None
        task = None if goal is None else GoalTask(START, goal)
        options = options_of(cell.maze, cell.options, seed)
        found = explore(
            mdp,
            agent_of(cell),
            options,
            seeds=[seed],
            steps=cell.steps,
            task=task,
            start=START,
            workers=1,
        )
        arrays = {
            "times": times,
            "coverage": coverage_at(times, found.first_visit[0]),
            "goal_time": found.goal_time[0],
            "goals": found.goals[0],
            "choice_use": found.choice_use[0],
            "diverged_at": found.diverged_at[0],
        }
        seconds = time.perf_counter() - begin
        yield Record(
            experiment=experiment, setting=setting, seed=seed, arrays=arrays, seconds=seconds
        )


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
            options.n_options,
            warm_up=options.warm_up,
            refresh=options.refresh,
            signs=options.signs,
            values=options.values,
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
