"""Panels about what the claims on maps compare: every world, single worlds, and the controls.

Nothing in a world is random, so that worlds differ little and standardised effects are huge. These
panels therefore show differences in their own units, over the largest of any world of the ledger.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.gridspec import SubplotSpec

from hsr.paper.contrast import Contrast
from hsr.paper.control_panels import LEDGER, draw_under_controls
from hsr.paper.world_panels import draw_single_worlds, label_of, world_differences
from hsr.plots import panel
from hsr.toolkit import FloatArray

_X = "difference over the largest of any world"


def draw_claims(
    places: Sequence[SubplotSpec],
    letters: Sequence[str],
    contrasts: Sequence[Contrast],
    controls: Mapping[str, Sequence[Contrast]],
) -> None:
    """Draw what worlds say about each comparison, in three places of a figure side by side.

    The first place has every world as a point, with the mean and its 95 % interval. The second has
    the shares of single worlds, the third the mean and interval of the ledger and the controls.
    """
    differences = [_signed(one) for one in contrasts]
    units = [float(np.abs(d).max()) or 1.0 for d in differences]
    title = "every world, mean and 95 % interval"
    _points(places[0], letters[0], title, contrasts, differences, units)
    ax = panel(places[1], letters[1], "single worlds")
    draw_single_worlds(ax, contrasts, labels=False)
    legend = ax.get_legend()
    assert legend is not None
    _legend_below(ax, places[1], legend.legend_handles, 3)
    if controls:
        _controls(places[2], letters[2], {LEDGER: contrasts} | dict(controls), units)


def _points(
    place: SubplotSpec,
    letter: str,
    title: str,
    contrasts: Sequence[Contrast],
    differences: Sequence[FloatArray],
    units: Sequence[float],
) -> None:
    ax, rng, widest = panel(place, letter, title), np.random.default_rng(0), 1.0
    for y, (contrast, d, unit) in enumerate(zip(contrasts, differences, units, strict=True)):
        jitter = rng.uniform(-0.28, 0.28, len(d))
        ax.scatter(d / unit, y + jitter, s=6, color="#0072b2", alpha=0.35, linewidths=0)
        mean, low, high = (end / unit for end in _interval(contrast))
        widest = max(widest, -low, high)
        ax.plot([low, high], [y, y], color="black", linewidth=2.2, zorder=3)
        ax.scatter([mean], [y], s=22, color="white", edgecolor="black", linewidths=1.1, zorder=4)
    labels = [label_of(one, one.evidence()) for one in contrasts]
    ax.set_yticks(range(len(labels)), labels, fontsize=6)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    for y in range(1, len(labels)):
        ax.axhline(y - 0.5, color="#eeeeee", linewidth=0.6, zorder=0)
    ax.axvline(0.0, color="#888888", linewidth=0.8, zorder=0)
    ax.set_xlim(-1.08 * widest, 1.08 * widest)
    ax.locator_params(axis="x", nbins=5)
    ax.set_xlabel(_X, fontsize=7)


def _controls(
    place: SubplotSpec,
    letter: str,
    by_setting: Mapping[str, Sequence[Contrast]],
    units: Sequence[float],
) -> None:
    values: dict[str, dict[str, float]] = {}
    ends: dict[str, dict[str, tuple[float, float]]] = {}
    for name, contrasts in by_setting.items():
        found = [_interval(one) for one in contrasts]
        rows = list(zip(map(str, range(len(found))), found, units, strict=True))
        values[name] = {row: mean / unit for row, (mean, _, _), unit in rows}
        ends[name] = {row: (low / unit, high / unit) for row, (_, low, high), unit in rows}
    ax = panel(place, letter, "mean and 95 % interval, under controls")
    draw_under_controls(ax, values, ends, line=0.0)
    ax.set_yticklabels([])
    ax.tick_params(axis="y", length=0)
    _legend_below(ax, place, ax.get_legend_handles_labels()[0], 2)
    ax.set_xlabel(_X, fontsize=7)


def _legend_below(ax: Axes, place: SubplotSpec, handles: Sequence[Any], columns: int) -> None:
    """Draw a legend under the axis, 0.42 inches below the panel."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    height = place.get_position(figure).height * figure.get_figheight()
    ax.legend(
        handles=handles,
        fontsize=6.5,
        frameon=False,
        ncols=columns,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.42 / height),
    )


def _signed(contrast: Contrast) -> FloatArray:
    return (contrast.predicted or 1) * world_differences(contrast, contrast.evidence())


def _interval(contrast: Contrast) -> tuple[float, float, float]:
    """Return the mean difference on the claimed side and the ends of its 95 % interval."""
    judged, sign = contrast.evidence().judged, contrast.predicted or 1
    assert judged is not None
    low, high = sorted(sign * end for end in judged.difference_interval)
    return sign * judged.difference, low, high
