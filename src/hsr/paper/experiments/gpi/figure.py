"""Figure 5, drawn from the numbers of `analysis`, with what worlds and controls say."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.gpi.analysis import Numbers, contrasts
from hsr.paper.transfer.panels import draw_claims, draw_learned, draw_task
from hsr.plots import new_figure, panel

CAPTION = """
**a** Generalised policy improvement (GPI) in four steps, and the four rooms with the start and the
goals of the first world. **b** Primitive steps to the goal in each episode: the median world, with
the middle half of worlds, for linear Q-learning (Q) and GPI with three kinds of features: one-hot,
rows of the expected HSR, and its non-negative parts. **c** Share of runs whose moving average of
steps has been within the criterion. **d** What each claim compares, one point per world: the
difference on the claimed side, over its standard deviation between worlds, with the mean and its 95
% interval. Below the names: the measure that judges, and how many runs the paper's measure cuts
off. **e** What the paper's own test would have said in single worlds. **f** The same effects under
the controls: at the step size that suits each agent best in other worlds, with the reward known to
GPI from the start, with the reward that GPI learns by regression, and with stopping states counted
twice by the HSR.
"""
_SCHEME = (
    "before: one policy and its SR\nfor every goal g",
    "linear Q-learning, until the\ngoal has been entered",
    "the reward r is known:\n" + r"$q_g = M_g\,r$ for every policy",
    "act by\n" + r"$\mathrm{argmax}_a\,\max_g\,q_g(s, a)$",
)


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 12.0)
    grid = GridSpec(
        3, 12, figure, height_ratios=[1.1, 1.0, 1.1], hspace=0.34, wspace=1.6,
        left=0.05, right=0.985, top=0.965, bottom=0.05,
    )  # fmt: skip
    _scheme(panel(grid[0, :2], "a", "policy improvement"))
    draw_task(panel(grid[0, 2:5], "", "start and goals of one world"), numbers.learned)
    looks = range(len(numbers.learned.steps))
    draw_learned(grid[0, 5:9], grid[0, 9:], "bc", numbers.learned, looks=looks, columns=2)
    draw_claims(
        (grid[1, 2:8], grid[1, 8:], grid[2, 2:9]),
        "def",
        contrasts(numbers),
        {name: contrasts(control) for name, control in controls.items()},
    )
    return figure


def _scheme(ax: Axes) -> None:
    ax.set_axis_off()
    places = np.linspace(0.9, 0.1, len(_SCHEME))
    for k, (words, y) in enumerate(zip(_SCHEME, places, strict=True)):
        box = {"boxstyle": "round,pad=0.5", "facecolor": "#f2f2f2", "edgecolor": "#888888"}
        ax.text(
            0.5, y, words, ha="center", va="center", fontsize=7.5, bbox=box, transform=ax.transAxes
        )
        if k:
            arrow = {"arrowstyle": "->", "color": "#444444"}
            above = (0.5, float(places[k - 1]) - 0.085)
            ax.annotate(
                "", (0.5, float(y) + 0.085), above, xycoords="axes fraction", arrowprops=arrow
            )
