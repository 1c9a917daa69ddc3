"""Figure S2, drawn from the numbers of `analysis`, with the control of step sizes."""

from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.offline_rows.analysis import Numbers
from hsr.paper.transfer.panels import draw_efficiency, draw_learned, draw_tuned
from hsr.plots import new_figure, panel

CAPTION = """
**a** Primitive steps to the goal in each episode: mean and standard error over seeds. At the line
the goal moves from G1 to G2, and nothing is reset. RW-SR is the successor representation of the
random walk, eSR and eHSR are the expected SR and the expected HSR over every goal. **b** Episodes
until the moving average of steps is below the criterion: every seed, with the mean and its 95 %
interval. Seeds on the upper line never met it. **c** Transfer efficiency relative to one-hot
agents. Below 1 the gain over them is larger in G2 than in G1. **d** to **f** Control: the same
with the step size that suits each kind of features best on goals and seeds that are not scored.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    rows = 2 + len(controls)
    figure = new_figure(12.0, 3.5 * rows)
    grid = GridSpec(
        rows,
        12,
        figure,
        hspace=0.36,
        wspace=1.1,
        left=0.055,
        right=0.985,
        top=1 - 0.1 / rows,
        bottom=0.2 / rows,
    )
    draw_learned(grid[0, :], grid[1, :7], "ab", numbers.learned)
    ax = panel(grid[1, 7:], "c", "transfer efficiency (smaller is better)")
    draw_efficiency(ax, numbers.efficiency, numbers.intervals)
    for row, control in enumerate(controls.values(), start=2):
        draw_tuned(grid[row, :], "def", control.learned, (control.efficiency, control.intervals))
    return figure
