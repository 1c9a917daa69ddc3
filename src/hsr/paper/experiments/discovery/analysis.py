"""Numbers of the figure about discovery and what its claims compare, from stored runs alone."""

from dataclasses import dataclass, replace

import numpy as np

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.discovery import (
    AT_EVERY_SIZE,
    BEST,
    EVERY_AGENT,
    EXPERIMENT,
    LOWER,
    ROOMS,
    UPPER,
    Discovery,
    DiscoveryKey,
)
from hsr.paper.exploring.measures import final_coverage, goals_found
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray, IntArray

SHARE = 0.8  # of the coverage with options of the whole maze
Agent = tuple[str, str]  # options and bonus


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; arrays have world and seed first.

    Parameters
    ----------
    size, sizes, steps, test
        As in the setting.
    times : array (time,)
        When coverage was stored.
    coverage : dict of arrays (world, seed, time)
        Fraction of states visited, by condition.
    entries : dict of arrays (world, seed, goal)
        The step at which each goal was first entered, -1 for never, by condition.
    """

    size: int
    sizes: tuple[int, ...]
    steps: int
    test: str
    times: IntArray
    coverage: dict[DiscoveryKey, FloatArray]
    entries: dict[DiscoveryKey, IntArray]

    def covered(self, agent: Agent, maze: int | str) -> Measure:
        """Return the coverage of an agent after the last step."""
        return final_coverage(self.coverage[DiscoveryKey(*agent, maze)], self.steps)

    def found(self, agent: Agent, maze: int | str) -> Measure:
        """Return the share of goals that an agent has found."""
        return goals_found(self.entries[DiscoveryKey(*agent, maze)], self.steps)

    def curves(self, bonus: str, maze: int | str) -> dict[str, FloatArray]:
        """Return the coverage over time of all agents with a bonus, by their options."""
        return {
            options: self.coverage[DiscoveryKey(options, bonus, maze)]
            for options, one in EVERY_AGENT
            if one == bonus
        }

    def by_size(self, which: str) -> dict[Agent, FloatArray]:
        """Return "covered" or "found" (world, seed, size) of the agents with every size."""
        return {
            one: np.stack([getattr(self, which)(one, size).values for size in self.sizes], axis=2)
            for one in AT_EVERY_SIZE
        }


def analyse(table: ResultTable, setting: Discovery) -> Numbers:
    """Return the numbers of the figure."""
    rows = EXPERIMENT.rows(table, setting)
    return Numbers(
        size=setting.maze.size,
        sizes=setting.sizes,
        steps=setting.steps,
        test=setting.test,
        times=next(iter(rows.values())).array("times")[0],
        coverage={key: one.array("coverage") for key, one in rows.items()},
        entries={key: one.array("goal_entries") for key, one in rows.items()},
    )


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims compare."""
    to_whole = [
        Contrast(
            "discovery-frontier",
            (BEST, f"{SHARE:.0%} of {UPPER}"),
            +1,
            numbers.covered((BEST, bonus), numbers.size),
            _share(numbers.covered((UPPER, bonus), numbers.size)),
            numbers.test,
            bonus,
        )
        for bonus in ("no bonus", "HSR-SPIE")
    ]
    over_sizes = [_to_spie("discovery-sizes", numbers, "covered", size) for size in numbers.sizes]
    places: tuple[int | str, ...] = (*numbers.sizes, ROOMS)
    goals = [_to_spie("discovery-goals", numbers, "found", maze) for maze in places]
    return to_whole + over_sizes + goals


def _to_spie(claim: str, numbers: Numbers, which: str, maze: int | str) -> Contrast:
    """Return frontier options against SR-SPIE, by "covered" or "found"."""
    measure = getattr(numbers, which)
    return Contrast(
        claim,
        (BEST, "SR-SPIE"),
        +1,
        measure((BEST, "no bonus"), maze),
        measure((LOWER, "SR-SPIE"), maze),
        numbers.test,
        maze if isinstance(maze, str) else f"size {maze}",
    )


def _share(measure: Measure) -> Measure:
    """Return a share of what was covered; the area under the curve is shared, too."""
    beside = measure.beside
    if beside is not None:
        beside = replace(beside, values=SHARE * beside.values)
    return replace(measure, values=SHARE * measure.values, beside=beside)
