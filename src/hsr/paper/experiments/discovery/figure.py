"""The figure about discovery, drawn from the numbers of `analysis`."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.discovery import BONUSES, LOWER, METHODS, UPPER
from hsr.paper.experiments.discovery.analysis import SHARE, Numbers, contrasts
from hsr.paper.exploring.measures import share_interval
from hsr.paper.exploring.panels import draw_against_steps, draw_by_size
from hsr.paper.world_panels import draw_controls, draw_world_points
from hsr.plots import new_figure, panel

CAPTION = """
**a** Fraction of states visited by agents without a bonus, in mazes of one size: the median maze,
and the middle half of mazes. The upper reference has eigenoptions of the whole maze from the start,
the lower one has primitive actions only. All other agents find their options in what they have
seen. **b** The coverage after the last step with each bonus, mean over mazes and its 95 % interval.
The line is at 80 % of the upper reference without a bonus. **c** The coverage after the last step
by the size of the maze. **d** What the claims compare, one point per maze: the difference on the
claimed side, over its standard deviation between mazes, with the mean and its 95 % interval. **e**
The effects of d if SPIE begins with a map of zeros instead of the identity.
"""
NAMES = {LOWER: "primitives", UPPER: "whole maze (given)"}
LOOKS = {name: k for k, name in enumerate((LOWER, UPPER, *METHODS))}


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 10.0)
    grid = GridSpec(
        2, 12, figure, height_ratios=[1.0, 1.1], hspace=0.5, wspace=1.6,
        left=0.05, right=0.985, top=0.955, bottom=0.06,
    )  # fmt: skip
    size, steps = numbers.size, f"{numbers.steps:,} steps"
    ax = panel(grid[0, :4], "a", f"states visited without a bonus, size {size}")
    curves = {
        NAMES.get(one, one): coverage
        for (one, bonus), coverage in numbers.coverage.items()
        if bonus == "no bonus"
    }
    draw_against_steps(ax, numbers.times, curves, looks=list(LOOKS.values()))
    _legend_below(ax, 3)
    _draw_bonuses(panel(grid[0, 4:8], "b", f"coverage after {steps}, size {size}"), numbers)
    ax = panel(grid[0, 8:], "c", f"coverage after {steps}, by size")
    final = {
        f"{NAMES.get(one, one)}, {bonus}": curve[..., -1]
        for (one, bonus), curve in numbers.by_size.items()
    }
    draw_by_size(ax, numbers.sizes, final, [0, 6, 1, 4, 3])
    _legend_below(ax, 2)
    compared = contrasts(numbers)
    draw_world_points(panel(grid[1, 1:6], "d", "every maze"), compared)
    ax = panel(grid[1, 7:11], "e", "under the control")
    draw_controls(ax, compared, {name: contrasts(one) for name, one in controls.items()})
    ax.set_xlabel("effect over mazes (Cohen's d_z)", fontsize=7)
    return figure


def _legend_below(ax: Axes, n_columns: int) -> None:
    ax.legend(
        fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13),
        ncols=n_columns, handlelength=2.6, columnspacing=1.0,
    )  # fmt: skip


def _draw_bonuses(ax: Axes, numbers: Numbers) -> None:
    """Draw the final coverage of every method, with each bonus a marker of its own."""
    names = [LOWER, UPPER, *METHODS]
    for k, (bonus, marker) in enumerate(zip(BONUSES, "osD", strict=True)):
        places = [i for i, one in enumerate(names) if (one, bonus) in numbers.coverage]
        shares = np.stack(
            [numbers.coverage[names[i], bonus][..., -1].mean(axis=1) for i in places], axis=1
        )
        mean, low, high = share_interval(shares)
        ax.errorbar(
            np.array(places) + 0.2 * (k - 1), mean, yerr=np.stack([mean - low, high - mean]),
            linestyle="none", marker=marker, markersize=4, capsize=2, label=bonus,
            color=("#000000", "#0072b2", "#d55e00")[k],
        )  # fmt: skip
    reference = SHARE * float(numbers.coverage[UPPER, "no bonus"][..., -1].mean())
    ax.axhline(reference, color="#888888", linewidth=0.8, linestyle="--", zorder=0)
    words = [NAMES.get(one, one).replace(" (given)", "") for one in names]
    ax.set_xticks(range(len(names)), words, rotation=40, ha="right", fontsize=7)
    ax.set_ylim(-0.03, 1.03)
    ax.legend(fontsize=7, frameon=False, loc="upper right")
