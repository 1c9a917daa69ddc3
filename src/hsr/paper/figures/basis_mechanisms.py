"""Figure 4."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from hsr._base.arrays import FloatArray
from hsr.plots import COLORS, draw_curves, draw_layout, draw_marks, new_figure, panel

_NAMES = ("eSR-SVD", "eSR-NMF", "HSR-SVD", "HSR-NMF")
_GREY = "#666666"


def draw(numbers: Any, variants: Mapping[str, Any]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 6.2)
    rows = figure.add_gridspec(2, 1, hspace=0.42, left=0.055, right=0.93, top=0.95, bottom=0.08)
    top = rows[0].subgridspec(1, 5, wspace=0.24)
    _walk(panel(top[0], "a", "walk"), numbers)
    for k, name in enumerate(_NAMES):
        ax = panel(top[k + 1], "" if k else "b", name)
        image = _trace(ax, numbers.traces[k], numbers.layout.room_of[numbers.walk])
        if k == 0:
            ax.set_ylabel("component", fontsize=8, labelpad=1)
    box = top[4].get_position(figure)
    bar = figure.colorbar(image, cax=figure.add_axes((0.94, box.y0, 0.008, box.height)))
    bar.ax.tick_params(labelsize=7)
    below = rows[1].subgridspec(1, 3, wspace=0.22)
    _curves(panel(below[0], "c", "error of the map"), numbers, "error", "relative squared error")
    _curves(panel(below[1], "d", "fit of optimal values"), numbers, "fit", "R2")
    _bottlenecks(panel(below[2], "e", "activation at doors"), numbers.measured["bottleneck"])
    return figure


def _walk(ax: Axes, numbers: Any) -> None:
    layout, cells = numbers.layout, numbers.layout.cells[numbers.walk]
    draw_layout(ax, layout)
    ax.plot(cells[:, 1], cells[:, 0], color=COLORS[2], linewidth=1.6)
    ax.scatter(cells[:1, 1], cells[:1, 0], color=COLORS[3], s=30, zorder=3)
    corners = [int(states[0]) for states in layout.rooms]
    names = [str(room + 1) for room in range(len(corners))]
    draw_marks(ax, layout, corners, names, color=_GREY)


def _trace(ax: Axes, trace: FloatArray, rooms: FloatArray) -> AxesImage:
    """Draw components by the step of their peak; below, the room of each part of the walk."""
    order = np.argsort(np.abs(trace).argmax(axis=0), kind="stable")
    image = ax.imshow(
        trace[:, order].T, cmap="PuOr_r", vmin=-1.0, vmax=1.0, aspect="auto",
        interpolation="nearest",
    )  # fmt: skip
    cuts = np.flatnonzero(np.diff(rooms))
    for cut in cuts:
        ax.axvline(cut + 0.5, color=_GREY, linestyle=":", linewidth=0.6)
    for steps in np.split(np.arange(len(rooms)), cuts + 1):
        if rooms[steps[0]] >= 0:  # not a door
            ax.text(
                float(steps.mean()), -0.14, str(rooms[steps[0]] + 1), ha="center", fontsize=8,
                color=_GREY, transform=ax.get_xaxis_transform(),
            )  # fmt: skip
    ax.set_xlabel("step", fontsize=8, labelpad=13)
    return image


def _curves(ax: Axes, numbers: Any, which: str, words: str) -> None:
    values = numbers.measured[which]
    shown = numbers.components < numbers.layout.n_states if which == "error" else slice(None)
    curves = {name: values[:, k, shown] for k, name in enumerate(_NAMES)}
    draw_curves(ax, numbers.components[shown].astype(float), curves, looks=range(1, 5))
    ax.set_xscale("log", base=2)
    ax.set_xticks(numbers.components, [str(k) for k in numbers.components])
    ax.set_xlabel("components", fontsize=8)
    ax.set_ylabel(words, fontsize=8)
    if which == "error":
        ax.set_yscale("log")
        ax.tick_params(which="minor", axis="y", labelsize=7)
        ax.legend(fontsize=8, frameon=False)


def _bottlenecks(ax: Axes, values: FloatArray) -> None:
    rng = np.random.default_rng(0)
    for k in range(len(_NAMES)):
        x = values[:, k]
        ax.bar(k, x.mean(), width=0.7, color=COLORS[k + 1], alpha=0.5)
        ax.scatter(k + rng.uniform(-0.25, 0.25, len(x)), x, s=8, color="black", linewidths=0)
    ax.axhline(1.0, color=_GREY, linewidth=0.8, linestyle="--")
    ax.set_xticks(range(len(_NAMES)), _NAMES)
    ax.set_ylabel("doors / elsewhere", fontsize=8)
