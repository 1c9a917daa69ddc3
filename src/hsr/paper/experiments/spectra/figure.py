"""Figure S5, drawn from the numbers of `analysis`, with what worlds and controls say."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.contrast import Measure
from hsr.paper.experiments.spectra.analysis import Numbers, contrasts
from hsr.paper.maps.claim_panels import draw_claims
from hsr.plots import COLORS, draw_curves, new_figure, panel
from hsr.toolkit import FloatArray

CAPTION = """
**a** Magnitudes of the eigenvalues of the SR of the random walk (RW-SR), the expected SR (eSR)
and the expected HSR (eHSR): their distribution in a world on average, and below it the same values
from the largest to the smallest, the median world with the middle half of worlds. Worlds differ in
the signs of the eigenvectors that options climb, and only eHSR depends on them. **b** The same for
the norms of the non-negative parts (NMF). The tail of a map is the fraction of the sum after the
leading values, on the right of the line. Its mean over worlds follows the name of the map. **c**
What the claim compares, one point per world: the tail of eHSR minus that of another map, over the
largest such difference of any world, with the mean and its 95 % interval. **d** Share of single
worlds in which the tail of eHSR is the longer one. **e** The means of c under each control:
stopping states counted twice, and options preferred among equally good plans. Both change the
expected HSR only.
"""
_BINS = 24


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure: distributions, the same values by rank, and what worlds say."""
    figure = new_figure(11.0, 10.6)
    grid = GridSpec(
        2, 2, figure, hspace=0.3, wspace=0.16, left=0.06, right=0.985, top=0.965, bottom=0.365
    )
    panels = (
        ("a", "magnitude of the eigenvalues", numbers.eigenvalues, numbers.eigenvalue_tails),
        ("b", "norm of the NMF components", numbers.norms, numbers.norm_tails),
    )
    for k, (letter, what, values, tails) in enumerate(panels):
        _distribution(panel(grid[0, k], letter, f"{what}: distribution"), values, what)
        title = f"by rank; mean fraction after the first {numbers.leading}"
        _by_rank(panel(grid[1, k], "", title), values, tails, numbers.leading)
    row = GridSpec(1, 3, figure, wspace=0.12, left=0.2, right=0.985, top=0.28, bottom=0.075)
    draw_claims(
        (row[0], row[1], row[2]),
        "cde",
        contrasts(numbers),
        {name: contrasts(control) for name, control in controls.items()},
    )
    return figure


def _distribution(ax: Axes, values: dict[str, FloatArray], what: str) -> None:
    least = min(float(x[x > 0.0].min()) for x in values.values())
    most = max(float(x.max()) for x in values.values())
    bins = np.geomspace(max(least, 1e-3 * most), most * (1.0 + 1e-9), _BINS + 1)
    for k, (name, x) in enumerate(values.items()):
        ax.hist(
            x.ravel(),
            bins=bins.tolist(),
            weights=np.full(x.size, 1.0 / len(x)),
            histtype="step",
            color=COLORS[k + 1],
            linewidth=1.6 - 0.2 * k,
            label=name,
        )
    ax.set_xscale("log")
    ax.set_xlabel(what, fontsize=7)
    ax.set_ylabel("number in a world", fontsize=7)
    ax.legend(fontsize=7, frameon=False)


def _by_rank(
    ax: Axes, values: dict[str, FloatArray], tails: dict[str, Measure], leading: int
) -> None:
    for k, (name, x) in enumerate(values.items()):
        label = f"{name}: {tails[name].values.mean():.3f}"
        ranks = np.arange(1, x.shape[1] + 1.0)
        draw_curves(ax, ranks, {label: x}, looks=[k + 1], band="quartiles")
    ax.axvline(leading + 0.5, color="#888888", linewidth=0.8)
    ax.set_yscale("log")
    ax.set_xlabel("rank", fontsize=7)
    ax.legend(fontsize=7, frameon=False)
