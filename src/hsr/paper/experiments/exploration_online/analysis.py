"""Numbers of Figure S6 and what its claim compares, from stored runs alone."""

from dataclasses import dataclass

import numpy as np

from hsr.paper.contrast import Contrast
from hsr.paper.experiments.exploration_online import (
    AGENTS,
    EXPERIMENT,
    ExplorationOnline,
    OnlineKey,
)
from hsr.paper.exploring.measures import final_coverage
from hsr.paper.stats import Anova, Comparison, compare_over_worlds, two_way_anova
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray, IntArray

BASELINE, GIVEN, ONLINE = "SR-SPIE", "HSR-SPIE", "HSR-SPIE online"
OVER_SIZES = ((ONLINE, GIVEN), (GIVEN, "options alone"), (ONLINE, "online options alone"))


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries are by agent, and arrays have maze and seed first.

    Parameters
    ----------
    sizes, steps, test
        As in the setting.
    times : array (time,)
        When coverage was stored.
    coverage : dict of arrays (world, seed, size, time)
        Fraction of states visited.
    anova : dict of Anova
        Analyses of the final coverage over agent and size, of HSR agents and SR-SPIE. A maze has
        one value, the mean over its seeds.
    over_sizes : dict of Comparison
        Differences of means over sizes. No claim is judged by them.
    """

    sizes: tuple[int, ...]
    steps: int
    test: str
    times: IntArray
    coverage: dict[str, FloatArray]
    anova: dict[str, Anova]
    over_sizes: dict[tuple[str, str], Comparison]

    @property
    def final(self) -> dict[str, FloatArray]:
        """Coverage (world, seed, size) after the last step."""
        return {name: curves[..., -1] for name, curves in self.coverage.items()}


def analyse(table: ResultTable, setting: ExplorationOnline) -> Numbers:
    """Return the numbers of the figure; there must be at least two sizes."""
    rows = EXPERIMENT.rows(table, setting)
    coverage = {
        name: np.stack(
            [rows[OnlineKey(name, size)].array("coverage") for size in setting.sizes], axis=2
        )
        for name in AGENTS
    }
    final = {name: curves[..., -1] for name, curves in coverage.items()}
    return Numbers(
        sizes=setting.sizes,
        steps=setting.steps,
        test=setting.test,
        times=next(iter(rows.values())).array("times")[0],
        coverage=coverage,
        anova={name: _anova(final[name], final[BASELINE]) for name in (GIVEN, ONLINE)},
        over_sizes={
            (a, b): compare_over_worlds(final[a].mean(axis=2), final[b].mean(axis=2))
            for a, b in OVER_SIZES
        },
    )


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claim of the figure compares."""
    return _at_sizes(numbers, ONLINE, "explore-online-options")


def given_options(numbers: Numbers) -> list[Contrast]:
    """Return the same comparisons of given options; no claim is judged by them."""
    return _at_sizes(numbers, GIVEN, "")


def _at_sizes(numbers: Numbers, name: str, claim: str) -> list[Contrast]:
    return [
        Contrast(
            claim,
            (name, BASELINE),
            +1,
            final_coverage(numbers.coverage[name][:, :, k], numbers.steps),
            final_coverage(numbers.coverage[BASELINE][:, :, k], numbers.steps),
            numbers.test,
            f"size {size}",
        )
        for k, size in enumerate(numbers.sizes)
    ]


def _anova(x: FloatArray, y: FloatArray) -> Anova:
    """Return the analysis of two agents' values (world, seed, size) over agent and size."""
    values = np.stack([x.mean(axis=1), y.mean(axis=1)])
    agent, _, size = np.indices(values.shape)
    return two_way_anova(values.ravel(), agent.ravel(), size.ravel())
