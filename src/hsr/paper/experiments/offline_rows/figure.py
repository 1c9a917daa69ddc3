"""Figure S2, drawn from the numbers of `analysis`, with what worlds and controls say."""

from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.offline_rows.analysis import Numbers, contrasts
from hsr.paper.transfer.panels import draw_claims, draw_learned
from hsr.plots import new_figure

CAPTION = """
**a** Primitive steps to the goal in each episode: the median world, with the middle half of worlds.
At the line the goal moves from G1 to G2, and nothing is reset. RW-SR is the successor
representation of the random walk, eSR and eHSR are the expected SR and the expected HSR over every
goal. **b** Share of runs whose moving average of steps has been within the criterion, goal after
goal. **c** What the claim compares, one point per world: the difference on the claimed side, over
its standard deviation between worlds, with the mean and its 95 % interval. **d** What the paper's
own test would have said in single worlds. **e** The same effect at the step size that suits each
kind of features best in other worlds.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 7.0)
    grid = GridSpec(
        2, 24, figure, height_ratios=[1.8, 1.0], hspace=0.36, wspace=3.4,
        left=0.06, right=0.985, top=0.95, bottom=0.08,
    )  # fmt: skip
    draw_learned(grid[0, :14], grid[0, 15:], "ab", numbers.learned)
    draw_claims(
        (grid[1, 2:9], grid[1, 9:16], grid[1, 19:22]),
        "cde",
        contrasts(numbers),
        {name: contrasts(control) for name, control in controls.items()},
    )
    return figure
