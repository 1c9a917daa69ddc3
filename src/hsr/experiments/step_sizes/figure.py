"""The control of step sizes, drawn from the numbers of `analysis`."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.experiments.step_sizes.analysis import Numbers
from hsr.plots import new_figure, panel
from hsr.plots.curves import draw_curves, draw_groups


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 10.0)
    grid = GridSpec(3, 2, figure, hspace=0.42, wspace=0.16, left=0.06, right=0.985, top=0.95, bottom=0.06)
    ax = panel(figure.add_subplot(grid[0, 0]), "a", "mean steps on the goals to tune by, at each rate")
    draw_curves(ax, np.array(numbers.rates), {name: means[None] for name, means in numbers.tuning.items()})
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("learning rate", fontsize=7)
    ax.legend(fontsize=6.5, frameon=False, ncols=2)
    ax = panel(figure.add_subplot(grid[0, 1]), "b", "steps to the goal at the rate that suits best; the goal moves at the line")
    n = next(iter(numbers.steps.values())).shape[2]
    draw_curves(ax, np.arange(1, 2 * n + 1.0), {name: steps.reshape(len(steps), -1) for name, steps in numbers.steps.items()})
    ax.axvline(n + 0.5, color="#888888", linewidth=0.8)
    ax.set_yscale("log")
    for row, (what, title) in enumerate((("steps", "mean steps on G2"), ("episodes", "episodes to the criterion on G2")), 1):
        for column, which in enumerate(("paper", "tuned")):
            rate = f"at {numbers.paper_rate:g}" if which == "paper" else "each at its own rate"
            letter = "cdef"[2 * (row - 1) + column]
            ax = panel(figure.add_subplot(grid[row, column]), letter, f"{title}, {rate}, mean and 95 % interval")
            groups: dict[str, np.ndarray] = {**(numbers.mean_steps if what == "steps" else numbers.episodes)[which]}
            draw_groups(ax, groups, intervals=[numbers.intervals[f"{which} {what} {name}"] for name in groups])
            labels = [name.replace(" ", "\n") + ("" if which == "paper" else f"\n{numbers.chosen[name]:g}") for name in groups]
            ax.set_xticks(range(len(groups)), labels, fontsize=6.5)
            if what == "steps":
                ax.set_yscale("log")
    return figure
