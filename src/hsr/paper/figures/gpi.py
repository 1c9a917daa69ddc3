"""Figure 5: generalised policy improvement against linear Q-learning."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hsr.paper.transfer import TransferNumbers
from hsr.paper.transfer.panels import draw_episodes, draw_steps
from hsr.plots import new_figure, panel

SHOWN = 50  # episodes that the paper shows
SCHEME = (
    "before: an optimal policy and its SR\nfor every goal g of the pool",
    "linear Q-learning, until the goal\nhas been entered once",
    "the reward r is known:\n" + r"$q_g = M_g\,r$ for every policy",
    "act by\n" + r"$\mathrm{argmax}_a\,\max_g\,q_g(s, a)$",
)


def draw(numbers: TransferNumbers, variants: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure."""
    learned = numbers.learned
    looks = range(len(learned.steps))
    figure = new_figure(13.0, 4.2)
    grid = figure.add_gridspec(
        1, 3, width_ratios=[0.75, 1.3, 1.2], wspace=0.2,
        left=0.02, right=0.985, top=0.92, bottom=0.14,
    )  # fmt: skip
    _scheme(panel(grid[0], "a", "policy improvement over a pool"))
    ax = panel(grid[1], "b", f"the first {SHOWN} episodes")
    first = {name: steps[..., :SHOWN] for name, steps in learned.steps.items()}
    draw_steps(ax, first, learned.optimal, looks=looks, columns=2)
    named = {name: name.replace(" ", "\n", 1) for name in learned.steps}
    ax = panel(grid[2], "c", "episodes to the criterion")
    draw_episodes(ax, learned.only(named), looks=looks)
    return figure


def _scheme(ax: Axes) -> None:
    ax.set_axis_off()
    places = np.linspace(0.9, 0.1, len(SCHEME))
    box = {"boxstyle": "round,pad=0.5", "facecolor": "#f2f2f2", "edgecolor": "#888888"}
    for k, (words, y) in enumerate(zip(SCHEME, places, strict=True)):
        ax.text(0.5, y, words, ha="center", va="center", fontsize=8, bbox=box)
        if k:
            ends = (0.5, float(y) + 0.085), (0.5, float(places[k - 1]) - 0.085)
            ax.annotate("", *ends, arrowprops={"arrowstyle": "->", "color": "#444444"})
