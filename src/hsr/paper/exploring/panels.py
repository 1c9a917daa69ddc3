"""Panels of exploration figures: coverage by the size of the maze, and differences of agents."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D

from hsr.paper.control_panels import draw_under_controls
from hsr.paper.stats import Comparison, Interval
from hsr.plots import draw_curves
from hsr.toolkit import FloatArray


def draw_by_size(
    ax: Axes,
    sizes: Sequence[int],
    final: Mapping[str, FloatArray],
    intervals: Mapping[str, Interval],
    looks: Sequence[int],
) -> list[Line2D]:
    """Draw the final coverage (seed, size) of each agent against the size, with its intervals."""
    x = np.array(sizes, dtype=float)
    lines = draw_curves(ax, x, final, looks=looks)
    shifts = 0.01 * np.ptp(x) * np.linspace(-1.0, 1.0, len(lines))
    for line, shift, (mean, low, high) in zip(lines, shifts, intervals.values(), strict=True):
        bars = np.stack([mean - low, high - mean])
        ax.errorbar(
            x + shift,
            mean,
            yerr=bars,
            color=line.get_color(),
            linestyle="none",
            marker="o",
            markersize=3,
            capsize=2,
        )
    ax.set_xticks(x, [str(size) for size in sizes])
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("size of the maze", fontsize=7)
    return lines


def draw_differences(
    ax: Axes, compared: Mapping[str, Mapping[str, Comparison]], unit: str
) -> list[ErrorbarContainer]:
    """Draw differences of agents with their 95 % intervals; the line marks no difference.

    Comparisons are by the name of the setting, then by what is compared.
    """
    values = {
        name: {words: one.difference for words, one in found.items()}
        for name, found in compared.items()
    }
    ends = {
        name: {words: one.difference_interval for words, one in found.items()}
        for name, found in compared.items()
    }
    ax.set_xlabel(unit, fontsize=7)
    return draw_under_controls(ax, values, ends, line=0.0)
