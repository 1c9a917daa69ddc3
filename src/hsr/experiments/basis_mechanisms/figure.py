"""Figure 4, drawn from the numbers of `analysis`."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.image import AxesImage

from hsr._base.arrays import FloatArray
from hsr.experiments.basis_mechanisms.analysis import Numbers
from hsr.plots import draw_layout, draw_marks, new_figure, panel
from hsr.plots.curves import COLORS, draw_curves


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure."""
    figure = new_figure(14.0, 8.0)
    grid = GridSpec(2, 20, figure, hspace=0.42, wspace=2.4, left=0.045, right=0.94, top=0.94, bottom=0.075)
    _walk(panel(figure.add_subplot(grid[0, :4]), "a", "the walk; rooms by number"), numbers)
    for k, name in enumerate(numbers.traces):
        ax = panel(figure.add_subplot(grid[0, 4 * k + 4 : 4 * k + 8]), "b" if k == 0 else "", _trace_title(numbers, name))
        image = _trace(ax, numbers.traces[name], numbers)
        if k == 0:
            ax.set_ylabel("component, in the order of peaks", fontsize=7, labelpad=1)
        if k == len(numbers.traces) - 1:
            place = figure.add_axes((0.95, 0.56, 0.008, 0.38))
            figure.colorbar(image, cax=place).ax.tick_params(labelsize=6)
    sizes = numbers.components.astype(float)
    ax = panel(figure.add_subplot(grid[1, :6]), "c", "squared error of the map, relative to its square")
    _by_size(ax, sizes, {name: error[None] for name, error in numbers.errors.items()}, _looks(numbers, numbers.errors))
    ax.set_yscale("log")
    ax.set_ylim(1e-3, 1.5)
    ax = panel(figure.add_subplot(grid[1, 6:12]), "d", f"fit (R2) of v* of {_n_goals(numbers)} random goals, mean and s.e.")
    _by_size(ax, sizes, numbers.fits, _looks(numbers, numbers.fits))
    ax.set_ylim(top=1.02)
    title = f"activation at bottlenecks / elsewhere, K = {next(iter(numbers.traces.values())).shape[1]}"
    _bottlenecks(panel(figure.add_subplot(grid[1, 12:]), "e", title), numbers)
    return figure


def _walk(ax: Axes, numbers: Numbers) -> None:
    layout, cells = numbers.layout, numbers.layout.cells[numbers.walk]
    draw_layout(ax, layout)
    ax.plot(cells[:, 1], cells[:, 0], color="#0072b2", linewidth=1.6)
    ax.scatter(cells[:1, 1], cells[:1, 0], color="#d55e00", s=30, zorder=3)
    corners = [int(states[0]) for states in layout.rooms]
    draw_marks(ax, layout, corners, [str(room + 1) for room in range(len(corners))], color="#888888")


def _trace_title(numbers: Numbers, name: str) -> str:
    return f"{name}, sparsity {float(np.nanmean(numbers.sparsity[name])):.2f}"


def _trace(ax: Axes, trace: FloatArray, numbers: Numbers) -> AxesImage:
    order = np.argsort(np.abs(trace).argmax(axis=0), kind="stable")
    picture = trace[:, order].T
    image = ax.imshow(picture, cmap="PuOr_r", vmin=-1.0, vmax=1.0, aspect="auto", interpolation="nearest")
    cuts = np.flatnonzero(np.diff(numbers.rooms))
    for cut in cuts:
        ax.axvline(cut + 0.5, color="#888888", linestyle=":", linewidth=0.6)
    for stretch in np.split(np.arange(len(numbers.rooms)), cuts + 1):
        room = int(numbers.rooms[stretch[0]])
        if room >= 0:
            where = (float(stretch.mean()), -0.12)
            ax.text(*where, str(room + 1), transform=ax.get_xaxis_transform(), ha="center", fontsize=7, color="#888888")
    ax.set_xlabel("step; below it the room", fontsize=7, labelpad=12)
    return image


def _by_size(ax: Axes, sizes: FloatArray, curves: dict[str, FloatArray], looks: list[int]) -> None:
    draw_curves(ax, sizes, curves, looks=looks)
    ax.set_xscale("log", base=2)
    ax.set_xlabel("components", fontsize=7)
    ax.legend(fontsize=7, frameon=False)


def _bottlenecks(ax: Axes, numbers: Numbers) -> None:
    once, twice = numbers.bottlenecks, numbers.bottlenecks_twice
    bars = {name: (ratio, look) for (name, ratio), look in zip(once.items(), _looks(numbers, once), strict=True)}
    bars |= {
        f"{name}\nstop counted\ntwice": (ratio, look)
        for (name, ratio), look in zip(twice.items(), _looks(numbers, twice), strict=True)
    }
    colors = [COLORS[look] for _, look in bars.values()]
    hatches = ["" if name in once else "//" for name in bars]
    drawn = ax.bar(range(len(bars)), [ratio for ratio, _ in bars.values()], color=colors, hatch=hatches, edgecolor="white")
    ax.bar_label(drawn, fmt="%.2f", fontsize=7, padding=2)
    ax.axhline(1.0, color="#888888", linewidth=0.8)
    ax.set_xticks(range(len(bars)), list(bars))
    ax.margins(y=0.1)


def _n_goals(numbers: Numbers) -> int:
    return len(next(iter(numbers.fits.values())))


def _looks(numbers: Numbers, names: Iterable[str]) -> list[int]:
    """Return the colours by which bases are told apart in every panel."""
    return [1 + list(numbers.traces).index(name) for name in names]
