"""Panels of exploration figures: coverage against steps, and against the size of the maze."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from hsr._base.arrays import FloatArray, IntArray
from hsr.paper.exploring.explored import share_interval
from hsr.plots import draw_curves


def draw_against_steps(
    ax: Axes,
    times: IntArray,
    curves: Mapping[str, FloatArray],
    *,
    looks: Sequence[int] | None = None,
    log: bool = False,
) -> list[Line2D]:
    """Draw shares (world, seed, time): the median maze, and the middle half of mazes.

    The value of a maze is the mean over its seeds.
    """
    of_mazes = {name: curve.mean(axis=1) for name, curve in curves.items()}
    lines = draw_curves(ax, times.astype(float), of_mazes, looks=looks, band="quartiles")
    if log:
        ax.set_xscale("log")
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("steps", fontsize=7)
    return lines


def draw_by_size(
    ax: Axes, sizes: Sequence[int], final: Mapping[str, FloatArray], looks: Sequence[int]
) -> list[Line2D]:
    """Draw shares (world, seed, size) against the size: the mean over mazes and its interval."""
    x = np.array(sizes, dtype=float)
    of_mazes = {name: shares.mean(axis=1) for name, shares in final.items()}
    lines = draw_curves(ax, x, of_mazes, looks=looks)
    shifts = 0.01 * np.ptp(x) * np.linspace(-1.0, 1.0, len(lines))
    for line, shift, shares in zip(lines, shifts, of_mazes.values(), strict=True):
        mean, low, high = share_interval(shares)
        ax.errorbar(
            x + shift,
            mean,
            yerr=np.stack([mean - low, high - mean]),
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
