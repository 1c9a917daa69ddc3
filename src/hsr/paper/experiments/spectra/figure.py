"""Figure S5, drawn from the numbers of `analysis`, with the controls."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.control_panels import draw_settings_legend, draw_under_controls, under_controls
from hsr.paper.experiments.spectra.analysis import Numbers
from hsr.plots import COLORS, draw_curves, new_figure, panel
from hsr.toolkit import FloatArray

CAPTION = """
**a** Magnitudes of the eigenvalues of the SR of the random walk (RW-SR), the expected SR (eSR)
and the expected HSR (eHSR): their distribution, and below it the same values from the largest to
the smallest. **b** The same for the norms of the non-negative parts (NMF). The tail of a map is
the fraction of the sum after the leading values, on the right of the line. It follows the name of
the map. **c**, **d** The tails of a and b, in the ledger and under each control: stopping states
counted twice, and options preferred among equally good plans. Both change the expected HSR only.
The claim holds if the tail of eHSR is the largest of the three.
"""
_BINS = 24


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure: distributions, the same values by rank, and tails under each control."""
    figure = new_figure(11.0, 10.2)
    grid = GridSpec(
        3,
        2,
        figure,
        height_ratios=[1, 1, 0.5],
        hspace=0.36,
        wspace=0.16,
        left=0.06,
        right=0.985,
        top=0.965,
        bottom=0.085,
    )
    panels = (
        ("a", "c", "magnitude of the eigenvalues", numbers.eigenvalues, "eigenvalue_tails"),
        ("b", "d", "norm of the NMF components", numbers.norms, "norm_tails"),
    )
    for k, (letter, of_control, what, values, field) in enumerate(panels):
        _distribution(panel(grid[0, k], letter, f"{what}: distribution"), values, what)
        title = f"by rank; fraction after the first {numbers.leading}"
        _by_rank(
            panel(grid[1, k], "", title),
            values,
            getattr(numbers, field),
            numbers.leading,
        )
        ax = panel(
            grid[2, k],
            of_control,
            f"{what}: fraction after the first {numbers.leading}",
        )
        tails = {
            name: getattr(one, field) for name, one in under_controls(numbers, controls).items()
        }
        drawn = draw_under_controls(ax, tails)
    draw_settings_legend(figure, drawn, 0.02)
    return figure


def _distribution(ax: Axes, values: dict[str, FloatArray], what: str) -> None:
    least = min(float(x[x > 0.0].min()) for x in values.values())
    most = max(float(x.max()) for x in values.values())
    bins = np.geomspace(max(least, 1e-3 * most), most * (1.0 + 1e-9), _BINS + 1)
    for k, (name, x) in enumerate(values.items()):
        ax.hist(
            x,
            bins=bins.tolist(),
            histtype="step",
            color=COLORS[k + 1],
            linewidth=1.6 - 0.2 * k,
            label=name,
        )
    ax.set_xscale("log")
    ax.set_xlabel(what, fontsize=7)
    ax.set_ylabel("number", fontsize=7)
    ax.legend(fontsize=7, frameon=False)


def _by_rank(
    ax: Axes, values: dict[str, FloatArray], tails: dict[str, float], leading: int
) -> None:
    for k, (name, x) in enumerate(values.items()):
        draw_curves(
            ax, np.arange(1, len(x) + 1.0), {f"{name}: {tails[name]:.3f}": x[None]}, looks=[k + 1]
        )
    ax.axvline(leading + 0.5, color="#888888", linewidth=0.8)
    ax.set_yscale("log")
    ax.set_xlabel("rank", fontsize=7)
    ax.legend(fontsize=7, frameon=False)
