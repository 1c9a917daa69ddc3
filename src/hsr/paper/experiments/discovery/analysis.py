"""Numbers of the figure about discovery and what its claims compare, from stored runs alone."""

from dataclasses import dataclass, replace

import numpy as np

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.discovery import (
    BEST,
    BONUSES,
    EXPERIMENT,
    JUDGED,
    LOWER,
    METHODS,
    UPPER,
    Discovery,
    DiscoveryKey,
)
from hsr.paper.exploring.measures import final_coverage
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray, IntArray

SHARE = 0.8  # of the coverage with options of the whole maze


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; arrays have maze and seed first.

    Parameters
    ----------
    size, sizes, steps, test
        As in the setting.
    times : array (time,)
        When coverage was stored.
    coverage : dict of arrays (world, seed, time)
        Fraction of states visited in mazes of `size`, by options and bonus.
    by_size : dict of arrays (world, seed, size, time)
        The same in mazes of all sizes, of the agents that explore them.
    """

    size: int
    sizes: tuple[int, ...]
    steps: int
    test: str
    times: IntArray
    coverage: dict[tuple[str, str], FloatArray]
    by_size: dict[tuple[str, str], FloatArray]


def analyse(table: ResultTable, setting: Discovery) -> Numbers:
    """Return the numbers of the figure."""
    rows = EXPERIMENT.rows(table, setting)
    found = {key: rows[key].array("coverage") for key in rows}
    here = setting.maze.size
    return Numbers(
        size=here,
        sizes=setting.sizes,
        steps=setting.steps,
        test=setting.test,
        times=next(iter(rows.values())).array("times")[0],
        coverage={
            (options, bonus): found[DiscoveryKey(options, bonus, here)]
            for options in (LOWER, UPPER, *METHODS)
            for bonus in BONUSES
            if DiscoveryKey(options, bonus, here) in found
        },
        by_size={
            one: np.stack([found[DiscoveryKey(*one, size)] for size in setting.sizes], axis=2)
            for one in JUDGED
        },
    )


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims compare."""
    to_whole = [
        Contrast(
            "discovery-frontier",
            (BEST, f"{SHARE:.0%} of {UPPER}"),
            +1,
            _final(numbers, numbers.coverage[BEST, bonus]),
            _share(_final(numbers, numbers.coverage[UPPER, bonus])),
            numbers.test,
            bonus,
        )
        for bonus in ("no bonus", "HSR-SPIE")
    ]
    over_sizes = [
        Contrast(
            "discovery-sizes",
            (BEST, "SR-SPIE"),
            +1,
            _final(numbers, numbers.by_size[BEST, "no bonus"][:, :, k]),
            _final(numbers, numbers.by_size[LOWER, "SR-SPIE"][:, :, k]),
            numbers.test,
            f"size {size}",
        )
        for k, size in enumerate(numbers.sizes)
    ]
    return to_whole + over_sizes


def _final(numbers: Numbers, coverage: FloatArray) -> Measure:
    return final_coverage(coverage, numbers.steps)


def _share(measure: Measure) -> Measure:
    """Return a share of what was covered; the area under the curve is shared, too."""
    beside = measure.beside
    if beside is not None:
        beside = replace(beside, values=SHARE * beside.values)
    return replace(measure, values=SHARE * measure.values, beside=beside)
