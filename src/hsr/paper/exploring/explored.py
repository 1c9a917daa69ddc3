"""The one analysis of exploration experiments: what is measured of agents over mazes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.experiments.contrast import OF_SHARES, Measure
from hsr.experiments.experiment import rows_of
from hsr.experiments.stats import Interval, mean_interval
from hsr.experiments.store import ResultTable


@dataclass(frozen=True, eq=False)
class Explored:
    """How agents explored, by condition; arrays have maze and seed first.

    Parameters
    ----------
    setting : ExploringSetting
        The setting.
    rows : dict of ResultTable
        The runs of each condition.
    """

    setting: Any
    rows: dict[Any, ResultTable]

    @property
    def times(self) -> IntArray:
        """When coverage was stored, (time,)."""
        times: IntArray = next(iter(self.rows.values())).array("times")[0]
        return times

    def coverage(self, key: Any) -> FloatArray:
        """Return the fraction of states visited (world, seed, time)."""
        return self.rows[key].array("coverage")

    def covered(self, key: Any) -> Measure:
        """Return the coverage after the last step, with the area under the curve beside it."""
        return final_coverage(self.coverage(key), self.setting.steps)

    def area(self, key: Any) -> Measure:
        """Return the area under the coverage curve."""
        values = area_under(self.coverage(key))
        return Measure("area under the coverage curve", values, bound=OF_SHARES)

    def found(self, key: Any) -> Measure:
        """Return the share of goals found, with the area under its curve beside it."""
        return goals_found(self.rows[key].array("goal_entries"), self.setting.steps)

    def to_goal(self, key: Any) -> Measure:
        """Return the log steps to the goal, with the share of seeds that missed it beside them."""
        return steps_to_goal(self.rows[key].array("goal_time"), self.setting.steps)


def analyse(table: ResultTable, setting: Any, conditions: Mapping[Any, Any]) -> Explored:
    """Return how every agent explored."""
    return Explored(setting, rows_of(table, setting, conditions))


def area_under(coverage: FloatArray) -> FloatArray:
    """Return the mean over all times, the last axis: 1 if every state is visited from the start."""
    return np.asarray(coverage.mean(axis=-1))


def final_coverage(coverage: FloatArray, steps: int) -> Measure:
    """Return the coverage after the last step, with the area under the curve beside it.

    A run that has visited every state is at the ceiling and counts as cut off: two agents that both
    end there cannot be told apart by it.

    Parameters
    ----------
    coverage : array of shape (world, seed, time)
        Fraction of states visited by each time.
    steps : int
        Number of steps of a run, for the name of the measure.

    Examples
    --------
    >>> measure = final_coverage(np.array([[[0.5, 1.0], [0.2, 0.4]]]), 100)
    >>> measure.name, measure.values.tolist(), measure.censored.tolist()
    ('coverage after 100 steps', [[1.0, 0.4]], [[True, False]])
    >>> measure.beside.values.round(3).tolist()
    [[0.75, 0.3]]
    """
    final = coverage[..., -1]
    area = Measure("area under the coverage curve", area_under(coverage), bound=OF_SHARES)
    return Measure(f"coverage after {steps:,} steps", final, final >= 1.0, area, OF_SHARES)


def goals_found(entries: IntArray, steps: int) -> Measure:
    """Return the share of goals found, with the area under its curve beside it.

    A goal that is found after t of T steps adds 1 - t / T to the area, and one that is not found
    adds nothing. A run that has found all goals is at the ceiling and counts as cut off.

    Parameters
    ----------
    entries : array of shape (world, seed, goal)
        The step at which each goal was first entered, -1 for never.
    steps : int
        Number of steps T of a run.

    Examples
    --------
    >>> measure = goals_found(np.array([[[10, -1], [50, 90]]]), 100)
    >>> measure.values.tolist(), measure.censored.tolist()
    ([[0.5, 1.0]], [[False, True]])
    >>> measure.beside.values.round(3).tolist()
    [[0.45, 0.3]]
    """
    found = entries >= 0
    share = found.mean(axis=-1)
    area = np.where(found, 1.0 - entries / steps, 0.0).mean(axis=-1)
    beside = Measure("area under the curve of goals found", area, bound=OF_SHARES)
    return Measure(f"goals found in {steps:,} steps", share, share >= 1.0, beside, OF_SHARES)


def steps_to_goal(goal_time: IntArray, steps: int) -> Measure:
    """Return the log steps to the goal, with the share of seeds that missed it beside them.

    A run that never found the goal is cut off after the last step.

    Parameters
    ----------
    goal_time : array of shape (world, seed)
        The step at which the goal was found, -1 for never.
    steps : int
        Number of steps of a run.

    Examples
    --------
    >>> measure = steps_to_goal(np.array([[10, -1]]), 1000)
    >>> measure.values.tolist(), measure.censored.tolist()
    ([[1.0, 3.0]], [[False, True]])
    """
    missed = goal_time < 0
    return Measure(
        "log10 of the steps to the goal",
        np.log10(np.where(missed, steps, np.maximum(goal_time, 1))),
        missed,
        Measure("share of seeds that missed the goal", missed.astype(float), bound=OF_SHARES),
        math.log10(1.05),
    )


def within(measure: Measure, bound: float) -> Measure:
    """Return a measure of which other differences count as none, as the one beside it does.

    Examples
    --------
    >>> measure = within(final_coverage(np.array([[[0.5, 1.0], [0.2, 0.4]]]), 100), 0.1)
    >>> measure.bound, measure.beside.bound
    (0.1, 0.1)
    """
    beside = measure.beside and replace(measure.beside, bound=bound)
    return replace(measure, bound=bound, beside=beside)


def share_interval(shares: FloatArray) -> Interval:
    """Return the mean of shares (world, ...) with its 95 % interval, which ends at 0 and 1.

    Examples
    --------
    >>> share_interval(np.array([0.9, 1.0, 1.0]))
    Interval(estimate=0.966..., low=0.823..., high=1.0)
    """
    mean, low, high = mean_interval(shares)
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    return Interval(mean, low, high) if np.ndim(low) else Interval(mean, float(low), float(high))
