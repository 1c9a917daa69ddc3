"""The figure about changing worlds, drawn from the numbers of `analysis`."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.changing.analysis import Numbers, contrasts
from hsr.paper.experiments.changing.run import AGENTS
from hsr.paper.world_panels import draw_world_points
from hsr.plots import new_figure, panel
from hsr.toolkit import FloatArray

CAPTION = """
**a** Steps of each episode beyond the fewest possible, mean over worlds and seeds. Dotted lines are
where the door closes and where it opens again. **b** Distance of the learned map from the exact map
of the agent's own policy in the world of that time, relative to the exact map. **c** What the
claims compare, one point per world: the difference on the claimed side, over its standard deviation
between worlds, with the mean and its 95 % interval. **d** The fraction of agents that detect a
change within each block of episodes. In grey and light blue the door stays open. **e** As b, for an
SR with a larger step size, by what follows a detection.
"""
_COLOURS = {
    "one-hot": "#000000",
    "SR": "#0072b2",
    "HSR fixed": "#d55e00",
    "HSR repaired": "#009e73",
    "HSR remade": "#cc79a7",
    "HSR online": "#e69f00",
    "SR, map kept": "#0072b2",
    "HSR fixed, map kept": "#d55e00",
    "SR, no change": "#56b4e9",
    "HSR fixed, no change": "#999999",
    "SR, map restarted": "#d55e00",
    "SR, map restarted in part": "#009e73",
    "SR, map forgotten": "#cc79a7",
}
_DETECTING = ("SR, map kept", "HSR fixed, map kept", "SR, no change", "HSR fixed, no change")
_RESPONDING = (
    "SR, map kept",
    "SR, map restarted",
    "SR, map restarted in part",
    "SR, map forgotten",
)


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(12.0, 8.0)
    grid = GridSpec(
        2, 12, figure, wspace=2.0, hspace=0.55, left=0.05, right=0.95, top=0.95, bottom=0.13
    )
    ax = panel(grid[0, :4], "a", "steps lost per episode")
    _draw(ax, {agent: numbers.lost[agent] for agent in AGENTS}, 1, numbers)
    ax.set_yscale("symlog")
    ax.set_ylim(bottom=0.0)
    _legend(ax)
    ax = panel(grid[0, 4:8], "b", "error of the map")
    plain = {agent: one for agent, one in numbers.error.items() if agent in AGENTS}
    _draw(ax, plain, numbers.episodes, numbers)
    draw_world_points(panel(grid[:, 9:], "c", "every world"), contrasts(numbers))
    ax = panel(grid[1, :4], "d", "fraction of agents that detect a change")
    found = {agent: (numbers.detections[agent] > 0.0).astype(float) for agent in _DETECTING}
    _draw(ax, found, numbers.episodes, numbers)
    _legend(ax)
    ax = panel(grid[1, 4:8], "e", "error of the map, by response")
    _draw(ax, {agent: numbers.error[agent] for agent in _RESPONDING}, numbers.episodes, numbers)
    _legend(ax)
    return figure


def _legend(ax: Axes) -> None:
    """Explain the lines below the axes."""
    ax.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)


def _draw(ax: Axes, of_agents: Mapping[str, FloatArray], every: int, numbers: Numbers) -> None:
    """Draw the mean over worlds and seeds of each agent against episodes."""
    for agent, values in of_agents.items():
        mean = values.mean(axis=(0, 1)).ravel()
        ax.plot(every * np.arange(1, mean.size + 1), mean, color=_COLOURS[agent], label=agent, lw=1)
    length = numbers.episodes * numbers.blocks
    for k in (1, 2):
        ax.axvline(k * length + 0.5, color="#888888", linewidth=0.8, linestyle=":")
    ax.set_xlabel("episode", fontsize=7)
