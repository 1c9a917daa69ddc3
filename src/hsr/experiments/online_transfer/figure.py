"""Figure 2a-h, drawn from the numbers of `analysis`."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.experiments.online_transfer.analysis import Numbers
from hsr.experiments.transfer_curves import episodes_by_goal
from hsr.experiments.transfer_panels import draw_steps, draw_task_map, looks_of
from hsr.plots import draw_matrix, new_figure, panel
from hsr.plots.curves import draw_curves, draw_groups


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 10.4)
    grid = GridSpec(3, 12, figure, hspace=0.42, wspace=1.1, left=0.05, right=0.985, top=0.95, bottom=0.07)
    draw_task_map(panel(figure.add_subplot(grid[0, :3]), "a", "start and goals"), numbers.layout)
    draw_steps(
        panel(figure.add_subplot(grid[0, 3:]), "b", "steps to the goal, mean and standard error over seeds"),
        numbers.steps,
        numbers.optimal,
    )
    _criterion(
        panel(figure.add_subplot(grid[1, :5]), "c", "episodes until within 1.5 x optimal, mean and 95 % interval"), numbers
    )
    ax = panel(figure.add_subplot(grid[1, 5:8]), "d", "transfer efficiency (smaller is better)")
    intervals = [numbers.intervals[f"efficiency {name}"] for name in numbers.efficiency]
    draw_groups(ax, numbers.efficiency, intervals=intervals, looks=looks_of(numbers.efficiency))
    ax.axhline(1.0, color="#888888", linewidth=0.8)
    ax = panel(figure.add_subplot(grid[1, 8:]), "g", "change of the map from G1 to G2")
    intervals = [numbers.intervals[f"change {name}"] for name in numbers.change]
    draw_groups(ax, numbers.change, intervals=intervals, looks=looks_of(numbers.change))
    places = iter((grid[2, :2], grid[2, 2:4], grid[2, 4:6], grid[2, 6:8]))
    for letter, (name, maps) in zip("ef", numbers.maps.items(), strict=True):
        for k, M in enumerate(maps):
            title = f"{name} after G{k + 1}" + (f" (seed {numbers.seed_shown})" if k == 0 else "")
            draw_matrix(panel(figure.add_subplot(next(places)), letter if k == 0 else "", title), M, numbers.layout.room_of)
    _fits(figure.add_subplot(grid[2, 8:10]), figure.add_subplot(grid[2, 10:]), numbers)
    return figure


def _criterion(ax: Axes, numbers: Numbers) -> None:
    groups = episodes_by_goal(numbers.episodes)
    looks = [look for look in looks_of(numbers.episodes) for _ in (0, 1)]
    draw_groups(ax, groups, intervals=[numbers.intervals[f"episodes {key}"] for key in groups], looks=looks)
    ax.tick_params(axis="x", labelsize=6)


def _fits(g1: Axes, g2: Axes, numbers: Numbers) -> None:
    for k, ax in enumerate((g1, g2)):
        panel(ax, "h" if k == 0 else "", f"fit of v*, G{k + 1}")
        fits = {name: fit[:, k] for name, fit in numbers.fits.items()}
        draw_curves(ax, numbers.components, fits, looks=looks_of(fits))
        ax.set_xscale("log", base=2)
        ax.set_xlabel("components after G1", fontsize=7)
    g1.legend(fontsize=6, frameon=False)
