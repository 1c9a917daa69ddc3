"""The figure about discovery, drawn from the numbers of `analysis`."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.discovery import BONUSES, EVERY_AGENT, LOWER, METHODS, ROOMS, UPPER
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
by the size of the maze. **d** As a, in the four rooms, from a start that each world draws. **e** As
b, the share of goals that were found. Goals are drawn in the farther half of the maze. **f** As c,
the share of goals found. **g** What the claims compare, one point per world: the difference on the
claimed side, over its standard deviation between worlds, with the mean and its 95 % interval. **h**
The effects of g if SPIE begins with a map of zeros instead of the identity.
"""
NAMES = {LOWER: "primitives", UPPER: "whole maze (given)"}
LOOKS = {name: k for k, name in enumerate((LOWER, UPPER, *METHODS))}
BY_SIZE = {
    (LOWER, "no bonus"): 0,
    (LOWER, "SR-SPIE"): 6,
    (UPPER, "no bonus"): 1,
    (UPPER, "HSR-SPIE"): 7,
    ("eigen", "no bonus"): 2,
    ("frontier", "no bonus"): 4,
}


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 18.5)
    grid = GridSpec(
        3, 12, figure, height_ratios=[1.0, 1.0, 2.4], hspace=0.42, wspace=1.6,
        left=0.05, right=0.985, top=0.97, bottom=0.035,
    )  # fmt: skip
    size, steps = numbers.size, f"{numbers.steps:,} steps"
    _draw_curves(panel(grid[0, :4], "a", f"states visited, no bonus, size {size}"), numbers, size)
    ax = panel(grid[0, 4:8], "b", f"coverage after {steps}, size {size}")
    _draw_bonuses(ax, numbers, "covered")
    reference = SHARE * float(numbers.covered((UPPER, "no bonus"), size).values.mean())
    ax.axhline(reference, color="#888888", linewidth=0.8, linestyle="--", zorder=0)
    _draw_sizes(panel(grid[0, 8:], "c", f"coverage after {steps}, by size"), numbers, "covered")
    _draw_curves(panel(grid[1, :4], "d", f"states visited, no bonus, {ROOMS}"), numbers, ROOMS)
    ax = panel(grid[1, 4:8], "e", f"goals found in {steps}, size {size}")
    _draw_bonuses(ax, numbers, "found")
    _draw_sizes(panel(grid[1, 8:], "f", f"goals found in {steps}, by size"), numbers, "found")
    compared = contrasts(numbers)
    draw_world_points(panel(grid[2, 1:6], "g", "every world"), compared)
    ax = panel(grid[2, 7:11], "h", "under the control")
    draw_controls(ax, compared, {name: contrasts(one) for name, one in controls.items()})
    ax.set_xlabel("effect over worlds (Cohen's d_z)", fontsize=7)
    return figure


def _draw_curves(ax: Axes, numbers: Numbers, maze: int | str) -> None:
    """Draw the coverage over time of every agent without a bonus."""
    curves = {NAMES.get(one, one): curve for one, curve in numbers.curves("no bonus", maze).items()}
    draw_against_steps(
        ax, numbers.times, curves, looks=list(LOOKS.values()), log=isinstance(maze, str)
    )
    _legend_below(ax, 3)


def _draw_sizes(ax: Axes, numbers: Numbers, which: str) -> None:
    """Draw what some agents covered or found by the size of the maze."""
    shares = numbers.by_size(which)
    lines = {f"{NAMES.get(one[0], one[0])}, {one[1]}": shares[one] for one in BY_SIZE}
    draw_by_size(ax, numbers.sizes, lines, list(BY_SIZE.values()))
    _legend_below(ax, 2)


def _legend_below(ax: Axes, n_columns: int) -> None:
    ax.legend(
        fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13),
        ncols=n_columns, handlelength=2.6, columnspacing=1.0,
    )  # fmt: skip


def _draw_bonuses(ax: Axes, numbers: Numbers, which: str) -> None:
    """Draw what every agent covered or found, with each bonus a marker of its own."""
    names, measure = [LOWER, UPPER, *METHODS], getattr(numbers, which)
    for k, (bonus, marker) in enumerate(zip(BONUSES, "osD", strict=True)):
        places = [i for i, one in enumerate(names) if (one, bonus) in EVERY_AGENT]
        shares = np.stack(
            [measure((names[i], bonus), numbers.size).values.mean(axis=1) for i in places], axis=1
        )
        mean, low, high = share_interval(shares)
        ax.errorbar(
            np.array(places) + 0.2 * (k - 1), mean, yerr=np.stack([mean - low, high - mean]),
            linestyle="none", marker=marker, markersize=4, capsize=2, label=bonus,
            color=("#000000", "#0072b2", "#d55e00")[k],
        )  # fmt: skip
    words = [NAMES.get(one, one).replace(" (given)", "") for one in names]
    ax.set_xticks(range(len(names)), words, rotation=40, ha="right", fontsize=7)
    ax.set_ylim(-0.03, 1.03)
    ax.legend(fontsize=7, frameon=False, loc="upper right")
