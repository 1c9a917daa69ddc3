"""Panels that compare the ledger with its controls.

Colours stand for agents and features in every figure. Settings therefore have markers in black and
grey, with a black disc for the ledger.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from hsr.paper.stats import Comparison

LEDGER = "ledger"  # name of the setting that is no control
_MARKERS = ("o", "s", "^", "D", "v", "P")
_SHADES = ("#000000", "#777777")

T = TypeVar("T")


def under_controls(of_ledger: T, of_controls: Mapping[str, T]) -> dict[str, T]:
    """Return values by the name of the setting, that of the ledger first."""
    return {LEDGER: of_ledger, **of_controls}


def draw_under_controls(
    ax: Axes,
    values: Mapping[str, Mapping[str, float]],
    ends: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
    *,
    line: float | None = None,
) -> list[ErrorbarContainer]:
    """Draw values by setting and label, with intervals; labels go from top to bottom.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    values : mapping of str to mapping of str to float
        Values by setting, then by label.
    ends : mapping of str to mapping of str to (low, high), optional
        Ends of the intervals.
    line : float, optional
        Where to draw a vertical line, such as that of no difference.
    """
    words = list(next(iter(values.values())))
    drawn = []
    for k, (name, of_setting) in enumerate(values.items()):
        shift = 0.5 * ((k + 0.5) / len(values) - 0.5)
        x = [of_setting[word] for word in words]
        error = None if ends is None else _errors(x, [ends[name][word] for word in words])
        drawn.append(
            ax.errorbar(
                x,
                [place + shift for place in range(len(words))],
                xerr=error,
                color=_SHADES[min(k, 1)],
                marker=_MARKERS[k % len(_MARKERS)],
                markersize=4.5,
                markerfacecolor="white" if k else _SHADES[0],
                linestyle="none",
                linewidth=1.0,
                label=name,
            )
        )
    ax.set_yticks(range(len(words)), words)
    ax.set_ylim(len(words) - 0.5, -0.5)
    ax.tick_params(labelsize=7)
    ax.locator_params(axis="x", nbins=4)
    for place in range(1, len(words)):
        ax.axhline(place - 0.5, color="#dddddd", linewidth=0.6, zorder=0)
    if line is not None:
        ax.axvline(line, color="#888888", linewidth=0.8, zorder=0)
    return drawn


def draw_differences(
    ax: Axes, compared: Mapping[str, Mapping[str, Comparison]], unit: str = ""
) -> list[ErrorbarContainer]:
    """Draw differences with their 95 % intervals; the line marks no difference.

    Comparisons are by the name of the setting, then by what is compared.
    """
    values = {
        name: {words: one.difference for words, one in found.items()}
        for name, found in compared.items()
    }
    ends = {
        name: {words: one.difference_interval for words, one in found.items()}
        for name, found in compared.items()
    }
    ax.set_xlabel(unit, fontsize=7)
    return draw_under_controls(ax, values, ends, line=0.0)


def draw_settings_legend(figure: Figure, drawn: Sequence[ErrorbarContainer], y: float) -> None:
    """Draw a legend of the settings; `y` is its height in units of the figure."""
    handles: Sequence[Any] = drawn  # containers, which matplotlib's own types leave out
    words = [
        "as in the ledger" if one.get_label() == LEDGER else f"control: {one.get_label()}"
        for one in drawn
    ]
    figure.legend(
        handles,
        words,
        fontsize=7.5,
        frameon=False,
        ncols=len(drawn),
        loc="center",
        bbox_to_anchor=(0.5, y),
    )


def _errors(values: Sequence[float], ends: Sequence[tuple[float, float]]) -> list[list[float]]:
    return [
        [value - low for value, (low, _) in zip(values, ends, strict=True)],
        [high - value for value, (_, high) in zip(values, ends, strict=True)],
    ]
