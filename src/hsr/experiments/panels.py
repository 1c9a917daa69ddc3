"""Panels about what claims compare: one point per world, single worlds, and the controls.

Differences are drawn on the claimed side, in one of two units. In units of their standard deviation
over worlds the mean is the effect of the ledger. Where nothing in a world is random, worlds differ
little and such effects are huge; there the unit is the largest difference of any world.

Colours stand for agents and features in every figure. Settings therefore have markers in black and
grey, with a black disc for the ledger.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.patches import Patch

from hsr._base.arrays import FloatArray
from hsr.experiments.contrast import Contrast
from hsr.experiments.ledger import Evidence
from hsr.plots import new_figure, panel

if TYPE_CHECKING:
    from hsr.experiments.experiment import Experiment

LEDGER = "ledger"  # name of the setting that is no control
_OUTCOMES = (
    ("as_claimed", "as claimed", "#009e73"),
    ("undecided", "neither", "#cccccc"),
    ("other_way", "the other way", "#d55e00"),
)
_WIDEST = 4.0  # standard deviations
_OVER_LARGEST = "difference over the largest of any world"
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")


def compared(experiment: "Experiment", numbers: Any, *, decides: bool = True) -> list[Contrast]:
    """Return what decides the claims over worlds, or what is shown; exact checks have no panel."""
    found = experiment.contrasts(numbers)
    return [one for one in found if isinstance(one, Contrast) and one.decides == decides]


def draw_claims(
    places: Sequence[SubplotSpec],
    letters: Sequence[str],
    experiment: "Experiment",
    numbers: Any,
    controls: Mapping[str, Any],
    *,
    unit: str = "spread",
) -> None:
    """Draw what worlds say about each comparison, in three places of a figure.

    The first place has every world as a point, with the mean and its 95 % interval. The second has
    the shares of single worlds, the third the mean and interval of the ledger and the controls.
    """
    contrasts = compared(experiment, numbers)
    others = {name: compared(experiment, one) for name, one in controls.items()}
    ax = panel(places[0], letters[0], "every world, mean and 95 % interval")
    draw_world_points(ax, contrasts, unit=unit)
    single = panel(places[1], letters[1], "single worlds")
    draw_single_worlds(single, contrasts, labels=False)
    under = panel(places[2], letters[2], "under the controls") if controls else None
    if under is not None:
        draw_controls(under, contrasts, others, unit=unit)
    if unit == "largest":  # three narrow panels side by side, with the legends below
        for one, columns in ((single, 3), (under, 2)):
            if one is not None:
                _legend_below(one, columns)


def draw_all_claims(experiment: "Experiment", numbers: Any, controls: Mapping[str, Any]) -> Figure:
    """Return the figure of an experiment that has none of its own: what its claims compare."""
    contrasts = compared(experiment, numbers)
    figure = new_figure(13.0, 1.6 + 0.62 * max(len(contrasts), 1))
    grid = figure.add_gridspec(
        1, 3, wspace=0.5, left=0.16, right=0.86, top=0.86, bottom=0.2, width_ratios=[3, 2, 2]
    )
    draw_claims((grid[0], grid[1], grid[2]), "abc", experiment, numbers, controls)
    return figure


def draw_world_points(
    ax: Axes,
    contrasts: Sequence[Contrast],
    *,
    right: str = "right is as claimed",
    point_size: float = 5.0,
    unit: str = "spread",
) -> None:
    """Draw the difference in each world as a point, and the mean with its 95 % interval.

    In units of the spread between worlds, points beyond 4 lie at the edge.
    """
    found = [one.evidence() for one in contrasts]
    rng, widest = np.random.default_rng(0), _WIDEST if unit == "spread" else 1.0
    for y, (contrast, evidence) in enumerate(zip(contrasts, found, strict=True)):
        d = (contrast.predicted or 1) * world_differences(contrast, evidence)
        mean, low, high = _mean(contrast, evidence, unit, _largest(contrast, evidence))
        if unit == "spread":
            spread = float(d.std(ddof=1)) if len(d) > 1 and np.ptp(d) > 0.0 else 1.0
            x = np.clip(d / spread, -_WIDEST, _WIDEST)
        else:
            x, widest = d / _largest(contrast, evidence), max(widest, -low, high)
        jitter = rng.uniform(-0.28, 0.28, len(x))
        ax.scatter(x, y + jitter, s=point_size, color="#0072b2", alpha=0.35, linewidths=0)
        if np.isfinite(mean):
            ax.plot([low, high], [y, y], color="black", linewidth=2.2, zorder=3)
            ax.scatter(
                [mean], [y], s=26, color="white", edgecolor="black", linewidths=1.2, zorder=4
            )
    _rows(ax, [label_of(one, evidence) for one, evidence in zip(contrasts, found, strict=True)])
    ax.axvline(0.0, color="#888888", linewidth=0.8, zorder=0)
    ax.set_xlim(-1.05 * widest, 1.05 * widest)
    ax.locator_params(axis="x", nbins=9)
    words = f"difference over its spread between worlds; {right}"
    ax.set_xlabel(words if unit == "spread" else _OVER_LARGEST, fontsize=7)


def draw_single_worlds(ax: Axes, contrasts: Sequence[Contrast], *, labels: bool = True) -> None:
    """Draw in which share of single worlds the paper's own test comes out which way."""
    found = [one.evidence() for one in contrasts]
    for y, evidence in enumerate(found):
        left = 0.0
        for name, _, color in _OUTCOMES:
            share = getattr(evidence.worlds, name)
            ax.barh(y, share, left=left, color=color, height=0.62)
            if share >= 0.08:
                ax.text(left + share / 2, y, f"{share:.0%}", ha="center", va="center", fontsize=6.5)
            left += share
    names = [label_of(one, e) if labels else "" for one, e in zip(contrasts, found, strict=True)]
    _rows(ax, names)
    patches = [Patch(color=color, label=words) for _, words, color in _OUTCOMES]
    ax.legend(
        handles=patches, fontsize=6.5, frameon=False, ncols=3, loc="lower right",
        bbox_to_anchor=(1.0, 0.995), borderpad=0.0, columnspacing=1.0, handlelength=1.2,
    )  # fmt: skip
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("share, by the paper's own test", fontsize=7)


def draw_controls(
    ax: Axes,
    contrasts: Sequence[Contrast],
    controls: Mapping[str, Sequence[Contrast]],
    *,
    unit: str = "spread",
) -> None:
    """Draw the mean of each comparison, on the claimed side, in the ledger and the controls.

    A label names each measure that judges, which may be another one under a control.
    """
    found = {
        name: {(_name(one), one.first.name): (one, one.evidence()) for one in some}
        for name, some in ({LEDGER: contrasts} | dict(controls)).items()
    }
    labels: dict[tuple[str, str], str] = {}
    units: dict[tuple[str, str], float] = {}
    for row, (contrast, evidence) in (pair for some in found.values() for pair in some.items()):
        measures = [some[row][1].judged_by for some in found.values() if row in some]
        labels[row] = f"{_name(contrast)}\n" + " or\n".join(dict.fromkeys(measures))
        units.setdefault(row, _largest(contrast, evidence))
    values = {
        name: {
            labels[row]: _mean(contrast, evidence, unit, units[row])
            for row, (contrast, evidence) in some.items()
        }
        for name, some in found.items()
    }
    draw_under_controls(ax, values, line=0.0)
    ax.tick_params(axis="y", labelsize=6)
    ax.legend(fontsize=6.5, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    words = "effect over worlds (Cohen's d_z), 95 % interval; right is as claimed"
    if unit == "largest":
        ax.set_yticklabels([])  # the rows of the panel beside it
        words = _OVER_LARGEST
    ax.set_xlabel(words, fontsize=7)


def draw_under_controls(
    ax: Axes,
    values: Mapping[str, Mapping[str, tuple[float, float, float]]],
    *,
    line: float | None = None,
) -> None:
    """Draw values and their intervals by setting and label; labels go from top to bottom.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    values : mapping of str to mapping of str to (float, float, float)
        By setting, then by label, a value and both ends of its interval.
    line : float, optional
        Where to draw a vertical line, such as that of no difference.
    """
    words = list(dict.fromkeys(word for of_setting in values.values() for word in of_setting))
    for k, (name, of_setting) in enumerate(values.items()):
        shift = 0.5 * ((k + 0.5) / len(values) - 0.5)
        x = np.array([of_setting.get(word, (np.nan,) * 3) for word in words])
        ax.errorbar(
            x[:, 0],
            np.arange(len(words)) + shift,
            xerr=np.stack([x[:, 0] - x[:, 1], x[:, 2] - x[:, 0]]),
            color="#777777" if k else "#000000",
            marker=_MARKERS[k % len(_MARKERS)],
            markersize=4.5,
            markerfacecolor="white" if k else "#000000",
            linestyle="none",
            linewidth=1.0,
            label=name,
        )
    _rows(ax, words)
    ax.tick_params(labelsize=7)
    ax.locator_params(axis="x", nbins=4)
    if line is not None:
        ax.axvline(line, color="#888888", linewidth=0.8, zorder=0)


def world_differences(contrast: Contrast, evidence: Evidence) -> FloatArray:
    """Return the difference (world,) of the measure that judges."""
    first, second = contrast.first, contrast.second
    if evidence.at_ceiling:
        assert first.beside is not None
        assert second.beside is not None
        first, second = first.beside, second.beside
    return first.values.mean(axis=1) - second.values.mean(axis=1)


def label_of(contrast: Contrast, evidence: Evidence) -> str:
    """Return a comparison in three short lines: agents, measure, and what was cut off."""
    words = f"{_name(contrast)}\n{evidence.judged_by}"
    if evidence.worlds is None or not evidence.worlds.censored:
        return words
    return f"{words}\n{evidence.worlds.censored:.0%} cut off"


def _mean(
    contrast: Contrast, evidence: Evidence, unit: str, largest: float
) -> tuple[float, float, float]:
    """Return the mean on the claimed side and both ends of its interval, in a unit."""
    judged, sign = evidence.judged, contrast.predicted or 1
    assert judged is not None
    if unit == "spread":
        found = np.array([judged.effect, *judged.effect_interval])
        found = np.clip(sign * found, -_WIDEST, _WIDEST)
    else:
        found = sign * np.array([judged.difference, *judged.difference_interval]) / largest
    mean, *ends = found.tolist()
    return mean, min(ends), max(ends)


def _largest(contrast: Contrast, evidence: Evidence) -> float:
    return float(np.abs(world_differences(contrast, evidence)).max()) or 1.0


def _name(contrast: Contrast) -> str:
    where = f"{contrast.where}: " if contrast.where else ""
    return f"{where}{contrast.agents[0]}\n- {contrast.agents[1]}"


def _legend_below(ax: Axes, columns: int) -> None:
    """Draw the legend of a panel again, 0.42 inches below it."""
    figure, legend = ax.get_figure(root=True), ax.get_legend()
    assert figure is not None
    assert legend is not None
    handles = ax.get_legend_handles_labels()[0] or legend.legend_handles
    height = ax.get_position().height * figure.get_figheight()
    ax.legend(
        handles=handles, fontsize=6.5, frameon=False, ncols=columns,
        loc="upper center", bbox_to_anchor=(0.5, -0.42 / height),
    )  # fmt: skip


def _rows(ax: Axes, labels: Sequence[str]) -> None:
    ax.set_yticks(range(len(labels)), labels, fontsize=6)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    for y in range(1, len(labels)):
        ax.axhline(y - 0.5, color="#eeeeee", linewidth=0.6, zorder=0)
