"""Figure 3, drawn from the numbers of `analysis`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.experiments.basis_transfer.analysis import Numbers
from hsr.experiments.basis_transfer.settings import BASELINE, KINDS, MAPS
from hsr.plots import new_figure
from hsr.plots.curves import draw_curves, draw_groups


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 11.6)
    grid = GridSpec(3, 15, figure, hspace=0.34, wspace=2.2, left=0.05, right=0.985, top=0.96, bottom=0.06)
    first: Axes | None = None
    for k, name in enumerate(MAPS):
        ax = figure.add_subplot(grid[0, 5 * k : 5 * k + 5], sharey=first)
        first = first or ax
        _curves(ax, "a" if k == 0 else "", name, numbers)
    whole, fewer = f"K = {numbers.n_components}", f"K = {numbers.control}"
    words = f"episodes until within {numbers.factor:g} x optimal"
    ax = figure.add_subplot(grid[1, :9])
    _groups(ax, "b", f"{words}, {whole}, mean and 95 % interval; dashed: one-hot", numbers.episodes, "episodes", numbers)
    ax = figure.add_subplot(grid[1, 9:], sharey=ax)
    _groups(ax, "", f"control: the same, {fewer}", numbers.control_episodes, "episodes", numbers, before="control_")
    ax = figure.add_subplot(grid[2, :9])
    _groups(
        ax, "c", f"steps per episode, all episodes, {whole}, mean and 95 % interval", numbers.mean_steps, "mean_steps", numbers
    )
    ax = figure.add_subplot(grid[2, 9:], sharey=ax)
    _groups(ax, "", f"control: the same, {fewer}", numbers.control_mean_steps, "mean_steps", numbers, before="control_")
    return figure


def _curves(ax: Axes, letter: str, name: str, numbers: Numbers) -> None:
    _title(ax, letter, f"{name}: steps to the goal, mean and standard error over seeds")
    shown = {agent: numbers.steps[agent] for agent in (BASELINE, *(f"{name} {word}" for word in KINDS))}
    n = numbers.steps[BASELINE].shape[1]
    draw_curves(ax, np.arange(1, n + 1.0), shown, looks=[_look(agent) for agent in shown])
    ax.axhline(numbers.optimal, color="#888888", linestyle=":", linewidth=1.2)
    ax.set_yscale("log")
    ax.set_xlabel("episode; dotted line: fewest steps", fontsize=7)
    ax.set_ylim(top=3.0 * max(float(steps.mean(axis=0).max()) for steps in numbers.steps.values()))
    ax.legend(fontsize=7, frameon=False, ncols=2, loc="upper right")


def _groups(
    ax: Axes, letter: str, title: str, values: Mapping[str, Any], field: str, numbers: Numbers, *, before: str = ""
) -> None:
    _title(ax, letter, title)
    groups = {name.replace(" ", "\n"): x for name, x in values.items()}
    intervals = numbers.intervals[before + field]
    draw_groups(ax, groups, intervals=[intervals[name] for name in values], looks=[_look(name) for name in values])
    baseline = numbers.episodes if field == "episodes" else numbers.mean_steps
    ax.axhline(float(baseline[BASELINE].mean()), color="#888888", linestyle="--", linewidth=0.8)


def _title(ax: Axes, letter: str, title: str) -> None:
    ax.set_title(f"{letter}  {title}" if letter else title, fontsize=8, loc="left", fontweight="bold" if letter else "normal")
    ax.tick_params(which="both", labelsize=7)


def _look(name: str) -> int:
    """Return the colour of an agent: that of its kind of basis, the same for every map."""
    return 0 if name == BASELINE else 1 + list(KINDS).index(name.split(" ")[1])
