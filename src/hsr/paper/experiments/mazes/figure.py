"""Figure S3: one row of panels per maze, then what worlds and controls say."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec

from hsr.grids import GridLayout
from hsr.paper.experiments.mazes.analysis import Modes, Numbers, contrasts
from hsr.paper.transfer.panels import draw_claims, draw_met, draw_steps, draw_task
from hsr.plots import draw_policy, draw_values, new_figure, panel

CAPTION = """
One row per maze. **a** The maze with the start and both goals of the first world. **b** Above:
eigenvectors of the random walk with the eigenvalues of its successor representation. Below: the
option that climbs each, up to the discs; in half of the worlds its sign is the other one. **c**
Primitive steps to the goal in each episode: the median world, with the middle half of worlds. At
the line the goal moves from G1 to G2, and nothing is reset. **d** Share of runs whose moving
average of steps has been within the criterion, goal after goal. **e** What the claim compares, one
point per world: the difference on the claimed side, over its standard deviation between worlds,
with the mean and its 95 % interval. Below the names: the measure that judges, and how many runs the
paper's measure cuts off. **f** What the paper's own test would have said in single worlds. **g**
The same effects at the step size that suits each kind of features best in other worlds.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    n = len(numbers.learned)
    figure = new_figure(17.0, 4.4 * (n + 1))
    place = {"hspace": 0.3, "right": 0.99, "top": 0.975, "bottom": 0.04}
    grid = GridSpec(
        n + 1, 4, figure, width_ratios=[2.1, 4.6, 4.0, 2.9], wspace=0.16, left=0.012, **place
    )
    below = GridSpec(n + 1, 12, figure, wspace=1.2, left=0.04, **place)
    for row, (maze, learned) in enumerate(numbers.learned.items()):
        a, b, c, d = "abcd" if row == 0 else ("", "", "", "")
        words = maze.replace("_", " ")
        draw_task(panel(grid[row, 0], a, words), learned)
        _modes(grid[row, 1], b, learned.layout, numbers.modes[maze])
        ax = panel(grid[row, 2], c, f"{words}: steps to the goal")
        draw_steps(ax, learned.steps, learned.optimal)
        draw_met(panel(grid[row, 3], d, "runs that have met the criterion"), learned)
    draw_claims(
        (below[n, 1:5], below[n, 5:8], below[n, 9:11]),
        "efg",
        contrasts(numbers),
        {name: contrasts(control) for name, control in controls.items()},
    )
    return figure


def _modes(place: SubplotSpec, letter: str, layout: GridLayout, modes: Modes) -> None:
    rows = place.subgridspec(2, len(modes.numbers), wspace=0.06, hspace=0.02)
    for k, number in enumerate(modes.numbers):
        v = modes.vectors[:, k] / np.abs(modes.vectors[:, k]).max()
        words = f"v{number}, {modes.eigenvalues[k]:.2f}"
        draw_values(
            panel(rows[0, k], letter if k == 0 else "", words),
            layout,
            v,
            cmap="PuOr_r",
            limits=(-1.0, 1.0),
        )
        option = modes.options[number - 1]
        draw_policy(panel(rows[1, k], "", ""), layout, option.policy, option.termination == 1.0)
