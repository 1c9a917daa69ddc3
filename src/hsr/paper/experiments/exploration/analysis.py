"""Numbers of Figure 6 and what its claims compare, from stored runs alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hsr.grids import GridLayout
from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.exploration import (
    AGENTS,
    BY_SIZE,
    EXPERIMENT,
    Exploration,
    ExplorationKey,
    size_of_curves,
)
from hsr.paper.exploring.measures import area_under, final_coverage, steps_to_goal
from hsr.paper.exploring.run import goal_of, maze_of, start_of
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray, IntArray

MORE = (
    ("HSR-SPIE", "SR-SPIE"),
    ("HSR-norm", "SR-norm"),
    ("SR-SPIE", "SR-norm"),
    ("HSR-SPIE", "HSR-norm"),
)
SOONER = (("SR-SPIE", "HSR-SPIE"), ("SR-norm", "HSR-norm"), ("SR-SPIE", "HSR-norm"))
FALLS = "SR-SPIE"
STEADIER = ("HSR-SPIE", "SR-SPIE")
BONUS_OR_OPTIONS = (
    ("HSR-SPIE", "options alone"),
    ("HSR-SPIE", "SR-SPIE + options"),
    ("HSR-norm", "options alone"),
)


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries are by agent, and arrays have maze and seed first.

    Parameters
    ----------
    layout, start, goal, maze_shown
        One of the mazes.
    size, sizes, steps, test
        As in the setting.
    times : array (time,)
        When coverage was stored.
    coverage : dict of arrays (world, seed, time)
        Fraction of states visited.
    goal_time : dict of arrays (world, seed)
        Steps until the goal was found, -1 for never.
    by_size : dict of arrays (world, seed, size, time)
        Fraction of states visited in mazes of each size, for the agents of panel c.
    """

    layout: GridLayout
    start: int
    goal: int
    maze_shown: int
    size: int
    sizes: tuple[int, ...]
    steps: int
    test: str
    times: IntArray
    coverage: dict[str, FloatArray]
    goal_time: dict[str, IntArray]
    by_size: dict[str, FloatArray]

    @property
    def area(self) -> dict[str, FloatArray]:
        """The area (world, seed) under the coverage curve."""
        return {name: area_under(curves) for name, curves in self.coverage.items()}

    @property
    def found(self) -> dict[str, FloatArray]:
        """Whether the goal was found by each time (world, seed, time), as 0 and 1."""
        return {
            name: ((t[..., None] >= 0) & (t[..., None] <= self.times)).astype(float)
            for name, t in self.goal_time.items()
        }

    @property
    def final(self) -> dict[str, FloatArray]:
        """Coverage (world, seed, size) after the last step, for the agents of panel c."""
        return {name: curves[..., -1] for name, curves in self.by_size.items()}

    def to_goal(self, name: str) -> Measure:
        """Return the log steps to the goal, with the share of seeds that missed it beside them."""
        return steps_to_goal(self.goal_time[name], self.steps)

    def slope(self, name: str) -> Measure:
        """Return the slope of the final coverage on the size of the maze, per ten cells.

        A run is cut off if it visited every state at some size. The slope of the area under the
        coverage curve stands beside it.
        """
        final = self.final[name]
        return Measure(
            "slope of the final coverage on size",
            slopes(self.sizes, final),
            np.asarray((final >= 1.0).any(axis=-1)),
            Measure(
                "slope of the area under the curve on size",
                slopes(self.sizes, area_under(self.by_size[name])),
            ),
        )

    def at_size(self, name: str, k: int) -> Measure:
        """Return the final coverage in mazes of the k-th size."""
        return final_coverage(self.by_size[name][:, :, k], self.steps)


def analyse(table: ResultTable, setting: Exploration) -> Numbers:
    """Return the numbers of the figure."""
    rows = EXPERIMENT.rows(table, setting)
    size, first = size_of_curves(setting), next(iter(rows.values()))
    shown = first.seeds[0]
    layout, _ = maze_of(setting.maze, shown)
    start = start_of(layout, setting.maze.start, shown)
    return Numbers(
        layout=layout,
        start=start,
        goal=goal_of(layout, shown, setting.goal_distance, start),
        maze_shown=shown,
        size=size,
        sizes=setting.sizes,
        steps=setting.steps,
        test=setting.test,
        times=first.array("times")[0],
        coverage={
            name: rows[ExplorationKey(name, size, False)].array("coverage") for name in AGENTS
        },
        goal_time={
            name: rows[ExplorationKey(name, size, True)].array("goal_time") for name in AGENTS
        },
        by_size={
            name: np.stack(
                [rows[ExplorationKey(name, n, False)].array("coverage") for n in setting.sizes],
                axis=2,
            )
            for name in BY_SIZE
        },
    )


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims of the figure compare."""
    smallest, largest = int(np.argmin(numbers.sizes)), int(np.argmax(numbers.sizes))
    falls = Contrast(
        "explore-scaling",
        (f"{FALLS}, size {numbers.sizes[smallest]}", f"{FALLS}, size {numbers.sizes[largest]}"),
        +1,
        numbers.at_size(FALLS, smallest),
        numbers.at_size(FALLS, largest),
        numbers.test,
    )
    goal = {name: numbers.to_goal(name) for name in numbers.goal_time}
    slope = {name: numbers.slope(name) for name in numbers.by_size}
    return [
        *_pairs("explore-coverage", _areas(numbers), MORE, numbers.test),
        *_pairs("explore-goal", goal, SOONER, numbers.test, "to the goal"),
        falls,
        *_pairs("explore-scaling", slope, [STEADIER], numbers.test, "over sizes"),
    ]


def bonus_or_options(numbers: Numbers) -> list[Contrast]:
    """Return comparisons that separate the bonus from the options; no claim is judged by them."""
    return _pairs("", _areas(numbers), BONUS_OR_OPTIONS, numbers.test)


def slopes(sizes: tuple[int, ...], values: FloatArray) -> FloatArray:
    """Return the least-squares slope of values (..., size) on size, per ten cells."""
    x = np.array(sizes, dtype=float) / 10.0
    x -= x.mean()
    return np.asarray((values * x).sum(axis=-1) / (x @ x))


def _areas(numbers: Numbers) -> dict[str, Measure]:
    return {name: Measure("area under the coverage curve", x) for name, x in numbers.area.items()}


def _pairs(
    claim: str,
    of: Mapping[str, Measure],
    which: Iterable[tuple[str, str]],
    test: str,
    where: str = "",
) -> list[Contrast]:
    return [Contrast(claim, (a, b), +1, of[a], of[b], test, where) for a, b in which]
