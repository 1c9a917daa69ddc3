"""Runs a condition of an exploration experiment; the maze, options and goal depend on the seed."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from hsr.agents import OnlineOptions, OptionSpec, Sarsa, explore
from hsr.grids import GridLayout, grid_mdp, random_maze
from hsr.mdp import FiniteMDP, GoalTask
from hsr.options import OptionSet
from hsr.paper.experiment import Work
from hsr.paper.exploring.setting import ExploringCondition, ExploringOptions, MazeSetting
from hsr.paper.store import Record
from hsr.toolkit import FloatArray, IntArray

START = 0  # the first open cell, at the top left
_DRAWS_A_GOAL = 1


def run(setting: dict[str, Any], seeds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per seed of a condition.

    The arrays are times (n,), coverage (n,), the fraction of states visited by then, goal_time, -1
    for never, goals, the number of visits to the goal, choice_use (C,), and diverged_at, -1 for
    never.
    """
    condition = ExploringCondition.model_validate(setting)
    times = times_of(condition.steps, condition.points)
    for seed in seeds:
        begin = time.perf_counter()
        layout, mdp = maze_of(condition.maze, seed)
        task = None
        if condition.goal == "random":
            task = GoalTask(START, goal_of(layout, seed, condition.goal_distance))
        found = explore(
            mdp,
            agent_of(condition),
            options_of(condition.maze, condition.options, seed),
            seeds=[seed],
            steps=condition.steps,
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
        yield Record(experiment, setting, seed, arrays, time.perf_counter() - begin)


def times_of(steps: int, points: int) -> IntArray:
    """Return evenly spaced numbers of steps, the last of them all steps."""
    return np.unique(-(-steps * np.arange(1, points + 1) // points))


def coverage_at(times: IntArray, first_visit: IntArray) -> FloatArray:
    """Return the fraction of states first visited at or before each time; -1 means never."""
    seen = np.sort(first_visit[first_visit >= 0])
    return np.searchsorted(seen, times, side="right") / len(first_visit)


def maze_of(maze: MazeSetting, seed: int) -> tuple[GridLayout, FiniteMDP]:
    """Return the layout and the MDP in which a seed runs."""
    return _maze(maze.size, maze.discount, seed if maze.mazes == "per_seed" else maze.seed)


def options_of(
    maze: MazeSetting, options: ExploringOptions, seed: int
) -> OptionSet | OnlineOptions | None:
    """Return the options of a seed."""
    _, mdp = maze_of(maze, seed)
    return OptionSpec(**asdict(options)).build(mdp)


def goal_of(layout: GridLayout, seed: int, goal_distance: float) -> int:
    """Return the goal that a seed draws among the states that are far enough from the start."""
    distances = layout.distances_from(START)
    far = np.flatnonzero((distances >= goal_distance * distances.max()) & (distances > 0))
    return int(np.random.default_rng([seed, _DRAWS_A_GOAL]).choice(far))


def agent_of(condition: ExploringCondition) -> Sarsa:
    """Return the agent of a condition."""
    bonus = condition.bonus
    return Sarsa(
        bonus.kind,
        bonus.on,
        bonus_weight=bonus.weight,
        bonus_per=bonus.per,
        norm_of=bonus.norm_of,
        **asdict(condition.agent),
    )


@lru_cache(maxsize=16)
def _maze(size: int, discount: float, maze_seed: int) -> tuple[GridLayout, FiniteMDP]:
    layout = random_maze(size, seed=maze_seed)
    return layout, grid_mdp(layout, discount)


EXPLORING = Work(run)
