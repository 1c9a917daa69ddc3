"""Figure 5, drawn from the numbers of `analysis`."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.experiments.gpi.analysis import Numbers
from hsr.plots import draw_layout, draw_marks, new_figure, panel
from hsr.plots.curves import draw_curves, draw_groups

_SCHEME = (
    "before: one policy and its SR\nfor every goal g",
    "linear Q-learning, until the\ngoal has been entered",
    "the reward r is known:\n" + r"$q_g = M_g\,r$ for every policy",
    "act by\n" + r"$\mathrm{argmax}_a\,\max_g\,q_g(s, a)$",
)


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 8.2)
    grid = GridSpec(2, 12, figure, hspace=0.32, wspace=1.1, left=0.05, right=0.985, top=0.945, bottom=0.07)
    _scheme(panel(figure.add_subplot(grid[0, :3]), "a", "generalised policy improvement"))
    _maze(panel(figure.add_subplot(grid[0, 3:6]), "", "start and goal"), numbers)
    _curves(panel(figure.add_subplot(grid[0, 6:]), "b", "steps to the goal, mean and standard error over seeds"), numbers)
    ax = panel(figure.add_subplot(grid[1, :]), "c", "episodes until within 1.5 x optimal, mean and 95 % interval")
    draw_groups(ax, numbers.episodes, intervals=[numbers.intervals[name] for name in numbers.episodes])
    return figure


def _scheme(ax: Axes) -> None:
    ax.set_axis_off()
    places = np.linspace(0.9, 0.1, len(_SCHEME))
    for k, (words, y) in enumerate(zip(_SCHEME, places, strict=True)):
        box = {"boxstyle": "round,pad=0.5", "facecolor": "#f2f2f2", "edgecolor": "#888888"}
        ax.text(0.5, y, words, ha="center", va="center", fontsize=7.5, bbox=box, transform=ax.transAxes)
        if k:
            arrow = {"arrowstyle": "->", "color": "#444444"}
            above = (0.5, float(places[k - 1]) - 0.085)
            ax.annotate("", (0.5, float(y) + 0.085), above, xycoords="axes fraction", arrowprops=arrow)


def _maze(ax: Axes, numbers: Numbers) -> None:
    draw_layout(ax, numbers.layout)
    assert numbers.layout.start is not None
    draw_marks(ax, numbers.layout, [numbers.layout.start], ["S"], color="#0072b2")
    draw_marks(ax, numbers.layout, [numbers.goal], ["G"], color="#d55e00")


def _curves(ax: Axes, numbers: Numbers) -> None:
    n = next(iter(numbers.steps.values())).shape[1]
    draw_curves(ax, np.arange(1, n + 1.0), numbers.steps)
    ax.axhline(numbers.optimal, color="#888888", linestyle=":", linewidth=1.2)
    ax.set_yscale("log")
    ax.set_xlabel("episode; dotted line: fewest steps", fontsize=7)
    ax.legend(fontsize=7, frameon=False, ncols=2, loc="upper right")
