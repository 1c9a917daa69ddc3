"""Panels of exploration figures: coverage by the size of the maze."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from hsr.paper.stats import Interval
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
