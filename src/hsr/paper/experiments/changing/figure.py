"""The figure about changing worlds, drawn from the numbers of `analysis`."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.changing.analysis import Numbers, contrasts
from hsr.paper.world_panels import draw_world_points
from hsr.plots import new_figure, panel
from hsr.toolkit import FloatArray

CAPTION = """
**a** Steps of each episode beyond the fewest possible, mean over worlds and seeds. Dotted lines are
where the door closes and where it opens again. **b** Distance of the learned map from the exact map
of the agent's own policy in the world of that time, relative to the exact map. **c** What the
claims compare, one point per world: the difference on the claimed side, over its standard deviation
between worlds, with the mean and its 95 % interval.
"""
_COLOURS = {
    "one-hot": "#000000",
    "SR": "#0072b2",
    "HSR fixed": "#d55e00",
    "HSR repaired": "#009e73",
    "HSR remade": "#cc79a7",
}


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(12.0, 4.2)
    grid = GridSpec(1, 12, figure, wspace=2.0, left=0.05, right=0.95, top=0.9, bottom=0.28)
    ax = panel(grid[0, :4], "a", "steps lost per episode")
    _draw(ax, numbers.lost, 1, numbers)
    ax.set_yscale("symlog")
    ax.set_ylim(bottom=0.0)
    ax.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=3)
    ax = panel(grid[0, 4:8], "b", "error of the map")
    _draw(ax, numbers.error, numbers.episodes, numbers)
    draw_world_points(panel(grid[0, 9:], "c", "every world"), contrasts(numbers))
    return figure


def _draw(ax: Axes, of_agents: Mapping[str, FloatArray], every: int, numbers: Numbers) -> None:
    """Draw the mean over worlds and seeds of each agent against episodes."""
    for agent, values in of_agents.items():
        mean = values.mean(axis=(0, 1)).ravel()
        ax.plot(every * np.arange(1, mean.size + 1), mean, color=_COLOURS[agent], label=agent, lw=1)
    length = numbers.episodes * numbers.blocks
    for k in (1, 2):
        ax.axvline(k * length + 0.5, color="#888888", linewidth=0.8, linestyle=":")
    ax.set_xlabel("episode", fontsize=7)
