"""Figure S6: coverage over time in mazes of each size, and the final coverage by size."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from hsr.paper.exploring import Explored, Key, draw_against_steps, draw_by_size
from hsr.paper.exploring.panels import LOOKS
from hsr.plots import new_figure, panel

COLUMNS = 3


def draw(numbers: Explored, variants: Mapping[str, Explored]) -> Figure:
    """Return the figure: panels of all sizes, and the one that compares them."""
    setting, looks = numbers.setting, list(LOOKS.values())
    n_rows = -(-(len(setting.sizes) + 1) // COLUMNS)
    figure = new_figure(11.0, 3.0 * n_rows + 0.4)
    grid = figure.add_gridspec(
        n_rows, COLUMNS, hspace=0.36, wspace=0.22, left=0.05, right=0.985,
        top=1 - 0.3 / (3.0 * n_rows + 0.4), bottom=0.75 / (3.0 * n_rows + 0.4),
    )  # fmt: skip
    for k, size in enumerate(setting.sizes):
        ax = panel(grid[divmod(k, COLUMNS)], "ab"[k] if k < 2 else "", f"{size} × {size}")
        curves = {name: numbers.coverage(Key(name, size)) for name in LOOKS}
        lines = draw_against_steps(ax, numbers.times, curves, looks=looks)
        ax.set_ylabel("states visited", fontsize=7)
    place = grid[divmod(len(setting.sizes), COLUMNS)]
    ax = panel(place, "c", f"coverage after {setting.steps:,} steps")
    final = {
        name: np.stack([numbers.coverage(Key(name, n))[..., -1] for n in setting.sizes], 2)
        for name in LOOKS
    }
    draw_by_size(ax, setting.sizes, final, looks)
    ax.set_ylabel("states visited", fontsize=7)
    figure.legend(
        lines, list(LOOKS), fontsize=8, frameon=False, ncols=5, loc="lower center", handlelength=3
    )
    return figure
