"""The figure about reached goals, drawn from the numbers of `analysis`."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.reach import ReachKey
from hsr.paper.experiments.reach.analysis import Numbers, contrasts
from hsr.paper.experiments.reach.run import READ_OUTS
from hsr.paper.world_panels import draw_world_points
from hsr.plots import new_figure, panel
from hsr.toolkit import FloatArray

CAPTION = """
**a** Fraction of goals that are reached from all states without further learning, by map and by
what may be chosen: actions, options that are followed to their ends, or options with a new choice
at every step. One point per maze, averaged over seeds, and the mean over mazes. Without a map, the
exact model of the options alone leads to what they pass. Noisy maps are exact maps with Gaussian
noise of 1e-4 of the sum of a row. **b** Length of the paths to reached goals, relative to the
shortest. **c** What the claims compare, one point per maze: the difference on the claimed side,
over its standard deviation between mazes, with the mean and its 95 % interval.
"""
_COLOURS = ("#000000", "#d55e00", "#0072b2")


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(12.0, 4.2)
    grid = GridSpec(1, 12, figure, wspace=2.0, left=0.05, right=0.95, top=0.9, bottom=0.36)
    where = f"{numbers.size} x {numbers.size}, discount {numbers.discount:g}"
    ax = panel(grid[0, :4], "a", f"goals reached, {where}")
    _draw(ax, numbers.reached)
    ax.set_ylim(-0.03, 1.03)
    ax.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.36), ncols=3)
    ax = panel(grid[0, 4:8], "b", "path length over the shortest")
    _draw(ax, numbers.path_ratio)
    ax.axhline(1.0, color="#888888", linewidth=0.8, linestyle="--", zorder=0)
    draw_world_points(panel(grid[0, 9:], "c", "every maze"), contrasts(numbers))
    return figure


def _draw(ax: Axes, of_maps: Mapping[ReachKey, FloatArray]) -> None:
    """Draw a point per maze and the mean, for every map and read-out."""
    for k, (name, colour) in enumerate(zip(READ_OUTS, _COLOURS, strict=True)):
        for place, values in enumerate(of_maps.values()):
            by_maze = values[..., k].mean(axis=1)
            by_maze = by_maze[np.isfinite(by_maze)]
            x = place + 0.22 * (k - 1)
            ax.plot(np.full(by_maze.size, x), by_maze, ".", color=colour, markersize=3, alpha=0.5)
            if by_maze.size:
                label = name if place == 0 else None
                ax.plot(x, by_maze.mean(), "_", color=colour, markersize=11, label=label)
    ax.set_xticks(range(len(of_maps)), map(_word, of_maps), rotation=40, ha="right", fontsize=7)


def _word(key: ReachKey) -> str:
    name = key.learner.replace("hsr", "HSR").replace("sr", "SR")
    return name.replace("exact", "noisy") if key.noise else name
