"""Figures 1 and S1, and the picture of `hsr demo`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase
from matplotlib.gridspec import SubplotSpec

from hsr.paper.maps.measures import normalised
from hsr.paper.maps.summary import MAPS, MapSummary, regimes
from hsr.plots import (
    draw_embedding,
    draw_layout,
    draw_matrix,
    draw_policy,
    draw_values,
    new_figure,
    panel,
)

WIDTH, HEIGHT, HEIGHT_OF_S1 = 13.0, 9.6, 7.4
_BOXES = {  # words, and their place in the panel
    "walk": ("random walk", 0.06, 0.78),
    "rw_sr": ("RW-SR (c)", 0.22, 0.78),
    "vectors": ("eigenvectors,\noptions (d)", 0.39, 0.78),
    "hsr": ("HSR of a plan\nfor each goal", 0.58, 0.78),
    "ehsr": ("mean:\neHSR (f)", 0.76, 0.78),
    "goals": ("goals (b)", 0.39, 0.2),
    "sr": ("SR of a policy\nfor each goal", 0.58, 0.2),
    "esr": ("mean:\neSR (e)", 0.76, 0.2),
    "nmf": ("NMF\n(h, j)", 0.93, 0.78),
    "svd": ("SVD\n(i)", 0.93, 0.2),
}
_ARROWS = (
    ("walk", "rw_sr"), ("rw_sr", "vectors"), ("vectors", "hsr"), ("hsr", "ehsr"),
    ("goals", "hsr"), ("goals", "sr"), ("sr", "esr"),
    ("ehsr", "nmf"), ("ehsr", "svd"), ("esr", "nmf"), ("esr", "svd"),
)  # fmt: skip


def draw(numbers: Any, variants: Mapping[str, Any]) -> Figure:
    """Return Figure 1, with Figure S1 below it."""
    figure = new_figure(WIDTH, HEIGHT + HEIGHT_OF_S1)
    halves = figure.add_gridspec(2, 1, height_ratios=[HEIGHT, HEIGHT_OF_S1])
    _figure_1(figure.add_subfigure(halves[0]), numbers.pictures)
    _figure_s1(figure.add_subfigure(halves[1]), numbers.pictures)
    return figure


def draw_maps(numbers: MapSummary) -> Figure:
    """Return Figure 1 alone, of any maze."""
    figure = new_figure(WIDTH, HEIGHT)
    _figure_1(figure, numbers)
    return figure


def _figure_1(figure: FigureBase, numbers: MapSummary) -> None:
    rows = figure.add_gridspec(
        4, 1, height_ratios=[0.85, 1.6, 1.35, 1.35], hspace=0.2,
        left=0.02, right=0.965, top=0.965, bottom=0.015,
    )  # fmt: skip
    first = rows[0].subgridspec(1, 2, width_ratios=[1.25, 1], wspace=0.06)
    _schematic(panel(first[0], "a", "from the random walk to features"))
    _regimes(figure, first[1], numbers)
    second = rows[1].subgridspec(1, 4, width_ratios=[1, 1.8, 1, 1], wspace=0.22)
    _map(figure, second[0], "c", numbers, "RW-SR")
    _options(figure, second[1], "d", numbers, 4)
    _map(figure, second[2], "e", numbers, "eSR")
    _map(figure, second[3], "f", numbers, "eHSR")
    third = rows[2].subgridspec(1, 2, wspace=0.06)
    _projections(figure, third[0], numbers)
    _features(figure, third[1], "h", numbers, "eHSR", "nmf", (2, 4))
    fourth = rows[3].subgridspec(1, 2, wspace=0.06)
    _features(figure, fourth[0], "i", numbers, "eSR", "svd", (2, 4))
    _features(figure, fourth[1], "j", numbers, "RW-SR", "nmf", (2, 4))


def _figure_s1(figure: FigureBase, numbers: MapSummary) -> None:
    rows = figure.add_gridspec(
        4, 1, height_ratios=[2.2, 1, 1, 1], hspace=0.22,
        left=0.02, right=0.985, top=0.96, bottom=0.015,
    )  # fmt: skip
    _options(figure, rows[0], "S1a", numbers, 8)
    for k, name in enumerate(MAPS):
        row = rows[k + 1].subgridspec(1, 2, wspace=0.06)
        for place, kind in enumerate(("svd", "nmf")):
            letter = "" if k or place else "S1b"
            _features(figure, row[place], letter, numbers, name, kind, (1, 6))


def _schematic(ax: Axes) -> None:
    ax.set_axis_off()
    look = {"boxstyle": "round,pad=0.4", "facecolor": "#f2f2f2", "edgecolor": "#888888"}
    boxes = {
        name: ax.text(
            x, y, words, ha="center", va="center", fontsize=8, bbox=look, transform=ax.transAxes
        )
        for name, (words, x, y) in _BOXES.items()
    }
    for one, other in _ARROWS:
        ends = {"patchA": boxes[one].get_bbox_patch(), "patchB": boxes[other].get_bbox_patch()}
        ax.annotate(
            "", _BOXES[other][1:], _BOXES[one][1:], xycoords="axes fraction",
            textcoords="axes fraction", arrowprops={"arrowstyle": "->", "color": "#555555", **ends},
        )  # fmt: skip


def _regimes(figure: FigureBase, place: SubplotSpec, numbers: MapSummary) -> None:
    found = regimes(numbers.layout)
    cells = place.subgridspec(1, len(found), wspace=0.06)
    for k, (words, goals) in enumerate(found.items()):
        ax = panel(figure.add_subplot(cells[k]), "" if k else "b", words)
        draw_layout(ax, numbers.layout)
        at = numbers.layout.cells[goals]
        ax.scatter(at[:, 1], at[:, 0], s=4, color="#d55e00", linewidths=0)


def _map(
    figure: FigureBase, place: SubplotSpec, letter: str, numbers: MapSummary, name: str
) -> None:
    ax = panel(figure.add_subplot(place), letter, name)
    M = numbers.maps[list(MAPS).index(name)]
    image = draw_matrix(ax, M - np.diag(np.diag(M)), numbers.layout.room_of)
    figure.colorbar(image, ax=ax, fraction=0.045, pad=0.02).ax.tick_params(labelsize=7)


def _options(
    figure: FigureBase, place: SubplotSpec, letter: str, numbers: MapSummary, n: int
) -> None:
    """Draw the leading eigenvectors, and the policies of their options below."""
    cells = place.subgridspec(2, n, wspace=0.06, hspace=0.06)
    for k in range(min(n, numbers.vectors.shape[1])):
        words = f"$\\lambda$ = {numbers.eigenvalues[k]:.2f}"
        ax = panel(figure.add_subplot(cells[0, k]), "" if k else letter, words)
        values = normalised(numbers.vectors)[:, k]
        draw_values(ax, numbers.layout, values, cmap="PuOr_r", limits=(-1.0, 1.0))
    for k in range(min(n, len(numbers.policy))):
        ax = figure.add_subplot(cells[1, k])
        draw_policy(ax, numbers.layout, numbers.policy[k], numbers.termination[k] == 1.0)


def _projections(figure: FigureBase, place: SubplotSpec, numbers: MapSummary) -> None:
    cells = place.subgridspec(1, len(MAPS), wspace=0.06)
    for k, name in enumerate(MAPS):
        ax = panel(figure.add_subplot(cells[k]), "" if k else "g", f"rows of {name}, t-SNE")
        draw_embedding(ax, numbers.projections[k], numbers.layout.room_of)


def _features(
    figure: FigureBase,
    place: SubplotSpec,
    letter: str,
    numbers: MapSummary,
    name: str,
    kind: str,
    shape: tuple[int, int],
) -> None:
    """Draw the strongest components of a basis, "nmf" or "svd", each over its largest magnitude."""
    features = normalised(getattr(numbers, kind)[list(MAPS).index(name)])
    cmap, least = ("PuOr_r", -1.0) if kind == "svd" else ("viridis", 0.0)
    cells = place.subgridspec(*shape, wspace=0.06, hspace=0.06)
    for k in range(min(shape[0] * shape[1], features.shape[1])):
        ax = figure.add_subplot(cells[divmod(k, shape[1])])
        if k == 0:
            panel(ax, letter, f"{'NMF parts' if kind == 'nmf' else 'singular vectors'} of {name}")
        draw_values(ax, numbers.layout, features[:, k], cmap=cmap, limits=(least, 1.0))
