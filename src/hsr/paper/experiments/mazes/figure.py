"""Figure S3: one row of panels per maze, then all mazes pooled, then the control."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec

from hsr.grids import GridLayout
from hsr.paper.experiments.mazes.analysis import Modes, Numbers
from hsr.paper.transfer.curves import Learning
from hsr.paper.transfer.panels import (
    draw_episodes,
    draw_limit,
    draw_steps,
    draw_task,
    looks_of,
    with_rates,
)
from hsr.plots import COLORS, draw_policy, draw_values, new_figure, panel

CAPTION = """
One row per maze. **a** The maze with the start and both goals. **b** Above: eigenvectors of the
random walk with the eigenvalues of its successor representation. Below: the option that climbs
each, up to the discs. **c** Primitive steps to the goal in each episode: mean and standard error
over seeds. At the line the goal moves from G1 to G2, and nothing is reset. **d** Episodes until
the moving average of steps is below the criterion: every seed, with the mean and its 95 %
interval. Seeds on the upper line never met it. **e** Episodes to G2 over all mazes: the
interquartile mean of all runs, with a 95 % interval from resampling seeds within each maze. **f**
to **h** Control: steps, pooled episodes and episodes with the step size that suits each kind of
features best in each maze, on goals and seeds that are not scored.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    n = len(numbers.learned)
    rows = n + 2
    figure = new_figure(17.0, 3.6 * rows)
    place = {"hspace": 0.34, "right": 0.99, "top": 1.0 - 0.1 / rows, "bottom": 0.2 / rows}
    grid = GridSpec(
        rows, 4, figure, width_ratios=[1.9, 4.2, 4.2, 3.4], wspace=0.16, left=0.012, **place
    )
    below = GridSpec(rows, n + 1, figure, wspace=0.26, left=0.04, **place)
    for row, (maze, learned) in enumerate(numbers.learned.items()):
        a, b, c, d = "abcd" if row == 0 else ("", "", "", "")
        words = maze.replace("_", " ")
        draw_task(panel(grid[row, 0], a, words), learned)
        _modes(figure, grid[row, 1], b, learned.layout, numbers.modes[maze])
        ax = panel(
            grid[row, 2],
            c,
            f"{words}: steps to the goal, mean and standard error",
        )
        draw_steps(ax, learned.steps, learned.optimal)
        words = f"episodes until within {learned.factor:g} x optimal, mean, 95 % interval"
        draw_episodes(panel(grid[row, 3], d, words), learned)
    _pooled(
        panel(below[n, 0], "e", "all mazes: episodes to G2, interquartile mean"),
        numbers,
    )
    for control in controls.values():
        _pooled(
            panel(below[n + 1, 0], "g", "control, all mazes: episodes to G2"),
            control,
        )
        for k, (maze, learned) in enumerate(control.learned.items(), start=1):
            f, h = "fh" if k == 1 else ("", "")
            words = f"control, {maze.replace('_', ' ')}"
            _tuned(panel(below[n, k], f, f"{words}: steps (rate)"), learned)
            draw_episodes(panel(below[n + 1, k], h, f"{words}: episodes"), learned)
    return figure


def _pooled(ax: Axes, numbers: Numbers) -> None:
    for place, (look, (middle, low, high)) in enumerate(
        zip(looks_of(numbers.pooled), numbers.pooled.values(), strict=True)
    ):
        ends = [[middle - low], [high - middle]]
        ax.errorbar(
            place, middle, yerr=ends, color=COLORS[look], marker="o", markersize=5, capsize=3
        )
    ax.set_xticks(range(len(numbers.pooled)), list(numbers.pooled))
    ax.set_xlim(-0.6, len(numbers.pooled) - 0.4)
    draw_limit(ax, next(iter(numbers.learned.values())))


def _tuned(ax: Axes, learned: Learning) -> None:
    draw_steps(ax, with_rates(learned), learned.optimal, looks=looks_of(learned.steps), columns=2)
    ax.set_xlabel("episode", fontsize=7)


def _modes(
    figure: Figure, place: SubplotSpec, letter: str, layout: GridLayout, modes: Modes
) -> None:
    rows = place.subgridspec(2, len(modes.numbers), wspace=0.06, hspace=0.02)
    for k, number in enumerate(modes.numbers):
        v = modes.vectors[:, k] / np.abs(modes.vectors[:, k]).max()
        ax = panel(
            rows[0, k],
            letter if k == 0 else "",
            f"v{number}, {modes.eigenvalues[k]:.2f}",
        )
        draw_values(ax, layout, v, cmap="PuOr_r", limits=(-1.0, 1.0))
        option = modes.options[number - 1]
        ax = panel(rows[1, k], "", "")
        draw_policy(ax, layout, option.policy, option.termination == 1.0)
        ax.set_xlabel("climbs it to the disc", fontsize=6)
