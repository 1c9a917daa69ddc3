"""Panels about a sample of worlds: one point per world, single worlds, and the controls."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hsr.paper.contrast import Contrast
from hsr.paper.control_panels import LEDGER, draw_under_controls
from hsr.paper.ledger import Evidence
from hsr.toolkit import FloatArray

_OUTCOMES = (
    ("as_claimed", "as claimed", "#009e73"),
    ("undecided", "neither", "#cccccc"),
    ("other_way", "the other way", "#d55e00"),
)
_WIDEST = 4.0


def draw_world_points(
    ax: Axes,
    contrasts: Sequence[Contrast],
    *,
    right: str = "right is as claimed",
    point_size: float = 5.0,
) -> None:
    """Draw the difference in each world as a point, and the mean with its 95 % interval.

    Differences are on the claimed side, in units of their standard deviation over worlds, so that
    the mean is the effect of the ledger. Points beyond 4 lie at the edge.
    """
    found = [one.evidence() for one in contrasts]
    rng = np.random.default_rng(0)
    for y, (contrast, evidence) in enumerate(zip(contrasts, found, strict=True)):
        sign = contrast.predicted or 1
        d = sign * world_differences(contrast, evidence)
        spread = float(d.std(ddof=1)) if len(d) > 1 and np.ptp(d) > 0.0 else 1.0
        x = np.clip(d / spread, -_WIDEST, _WIDEST)
        jitter = rng.uniform(-0.28, 0.28, len(x))
        ax.scatter(x, y + jitter, s=point_size, color="#0072b2", alpha=0.35, linewidths=0)
        assert evidence.judged is not None
        ends = sorted(sign * end for end in evidence.judged.effect_interval)
        mean = sign * evidence.judged.effect
        if np.isfinite(mean):
            low, high = np.clip(ends, -_WIDEST, _WIDEST)
            ax.plot([low, high], [y, y], color="black", linewidth=2.2, zorder=3)
            ax.scatter(
                [np.clip(mean, -_WIDEST, _WIDEST)], [y], s=26, color="white", edgecolor="black",
                linewidths=1.2, zorder=4,
            )  # fmt: skip
    _rows(ax, [label_of(one, evidence) for one, evidence in zip(contrasts, found, strict=True)])
    ax.axvline(0.0, color="#888888", linewidth=0.8, zorder=0)
    ax.set_xlim(-_WIDEST - 0.2, _WIDEST + 0.2)
    ax.set_xlabel(f"difference over its spread between worlds; {right}", fontsize=7)


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
        handles=patches,
        fontsize=6.5,
        frameon=False,
        ncols=3,
        loc="lower right",
        bbox_to_anchor=(1.0, 0.995),
        borderpad=0.0,
        columnspacing=1.0,
        handlelength=1.2,
    )
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("share of single worlds, by the paper's own test", fontsize=7)


def draw_controls(
    ax: Axes, contrasts: Sequence[Contrast], controls: Mapping[str, Sequence[Contrast]]
) -> None:
    """Draw the effect of each comparison, on the claimed side, in the ledger and the controls.

    A label names each measure that judges, which may be another one under a control.
    """
    found = {
        name: {_measured(one): (one, one.evidence()) for one in some}
        for name, some in ({LEDGER: contrasts} | dict(controls)).items()
    }
    labels = {}
    for row, (contrast, _) in ((row, one) for some in found.values() for row, one in some.items()):
        measures = [some[row][1].judged_by for some in found.values() if row in some]
        labels[row] = f"{_name(contrast)}\n" + " or\n".join(dict.fromkeys(measures))
    values: dict[str, dict[str, float]] = {name: {} for name in found}
    ends: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in found}
    for name, some in found.items():
        for row, (contrast, evidence) in some.items():
            assert evidence.judged is not None
            sign, judged = contrast.predicted or 1, evidence.judged
            effect = [sign * end for end in (judged.effect, *judged.effect_interval)]
            mean, *both = np.clip(effect, -_WIDEST, _WIDEST).tolist()
            values[name][labels[row]] = mean
            ends[name][labels[row]] = (min(both), max(both))
    draw_under_controls(ax, values, ends, line=0.0)
    ax.tick_params(axis="y", labelsize=6)
    ax.legend(fontsize=6.5, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    ax.set_xlabel(
        "effect over worlds (Cohen's d_z), 95 % interval; right is as claimed", fontsize=7
    )


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
    if evidence.beside is None or evidence.worlds is None:
        return words
    return f"{words}\n{evidence.worlds.censored:.0%} cut off"


def _measured(contrast: Contrast) -> tuple[str, str]:
    """Return what tells one comparison from another: agents, place and measure."""
    return _name(contrast), contrast.first.name


def _name(contrast: Contrast) -> str:
    where = f"{contrast.where}: " if contrast.where else ""
    return f"{where}{contrast.agents[0]}\n- {contrast.agents[1]}"


def _rows(ax: Axes, labels: Sequence[str]) -> None:
    ax.set_yticks(range(len(labels)), labels, fontsize=6)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    for y in range(1, len(labels)):
        ax.axhline(y - 0.5, color="#eeeeee", linewidth=0.6, zorder=0)
