"""The specification curve of a claim, and which choices matter for which claim."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.multiverse.findings import LARGEST_EFFECT, Finding
from hsr.paper.multiverse.reading import CHOICES, Reading
from hsr.plots import new_figure, panel

_COLORS = {"reproduced": "#009e73", "not reproduced": "#999999", "opposite": "#d55e00"}
_MARKERS = {"reproduced": "o", "not reproduced": "s", "opposite": "v"}
_DEFAULT = "#0072b2"


def draw_curve(finding: Finding) -> Figure:
    """Return the specification curve of a claim.

    Above is the effect by reading, below are the words of each reading as dots, and next to them
    the variance that each choice explains.
    """
    rows = [(choice, word) for choice in finding.choices for word in CHOICES[choice].words]
    height = 2.6 + 0.155 * len(rows) + 0.75
    figure = new_figure(12.5, height)
    grid = GridSpec(
        2, 2, figure, width_ratios=[4.2, 1.0], height_ratios=[2.6, 0.155 * len(rows)],
        hspace=0.05, wspace=0.04, left=0.2, right=0.985,
        top=1.0 - 0.35 / height, bottom=0.4 / height,
    )  # fmt: skip
    outcomes = sorted(finding.outcomes, key=lambda one: one.effect)
    top = panel(
        grid[0, 0],
        "",
        f"{finding.claim}: effect on the claimed side, by reading",
    )
    _effects(top, finding)
    dots = figure.add_subplot(grid[1, 0])
    _dots(dots, [one.reading for one in outcomes], rows)
    dots.set_xlim(*top.get_xlim())
    right = figure.add_subplot(grid[1, 1], sharey=dots)
    _explained(right, finding, rows)
    return figure


def draw_heat(findings: Sequence[Finding], choices: Sequence[str]) -> Figure:
    """Return the variance of the effect that each choice explains, by claim and choice.

    It is blank where the experiment of a claim is not sensitive to a choice.
    """
    figure = new_figure(13.0, 1.9 + 0.26 * len(findings))
    height = figure.get_figheight()
    ax = figure.add_axes((0.2, 0.35 / height, 0.72, 1.0 - 1.75 / height))
    shown = np.array([[_explained_by(one, choice) for choice in choices] for one in findings])
    image = ax.imshow(shown, cmap="viridis", vmin=0.0, vmax=1.0, aspect="auto")
    ax.set_xticks(range(len(choices)), choices, rotation=60, ha="left", fontsize=7)
    ax.xaxis.tick_top()
    ax.set_yticks(
        range(len(findings)), [f"{one.claim}  {one.share:.0%}" for one in findings], fontsize=7
    )
    ax.tick_params(length=0)
    for i, j in np.argwhere(shown >= 0.1):
        ax.text(
            j,
            i,
            f"{shown[i, j]:.1f}",
            ha="center",
            va="center",
            fontsize=6,
            color="black" if shown[i, j] > 0.6 else "white",
        )
    bar = figure.add_axes((0.935, 0.35 / height, 0.012, 1.0 - 1.75 / height))
    figure.colorbar(image, cax=bar).ax.tick_params(labelsize=6)
    figure.text(
        0.2,
        0.12 / height,
        "variance of the effect explained by each choice; "
        "after each claim, the fraction of readings that reproduce it",
        fontsize=7,
    )
    return figure


def _effects(ax: Axes, finding: Finding) -> None:
    outcomes = sorted(finding.outcomes, key=lambda one: one.effect)
    largest = LARGEST_EFFECT if any(np.isfinite(one.low) for one in outcomes) else np.inf
    for k, one in enumerate(outcomes):
        color = _COLORS[one.word]
        effect, low, high = np.clip([one.effect, one.low, one.high], -largest, largest)
        if np.isfinite(low):
            ax.plot([k, k], [low, high], color=color, linewidth=0.8, alpha=0.7)
        ax.scatter(
            [k], [effect], s=14, color=color, marker=_MARKERS[one.word], linewidths=0, zorder=3
        )
        if one.reading == Reading():
            ax.axvline(k, color=_DEFAULT, linewidth=0.8, zorder=0)
            ax.text(
                k, 0.02, " default", transform=ax.get_xaxis_transform(), fontsize=6, color=_DEFAULT
            )
    ax.axhline(0.0, color="#888888", linewidth=0.8, zorder=0)
    for word, color in _COLORS.items():
        n = sum(one.word == word for one in outcomes)
        ax.scatter(
            [],
            [],
            s=14,
            color=color,
            marker=_MARKERS[word],
            label=f"{word}: {n} of {len(outcomes)}",
        )
    ax.legend(fontsize=7, framealpha=0.9, edgecolor="none", loc="upper left")
    ax.set_xlim(-1.0, len(outcomes))
    ax.set_xticks([])


def _dots(ax: Axes, readings: Sequence[Reading], rows: Sequence[tuple[str, str]]) -> None:
    for y, (choice, word) in enumerate(rows):
        x = [k for k, reading in enumerate(readings) if getattr(reading, choice) == word]
        default = word == CHOICES[choice].default
        ax.scatter(x, [y] * len(x), s=5, color="#bbbbbb" if default else "#222222", linewidths=0)
    ax.set_yticks(range(len(rows)), [f"{choice}: {word}" for choice, word in rows], fontsize=6)
    for y, ((above, _), (below, _)) in enumerate(pairwise(rows)):
        if above != below:
            ax.axhline(y + 0.5, color="#dddddd", linewidth=0.6, zorder=0)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xticks([])
    ax.set_xlabel("readings, by effect", fontsize=7)
    ax.tick_params(axis="y", length=0)


def _explained(ax: Axes, finding: Finding, rows: Sequence[tuple[str, str]]) -> None:
    ax.tick_params(axis="y", length=0, labelleft=False)
    ax.tick_params(axis="x", labelsize=6)
    ax.set_xlabel("variance explained, 95 % interval", fontsize=7)
    ax.axvline(0.0, color="#888888", linewidth=0.8)
    if not finding.explained:
        ax.text(
            0.5,
            0.5,
            "too few\nrandom readings",
            transform=ax.transAxes,
            fontsize=7,
            ha="center",
            va="center",
        )
    for choice, (estimate, low, high) in finding.explained.items():
        y = float(np.mean([k for k, (name, _) in enumerate(rows) if name == choice]))
        ax.plot([low, high], [y, y], color="#444444", linewidth=0.9)
        ax.scatter([estimate], [y], s=14, color="#444444", zorder=3)


def _explained_by(finding: Finding, choice: str) -> float:
    return max(finding.explained[choice].estimate, 0.0) if choice in finding.explained else np.nan
