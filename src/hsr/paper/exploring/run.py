"""Runs a condition of an exploration experiment, all seeds of a maze in one call."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from hsr import HSRWarning
from hsr._base.arrays import FloatArray, IntArray
from hsr.agents import ExplorationRun, OnlineOptions, OptionSpec, explore
from hsr.experiments.axes import Axes
from hsr.experiments.contrast import Measure
from hsr.experiments.experiment import seeds_in
from hsr.experiments.store import ResultTable
from hsr.grids import GridLayout, MazeSpec, grid_mdp, random_maze, sample_maze
from hsr.mdp import FiniteMDP, GoalTask
from hsr.options import OptionSet
from hsr.paper.exploring.explored import Explored
from hsr.paper.exploring.setting import (
    ExploringCondition,
    ExploringSetting,
    MazeSetting,
)
from hsr.paper.exploring.tuning import analyse, later, plan
from hsr.paper.worlds import FAMILIES

START = 0  # the first open cell, at the top left
_DRAWS_A_GOAL, _DRAWS_A_START, _DRAWS_GOALS = 1, 2, 3  # streams of the number of a maze


def check_options(setting: ExploringSetting, conditions: Mapping[Any, ExploringCondition]) -> None:
    """Refuse options that a given maze cannot have."""
    for condition in conditions.values():
        if condition.maze.layout:
            options_of(condition.maze, condition.options, setting.first_world)


def run(condition: ExploringCondition, number: int) -> dict[str, Any]:
    """Return the arrays of one maze, with the seed as their first axis.

    They are `coverage` (seed, n), the fraction of states visited by then, `choice_use` (seed,
    choice), and `diverged_at` (seed,), the step at which values grew without bound, or -1. If there
    are goals, `goal_entries` (seed, goal) are the first visits to them, -1 for never. `times` (n,)
    are the same for all seeds.
    """
    times = times_of(condition.steps, condition.points)
    found = explore_in(condition, number)
    arrays = {
        "times": times,
        "coverage": np.stack([coverage_at(times, one) for one in found.first_visit]),
        "choice_use": found.choice_use,
        "diverged_at": found.diverged_at,
    }
    if condition.goal == "random":
        arrays["goal_entries"] = found.goal_time[:, None]
    elif condition.maze.goals:
        arrays["goal_entries"] = found.first_visit[:, goals_of(condition, number)]
    return arrays


def explore_in(condition: ExploringCondition, number: int) -> ExplorationRun:
    """Return the runs of all seeds of one maze.

    Elsewhere a run whose values grow without bound ends with a warning. Here `diverged_at` keeps
    the step.
    """
    layout, mdp = maze_of(condition.maze, number)
    start, task = start_of(layout, condition.maze.start, number), None
    if condition.goal == "random":
        task = GoalTask(start, goal_of(layout, number, condition.goal_distance, start))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HSRWarning)
        return explore(
            mdp,
            condition.agent,
            options_of(condition.maze, condition.options, number),
            seeds=seeds_in(condition, number),
            steps=condition.steps,
            task=task,
            start=start,
            workers=1,
            keep_options=False,
        )


def times_of(steps: int, points: int) -> IntArray:
    """Return evenly spaced numbers of steps, the last of them all steps."""
    return np.unique(-(-steps * np.arange(1, points + 1) // points))


def coverage_at(times: IntArray, first_visit: IntArray) -> FloatArray:
    """Return the fraction of states first visited at or before each time; -1 means never."""
    seen = np.sort(first_visit[first_visit >= 0])
    return np.searchsorted(seen, times, side="right") / len(first_visit)


@lru_cache(maxsize=16)
def maze_of(maze: MazeSetting, number: int) -> tuple[GridLayout, FiniteMDP]:
    """Return the layout and the MDP of a maze."""
    if maze.layout:
        return MazeSpec(maze.layout, maze.discount, name=maze.name).build()
    if maze.family == "several":
        layout = sample_maze(FAMILIES[number % len(FAMILIES)], maze.size, seed=number)
    else:
        layout = random_maze(maze.size, seed=number)
    return layout, grid_mdp(layout, maze.discount)


@lru_cache(maxsize=16)
def options_of(
    maze: MazeSetting, options: OptionSpec, number: int
) -> OptionSet | OnlineOptions | None:
    """Return the options of a maze; its number draws the signs of eigenvectors."""
    _, mdp = maze_of(maze, number)
    return replace(options, seed=number).build(mdp)


def start_of(layout: GridLayout, where: str = "marked", number: int = 0) -> int:
    """Return the marked start of a maze, or its first cell; or the start that a number draws."""
    if where == "drawn":
        return int(np.random.default_rng([number, _DRAWS_A_START]).integers(layout.n_states))
    return START if layout.start is None else layout.start


def goal_of(layout: GridLayout, number: int, goal_distance: float, start: int | None = None) -> int:
    """Return the goal that a maze draws among the states that are far enough from the start."""
    far = _far_states(layout, goal_distance, start_of(layout) if start is None else start)
    return int(np.random.default_rng([number, _DRAWS_A_GOAL]).choice(far))


def goals_of(condition: ExploringCondition, number: int) -> IntArray:
    """Return the random goals of a maze (goal,), each drawn independently of the others.

    The first visit to a state in a run without reward is also when an agent would find a goal
    there: nothing that it learns depends on the goal before.
    """
    layout, _ = maze_of(condition.maze, number)
    start = start_of(layout, condition.maze.start, number)
    far = _far_states(layout, condition.goal_distance, start)
    return np.random.default_rng([number, _DRAWS_GOALS]).choice(far, condition.maze.goals)


def _far_states(layout: GridLayout, goal_distance: float, start: int) -> IntArray:
    """Return the states that are far enough from the start."""
    distances = layout.distances_from(start)
    return np.flatnonzero((distances >= goal_distance * distances.max()) & (distances > 0))


AXES = Axes(
    {
        "coverage": ("seed", "time"),
        "goal_entries": ("seed", "goal"),
        "diverged_at": ("seed",),
        "choice_use": ("seed", "choice"),
        "times": ("time",),
    },
    lambda setting, arrays: {"time": arrays["times"].tolist()},
)


def measures_of(
    table: ResultTable, setting: ExploringSetting, condition: ExploringCondition
) -> list[Measure]:
    """Return the coverage of one agent, and how it found goals if there are any."""
    found = Explored(condition, {"agent": table})
    has_goals = condition.maze.goals or condition.goal == "random"
    return [found.covered("agent"), *([found.found("agent")] if has_goals else [])]


# What exploration experiments give to `Experiment.from_function` besides their conditions.
EXPLORING: Mapping[str, Any] = {
    "plan": plan,
    "later": later,
    "analyse": analyse,
    "check": check_options,
    "measures": measures_of,
    "axes": AXES,
}
