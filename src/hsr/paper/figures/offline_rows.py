"""Figure S2: two goals one after another with rows of maps computed before learning."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from hsr.paper.transfer import TransferNumbers
from hsr.paper.transfer.panels import draw_efficiency, draw_learned
from hsr.plots import new_figure, panel


def draw(numbers: TransferNumbers, variants: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure, of the setting alone."""
    figure = new_figure(13.0, 4.2)
    grid = figure.add_gridspec(
        1, 3, width_ratios=[2.2, 1.7, 1.2], wspace=0.24, left=0.055, right=0.99, top=0.92,
        bottom=0.14,
    )  # fmt: skip
    draw_learned(grid[0], grid[1], "ab", numbers.learned, columns=2)
    _, *maps = numbers.learned.steps
    draw_efficiency(panel(grid[2], "c", "transfer efficiency"), numbers.learned, maps)
    return figure
