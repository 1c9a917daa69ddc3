"""Figure S5, drawn from the numbers of `analysis`."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr._base.arrays import FloatArray
from hsr.experiments.spectra.analysis import Numbers
from hsr.plots import new_figure, panel
from hsr.plots.curves import COLORS, draw_curves

_BINS = 24


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure: distributions above, the same values by rank below."""
    figure = new_figure(11.0, 8.0)
    grid = GridSpec(2, 2, figure, hspace=0.34, wspace=0.16, left=0.06, right=0.985, top=0.95, bottom=0.07)
    panels = (
        ("a", "magnitude of the eigenvalues", numbers.eigenvalues, numbers.eigenvalue_tails),
        ("b", "norm of the NMF components", numbers.norms, numbers.norm_tails),
    )
    for k, (letter, what, values, tails) in enumerate(panels):
        _distribution(panel(figure.add_subplot(grid[0, k]), letter, f"{what}: distribution"), values, what)
        title = f"by rank; share after the first {numbers.leading}"
        _by_rank(panel(figure.add_subplot(grid[1, k]), "", title), values, tails, numbers.leading)
    return figure


def _distribution(ax: Axes, values: dict[str, FloatArray], what: str) -> None:
    least = min(float(x[x > 0.0].min()) for x in values.values())
    most = max(float(x.max()) for x in values.values())
    bins = np.geomspace(max(least, 1e-3 * most), most * (1.0 + 1e-9), _BINS + 1)
    for k, (name, x) in enumerate(values.items()):
        ax.hist(x, bins=bins.tolist(), histtype="step", color=COLORS[k + 1], linewidth=1.6 - 0.2 * k, label=name)
    ax.set_xscale("log")
    ax.set_xlabel(what, fontsize=7)
    ax.set_ylabel("number", fontsize=7)
    ax.legend(fontsize=7, frameon=False)


def _by_rank(ax: Axes, values: dict[str, FloatArray], tails: dict[str, float], leading: int) -> None:
    for k, (name, x) in enumerate(values.items()):
        draw_curves(ax, np.arange(1, len(x) + 1.0), {f"{name}: {tails[name]:.3f}": x[None]}, looks=[k + 1])
    ax.axvline(leading + 0.5, color="#888888", linewidth=0.8)
    ax.set_yscale("log")
    ax.set_xlabel("rank", fontsize=7)
    ax.legend(fontsize=7, frameon=False)
