"""Figure 2a-h, drawn from the numbers of `analysis`."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.experiments.online_transfer.analysis import Numbers
from hsr.plots import draw_layout, draw_marks, draw_matrix, new_figure
from hsr.plots.curves import draw_curves, draw_groups


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 10.4)
    grid = GridSpec(3, 12, figure, hspace=0.42, wspace=1.1, left=0.05, right=0.985, top=0.95, bottom=0.07)
    _maze(_panel(figure.add_subplot(grid[0, :3]), "a", "start and goals"), numbers)
    _curves(_panel(figure.add_subplot(grid[0, 3:]), "b", "steps to the goal, mean and standard error over seeds"), numbers)
    _criterion(
        _panel(figure.add_subplot(grid[1, :5]), "c", "episodes until within 1.5 x optimal, mean and 95 % interval"), numbers
    )
    ax = _panel(figure.add_subplot(grid[1, 5:8]), "d", "transfer efficiency (smaller is better)")
    intervals = [numbers.intervals[f"efficiency {name}"] for name in numbers.efficiency]
    draw_groups(ax, numbers.efficiency, intervals=intervals, looks=_looks(numbers, numbers.efficiency))
    ax.axhline(1.0, color="#888888", linewidth=0.8)
    ax = _panel(figure.add_subplot(grid[1, 8:]), "g", "change of the map from G1 to G2")
    intervals = [numbers.intervals[f"change {name}"] for name in numbers.change]
    draw_groups(ax, numbers.change, intervals=intervals, looks=_looks(numbers, numbers.change))
    places = iter((grid[2, :2], grid[2, 2:4], grid[2, 4:6], grid[2, 6:8]))
    for letter, (name, maps) in zip("ef", numbers.maps.items(), strict=True):
        for k, M in enumerate(maps):
            title = f"{name} after G{k + 1}" + (f" (seed {numbers.seed_shown})" if k == 0 else "")
            draw_matrix(_panel(figure.add_subplot(next(places)), letter if k == 0 else "", title), M, numbers.layout.room_of)
    _fits(figure.add_subplot(grid[2, 8:10]), figure.add_subplot(grid[2, 10:]), numbers)
    return figure


def _panel(ax: Axes, letter: str, title: str) -> Axes:
    ax.set_title(f"{letter}  {title}" if letter else title, fontsize=8, loc="left", fontweight="bold" if letter else "normal")
    ax.tick_params(which="both", labelsize=7)
    return ax


def _maze(ax: Axes, numbers: Numbers) -> None:
    layout = numbers.layout
    draw_layout(ax, layout)
    assert layout.start is not None
    draw_marks(ax, layout, [layout.start], ["S"], color="#0072b2")
    draw_marks(ax, layout, layout.goals[:2], ["G1", "G2"], color="#d55e00")


def _curves(ax: Axes, numbers: Numbers) -> None:
    n = next(iter(numbers.steps.values())).shape[2]
    draw_curves(ax, np.arange(1, 2 * n + 1.0), {name: steps.reshape(len(steps), -1) for name, steps in numbers.steps.items()})
    for k, optimal in enumerate(numbers.optimal):
        ax.hlines(optimal, k * n + 1, (k + 1) * n, color="#888888", linestyle=":", linewidth=1.2)
    ax.axvline(n + 0.5, color="#888888", linewidth=0.8)
    ax.set_yscale("log")
    ax.set_xlabel("episode; the goal moves at the line", fontsize=7)
    ax.legend(fontsize=7, frameon=False, ncols=4, loc="upper right")


def _criterion(ax: Axes, numbers: Numbers) -> None:
    groups = {f"{name}\nG{k + 1}": n[:, k] for name, n in numbers.episodes.items() for k in (0, 1)}
    looks = [look for look in range(len(numbers.episodes)) for _ in (0, 1)]
    draw_groups(ax, groups, intervals=[numbers.intervals[f"episodes {key}"] for key in groups], looks=looks)
    ax.tick_params(axis="x", labelsize=6)


def _fits(g1: Axes, g2: Axes, numbers: Numbers) -> None:
    for k, ax in enumerate((g1, g2)):
        _panel(ax, "h" if k == 0 else "", f"fit of v*, G{k + 1}")
        fits = {name: fit[:, k] for name, fit in numbers.fits.items()}
        draw_curves(ax, numbers.components, fits, looks=_looks(numbers, fits))
        ax.set_xscale("log", base=2)
        ax.set_xlabel("components after G1", fontsize=7)
    g1.legend(fontsize=6, frameon=False)


def _looks(numbers: Numbers, names: Iterable[str]) -> list[int]:
    """Return the colours by which agents are told apart in panel b."""
    return [list(numbers.steps).index(name) for name in names]
