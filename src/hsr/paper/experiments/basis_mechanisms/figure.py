"""Figure 4, drawn from the numbers of `analysis`, with the controls."""

from collections.abc import Iterable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.image import AxesImage

from hsr.paper.control_panels import (
    draw_differences,
    draw_settings_legend,
    draw_under_controls,
    under_controls,
)
from hsr.paper.experiments.basis_mechanisms.analysis import BEST, REFERENCE, SLACK, Numbers
from hsr.plots import COLORS, draw_curves, draw_layout, draw_marks, new_figure, panel
from hsr.toolkit import FloatArray

CAPTION = """
**a** A closed walk through the four rooms, which begins at the dot. Numbers name the rooms. **b**
Activation of every component along the walk, relative to its largest value anywhere: singular
vectors (SVD) and non-negative parts (NMF) of the expected SR and the expected HSR. Components are
ordered by where on the walk they peak, and dotted lines are doors. Sparsity is Hoyer's, averaged
over the walk: 0 if all components are equal, 1 if only one is active. **c** Squared error of the
map reconstructed from a number of components, relative to its mean square. **d** R2 of the
optimal values of random goals, fitted by a number of components: mean and standard error over
goals. **e** Mean activation at the doors over that elsewhere, with the components of b, and by
the number of components. **f** to **i** The numbers that are judged, in the ledger and under each
control: stopping states counted twice, which by itself strengthens the ends of options; options
preferred among equally good plans; and 32 components on the walk and at the doors. **f** Sparsity
of b. **g** Error of HSR-NMF over that of eSR-SVD in c. Up to the line they count as equal. **h**
R2 of HSR-NMF minus that of both SVDs in d, with 95 % intervals. The line marks no difference.
**i** Activation at doors over that elsewhere. At the line both are equal.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(14.0, 11.6)
    grid = GridSpec(
        2, 20, figure, hspace=0.36, wspace=2.4, left=0.045, right=0.94, top=0.96, bottom=0.37
    )
    _walk(panel(grid[0, :4], "a", "the walk; rooms by number"), numbers)
    for k, name in enumerate(numbers.traces):
        title = f"{name}, sparsity {numbers.sparsity[name]:.2f}"
        ax = panel(grid[0, 4 * k + 4 : 4 * k + 8], "b" if k == 0 else "", title)
        image = _trace(ax, numbers.traces[name], numbers)
        if k == 0:
            ax.set_ylabel("component, in the order of peaks", fontsize=7, labelpad=1)
        if k == len(numbers.traces) - 1:
            place = figure.add_axes((0.95, 0.71, 0.008, 0.25))
            figure.colorbar(image, cax=place).ax.tick_params(labelsize=6)
    sizes = numbers.components.astype(float)
    ax = panel(grid[1, :5], "c", "relative squared error of the map")
    _by_size(
        ax,
        sizes,
        {name: error[None] for name, error in numbers.errors.items()},
        _looks(numbers, numbers.errors),
    )
    ax.set_yscale("log")
    ax.set_ylim(1e-3, 1.5)
    ax.legend(fontsize=7, frameon=False)
    ax = panel(
        grid[1, 5:10],
        "d",
        f"fit (R2) of v* of {_n_goals(numbers)} random goals",
    )
    _by_size(ax, sizes, numbers.fits, _looks(numbers, numbers.fits))
    ax.set_ylim(top=1.02)
    title = f"activation at doors / elsewhere, K = {next(iter(numbers.traces.values())).shape[1]}"
    _bottlenecks(panel(grid[1, 10:15], "e", title), numbers)
    ax = panel(grid[1, 15:], "", "the same by number of components")
    ratios = {name: ratio[None] for name, ratio in numbers.bottlenecks_by_size.items()}
    _by_size(ax, sizes, ratios, _looks(numbers, ratios))
    ax.axhline(1.0, color="#888888", linewidth=0.8, zorder=0)
    _controls(figure, under_controls(numbers, controls))
    return figure


def _controls(figure: Figure, settings: Mapping[str, Numbers]) -> None:
    row = GridSpec(1, 4, figure, wspace=0.42, left=0.065, right=0.985, top=0.275, bottom=0.08)
    ax = panel(row[0], "f", "sparsity along the walk")
    draw_under_controls(ax, {name: one.sparsity for name, one in settings.items()})
    ax = panel(row[1], "g", f"error, {BEST} / {REFERENCE}")
    ratios = {
        name: {f"K = {k}": ratio for k, ratio in one.error_ratios.items()}
        for name, one in settings.items()
    }
    draw_under_controls(ax, ratios, line=SLACK)
    at = next(iter(settings.values())).judged
    ax = panel(row[2], "h", f"fit of v*, K = {at}, {BEST} minus the SVDs")
    fits = {
        name: {f"minus\n{other}": c for other, c in one.fits_compared.items()}
        for name, one in settings.items()
    }
    draw_differences(ax, fits)
    ax = panel(row[3], "i", "activation at doors / elsewhere")
    drawn = draw_under_controls(
        ax, {name: one.bottlenecks for name, one in settings.items()}, line=1.0
    )
    draw_settings_legend(figure, drawn, 0.018)


def _walk(ax: Axes, numbers: Numbers) -> None:
    layout, cells = numbers.layout, numbers.layout.cells[numbers.walk]
    draw_layout(ax, layout)
    ax.plot(cells[:, 1], cells[:, 0], color="#0072b2", linewidth=1.6)
    ax.scatter(cells[:1, 1], cells[:1, 0], color="#d55e00", s=30, zorder=3)
    corners = [int(states[0]) for states in layout.rooms]
    draw_marks(
        ax, layout, corners, [str(room + 1) for room in range(len(corners))], color="#888888"
    )


def _trace(ax: Axes, trace: FloatArray, numbers: Numbers) -> AxesImage:
    order = np.argsort(np.abs(trace).argmax(axis=0), kind="stable")
    picture = trace[:, order].T
    image = ax.imshow(
        picture, cmap="PuOr_r", vmin=-1.0, vmax=1.0, aspect="auto", interpolation="nearest"
    )
    cuts = np.flatnonzero(np.diff(numbers.rooms))
    for cut in cuts:
        ax.axvline(cut + 0.5, color="#888888", linestyle=":", linewidth=0.6)
    for stretch in np.split(np.arange(len(numbers.rooms)), cuts + 1):
        room = int(numbers.rooms[stretch[0]])
        if room >= 0:
            where = (float(stretch.mean()), -0.12)
            ax.text(
                *where,
                str(room + 1),
                transform=ax.get_xaxis_transform(),
                ha="center",
                fontsize=7,
                color="#888888",
            )
    ax.set_xlabel("step; below it the room", fontsize=7, labelpad=15)
    return image


def _by_size(ax: Axes, sizes: FloatArray, curves: dict[str, FloatArray], looks: list[int]) -> None:
    draw_curves(ax, sizes, curves, looks=looks)
    ax.set_xscale("log", base=2)
    ax.set_xlabel("components", fontsize=7)


def _bottlenecks(ax: Axes, numbers: Numbers) -> None:
    bars = numbers.bottlenecks
    colors = [COLORS[look] for look in _looks(numbers, bars)]
    drawn = ax.bar(range(len(bars)), list(bars.values()), color=colors, edgecolor="white")
    ax.bar_label(drawn, fmt="%.2f", fontsize=7, padding=2)
    ax.axhline(1.0, color="#888888", linewidth=0.8)
    ax.set_xticks(range(len(bars)), list(bars))
    ax.margins(y=0.1)


def _n_goals(numbers: Numbers) -> int:
    return len(next(iter(numbers.fits.values())))


def _looks(numbers: Numbers, names: Iterable[str]) -> list[int]:
    """Return the colours of bases, the same in every panel."""
    return [1 + list(numbers.traces).index(name) for name in names]
