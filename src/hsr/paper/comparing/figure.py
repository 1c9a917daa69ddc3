"""Both sides of a comparison in one figure: curves of each agent, and one point per world."""

import math
from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.axes import Axes as NamedAxes
from hsr.paper.comparing.compared import Compared
from hsr.paper.experiment import Experiment
from hsr.paper.exploring.panels import draw_against_steps
from hsr.paper.store import Record
from hsr.paper.transfer.panels import draw_steps
from hsr.paper.transfer.setting import optimal_of
from hsr.paper.world_panels import draw_world_points
from hsr.plots import draw_curves, new_figure, panel

_COLUMNS = 4
_LOOKS = (0, 3)


def draw_compared(found: Compared, experiment: Experiment) -> Figure:
    """Draw the curves of both sides for each agent, and the difference in each world.

    Curves are those of the median world, with the middle half of worlds. Points are the first side
    minus the second.
    """
    agents = [name for name in found.tables if _curved(found, name, experiment)]
    rows, n = math.ceil(len(agents) / _COLUMNS), len(found.contrasts)
    heights = [2.6] * rows + [0.9 + 0.62 * n]
    figure = new_figure(13.0, sum(heights) + 0.5 * len(heights))
    grid = GridSpec(
        len(heights), _COLUMNS, figure, height_ratios=heights, hspace=0.34, wspace=0.2,
        left=0.06, right=0.985, top=0.97, bottom=0.05,
    )  # fmt: skip
    for k, name in enumerate(agents):
        ax = panel(grid[k // _COLUMNS, k % _COLUMNS], "", name)
        _draw_agent(ax, found, name, experiment)
    ax = panel(grid[-1, 1:], "", "every world, mean and 95 % interval")
    words = f"right: larger for {found.labels[0]}"
    draw_world_points(ax, found.contrasts, right=words, point_size=12.0)
    return figure


def _curved(found: Compared, name: str, experiment: Experiment) -> bool:
    """Return whether the main array of an agent has an axis besides seeds."""
    record = next(iter(found.tables[name][0]))
    array, axes = _main(record, experiment.work.axes)
    return bool(set(axes) - {"seed"}) and array in next(iter(found.tables[name][1])).arrays


def _main(record: Record, axes: NamedAxes) -> tuple[str, tuple[str, ...]]:
    """Return the first declared array of a run that is more than one number, and its axes."""
    present = [name for name in axes.names if name in record.arrays]
    name = next((one for one in present if set(axes.names[one]) - {"seed"}), present[0])
    return name, axes.names[name]


def _draw_agent(ax: Axes, found: Compared, name: str, experiment: Experiment) -> None:
    first = next(iter(found.tables[name][0]))
    array, axes = _main(first, experiment.work.axes)
    pair = [table.array(array) for table in found.tables[name]]
    shape = np.minimum(pair[0].shape[1:], pair[1].shape[1:])  # what both sides have
    keep = (slice(None), *(slice(size) for size in shape))
    curves = {x: values[keep] for x, values in zip(found.labels, pair, strict=True)}
    drawn = _DRAWN.get(array)
    if drawn is not None:
        drawn(ax, curves, found, name)
        return
    along = experiment.work.axes.coordinates(first.setting, first.arrays)
    x = np.asarray(along.get(axes[-1], range(shape[-1])))[: shape[-1]]
    at = x.astype(float) if x.dtype.kind in "iuf" else np.arange(len(x), dtype=float)
    means = {
        label: values.mean(axis=tuple(range(1, values.ndim - 1))) if values.ndim > 2 else values
        for label, values in curves.items()
    }
    draw_curves(ax, at, means, looks=_LOOKS, band="quartiles")
    if x.dtype.kind == "U":
        ax.set_xticks(at, x.tolist())
    ax.set_xlabel(axes[-1], fontsize=7)
    ax.set_ylabel(array, fontsize=7)
    ax.legend(fontsize=7, frameon=False)


def _draw_steps(ax: Axes, curves: Mapping[str, np.ndarray], found: Compared, name: str) -> None:
    draw_steps(ax, curves, optimal_of(found.conditions[name]), looks=_LOOKS, columns=1)


def _draw_coverage(ax: Axes, curves: Mapping[str, np.ndarray], found: Compared, name: str) -> None:
    n = next(iter(curves.values())).shape[-1]
    times = next(iter(found.tables[name][0])).arrays["times"][:n]
    draw_against_steps(ax, times, curves, looks=_LOOKS)
    ax.set_ylabel("fraction of states visited", fontsize=7)
    ax.legend(fontsize=7, frameon=False)


_DRAWN: dict[str, Callable[[Axes, Mapping[str, np.ndarray], Compared, str], None]] = {
    "steps": _draw_steps,
    "coverage": _draw_coverage,
}
