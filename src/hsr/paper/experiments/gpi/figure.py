"""Figure 5, drawn from the numbers of `analysis`, with a panel for each control."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.gpi import OTHER_TEST
from hsr.paper.experiments.gpi.analysis import Numbers
from hsr.paper.transfer.panels import draw_differences, draw_limit, draw_steps, draw_task
from hsr.plots import draw_groups, new_figure, panel

CAPTION = """
**a** Generalised policy improvement (GPI) in four steps, and the four rooms with the start and
the goal. **b** Primitive steps to the goal in each episode: mean and standard error over seeds,
for linear Q-learning (Q) and GPI with three kinds of features: one-hot, rows of the expected HSR,
and its non-negative parts. **c** Episodes until the moving average of steps is below the
criterion: every seed, with the mean and its 95 % interval. Seeds on the upper line never met it.
**d** to **g** Controls: the step size (in brackets) that suits each agent best on a goal and
seeds that are not scored, the reward known to GPI from the start, the reward that GPI learns by
regression, and stopping states counted twice by the HSR. **h** Control of the test: differences
in episodes, with 95 % interval and p-value, by the two-sample and the paired t-test.
"""
_SCHEME = (
    "before: one policy and its SR\nfor every goal g",
    "linear Q-learning, until the\ngoal has been entered",
    "the reward r is known:\n" + r"$q_g = M_g\,r$ for every policy",
    "act by\n" + r"$\mathrm{argmax}_a\,\max_g\,q_g(s, a)$",
)


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 14.4)
    grid = GridSpec(
        4, 12, figure, hspace=0.36, wspace=1.1, left=0.05, right=0.985, top=0.97, bottom=0.05
    )
    _scheme(panel(grid[0, :3], "a", "generalised policy improvement"))
    draw_task(panel(grid[0, 3:6], "", "start and goal"), numbers.learned)
    ax = panel(
        grid[0, 7:],
        "b",
        "steps to the goal, mean and standard error over seeds",
    )
    draw_steps(
        ax,
        numbers.learned.steps,
        numbers.learned.optimal,
        looks=range(len(numbers.episodes)),
        columns=3,
    )
    words = f"episodes until within {numbers.learned.factor:g} x optimal, mean and 95 % interval"
    _episodes(panel(grid[1, :], "c", words), numbers)
    places = (grid[2, :4], grid[2, 4:8], grid[2, 8:], grid[3, :4])
    other_runs = {name: control for name, control in controls.items() if name != OTHER_TEST}
    for letter, place, (name, control) in zip("defg", places, other_runs.items(), strict=False):
        ax = panel(place, letter, f"control, {name}: episodes")
        _episodes(ax, control, rates=control.learned.rates != numbers.learned.rates)
    if OTHER_TEST in controls:
        ax = panel(grid[3, 6:10], "h", "control of the test: difference in episodes")
        draw_differences(ax, [numbers.compared, controls[OTHER_TEST].compared])
    return figure


def _episodes(ax: Axes, numbers: Numbers, *, rates: bool = False) -> None:
    """Draw episodes, with the step size below the name of an agent where agents differ in it."""
    below = {name: f"\n({rate:g})" if rates else "" for name, rate in numbers.learned.rates.items()}
    named = {name.replace(" ", "\n", 1) + below[name]: n for name, n in numbers.episodes.items()}
    draw_groups(ax, named, intervals=[numbers.intervals[name] for name in numbers.episodes])
    draw_limit(ax, numbers.learned, ax.get_ylim())
    ax.tick_params(axis="x", labelsize=6)


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
