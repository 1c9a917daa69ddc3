"""Figure S4, drawn from the numbers of `analysis`."""

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.ticker import ScalarFormatter

from hsr.experiments.option_classes.analysis import Numbers
from hsr.experiments.transfer_panels import draw_efficiency, draw_episodes, draw_steps, draw_task_map
from hsr.plots import new_figure, panel

_CLASS_LOOKS = (3, 4, 5)


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure."""
    figure = new_figure(15.0, 7.6)
    grid = GridSpec(2, 12, figure, hspace=0.3, wspace=1.2, left=0.04, right=0.99, top=0.95, bottom=0.075)
    draw_task_map(panel(figure.add_subplot(grid[0, :3]), "a", "start and goals"), numbers.classes.layout)
    ax = panel(figure.add_subplot(grid[0, 3:8]), "b", "HSR rows by class of options: steps to the goal, mean and s.e.")
    draw_steps(ax, numbers.classes.steps, numbers.classes.optimal, looks=_CLASS_LOOKS)
    ax = panel(figure.add_subplot(grid[0, 8:]), "c", "HSR rows: episodes until within 1.5 x optimal")
    draw_episodes(ax, numbers.classes, looks=_CLASS_LOOKS)
    axes = [figure.add_subplot(grid[1, :4]), figure.add_subplot(grid[1, 4:8])]
    for ax, letter, (name, learned) in zip(axes, ("d", ""), numbers.learned.items(), strict=True):
        draw_steps(panel(ax, letter, f"{name} by number of eigenoptions"), learned.steps, learned.optimal)
    ends = [ax.get_ylim() for ax in axes]
    for ax in axes:
        ax.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    ax = panel(figure.add_subplot(grid[1, 8:]), "e", "transfer efficiency of HSR rows (smaller is better)")
    draw_efficiency(ax, numbers.efficiency, numbers.intervals)
    if max(values.max() for values in numbers.efficiency.values()) > 8.0:
        ax.set_yscale("symlog", base=2, linthresh=4.0)
        ax.yaxis.set_major_formatter(ScalarFormatter())
    return figure
