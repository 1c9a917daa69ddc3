"""Figure 2a-h, drawn from the numbers of `analysis`, with what worlds and controls say."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.online_transfer.analysis import Numbers, contrasts
from hsr.paper.transfer.panels import draw_claims, draw_learned, draw_task, looks_of
from hsr.plots import draw_curves, draw_matrix, new_figure, panel

CAPTION = """
**a** The four rooms with the start and both goals of the first world. **b** Primitive steps to the
goal in each episode: the median world, with the middle half of worlds. At the line the goal moves
from G1 to G2, and nothing is reset. **c** Share of runs whose moving average of steps has been
within the criterion, goal after goal. **d** What each claim compares, one point per world: the
difference on the claimed side, over its standard deviation between worlds, with the mean and its 95
% interval. Below the names: the measure that judges, and how many runs the paper's measure cuts
off. **e** What the paper's own test would have said in single worlds. **f** The same effects under
the controls: at the step size that suits each kind of features best in other worlds, and in worlds
that slip. **g** The learned maps of one seed after each goal, states ordered by room. **h** R2 of
the optimal values of both goals, fitted by the leading singular vectors of the map after G1.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 15.5)
    grid = GridSpec(
        4, 12, figure, height_ratios=[1.0, 1.5, 1.5, 0.9], hspace=0.34, wspace=1.6,
        left=0.06, right=0.985, top=0.97, bottom=0.04,
    )  # fmt: skip
    learned = numbers.learned
    draw_task(panel(grid[0, :3], "a", "start and goals of one world"), learned)
    draw_learned(grid[0, 3:8], grid[0, 8:], "bc", learned, columns=2)
    draw_claims(
        (grid[1, 2:8], grid[1, 8:], grid[2, 2:9]),
        "def",
        contrasts(numbers),
        {name: contrasts(control) for name, control in controls.items()},
    )
    places = iter((grid[3, :2], grid[3, 2:4], grid[3, 4:6], grid[3, 6:8]))
    for name, maps in numbers.maps.items():
        for k, M in enumerate(maps):
            letter = "g" if k == 0 and name == next(iter(numbers.maps)) else ""
            ax = panel(next(places), letter, f"{name} after G{k + 1}")
            draw_matrix(ax, M, learned.layout.room_of)
    _fits(figure.add_subplot(grid[3, 8:10]), figure.add_subplot(grid[3, 10:]), numbers)
    return figure


def _fits(g1: Axes, g2: Axes, numbers: Numbers) -> None:
    for k, ax in enumerate((g1, g2)):
        panel(ax, "h" if k == 0 else "", f"fit of v*, G{k + 1}")
        fits = {name: fit[:, :, k].mean(axis=1) for name, fit in numbers.fits.items()}
        sizes = np.array(numbers.sizes, dtype=float)
        draw_curves(ax, sizes, fits, looks=looks_of(fits), band="quartiles")
        ax.set_xscale("log", base=2)
        ax.set_xlabel("components after G1", fontsize=7)
    g1.legend(fontsize=6, frameon=False)
