"""Figure 6, drawn from the numbers of `analysis`."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.lines import Line2D

from hsr._base.arrays import FloatArray
from hsr.experiments.exploration.analysis import Numbers
from hsr.plots import draw_layout, draw_marks, new_figure, panel
from hsr.plots.curves import draw_curves, draw_groups
from hsr.stats import Interval


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure; panel d and the controls are not the paper's."""
    figure = new_figure(13.0, 8.6)
    grid = GridSpec(2, 12, figure, hspace=0.36, wspace=1.6, left=0.05, right=0.985, top=0.95, bottom=0.12)
    _maze(panel(figure.add_subplot(grid[0, :4]), "a", f"a maze of size {numbers.size} (seed {numbers.seed_shown})"), numbers)
    ax = panel(figure.add_subplot(grid[0, 4:8]), "b", "share of states seen, mean and standard error")
    draw_curves(ax, numbers.times.astype(float), numbers.coverage)
    _against_steps(ax)
    ax = panel(figure.add_subplot(grid[0, 8:]), "", "share of seeds that found the goal, mean and standard error")
    draw_curves(ax, numbers.times.astype(float), numbers.found)
    _against_steps(ax)
    ax = panel(figure.add_subplot(grid[1, :5]), "c", f"coverage after {numbers.steps:,} steps, mean and 95 % interval")
    draw_by_size(ax, numbers.sizes, numbers.final, numbers.final_intervals, _looks(numbers, numbers.final))
    _areas(panel(figure.add_subplot(grid[1, 5:]), "d", "area under the curves of b left, mean and 95 % interval"), numbers)
    handles, names = figure.axes[1].get_legend_handles_labels()
    figure.legend(
        handles, names, fontsize=8, frameon=False, ncols=8, loc="lower center", bbox_to_anchor=(0.5, 0.0), handlelength=3
    )
    return figure


def _maze(ax: Axes, numbers: Numbers) -> None:
    draw_layout(ax, numbers.layout)
    draw_marks(ax, numbers.layout, [numbers.start], ["S"], color="#0072b2")
    draw_marks(ax, numbers.layout, [numbers.goal], ["G"], color="#d55e00")


def _against_steps(ax: Axes) -> None:
    ax.set_xscale("log")
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("steps", fontsize=7)


def draw_by_size(
    ax: Axes, sizes: Sequence[int], final: Mapping[str, FloatArray], intervals: Mapping[str, Interval], looks: Sequence[int]
) -> list[Line2D]:
    """Draw the final coverage (seed, size) of each agent against the size, with its intervals beside each other."""
    x = np.array(sizes, dtype=float)
    lines = draw_curves(ax, x, final, looks=looks)
    shifts = 0.01 * np.ptp(x) * np.linspace(-1.0, 1.0, len(lines))
    for line, shift, (mean, low, high) in zip(lines, shifts, intervals.values(), strict=True):
        bars = np.stack([mean - low, high - mean])
        ax.errorbar(x + shift, mean, yerr=bars, color=line.get_color(), linestyle="none", marker="o", markersize=3, capsize=2)
    ax.set_xticks(x, [str(size) for size in sizes])
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("size of the maze", fontsize=7)
    return lines


def _areas(ax: Axes, numbers: Numbers) -> None:
    intervals = [(interval.low, interval.high) for interval in numbers.area_intervals.values()]
    groups = {name.replace(" + ", "\n+ "): x for name, x in numbers.area.items()}
    draw_groups(ax, groups, intervals=intervals)
    ax.set_ylim(-0.03, 1.03)
    words = [f"{a} less {b}: {c.difference:+.3f}, g = {c.effect:+.2f}, p = {c.p:.2g}" for (a, b), c in numbers.controls.items()]
    ax.text(0.42, 0.35, "\n".join(words), transform=ax.transAxes, fontsize=8, va="top", linespacing=1.5)


def _looks(numbers: Numbers, names: Iterable[str]) -> list[int]:
    """Return the colours by which agents are told apart in panel b."""
    return [list(numbers.coverage).index(name) for name in names]
