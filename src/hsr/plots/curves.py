"""Curves with their uncertainty, and groups of points with their means.

Colours, dashes and markers differ, so that curves can be distinguished in grey, too.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError

COLORS = ("#000000", "#e69f00", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#8c8c00")
"""Eight colours that remain distinct for readers with colour-vision deficiency, black first."""
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (4, 1, 1, 1)),
    (0, (8, 2)),
    (0, (2, 2)),
    (0, (6, 1, 1, 1, 1, 1)),
    "--",
)
_MARKERS = ("o", "s", "^", "D", "v", "h", "p", "*")


def draw_curves(
    ax: Axes,
    x: FloatArray | Sequence[float],
    curves: Mapping[str, np.ndarray],
    *,
    looks: Sequence[int] | None = None,
    band: str = "error",
) -> list[Line2D]:
    """Draw the mean over a sample of each curve, with a band around it.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    x : array or range of length n
        Positions on the horizontal axis.
    curves : mapping from str to array of shape (sample, n) or (sample, ..., n)
        The values of each curve, one row per seed or world, by the name that the legend shows.
        Several axes are drawn one after another, so that ``run.steps`` (seed, task, episode) is a
        curve over the episodes of all tasks.
    looks : sequence of int, optional
        Number of the colour and dash of each curve, so that one agent looks the same in every
        panel. 0, 1, ... by default.
    band : {"error", "quartiles"}
        One standard error of the mean to each side, or the median with the middle half of the
        sample.

    Returns
    -------
    list of matplotlib Line2D
        The means, or the medians.

    Raises
    ------
    InputError
        If `x` and a curve have different lengths.

    Examples
    --------
    >>> import numpy as np
    >>> from hsr.plots import new_figure
    >>> ax = new_figure(3.0, 2.0).subplots()
    >>> lines = draw_curves(ax, np.arange(5), {"hsr": np.ones((3, 5)), "sr": np.zeros((3, 5))})
    >>> [line.get_label() for line in lines]
    ['hsr', 'sr']
    """
    lines = []
    for k, (name, values) in zip(
        range(len(curves)) if looks is None else looks, curves.items(), strict=True
    ):
        color, dashes = COLORS[k % len(COLORS)], _DASHES[k % len(_DASHES)]
        low, middle, high = _BANDS[band](values.reshape(len(values), -1))
        if len(middle) != len(x):
            raise InputError(
                f"x has {len(x)} positions, and the curve {name!r} {len(middle)} values"
            )
        lines += ax.plot(x, middle, color=color, linestyle=dashes, linewidth=1.3, label=name)
        ax.fill_between(x, low, high, color=color, alpha=0.18, linewidth=0)
    return lines


def _standard_error(values: np.ndarray) -> tuple[FloatArray, FloatArray, FloatArray]:
    mean = values.mean(axis=0)
    n = len(values)
    error = values.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.zeros_like(mean)
    return mean - error, mean, mean + error


def _quartiles(values: np.ndarray) -> tuple[FloatArray, FloatArray, FloatArray]:
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), axis=0)
    return low, middle, high


_BANDS = {"error": _standard_error, "quartiles": _quartiles}


def draw_groups(
    ax: Axes,
    groups: Mapping[str, np.ndarray],
    *,
    intervals: Sequence[tuple[float, float]],
    looks: Sequence[int] | None = None,
) -> list[ErrorbarContainer]:
    """Draw the values of each group as points, next to their mean with its interval.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    groups : mapping from str to array of shape (seed,)
        The values of each group, by the name that the axis shows.
    intervals : sequence of (low, high)
        Interval of the mean of each group.
    looks : sequence of int, optional
        Number of the colour and marker of each group, as in `draw_curves`.

    Returns
    -------
    list of matplotlib ErrorbarContainer
        Means and intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from hsr.plots import new_figure
    >>> ax = new_figure(3.0, 2.0).subplots()
    >>> len(draw_groups(ax, {"hsr": np.array([1.0, 2.0])}, intervals=[(1.0, 2.0)]))
    1
    """
    bars = []
    numbers = range(len(groups)) if looks is None else looks
    for place, (look, values, (low, high)) in enumerate(
        zip(numbers, groups.values(), intervals, strict=True)
    ):
        color, marker = COLORS[look % len(COLORS)], _MARKERS[look % len(_MARKERS)]
        places = place - 0.16 + 0.18 * np.linspace(-0.5, 0.5, len(values))
        ax.scatter(
            places, np.sort(values), s=7, color=color, alpha=0.45, marker=marker, linewidths=0
        )
        mean = float(values.mean())
        error = [[mean - low], [high - mean]]
        bars.append(
            ax.errorbar(
                place + 0.16, mean, yerr=error, color=color, marker=marker, markersize=5, capsize=3
            )
        )
    ax.set_xticks(range(len(groups)), list(groups))
    ax.set_xlim(-0.6, len(groups) - 0.4)
    return bars
