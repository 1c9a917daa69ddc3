"""Figure 4, drawn from the numbers of `analysis`, with what worlds and controls say."""

from collections.abc import Iterable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.image import AxesImage

from hsr.paper.experiments.basis_mechanisms.analysis import Numbers, contrasts
from hsr.paper.maps.claim_panels import draw_claims
from hsr.plots import COLORS, draw_curves, draw_layout, draw_marks, new_figure, panel
from hsr.toolkit import FloatArray

CAPTION = """
**a** A closed walk through the four rooms, which begins at the dot. Numbers name the rooms. **b**
Activation of every component along the walk in one world, relative to its largest value anywhere:
singular vectors (SVD) and non-negative parts (NMF) of the expected SR and the expected HSR. Worlds
differ in the signs of the eigenvectors that options climb, and only bases of the HSR depend on
them. Components are ordered by where on the walk they peak, and dotted lines are doors. Sparsity is
Hoyer's, averaged over the walk and over worlds: 0 if all components are equal, 1 if only one is
active. **c** Squared error of the map reconstructed from a number of components, relative to its
mean square. Here and below: the median world, with the middle half of worlds. **d** R2 of the
optimal values of random goals, fitted by a number of components, averaged over the goals of a
world. **e** Mean activation at the doors over that elsewhere with the components of b, one point
per world and their mean, and by the number of components. **f** What the claims compare, one point
per world: the difference on the claimed side, over the largest of any world, with the mean and its
95 % interval. R2 is predicted not to differ. **g** What a single world would have said: the sign of
the difference, and for R2 the paired t-test over the goals of the world. **h** The means of f under
each control: stopping states counted twice, which by itself strengthens the ends of options;
options preferred among equally good plans; and 32 components on the walk and at the doors.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    compared = contrasts(numbers)
    below = 0.46 * len(compared) + 1.3  # inches for the claims
    tall = 7.6 + below
    figure = new_figure(14.0, tall)
    grid = GridSpec(
        2, 20, figure, hspace=0.36, wspace=2.4, left=0.045, right=0.94,
        top=1.0 - 0.4 / tall, bottom=(below + 0.55) / tall,
    )  # fmt: skip
    _walk(panel(grid[0, :4], "a", "the walk; rooms by number"), numbers)
    for k, name in enumerate(numbers.traces):
        title = f"{name}, sparsity {numbers.sparsity[name].mean():.2f}"
        ax = panel(grid[0, 4 * k + 4 : 4 * k + 8], "b" if k == 0 else "", title)
        image = _trace(ax, numbers.traces[name], numbers)
        if k == 0:
            ax.set_ylabel("component, in the order of peaks", fontsize=7, labelpad=1)
        if k == len(numbers.traces) - 1:
            box = grid[0, 0].get_position(figure)
            place = figure.add_axes((0.95, box.y0, 0.008, box.height))
            figure.colorbar(image, cax=place).ax.tick_params(labelsize=6)
    _curves(grid, numbers)
    row = GridSpec(
        1, 3, figure, wspace=0.08, left=0.15, right=0.985,
        top=(below - 0.35) / tall, bottom=0.85 / tall,
    )  # fmt: skip
    draw_claims(
        (row[0], row[1], row[2]),
        "fgh",
        compared,
        {name: contrasts(control) for name, control in controls.items()},
    )
    return figure


def _curves(grid: GridSpec, numbers: Numbers) -> None:
    sizes = numbers.components.astype(float)
    ax = panel(grid[1, :5], "c", "relative squared error of the map")
    _by_size(ax, sizes, numbers.errors, _looks(numbers, numbers.errors))
    ax.set_yscale("log")
    ax.set_ylim(1e-3, 1.5)
    ax.legend(fontsize=7, frameon=False)
    fits = {name: x.mean(axis=1) for name, x in numbers.fits.items()}
    n_goals = next(iter(numbers.fits.values())).shape[1]
    ax = panel(grid[1, 5:10], "d", f"fit (R2) of v* of {n_goals} goals in a world")
    _by_size(ax, sizes, fits, _looks(numbers, fits))
    ax.set_ylim(top=1.02)
    title = f"activation at doors / elsewhere, K = {next(iter(numbers.traces.values())).shape[1]}"
    _bottlenecks(panel(grid[1, 10:15], "e", title), numbers)
    ax = panel(grid[1, 15:], "", "the same by number of components")
    ratios = numbers.bottlenecks_by_size
    _by_size(ax, sizes, ratios, _looks(numbers, ratios))
    ax.axhline(1.0, color="#888888", linewidth=0.8, zorder=0)


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
    draw_curves(ax, sizes, curves, looks=looks, band="quartiles")
    ax.set_xscale("log", base=2)
    ax.set_xlabel("components", fontsize=7)


def _bottlenecks(ax: Axes, numbers: Numbers) -> None:
    rng = np.random.default_rng(0)
    looks = _looks(numbers, numbers.bottlenecks)
    for k, (look, x) in enumerate(zip(looks, numbers.bottlenecks.values(), strict=True)):
        places = k + rng.uniform(-0.22, 0.22, len(x))
        ax.scatter(places, x, s=7, color=COLORS[look], alpha=0.4, linewidths=0)
        ax.hlines(x.mean(), k - 0.34, k + 0.34, color="black", linewidth=1.6)
        ax.annotate(
            f"{x.mean():.2f}", (k, x.max()), (0, 4), textcoords="offset points", ha="center",
            fontsize=7,
        )  # fmt: skip
    ax.axhline(1.0, color="#888888", linewidth=0.8, zorder=0)
    ax.set_xticks(range(len(looks)), list(numbers.bottlenecks))
    ax.margins(y=0.12)


def _looks(numbers: Numbers, names: Iterable[str]) -> list[int]:
    """Return the colours of bases, the same in every panel."""
    return [1 + list(numbers.traces).index(name) for name in names]
