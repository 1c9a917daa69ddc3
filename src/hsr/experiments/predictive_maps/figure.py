"""Figure 1, drawn: maps, options, eigenvectors, projections and parts of the four rooms."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec

from hsr._base.arrays import FloatArray
from hsr.experiments.predictive_maps.numbers import Figure1, compute
from hsr.mdp import GridLayout
from hsr.plots import draw_embedding, draw_layout, draw_marks, draw_matrix, draw_policy, draw_values, new_figure, save_figure

_COLUMNS = 8


def draw_demo(out: Path) -> list[Path]:
    """Compute and draw Figure 1 into a folder, as PNG and as SVG; return the paths."""
    figure = draw_figure(compute())
    return [save_figure(figure, Path(out) / f"figure1.{ending}") for ending in ("png", "svg")]


def draw_figure(numbers: Figure1) -> Figure:
    """Return Figure 1 as a matplotlib figure."""
    figure = new_figure(13.0, 15.2)
    grid = GridSpec(
        7, 1, figure, height_ratios=[2.15, 1, 1, 2.15, 1, 1, 1], hspace=0.34, left=0.03, right=0.965, top=0.965, bottom=0.01
    )
    layout, room_of = numbers.layout, numbers.layout.room_of
    top = grid[0].subgridspec(1, 4, wspace=0.12)
    ax = _panel(figure.add_subplot(top[0]), "a", f"{layout.name}: {layout.n_states} states, start and goals")
    draw_layout(ax, layout)
    if layout.start is not None:
        draw_marks(ax, layout, [layout.start], ["S"], color="#0072b2")
    draw_marks(ax, layout, layout.goals, [f"G{k + 1}" for k in range(len(layout.goals))], color="#d55e00")
    titles = {
        "RW-SR": "SR of the random walk (RW-SR)",
        "eSR": "expected SR over every goal (eSR)",
        "eHSR": "expected HSR over every goal (eHSR)",
    }
    for k, (key, M) in enumerate(numbers.maps.items()):
        ax = _panel(figure.add_subplot(top[k + 1]), "bcd"[k], titles[key])
        image = draw_matrix(ax, M, room_of)
        figure.colorbar(image, ax=ax, fraction=0.045, pad=0.02).ax.tick_params(labelsize=6)
    _row_of_vectors(figure, grid[1], numbers)
    _row_of_options(figure, grid[2], numbers)
    middle = grid[3].subgridspec(1, 3, wspace=0.08)
    for k, (key, points) in enumerate(numbers.projections.items()):
        ax = _panel(figure.add_subplot(middle[k]), "ghi"[k], f"rows of {key}, t-SNE; colour: room, star: door")
        draw_embedding(ax, points, room_of)
    _row_of_features(figure, grid[4], layout, "j", "NMF parts of eHSR, strongest first", numbers.nmf["eHSR"], signed=False)
    _row_of_features(figure, grid[5], layout, "k", "NMF parts of RW-SR, strongest first", numbers.nmf["RW-SR"], signed=False)
    _row_of_features(figure, grid[6], layout, "l", "singular vectors of eHSR, largest first", numbers.svd["eHSR"], signed=True)
    return figure


def _row_of_vectors(figure: Figure, place: SubplotSpec, numbers: Figure1) -> None:
    row = place.subgridspec(1, _COLUMNS, wspace=0.06)
    for k in range(_COLUMNS):
        v = numbers.vectors[:, k] / np.abs(numbers.vectors[:, k]).max()
        ax = _panel(figure.add_subplot(row[k]), "e" if k == 0 else "", f"v{k + 1} of RW-SR, {numbers.eigenvalues[k]:.2f}")
        draw_values(ax, numbers.layout, v, cmap="PuOr_r", limits=(-1.0, 1.0))


def _row_of_options(figure: Figure, place: SubplotSpec, numbers: Figure1) -> None:
    row = place.subgridspec(1, _COLUMNS, wspace=0.06)
    for k in range(_COLUMNS):
        option = numbers.options[k]
        ax = _panel(figure.add_subplot(row[k]), "f" if k == 0 else "", f"option {option.name}, stops at disc")
        draw_policy(ax, numbers.layout, option.policy, option.termination == 1.0)


def _row_of_features(
    figure: Figure, place: SubplotSpec, layout: GridLayout, letter: str, title: str, features: FloatArray, *, signed: bool
) -> None:
    row = place.subgridspec(1, _COLUMNS, wspace=0.06)
    for k in range(_COLUMNS):
        ax = _panel(figure.add_subplot(row[k]), letter if k == 0 else "", title if k == 0 else "", align="left")
        values = features[:, k] / np.abs(features[:, k]).max()
        draw_values(ax, layout, values, cmap="PuOr_r" if signed else "viridis", limits=(-1.0 if signed else 0.0, 1.0))


def _panel(ax: Axes, letter: str, title: str, *, align: str = "center") -> Axes:
    if letter:
        ax.set_title(letter, loc="left", fontsize=11, fontweight="bold", x=-0.09)
    if title:
        ax.text(
            0.0 if align == "left" else 0.5, 1.02, title,
            transform=ax.transAxes, ha=align, va="bottom", fontsize=7.5, clip_on=False,
        )  # fmt: skip
    return ax
