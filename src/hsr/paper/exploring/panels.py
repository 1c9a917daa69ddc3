"""Panels of exploration figures: coverage against steps, and against the size of the maze."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from hsr._base.arrays import FloatArray, IntArray
from hsr.plots import draw_curves

# Colour and dash of each agent of the paper, in every panel.
LOOKS = {"SR-norm": 1, "SR-SPIE": 2, "HSR-norm": 4, "HSR-SPIE": 3, "HSR-SPIE online": 0}


def draw_against_steps(
    ax: Axes,
    times: IntArray,
    curves: Mapping[str, FloatArray],
    *,
    looks: Sequence[int] | None = None,
    log: bool = False,
) -> list[Line2D]:
    """Draw shares (world, seed, time): mean and standard error over mazes, means over seeds."""
    of_mazes = {name: curve.mean(axis=1) for name, curve in curves.items()}
    lines = draw_curves(ax, times.astype(float), of_mazes, looks=looks)
    if log:
        ax.set_xscale("log")
    _label(ax, "steps")
    return lines


def draw_by_size(
    ax: Axes, sizes: Sequence[int], final: Mapping[str, FloatArray], looks: Sequence[int]
) -> list[Line2D]:
    """Draw shares (world, seed, size) against the size, as `draw_against_steps` does."""
    of_mazes = {name: shares.mean(axis=1) for name, shares in final.items()}
    lines = draw_curves(ax, np.array(sizes, dtype=float), of_mazes, looks=looks)
    for line in lines:
        line.set(marker="o", markersize=3)
    ax.set_xticks(sizes, [str(size) for size in sizes])
    _label(ax, "size of the maze")
    return lines


def _label(ax: Axes, words: str) -> None:
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel(words, fontsize=7)
