"""Figure 3: how agents learn with rows, singular vectors and NMF parts of three maps."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hsr.paper.transfer import Learning, TransferNumbers
from hsr.paper.transfer.panels import draw_episodes, draw_steps, one_scale
from hsr.plots import new_figure, panel

BASELINE = "one-hot"
MAPS = ("RW-SR", "eSR", "eHSR")
KINDS = {"rows": 1, "SVD": 2, "NMF": 3}  # with their colours


def draw(numbers: TransferNumbers, variants: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure."""
    learned = numbers.learned
    figure = new_figure(13.0, 7.0)
    grid = figure.add_gridspec(
        2, 4, width_ratios=[1, 1, 1, 1.15], hspace=0.36, wspace=0.24,
        left=0.05, right=0.985, top=0.95, bottom=0.075,
    )  # fmt: skip
    curves = [
        panel(grid[0, k], "" if k else "a", f"features of the {name}")
        for k, name in enumerate(MAPS)
    ]
    for ax, name in zip(curves, MAPS, strict=True):
        some = {BASELINE: BASELINE} | {f"{name} {kind}": kind for kind in KINDS}
        looks = [0, *KINDS.values()]
        draw_steps(ax, learned.only(some).steps, learned.optimal, looks=looks, columns=2)
    one_scale(curves)
    bases = [f"{name} {kind}" for name in MAPS for kind in ("SVD", "NMF")]
    _bars(panel(grid[0, 3], "", "low-dimensional bases"), learned, bases)
    ax = panel(grid[1, :], "b", "all features")
    _bars(ax, learned, [name for name in learned.steps if name != BASELINE])
    n = learned.episodes[BASELINE][learned.counted(0), :, 0].mean(axis=1)
    mean, error = n.mean(), n.std(ddof=1) / np.sqrt(len(n))
    ax.axhspan(mean - error, mean + error, color="#888888", alpha=0.3, linewidth=0)
    ax.axhline(mean, color="#666666", linestyle="--", linewidth=1.2, label=BASELINE)
    ax.legend(fontsize=8, frameon=False, loc="upper left")
    return figure


def _bars(ax: Axes, learned: Learning, agents: Sequence[str]) -> None:
    looks = [KINDS.get(name.split(" ")[-1], len(KINDS) + 1) for name in agents]
    draw_episodes(ax, learned.only({name: name.replace(" ", "\n") for name in agents}), looks=looks)
    ax.set_ylim(0.0, 1.12 * learned.steps[BASELINE].shape[-1])
