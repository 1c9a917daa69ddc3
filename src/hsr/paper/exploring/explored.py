"""The one analysis of exploration experiments: what is measured of agents over mazes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.experiments.contrast import OF_SHARES, Measure, Pair
from hsr.experiments.store import ResultTable
from hsr.paper.exploring.setting import Key


@dataclass(frozen=True, eq=False)
class Explored:
    """How agents explored, by condition; arrays have maze and seed first.

    Parameters
    ----------
    setting : ExploringSetting
        The setting.
    rows : mapping of ResultTable
        The runs of each condition.
    chosen : mapping of Chosen
        What was chosen for each condition in other mazes, if anything was.
    """

    setting: Any
    rows: Mapping[Any, ResultTable]
    chosen: Mapping[Any, Any] = field(default_factory=dict)

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
        return self._as_chosen(key, final_coverage(self.coverage(key), self.setting.steps))

    def found(self, key: Any) -> Measure:
        """Return the share of goals found, with the area under its curve beside it."""
        entries = self.rows[key].array("goal_entries")
        return self._as_chosen(key, goals_found(entries, self.setting.steps))

    def _as_chosen(self, key: Any, measure: Measure) -> Measure:
        if key not in self.chosen:
            return measure
        one = self.chosen[key]
        return replace(measure, chosen=str(one), at_end=one.at_end)


def final_coverage(coverage: FloatArray, steps: int) -> Measure:
    """Return the coverage after the last step, with the area under the curve beside it.

    A run that has visited every state is at the ceiling and counts as cut off: two agents that both
    end there cannot be told apart by it. The area is 1 if every state is visited from the start.

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
    area = Measure("area under the coverage curve", coverage.mean(axis=-1), bound=OF_SHARES)
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


def combined(what: str, measures: Sequence[Measure], weights: Sequence[float]) -> Measure:
    """Return a weighted sum of measures, such as a mean or a difference.

    A run counts as cut off if one of the measures cuts it off.

    Examples
    --------
    >>> small, large = (final_coverage(np.array([[x]]), 100) for x in ([0.5, 1.0], [0.2, 0.4]))
    >>> fall = combined("fall of the", [small, large], [1, -1])
    >>> fall.name, fall.values.round(3).tolist(), fall.censored.tolist()
    ('fall of the coverage after 100 steps', [[0.6]], [[True]])
    >>> fall.beside.values.round(3).tolist()
    [[0.45]]
    """
    first, besides = measures[0], [one.beside for one in measures if one.beside is not None]
    cut = [one.censored for one in measures if one.censored is not None]
    return replace(
        first,
        name=f"{what} {first.name}",
        values=np.tensordot(weights, [one.values for one in measures], axes=1),
        censored=np.any(cut, axis=0) if cut else None,
        beside=combined(what, besides, weights) if besides else None,
        chosen="; ".join(one.chosen for one in measures if one.chosen),
        at_end=tuple(dict.fromkeys(end for one in measures for end in one.at_end)),
    )


def at_size(size: int, numbers: Explored, name: str) -> Measure:
    """Return the coverage of an agent in mazes of one size."""
    return numbers.covered(Key(name, size))


def fall(numbers: Explored, name: str) -> Measure:
    """Return what the coverage of an agent loses from the smallest to the largest mazes."""
    ends = min(numbers.setting.sizes), max(numbers.setting.sizes)
    both = [at_size(size, numbers, name) for size in ends]
    return combined(f"fall from size {ends[0]} to {ends[1]} of the", both, [1.0, -1.0])


def more(
    first: str,
    second: str,
    measure: Callable[[Explored, str], Measure],
    quote: str = "",
    *,
    where: str = "",
    did: str = "covered more",
) -> Pair:
    """Return the statement that one agent did more than another; without a quote it is ours."""
    at = f" at {where}" if where else ""
    words = f"{first[0].upper()}{first[1:]} {did} than {second}{at}."
    return Pair(first, second, +1, measure, where, bool(quote), words, quote)
