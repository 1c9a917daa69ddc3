"""The figure about aliased worlds, drawn from the numbers of `analysis`."""

from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.aliased import AliasedKey
from hsr.paper.experiments.aliased.analysis import (
    SAME_SUM,
    Numbers,
    contrasts,
    steps_lost,
    told_apart,
)
from hsr.paper.experiments.aliased.run import BASES, NOISE
from hsr.paper.world_panels import draw_world_points
from hsr.plots import draw_layout, new_figure, panel
from hsr.toolkit import FloatArray

CAPTION = """
**a** The maze of the first world, with its start (S) and its two goals (1, 2). Dots are the states
that share their view, the 3 x 3 cells around them, with others, orange if it is that of the goals.
**b** The fraction of states that are recognised among those with the same view when noise is added
to their features, by the noise of each feature, for bases of the HSR. All features have the same
total power. **c** Its mean over all noise, for every kind of features: mean and standard deviation
over worlds. **d** Steps beyond the fewest possible, after the goal has moved to a place that looks
the same, each kind of features at the step size that suits it in other worlds. **e** What the
claims compare, one point per world: the difference on the claimed side, over its standard deviation
between worlds, with the mean and its 95 % interval.
"""
_COLOURS = {
    "one-hot": "#000000",
    "SVD K": "#56b4e9",
    "SVD K unscaled": "#999999",
    "SVD N": "#0072b2",
    "NMF K": "#e69f00",
    "NMF N": "#cc79a7",
    "NMF 2N": "#d55e00",
}


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(12.0, 8.0)
    grid = GridSpec(
        2, 12, figure, wspace=0.3, hspace=0.3, left=0.07, right=0.96, top=0.95, bottom=0.07
    )
    _draw_world(panel(grid[0, :3], "a", "states that look the same"), numbers)
    _draw_noise(panel(grid[0, 4:7], "b", "told apart in noise, HSR"), numbers)
    ax = panel(grid[1, 1:4], "c", "told apart, mean over noise")
    _draw_means(ax, numbers, told_apart, "fraction of states", labels=True)
    ax = panel(grid[1, 4:7], "d", "steps lost, goal moved")
    _draw_means(ax, numbers, steps_lost, "steps", labels=False)
    draw_world_points(panel(grid[:, 9:], "e", "every world"), contrasts(numbers))
    return figure


def _draw_world(ax: Axes, numbers: Numbers) -> None:
    """Draw the maze, its tasks, and the states with the view of the goals."""
    world = numbers.world
    draw_layout(ax, world.layout)
    first, second = (task.goal for task in world.tasks)
    aliased = np.bincount(world.views)[world.views] > 1
    for states, colour in ((aliased, "#dddddd"), (world.views == world.views[first], "#f0a070")):
        rows, cols = world.layout.cells[states].T
        ax.scatter(cols, rows, s=50, color=colour, zorder=2)
    for text, state in (("S", world.start), ("1", first), ("2", second)):
        row, col = world.layout.cell_of(state)
        ax.text(col, row, text, ha="center", va="center", fontsize=8, zorder=3)


def _draw_noise(ax: Axes, numbers: Numbers) -> None:
    """Draw the fraction told apart against noise for bases of the HSR and the references."""
    for key, values in numbers.apart.items():
        if key.source not in ("states", "views", "HSR"):
            continue
        mean = values[:, :, SAME_SUM].mean(axis=(0, 1))
        style = "--" if key.source == "views" else "-"
        label = f"one-hot {key.source}" if key.basis == "one-hot" else _name(key.basis, numbers)
        ax.plot(NOISE, mean, style, color=_COLOURS[key.basis], label=label, lw=1.2)
    ax.set(xscale="log", ylim=(0.0, 1.03))
    ax.set_xlabel("noise", fontsize=7)
    ax.legend(fontsize=6.5, frameon=False, loc="upper left", bbox_to_anchor=(0.99, 1.0))


def _draw_means(
    ax: Axes,
    numbers: Numbers,
    measure: Callable[[Numbers, AliasedKey], FloatArray],
    unit: str,
    *,
    labels: bool,
) -> None:
    """Draw mean and standard deviation over worlds of a measure, one row per kind of features."""
    keys = sorted(numbers.apart, key=_order)
    for y, key in enumerate(keys):
        of_world = measure(numbers, key).mean(axis=1)
        ax.errorbar(
            of_world.mean(), y, xerr=of_world.std(), color=_COLOURS[key.basis], fmt="o", ms=4, lw=1
        )
        if y and keys[y - 1].source != key.source:
            ax.axhline(y - 0.5, color="#dddddd", lw=0.6)
    names = [_name(str(key), numbers) for key in keys]
    ax.set_yticks(range(len(keys)), names if labels else [""] * len(keys), fontsize=6.5)
    ax.set_ylim(len(keys) - 0.5, -0.5)
    ax.set_xlabel(unit, fontsize=7)


def _name(name: str, numbers: Numbers) -> str:
    """Return the name of a basis with the number that K stands for."""
    return name.replace(" K", f" {numbers.components}")


def _order(key: AliasedKey) -> tuple[int, int]:
    """Return references first, then maps, each with its bases in order."""
    sources = ("states", "views", "SR", "HSR", "expected HSR", "HSR of views")
    return sources.index(key.source), ("one-hot", *BASES).index(key.basis)
