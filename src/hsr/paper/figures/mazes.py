"""Figure S3: two goals one after another in four other mazes."""

from collections.abc import Mapping
from string import ascii_lowercase

import numpy as np
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec

from hsr.grids import MazeSpec
from hsr.mdp import MarkovChain, leading_vectors
from hsr.options import eigenoptions
from hsr.paper.figures.curves import draw_each
from hsr.paper.transfer import TransferNumbers
from hsr.paper.transfer.panels import draw_episodes, draw_task
from hsr.paper.worlds import world_of
from hsr.plots import draw_policy, draw_values, new_figure, panel

SHOWN = (1, 2, 4, 8)  # eigenvectors, numbered from 1
HEIGHT = 2.6  # of a row, in inches


def draw(numbers: TransferNumbers, variants: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure, of the setting alone."""
    n = len(numbers.mazes)
    figure = new_figure(13.0, HEIGHT * n)
    rows = figure.add_gridspec(
        n, 2, width_ratios=[4.6, 6.9], hspace=0.36, wspace=0.13, left=0.01, right=0.99,
        top=1.0 - 0.3 / (HEIGHT * n), bottom=0.42 / (HEIGHT * n),
    )  # fmt: skip
    for row, (maze, learned) in enumerate(numbers.mazes.items()):
        letters = ascii_lowercase[4 * row : 4 * row + 4]
        left = rows[row, 0].subgridspec(1, 2, width_ratios=[1.5, 3.1], wspace=0.08)
        right = rows[row, 1].subgridspec(1, 2, width_ratios=[4.4, 2.1], wspace=0.2)
        draw_task(panel(left[0], letters[0], maze.replace("_", " ")), learned)
        _eigenoptions(left[1], letters[1], learned.chosen["HSR rows"].condition.world)
        draw_each(right[0], letters[2], learned, {name: name for name in learned.steps})
        draw_episodes(panel(right[1], letters[3], "episodes to the criterion"), learned)
    return figure


def _eigenoptions(place: SubplotSpec, letter: str, world: MazeSpec) -> None:
    """Draw some eigenvectors of the random walk, and the options that climb them."""
    layout, mdp = world_of(world)
    values, vectors = leading_vectors(MarkovChain.from_policy(mdp), max(SHOWN))
    options = eigenoptions(mdp, max(SHOWN))
    rows = place.subgridspec(2, len(SHOWN), wspace=0.05, hspace=0.04)
    for column, k in enumerate(number - 1 for number in SHOWN):
        v = vectors[:, k] / np.abs(vectors[:, k]).max()
        ax = panel(rows[0, column], "" if column else letter, "")
        ax.set_title(f"{1.0 / (1.0 - world.discount * values[k]):.2f}", fontsize=8)
        draw_values(ax, layout, v, cmap="PuOr_r", limits=(-1.0, 1.0))
        ax = panel(rows[1, column], "", "")
        draw_policy(ax, layout, options[k].policy, options[k].termination == 1.0)
