"""Numbers of Figure 6 and the evidence for its claims, from stored runs alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hsr.grids import GridLayout
from hsr.paper.experiments.exploration import (
    AGENTS,
    BY_SIZE,
    EXPERIMENT,
    Exploration,
    ExplorationKey,
)
from hsr.paper.exploring.run import START, goal_of, maze_of
from hsr.paper.ledger import Evidence
from hsr.paper.stats import (
    Comparison,
    Interval,
    mean_interval,
    paired_t,
    proportion_interval,
    two_sample_t,
)
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray, IntArray

TESTS = {"two_sample_t": two_sample_t, "paired_t": paired_t}
MORE = (
    ("HSR-SPIE", "SR-SPIE"),
    ("HSR-norm", "SR-norm"),
    ("SR-SPIE", "SR-norm"),
    ("HSR-SPIE", "HSR-norm"),
)
SOONER = (("SR-SPIE", "HSR-SPIE"), ("SR-norm", "HSR-norm"), ("SR-SPIE", "HSR-norm"))
STEADIER = (("HSR-SPIE", "SR-SPIE"),)
BONUS_OR_OPTIONS = (
    ("HSR-SPIE", "options alone"),
    ("HSR-SPIE", "SR-SPIE + options"),
    ("HSR-norm", "options alone"),
)

Pairs = dict[tuple[str, str], Comparison]  # of two agents, the first minus the second


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries are by agent, and arrays have the seed first.

    The area of a coverage curve is its mean over all times: 1 for an agent that has visited every
    state from the start. A goal that was never found counts as found after the last step. Slopes
    are of the final coverage on the size of the maze, per ten cells.
    """

    layout: GridLayout
    start: int
    goal: int
    seed_shown: int
    size: int
    sizes: tuple[int, ...]
    steps: int
    times: IntArray  # (time,)
    coverage: dict[str, FloatArray]  # (seed, time)
    area: dict[str, FloatArray]  # (seed,)
    goal_time: dict[str, IntArray]  # (seed,)
    found: dict[str, FloatArray]  # (seed, time), 1 once the goal was found
    final: dict[str, FloatArray]  # (seed, size), for the agents of panel c
    slope: dict[str, FloatArray]  # (seed,), likewise
    area_intervals: dict[str, Interval]
    final_intervals: dict[str, Interval]  # (size,)
    share_found: dict[str, Interval]
    more: Pairs  # of areas
    sooner: Pairs  # of the steps to the goal
    steadier: Pairs  # of slopes
    bonus_or_options: Pairs  # of areas; no claim is judged by them


def analyse(table: ResultTable, setting: Exploration) -> Numbers:
    """Return the numbers of the figure."""
    rows = EXPERIMENT.rows(table, setting)
    size, first = setting.maze.size, next(iter(rows.values()))
    layout, _ = maze_of(setting.maze, first.seeds[0])
    times = first.array("times")[0]
    coverage = {name: rows[ExplorationKey(name, size, False)].array("coverage") for name in AGENTS}
    area = {name: curve.mean(axis=1) for name, curve in coverage.items()}
    reached = {name: rows[ExplorationKey(name, size, True)].array("goal_time") for name in AGENTS}
    goal_time = {name: np.where(t < 0, setting.steps, t) for name, t in reached.items()}
    found = {
        name: ((t[:, None] >= 0) & (t[:, None] <= times)).astype(float)
        for name, t in reached.items()
    }
    final = {
        name: np.stack(
            [rows[ExplorationKey(name, n, False)].array("coverage")[:, -1] for n in setting.sizes],
            axis=1,
        )
        for name in BY_SIZE
    }
    slope = {name: _slopes(setting.sizes, x) for name, x in final.items()}
    test = TESTS[setting.test]

    def pairs(
        values: Mapping[str, FloatArray | IntArray], which: Iterable[tuple[str, str]]
    ) -> Pairs:
        return {(a, b): test(values[a], values[b]) for a, b in which}

    return Numbers(
        layout=layout,
        start=START,
        goal=goal_of(layout, first.seeds[0], setting.goal_distance),
        seed_shown=first.seeds[0],
        size=size,
        sizes=setting.sizes,
        steps=setting.steps,
        times=times,
        coverage=coverage,
        area=area,
        goal_time=goal_time,
        found=found,
        final=final,
        slope=slope,
        area_intervals={name: mean_interval(x) for name, x in area.items()},
        final_intervals={name: mean_interval(x) for name, x in final.items()},
        share_found={
            name: proportion_interval(int((t >= 0).sum()), len(t)) for name, t in reached.items()
        },
        more=pairs(area, MORE),
        sooner=pairs(goal_time, SOONER),
        steadier=pairs(slope, STEADIER),
        bonus_or_options=pairs(area, BONUS_OR_OPTIONS),
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure."""
    judged = (
        ("explore-coverage", "area under the coverage curve", numbers.more),
        ("explore-goal", "steps until the goal is found", numbers.sooner),
        (
            "explore-scaling",
            "slope of the final coverage on the size of the maze",
            numbers.steadier,
        ),
    )
    return [
        Evidence(claim, f"{what}, {a} minus {b}", +1, compared)
        for claim, what, pairs in judged
        for (a, b), compared in pairs.items()
    ]


def _slopes(sizes: tuple[int, ...], final: FloatArray) -> FloatArray:
    """Return the least-squares slope (seed,) of coverage (seed, size) on size, per ten cells."""
    x = np.array(sizes, dtype=float) / 10.0
    x -= x.mean()
    return np.asarray((final * x).sum(axis=1) / (x @ x))
