"""Figure S2, drawn from the numbers of `analysis`."""

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.experiments.offline_rows.analysis import Numbers
from hsr.experiments.transfer_panels import draw_efficiency, draw_episodes, draw_steps
from hsr.plots import new_figure, panel


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure."""
    figure = new_figure(11.0, 7.0)
    grid = GridSpec(2, 12, figure, hspace=0.34, wspace=1.1, left=0.06, right=0.985, top=0.95, bottom=0.08)
    ax = panel(figure.add_subplot(grid[0, :]), "a", "steps to the goal, mean and standard error over seeds")
    draw_steps(ax, numbers.learned.steps, numbers.learned.optimal)
    ax = panel(figure.add_subplot(grid[1, :7]), "b", "episodes until within 1.5 x optimal, mean and 95 % interval")
    draw_episodes(ax, numbers.learned)
    ax = panel(figure.add_subplot(grid[1, 7:]), "c", "transfer efficiency (smaller is better)")
    draw_efficiency(ax, numbers.efficiency, numbers.intervals)
    return figure
