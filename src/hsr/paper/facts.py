"""What the paper reports of its agents without claiming it, as numbers with thresholds.

The text leaves some places open and contradicts itself in others. A *reading* is one way to fill
them in. It is *admissible* if agents that follow it do what the paper says its agents did. These
facts are not claims: they say that agents converge, not which agent is better. Readings are chosen
by facts alone, in worlds that are not scored.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.experiments.stats import criterion_met, episodes_to_criterion

NEARLY_ALL, MOST, LAST = 0.8, 0.5, 10
LEARNERS = ("RW-SR rows", "SR rows", "HSR rows")  # one-hot is the agent that may fail
ADAPT = LEARNERS[1:]  # by a claim of the paper, the first gets worse when the goal moves
BEST_BASIS = "eHSR NMF"
TESTED_BASES = ("RW-SR SVD", "eSR SVD", "eHSR SVD", "eHSR rows")  # against it, in this order


class Observed(NamedTuple):
    """What agents did in a reading of an experiment.

    Attributes
    ----------
    steps : mapping of str to int array (world, seed, task, episode)
        By agent, the steps of each episode.
    episodes : mapping of str to int array (world, seed, task)
        By agent, the episodes until the criterion was met, or all of them.
    met : mapping of str to bool array (world, seed, task)
        By agent, whether the criterion was met.
    last : mapping of str to array (world, seed, task)
        By agent, the mean steps of the last ten episodes over the fewest possible.
    reachable : array (world, task)
        The fewest expected steps of any agent with this exploration, over the fewest possible.
    factor : float
        The criterion as a multiple of the fewest steps.
    """

    steps: Mapping[str, IntArray]
    episodes: Mapping[str, IntArray]
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


def _share_of_different_steps(seen: Observed) -> float:
    pairs = combinations((seen.steps[name] for name in TESTED_BASES), 2)
    return min(float((x != y).any(axis=(-2, -1)).mean()) for x, y in pairs)


def _share_of_different_episodes(seen: Observed) -> float:
    best = seen.episodes[BEST_BASIS]
    return min(float((seen.episodes[name] != best).mean()) for name in TESTED_BASES)


FACTS_OF_BASES = (
    FACTS[0],
    Fact(
        "features differ",
        "RW-SR SVD vs HSR NMF: p = 7.91e-17; ESR SVD vs HSR NMF: p = 2.93e-9; HSR SVD vs HSR NMF: "
        "p = 6.73e-10; HSR NMF vs HSR Row: p = 4.59e-18",
        "caption 3b",
        f"of the four features with four different p-values, any two take different steps in "
        f"{MOST:.0%} of the runs",
        _share_of_different_steps,
        MOST,
    ),
    Fact(
        "tests can tell",
        "p = 7.91e-17; p = 2.93e-9; p = 6.73e-10; p = 4.59e-18",
        "caption 3b",
        "each of the four takes another number of episodes than the NMF of the HSR, more or fewer, "
        f"in {MOST:.0%} of the runs",
        _share_of_different_episodes,
        MOST,
    ),
    Fact(
        "criterion met",
        "Number of training episodes required to reach optimal performance",
        "caption 3b",
        f"some agent meets the criterion in {NEARLY_ALL:.0%} of its runs",
        lambda seen: max(float(met.mean()) for met in seen.met.values()),
        NEARLY_ALL,
    ),
    Fact(
        "curves",
        "Gray dotted line indicates optimal number of steps to reach G1",
        "caption 3a",
        f"the last {LAST} episodes of some agent take at most 1.5 times the optimal steps in the "
        "median run",
        lambda seen: -min(float(np.median(last)) for last in seen.last.values()),
        -1.5,
    ),
)
"""What a reading of the experiment on bases must show (Figure 3).

Which features are better is a claim, and plays no part. That they differ at all excludes readings:
at K = N, to a linear learner, ``U diag(s)`` is the rows and U is one-hot, rotated. The thresholds
are those of `FACTS`. They were taken over after scales had been tried in four unscored worlds.
"""


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
    episodes, met, last = {}, {}, {}
    for name, curve in steps.items():
        n_run = np.maximum((curve > 0).sum(axis=-1), 1)
        age = n_run[..., None] - 1 - np.arange(curve.shape[-1])
        recent = (age >= 0) & (age < LAST)
        last[name] = (curve * recent).sum(axis=-1) / recent.sum(axis=-1) / best
        # Episodes that were not run count as the last one, which met the criterion or never will.
        final = np.take_along_axis(curve, n_run[..., None] - 1, axis=-1)
        filled = np.where(age >= 0, curve, final)
        met[name] = criterion_met(filled, best, **criterion)
        episodes[name] = episodes_to_criterion(filled, best, **criterion)
    return Observed(steps, episodes, met, last, reachable, criterion.get("factor", 1.5))
