"""Numbers of Figure S6 and the evidence for its claims, from stored runs alone."""

from dataclasses import dataclass

import numpy as np

from hsr.paper.experiments.exploration.analysis import TESTS
from hsr.paper.experiments.exploration_online import (
    AGENTS,
    EXPERIMENT,
    ExplorationOnline,
    OnlineKey,
)
from hsr.paper.ledger import Evidence
from hsr.paper.stats import Anova, Comparison, Interval, mean_interval, two_way_anova
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray, IntArray

BASELINE, GIVEN, ONLINE = "SR-SPIE", "HSR-SPIE", "HSR-SPIE online"
OVER_SIZES = ((ONLINE, GIVEN), (GIVEN, "options alone"), (ONLINE, "online options alone"))


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries are by agent, and arrays have the seed first.

    Analyses of variance and tests of HSR agents are of the final coverage, against SR-SPIE: the
    former over agent and size, the latter at each size.
    """

    sizes: tuple[int, ...]
    steps: int
    times: IntArray  # (time,)
    coverage: dict[str, FloatArray]  # (seed, size, time)
    final: dict[str, FloatArray]  # (seed, size)
    final_intervals: dict[str, Interval]  # (size,)
    anova: dict[str, Anova]
    at_sizes: dict[str, list[Comparison]]
    over_sizes: dict[tuple[str, str], Comparison]  # of means over sizes; no claim is judged by them


def analyse(table: ResultTable, setting: ExplorationOnline) -> Numbers:
    """Return the numbers of the figure; there must be at least two sizes."""
    rows = EXPERIMENT.rows(table, setting)
    coverage = {
        name: np.stack(
            [rows[OnlineKey(name, size)].array("coverage") for size in setting.sizes], axis=1
        )
        for name in AGENTS
    }
    final = {name: curves[:, :, -1] for name, curves in coverage.items()}
    test, n_sizes = TESTS[setting.test], len(setting.sizes)
    return Numbers(
        sizes=setting.sizes,
        steps=setting.steps,
        times=next(iter(rows.values())).array("times")[0],
        coverage=coverage,
        final=final,
        final_intervals={name: mean_interval(x) for name, x in final.items()},
        anova={name: _anova(final[name], final[BASELINE]) for name in (GIVEN, ONLINE)},
        at_sizes={
            name: [test(final[name][:, k], final[BASELINE][:, k]) for k in range(n_sizes)]
            for name in (GIVEN, ONLINE)
        },
        over_sizes={
            (a, b): test(final[a].mean(axis=1), final[b].mean(axis=1)) for a, b in OVER_SIZES
        },
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claim of the figure."""
    words = (
        f"coverage after {numbers.steps:,} steps in mazes of size {{}}, {ONLINE} minus {BASELINE}"
    )
    return [
        Evidence("explore-online-options", words.format(size), +1, compared)
        for size, compared in zip(numbers.sizes, numbers.at_sizes[ONLINE], strict=True)
    ]


def _anova(x: FloatArray, y: FloatArray) -> Anova:
    """Return the analysis of two agents' values (seed, size) over agent and size."""
    values = np.stack([x, y])
    agent, _, size = np.indices(values.shape)
    return two_way_anova(values.ravel(), agent.ravel(), size.ravel())
