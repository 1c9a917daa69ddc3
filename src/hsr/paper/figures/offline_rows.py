"""Figure S2: two goals one after another with rows of maps computed before learning."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from hsr.paper.transfer import TransferNumbers
from hsr.paper.transfer.panels import draw_efficiency, draw_episodes, draw_steps
from hsr.plots import new_figure, panel


def draw(numbers: TransferNumbers, variants: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure, of the setting alone."""
    figure = new_figure(13.0, 4.2)
    grid = figure.add_gridspec(
        1, 3, width_ratios=[2.2, 1.7, 1.2], wspace=0.24, left=0.055, right=0.99, top=0.92,
        bottom=0.14,
    )  # fmt: skip
    learned = numbers.learned
    ax = panel(grid[0], "a", "steps to the goal")
    draw_steps(ax, learned.steps, learned.optimal, columns=2)
    draw_episodes(panel(grid[1], "b", "episodes to the criterion"), learned)
    _, *maps = numbers.learned.steps
    draw_efficiency(panel(grid[2], "c", "transfer efficiency"), numbers.learned, maps)
    return figure
