"""Figure S3, drawn from the numbers of `analysis`: one row of panels per maze."""

from string import ascii_lowercase

import numpy as np
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec

from hsr.experiments.mazes.analysis import Modes, Numbers
from hsr.experiments.transfer_panels import draw_episodes, draw_steps, draw_task_map
from hsr.mdp import GridLayout
from hsr.plots import draw_policy, draw_values, new_figure, panel


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure."""
    n = len(numbers.learned)
    figure = new_figure(17.0, 3.6 * n)
    grid = GridSpec(
        n, 4, figure, width_ratios=[1.9, 4.2, 4.2, 3.4], hspace=0.34, wspace=0.16,
        left=0.012, right=0.99, top=1.0 - 0.1 / n, bottom=0.18 / n,
    )  # fmt: skip
    letters = iter(ascii_lowercase * (1 + n // 6))
    for row, (maze, learned) in enumerate(numbers.learned.items()):
        words = maze.replace("_", " ")
        ax = panel(figure.add_subplot(grid[row, 0]), next(letters), words)
        draw_task_map(ax, learned.layout)
        _modes(figure, grid[row, 1], next(letters), learned.layout, numbers.modes[maze])
        ax = panel(figure.add_subplot(grid[row, 2]), next(letters), f"{words}: steps to the goal, mean and standard error")
        draw_steps(ax, learned.steps, learned.optimal)
        ax = panel(figure.add_subplot(grid[row, 3]), next(letters), "episodes until within 1.5 x optimal, mean, 95 % interval")
        draw_episodes(ax, learned)
    return figure


def _modes(figure: Figure, place: SubplotSpec, letter: str, layout: GridLayout, modes: Modes) -> None:
    rows = place.subgridspec(2, len(modes.numbers), wspace=0.06, hspace=0.02)
    for k, number in enumerate(modes.numbers):
        v = modes.vectors[:, k] / np.abs(modes.vectors[:, k]).max()
        ax = panel(figure.add_subplot(rows[0, k]), letter if k == 0 else "", f"v{number}, {modes.eigenvalues[k]:.2f}")
        draw_values(ax, layout, v, cmap="PuOr_r", limits=(-1.0, 1.0))
        option = modes.options[number - 1]
        ax = panel(figure.add_subplot(rows[1, k]), "", "")
        draw_policy(ax, layout, option.policy, option.termination == 1.0)
        ax.set_xlabel("climbs it to the disc", fontsize=6)
