"""Figure 2a-h: learning curves, transfer efficiency, and the stability of maps."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec

from hsr.paper.transfer import ROWS, SIZES, TransferNumbers
from hsr.paper.transfer.panels import (
    draw_bars,
    draw_efficiency,
    draw_episodes,
    draw_steps,
    draw_task,
    looks_of,
)
from hsr.plots import draw_curves, draw_matrix, new_figure, panel


def draw(numbers: TransferNumbers, variants: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure, of the setting alone."""
    figure = new_figure(13.0, 6.8)
    rows = figure.add_gridspec(2, 1, hspace=0.4, left=0.03, right=0.985, top=0.95, bottom=0.08)
    learned = numbers.learned.only(tuple(ROWS))
    row = rows[0].subgridspec(1, 4, width_ratios=[2.6, 4.6, 3.6, 1.9], wspace=0.26)
    draw_task(panel(row[0], "a", "start and goals"), learned)
    ax = panel(row[1], "b", "steps to the goal")
    draw_steps(ax, learned.steps, learned.optimal, columns=2)
    draw_episodes(panel(row[2], "c", "episodes to the criterion"), learned)
    draw_efficiency(panel(row[3], "d", "transfer efficiency"), learned, list(numbers.maps))
    row = rows[1].subgridspec(1, 4, width_ratios=[4.2, 4.2, 1.7, 4.4], wspace=0.26)
    for k, name in enumerate(numbers.maps):
        _maps(row[k], "ef"[k], name, numbers)
    ax = panel(row[2], "g", "change of the map")
    draw_bars(ax, {name: one["change"].mean(axis=1) for name, one in numbers.maps.items()})
    ax.set_ylabel("relative change from G1 to G2", fontsize=8)
    _fits(row[3], numbers)
    return figure


def _maps(place: SubplotSpec, letter: str, name: str, numbers: TransferNumbers) -> None:
    """Draw the map of one seed after each goal, without its diagonal."""
    room_of = numbers.learned.layout.room_of
    cells = place.subgridspec(1, 2, wspace=0.08)
    for k in (0, 1):
        ax = panel(cells[k], "" if k else letter, f"{name.removesuffix(' rows')} after G{k + 1}")
        if "maps" in numbers.maps[name]:
            M = numbers.maps[name]["maps"][k]
            draw_matrix(ax, M * (1.0 - np.eye(len(M))), room_of)
        else:
            ax.set_axis_off()


def _fits(place: SubplotSpec, numbers: TransferNumbers) -> None:
    """Draw the fit of the values of each goal over basis sizes."""
    cells = place.subgridspec(1, 2, wspace=0.3)
    for k in (0, 1):
        ax = panel(cells[k], "" if k else "h", f"fit of v* of G{k + 1}")
        fits = {name: one["fits"][:, :, k].mean(axis=1) for name, one in numbers.maps.items()}
        draw_curves(ax, SIZES, fits, looks=looks_of(fits))
        ax.set_xscale("log", base=2)
        ax.set_xlabel("vectors of the map after G1", fontsize=8)
        if k == 0:
            ax.set_ylabel("R2", fontsize=8)
            ax.legend(fontsize=7, frameon=False)
