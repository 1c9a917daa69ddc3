"""What the paper reports of its agents without claiming it, as numbers with thresholds.

The text leaves some places open and contradicts itself in others. A *reading* is one way to fill
them in. It is *admissible* if agents that follow it do what the paper says its agents did. These
facts are not claims: they say that agents converge, not which agent is better. Readings are chosen
by facts alone, in worlds that are not scored.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr.experiments.stats import criterion_met

NEARLY_ALL, MOST, LAST = 0.8, 0.5, 10
LEARNERS = ("RW-SR rows", "SR rows", "HSR rows")  # one-hot is the agent that may fail
ADAPT = LEARNERS[1:]  # by a claim of the paper, the first gets worse when the goal moves


class Observed(NamedTuple):
    """What agents did in a reading of the online experiment.

    Attributes
    ----------
    met : mapping of str to bool array (world, seed, task)
        By agent, whether the criterion was met.
    last : mapping of str to array (world, seed, task)
        By agent, the mean steps of the last ten episodes over the fewest possible.
    reachable : array (world, task)
        The fewest expected steps of any agent with this exploration, over the fewest possible.
    factor : float
        The criterion as a multiple of the fewest steps.
    """

    met: Mapping[str, BoolArray]
    last: Mapping[str, FloatArray]
    reachable: FloatArray
    factor: float


@dataclass(frozen=True)
class Fact:
    """One fact that a reading must show.

    Parameters
    ----------
    name : str
        A short name.
    sentence, place : str
        What the paper says, and where.
    must : str
        What a reading must show.
    number : callable
        ``number(observed)`` returns what is compared with the threshold.
    least : float
        The threshold. A reading shows the fact if its number is at least this.
    """

    name: str
    sentence: str
    place: str
    must: str
    number: Callable[[Observed], float]
    least: float

    def holds(self, observed: Observed) -> bool:
        """Return whether a reading shows the fact."""
        return self.number(observed) >= self.least


def _share(task: int, agents: tuple[str, ...]) -> Callable[[Observed], float]:
    return lambda seen: min(float(seen.met[name][..., task].mean()) for name in agents)


def _distance_to_line(seen: Observed) -> float:
    medians = [np.median(seen.last[name], axis=(0, 1)) for name in ADAPT]
    return -float(np.max(medians))


def _lead_over_onehot(seen: Observed) -> float:
    onehot = float(seen.met["one-hot"][..., 1].mean())
    return _share(1, ADAPT)(seen) - onehot


FACTS = (
    Fact(
        "reachable",
        "episode-specific steps to reach the goal falls below 1.5 x optimal performance",
        "Appendix, transfer learning",
        f"an agent with this exploration can meet the criterion for both goals in {0.9:.0%} of "
        "worlds",
        lambda seen: float((seen.reachable < seen.factor).all(axis=1).mean()),
        0.9,
    ),
    Fact(
        "G1 learned",
        "Agents were trained to navigate to a specific terminal goal state (G1) until convergence",
        "Results",
        f"{NEARLY_ALL:.0%} of the runs of each agent that learns a map meet the criterion on G1",
        _share(0, LEARNERS),
        NEARLY_ALL,
    ),
    Fact(
        "G2 learned",
        "number set of 200 if agents fail to reach optimal performance within 200 episodes",
        "caption 2c",
        f"{MOST:.0%} of the runs of the SR and of the HSR agent meet it on G2",
        _share(1, ADAPT),
        MOST,
    ),
    Fact(
        "curves",
        "Dashed horizontal red and magenta lines indicate optimal number of steps to reach G1 (10) "
        "and G2 (18)",
        "caption 2b",
        f"the last {LAST} episodes of the SR and of the HSR agent take at most 1.5 times the "
        "optimal steps in the median run, for both goals",
        _distance_to_line,
        -1.5,
    ),
    Fact(
        "one-hot may fail",
        "an agent with fixed one-hot state encoding as the zero-transfer baseline",
        "Results",
        "one-hot agents meet the criterion on G2 no more often than SR and HSR agents",
        _lead_over_onehot,
        0.0,
    ),
)
"""What a reading of the online experiment must show, written down before any reading was run."""


def observed(
    steps: Mapping[str, Any], optimal: Any, reachable: FloatArray, **criterion: Any
) -> Observed:
    """Return what agents did, from their learning curves.

    Parameters
    ----------
    steps : mapping of str to int array (world, seed, task, episode)
        By agent, the steps of each episode, and 0 for episodes that were not run.
    optimal : array (task,)
        The fewest steps to each goal.
    reachable : array (world, task)
        The fewest expected steps of any agent with this exploration, over the fewest possible.
    **criterion
        Settings of `hsr.experiments.stats.criterion_met`.
    """
    best = np.asarray(optimal, dtype=float)
    met, last = {}, {}
    for name, curve in steps.items():
        n_run = np.maximum((curve > 0).sum(axis=-1), 1)
        age = n_run[..., None] - 1 - np.arange(curve.shape[-1])
        recent = (age >= 0) & (age < LAST)
        last[name] = (curve * recent).sum(axis=-1) / recent.sum(axis=-1) / best
        # Episodes that were not run count as the last one, which met the criterion or never will.
        final = np.take_along_axis(curve, n_run[..., None] - 1, axis=-1)
        met[name] = criterion_met(np.where(age >= 0, curve, final), best, **criterion)
    return Observed(met, last, reachable, criterion.get("factor", 1.5))
