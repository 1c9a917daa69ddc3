"""Panels of predictive maps, for Figure 1 and for the picture of `hsr demo`."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec

from hsr.paper.maps.summary import MapSummary
from hsr.plots import draw_embedding, draw_matrix, draw_policy, draw_values

_COLUMNS = 8
_TITLES = {
    "RW-SR": "SR of the random walk (RW-SR)",
    "eSR": "expected SR over every goal (eSR)",
    "eHSR": "expected HSR over every goal (eHSR)",
}


def lettered(
    ax: Axes, letter: str, title: str, *, align: str = "center", letter_at: float = -0.09
) -> Axes:
    """Give a panel its title and its letter; `letter_at` is in widths of the panel."""
    if letter:
        ax.set_title(letter, loc="left", fontsize=11, fontweight="bold", x=letter_at)
    if title:
        ax.text(
            0.0 if align == "left" else 0.5, 1.02, title,
            transform=ax.transAxes, ha=align, va="bottom", fontsize=7.5, clip_on=False,
        )  # fmt: skip
    return ax


def draw_map(
    figure: Figure, place: SubplotSpec, letter: str, numbers: MapSummary, key: str
) -> None:
    """Draw one of the three maps as a matrix, with its scale."""
    ax = lettered(figure.add_subplot(place), letter, _TITLES[key])
    image = draw_matrix(ax, numbers.maps[key], numbers.layout.room_of)
    figure.colorbar(image, ax=ax, fraction=0.045, pad=0.02).ax.tick_params(labelsize=6)


def draw_row_of_vectors(
    figure: Figure, place: SubplotSpec, letter: str, numbers: MapSummary
) -> None:
    """Draw the leading eigenvectors of the random walk's SR."""
    row = place.subgridspec(1, _COLUMNS, wspace=0.06)
    for k in range(min(_COLUMNS, numbers.vectors.shape[1])):
        v = numbers.vectors[:, k] / np.abs(numbers.vectors[:, k]).max()
        title = f"v{k + 1} of RW-SR, {numbers.eigenvalues[k]:.2f}"
        ax = lettered(figure.add_subplot(row[k]), letter if k == 0 else "", title)
        draw_values(ax, numbers.layout, v, cmap="PuOr_r", limits=(-1.0, 1.0))


def draw_row_of_options(
    figure: Figure, place: SubplotSpec, letter: str, numbers: MapSummary
) -> None:
    """Draw the first options."""
    row = place.subgridspec(1, _COLUMNS, wspace=0.06)
    for k in range(min(_COLUMNS, len(numbers.options))):
        option = numbers.options[k]
        ax = lettered(
            figure.add_subplot(row[k]),
            letter if k == 0 else "",
            f"{option.name}, ends at disc",
        )
        draw_policy(ax, numbers.layout, option.policy, option.termination == 1.0)


def draw_projections(figure: Figure, place: SubplotSpec, letters: str, numbers: MapSummary) -> None:
    """Draw the rows of each map as points in the plane; one letter may serve several maps."""
    row = place.subgridspec(1, 3, wspace=0.08)
    for k, (key, points) in enumerate(numbers.projections.items()):
        title = f"rows of {key}, t-SNE; colour: room, star: bottleneck"
        ax = lettered(figure.add_subplot(row[k]), letters[k : k + 1], title)
        draw_embedding(ax, points, numbers.layout.room_of)


def draw_row_of_features(
    figure: Figure,
    place: SubplotSpec,
    letter: str,
    numbers: MapSummary,
    kind: str,
    key: str,
    *,
    more: str = "",
    letter_at: float = -0.09,
) -> None:
    """Draw the first components of a basis ("nmf" or "svd"), each over its largest magnitude."""
    features = (numbers.nmf if kind == "nmf" else numbers.svd)[key]
    title = (
        f"NMF components of {key}, strongest first"
        if kind == "nmf"
        else f"singular vectors of {key}, largest first"
    )
    row = place.subgridspec(1, _COLUMNS, wspace=0.06)
    for k in range(min(_COLUMNS, features.shape[1])):
        ax = figure.add_subplot(row[k])
        if k == 0:
            lettered(ax, letter, title + more, align="left", letter_at=letter_at)
        largest = np.abs(features[:, k]).max()
        values = features[:, k] / (largest if largest > 0.0 else 1.0)
        cmap, least = ("PuOr_r", -1.0) if kind == "svd" else ("viridis", 0.0)
        draw_values(ax, numbers.layout, values, cmap=cmap, limits=(least, 1.0))
