"""Figures about statements: what every world says, and how far a statement reaches.

Differences are drawn on the claimed side. Colours stand for agents and features in other figures,
so columns of the ledger have markers in black and grey.
"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hsr._base.arrays import FloatArray
from hsr.experiments.contrast import Contrast
from hsr.experiments.ledger import COLUMNS, NEGLIGIBLE, PAPER, READINGS, SMALL, Evidence
from hsr.plots import new_figure, panel

if TYPE_CHECKING:
    from hsr.experiments.experiment import Experiment

MOST_ROWS = 12  # of the figure of statements
_WIDEST = 4.0  # standard deviations
_FARTHEST = 100.0  # bounds
_LINE = 62  # letters in a line
_TEXT, _LANE, _GAP, _LEGEND = 0.16, 0.11, 0.11, 0.2  # inches of lines of text, markers and legend
_WIDTH, _BELOW = 5.0, 0.75  # inches of the figure, which a phone shows whole, and of the axis
_LOOKS: dict[str, dict[str, Any]] = {
    PAPER: {"marker": "o", "color": "#000000", "markersize": 6.0},
    READINGS: {"marker": "|", "color": "#777777", "markersize": 9.0},
    "other mazes": {"marker": "s", "color": "#777777", "markersize": 5.0},
    "tuned rivals": {"marker": "^", "color": "#777777", "markersize": 5.5},
}


def draw_statements(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return the figure of an experiment's statements in all columns, from rows of its ledger.

    A marker is the mean difference over worlds, in units of the difference that counts as none,
    with its 95 % interval; each reading is a stroke. Differences within the grey band count as
    none. Beyond it the scale is logarithmic. Where there are more than twelve statements, every
    claim shows some of them, evenly spaced. Exact checks and what is true by construction are left
    out.
    """
    shown = _some(rows)
    labels = [textwrap.fill(one["statement"], _LINE, break_on_hyphens=False) for one in shown]
    columns = [one for one in COLUMNS if any(one in of["columns"] for of in shown)]
    lanes = _LANE * max(len(columns), 1)
    ends = np.cumsum([0.0, *(lanes + _GAP + _TEXT * (1 + one.count("\n")) for one in labels)])
    height = max(float(ends[-1]), lanes + _GAP)
    above = 0.35 + _LEGEND * -(-len(columns) // 2)
    figure = new_figure(_WIDTH, _BELOW + height + above)
    inch = 1.0 / figure.get_figheight()
    ax = figure.add_axes((0.045, _BELOW * inch, 0.91, height * inch))
    for y, end, label, statement in zip(ends, ends[1:], labels, shown, strict=False):
        ax.text(0.01, y + 0.05, label, transform=ax.get_yaxis_transform(), fontsize=9, va="top")
        ax.axhline(y, color="#bbbbbb", linewidth=0.8, zorder=0)
        for k, column in enumerate(columns):
            for found in statement["columns"].get(column, ()):
                place = end - lanes + _LANE * k
                _draw_found(ax, place, found, statement["predicted"], column)
    ax.set_ylim(height, 0.0)
    ax.set_yticks([])
    ax.set_xscale("symlog", linthresh=1.0, linscale=0.8)
    ax.set_xlim(-_FARTHEST, _FARTHEST)
    ax.axvspan(-1.0, 1.0, color="#eeeeee", zorder=-1)
    ax.axvline(0.0, color="#888888", linewidth=0.8, zorder=0)
    ax.set_xticks([-100, -10, -1, 0, 1, 10, 100], ["-100", "-10", "-1", "0", "1", "10", "100"])
    ax.tick_params(axis="x", labelsize=9)
    ax.set_xlabel(
        "difference in units of what counts as none\nright: as claimed; grey: no difference",
        fontsize=9,
    )
    for column in columns:
        ax.plot([], [], linestyle="none", label=column, markerfacecolor="white", **_LOOKS[column])
    if shown:
        ax.legend(
            fontsize=9,
            frameon=False,
            ncols=2,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            borderaxespad=0.2,
        )
    return figure


def _some(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the statements that are drawn: as many of each claim as there is room for."""
    by_claim = [[one for one in row["statements"] if _is_drawn(one)] for row in rows]
    shares = [0] * len(by_claim)
    while sum(shares) < MOST_ROWS and any(
        n < len(of) for n, of in zip(shares, by_claim, strict=True)
    ):
        for k, some in enumerate(by_claim):
            if shares[k] < len(some) and sum(shares) < MOST_ROWS:
                shares[k] += 1
    return [
        some[place]
        for n, some in zip(shares, by_claim, strict=True)
        for place in np.linspace(0, len(some) - 1, n).round().astype(int)
    ]


def _is_drawn(statement: Mapping[str, Any]) -> bool:
    found = [one for column in statement["columns"].values() for one in column]
    return not statement["by_construction"] and any(one["difference"] is not None for one in found)


def _draw_found(ax: Axes, y: float, found: Mapping[str, Any], predicted: int, column: str) -> None:
    if found["difference"] is None:
        return
    sign, bound = predicted or 1, found["bound"]
    values = [found["difference"], *found["difference_interval"]]
    if not bound:
        bound = SMALL if predicted else NEGLIGIBLE
        values = [found["effect"], *found["interval"]]
    if None in values:  # worlds do not vary, so that the standardised effect is infinite
        values = [np.copysign(_FARTHEST, found["difference"])] * 3
    mean, low, high = np.clip(sign * np.array(values) / bound, -_FARTHEST, _FARTHEST)
    own = column == PAPER
    if column != READINGS:
        ax.plot([low, high], [y, y], color=_LOOKS[column]["color"], linewidth=1.6 if own else 1.0)
    face = "#000000" if own else "white"
    ax.plot([mean], [y], linestyle="none", markerfacecolor=face, zorder=3, **_LOOKS[column])


def compared(experiment: "Experiment", numbers: Any, *, decides: bool = True) -> list[Contrast]:
    """Return what decides the claims over worlds, or what is shown; exact checks have no panel."""
    found = experiment.contrasts(numbers)
    return [one for one in found if isinstance(one, Contrast) and one.decides == decides]


def draw_all_claims(experiment: "Experiment", numbers: Any) -> Figure:
    """Return the figure of an experiment that has none of its own: what its claims compare."""
    contrasts = compared(experiment, numbers)
    figure = new_figure(9.0, 1.6 + 0.62 * max(len(contrasts), 1))
    grid = figure.add_gridspec(1, 1, left=0.28, right=0.97, top=0.86, bottom=0.2)
    draw_world_points(panel(grid[0], "", "every world, mean and 95 % interval"), contrasts)
    return figure


def draw_world_points(ax: Axes, contrasts: Sequence[Contrast]) -> None:
    """Draw the difference in each world as a point, and the mean with its 95 % interval.

    Differences are in units of their standard deviation over worlds; points beyond 4 lie at the
    edge.
    """
    found = [one.evidence() for one in contrasts]
    rng = np.random.default_rng(0)
    for y, (contrast, evidence) in enumerate(zip(contrasts, found, strict=True)):
        sign = contrast.predicted or 1
        d = sign * world_differences(contrast, evidence)
        spread = float(d.std(ddof=1)) if len(d) > 1 and np.ptp(d) > 0.0 else 1.0
        x = np.clip(d / spread, -_WIDEST, _WIDEST)
        jitter = rng.uniform(-0.28, 0.28, len(x))
        ax.scatter(x, y + jitter, s=5.0, color="#0072b2", alpha=0.35, linewidths=0)
        judged = evidence.judged or evidence.comparison
        assert judged is not None
        ends = np.clip(sign * np.array(judged.effect_interval), -_WIDEST, _WIDEST)
        if np.isfinite(judged.effect):
            mean = np.clip(sign * judged.effect, -_WIDEST, _WIDEST)
            ax.plot(ends, [y, y], color="black", linewidth=2.2, zorder=3)
            ax.plot([mean], [y], "o", color="black", markerfacecolor="white", zorder=4)
    _rows(ax, [label_of(one, evidence) for one, evidence in zip(contrasts, found, strict=True)])
    ax.axvline(0.0, color="#888888", linewidth=0.8, zorder=0)
    ax.set_xlim(-1.05 * _WIDEST, 1.05 * _WIDEST)
    ax.locator_params(axis="x", nbins=9)
    ax.set_xlabel("difference over its spread between worlds; right is as claimed", fontsize=7)


def world_differences(contrast: Contrast, evidence: Evidence) -> FloatArray:
    """Return the difference (world,) of the measure that judges."""
    first, second = contrast.first, contrast.second
    if evidence.cut_off and first.beside is not None and second.beside is not None:
        first, second = first.beside, second.beside
    return first.values.mean(axis=1) - second.values.mean(axis=1)


def label_of(contrast: Contrast, evidence: Evidence) -> str:
    """Return a comparison in three short lines: agents, measure, and what was cut off."""
    where = f"{contrast.where}: " if contrast.where else ""
    words = f"{where}{contrast.agents[0]}\n- {contrast.agents[1]}\n{evidence.judged_by}"
    if evidence.worlds is None or not evidence.worlds.censored:
        return words
    return f"{words}\n{evidence.worlds.censored:.0%} cut off"


def _rows(ax: Axes, labels: Sequence[str], size: float = 6.0) -> None:
    ax.set_yticks(range(len(labels)), labels, fontsize=size)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    for y in range(1, len(labels)):
        ax.axhline(y - 0.5, color="#dddddd", linewidth=0.6, zorder=0)
