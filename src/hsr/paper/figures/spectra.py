"""Figure S5."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hsr._base.arrays import FloatArray
from hsr.paper.maps.summary import MAPS
from hsr.plots import COLORS, new_figure, panel

_BINS, _SMALLEST = 20, 1e-3  # smallest value that is shown, relative to the largest


def draw(numbers: Any, variants: Mapping[str, Any]) -> Figure:
    """Return the figure."""
    figure = new_figure(10.0, 3.8)
    grid = figure.add_gridspec(1, 2, wspace=0.2, left=0.06, right=0.985, top=0.92, bottom=0.13)
    eigenvalues, norms = numbers.spectra["eigenvalues"], numbers.spectra["norms"]
    _distribution(panel(grid[0], "a", "eigenvalues of maps"), eigenvalues, "magnitude")
    _distribution(panel(grid[1], "b", "NMF parts"), norms, "norm")
    return figure


def _distribution(ax: Axes, spectra: FloatArray, words: str) -> None:
    largest = float(spectra.max())
    least = max(float(spectra.min()), _SMALLEST * largest)
    bins = np.geomspace(least * (1.0 - 1e-9), largest * (1.0 + 1e-9), _BINS + 1).tolist()
    for k, (name, values) in enumerate(zip(MAPS, spectra, strict=True)):
        ax.hist(
            values, bins=bins, histtype="step", color=COLORS[k + 1], linewidth=2.0 - 0.4 * k,
            label=name,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlabel(words, fontsize=8)
    ax.set_ylabel("number", fontsize=8)
    ax.margins(y=0.22)  # room for the legend above the bars
    ax.legend(fontsize=8, frameon=False, loc="upper center", ncols=3)
