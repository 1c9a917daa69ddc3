"""Figure 2a-h, drawn from the numbers of `analysis`, with the control of step sizes."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.online_transfer.analysis import Numbers
from hsr.paper.transfer.curves import Intervals
from hsr.paper.transfer.panels import (
    draw_efficiency,
    draw_learned,
    draw_task,
    draw_tuned,
    looks_of,
)
from hsr.plots import draw_curves, draw_groups, draw_matrix, new_figure, panel
from hsr.toolkit import FloatArray

CAPTION = """
**a** The four rooms with the start and both goals. **b** Primitive steps to the goal in each
episode: mean and standard error over seeds. At the line the goal moves from G1 to G2, and nothing
is reset. **c** Episodes until the moving average of steps is below the criterion: every seed,
with the mean and its 95 % interval. Seeds on the upper line never met it. **d** Transfer
efficiency relative to one-hot agents. Below 1 the gain over them is larger in G2 than in G1.
**e**, **f** The learned maps of one seed after each goal, states ordered by room. **g** Change of
each map from G1 to G2, relative to its size. **h** R2 of the optimal values of both goals, fitted
by the leading singular vectors of the map after G1. **i** to **l** Control: the same with the
step size that suits each kind of features best on goals and seeds that are not scored.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 10.4 + 3.5 * len(controls))
    grid = GridSpec(
        3 + len(controls),
        12,
        figure,
        hspace=0.42,
        wspace=1.1,
        left=0.05,
        right=0.985,
        top=0.96,
        bottom=0.06,
    )
    learned = numbers.learned
    draw_task(panel(grid[0, :3], "a", "start and goals"), learned)
    draw_learned(grid[0, 3:], grid[1, :5], "bc", learned)
    ax = panel(grid[1, 5:8], "d", "transfer efficiency (smaller is better)")
    draw_efficiency(ax, *_efficiency(numbers))
    _change(panel(grid[1, 8:], "g", "change of the map from G1 to G2"), numbers)
    places = iter((grid[2, :2], grid[2, 2:4], grid[2, 4:6], grid[2, 6:8]))
    for letter, (name, maps) in zip("ef", numbers.maps.items(), strict=True):
        for k, M in enumerate(maps):
            title = f"{name} after G{k + 1}" + (" (first seed)" if k == 0 else "")
            draw_matrix(
                panel(next(places), letter if k == 0 else "", title),
                M,
                learned.layout.room_of,
            )
    _fits(figure.add_subplot(grid[2, 8:10]), figure.add_subplot(grid[2, 10:]), numbers)
    for row, control in enumerate(controls.values(), start=3):
        draw_tuned(grid[row, :10], "ijk", control.learned, _efficiency(control))
        _change(panel(grid[row, 10:], "l", "control: change"), control)
    return figure


def _efficiency(numbers: Numbers) -> tuple[dict[str, FloatArray], Intervals]:
    return numbers.efficiency, {
        name: numbers.intervals[f"efficiency {name}"] for name in numbers.efficiency
    }


def _change(ax: Axes, numbers: Numbers) -> None:
    intervals = [numbers.intervals[f"change {name}"] for name in numbers.change]
    draw_groups(ax, numbers.change, intervals=intervals, looks=looks_of(numbers.change))


def _fits(g1: Axes, g2: Axes, numbers: Numbers) -> None:
    for k, ax in enumerate((g1, g2)):
        panel(ax, "h" if k == 0 else "", f"fit of v*, G{k + 1}")
        fits = {name: fit[:, k] for name, fit in numbers.fits.items()}
        draw_curves(ax, numbers.components, fits, looks=looks_of(fits))
        ax.set_xscale("log", base=2)
        ax.set_xlabel("components after G1", fontsize=7)
    g1.legend(fontsize=6, frameon=False)
