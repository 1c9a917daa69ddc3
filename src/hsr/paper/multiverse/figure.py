"""The specification curve of a claim, and which choices matter for which claim."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.ledger_file import NO_EVIDENCE
from hsr.paper.multiverse.findings import LARGEST_EFFECT, Finding
from hsr.paper.multiverse.joint import JointOutcome
from hsr.paper.multiverse.reading import CHOICES, Reading
from hsr.plots import new_figure, panel

_COLORS = {
    "reproduced": "#009e73",
    "not reproduced": "#bbbbbb",
    "opposite": "#d55e00",
    "cannot tell": "#e6c36a",
}
_MARKERS = {"reproduced": "o", "not reproduced": "s", "opposite": "v", "cannot tell": "D"}
_DEFAULT = "#0072b2"
_FROM_WHITE = LinearSegmentedColormap.from_list("from white", ["#ffffff", "#08519c"])
# Quiet where nothing was found, so that the eye goes to what was.
_VERDICTS = {
    "not reproduced": "#e3e3e3",
    "cannot tell": "#f3dfa8",
    "opposite": "#d55e00",
    "reproduced": "#009e73",
}
_SYMBOL_COLORS = {
    "not reproduced": "#777777",
    "cannot tell": "#6b5514",
    "opposite": "#ffffff",
    "reproduced": "#ffffff",
}
_MOST_BARS = 15
# One character for each verdict, for tables and cells too narrow for words.
SYMBOLS = {
    "reproduced": "\u2713",
    "not reproduced": "\u2013",
    "cannot tell": "?",
    "opposite": "\u21c4",
    NO_EVIDENCE: "\u00b7",
}


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

    White is zero. It is grey where the experiment of a claim is not sensitive to a choice.
    """
    figure = new_figure(13.0, 1.9 + 0.26 * len(findings))
    height = figure.get_figheight()
    ax = figure.add_axes((0.2, 0.35 / height, 0.72, 1.0 - 1.75 / height))
    shown = np.array([[_explained_by(one, choice) for choice in choices] for one in findings])
    image = ax.imshow(shown, cmap=_FROM_WHITE, vmin=0.0, vmax=1.0, aspect="auto")
    ax.set_xticks(range(len(choices)), choices, rotation=60, ha="left", fontsize=7)
    ax.set_facecolor("#ececec")
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
            color="white" if shown[i, j] > 0.6 else "black",
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


def draw_joint(found: JointOutcome) -> Figure:
    """Return the verdicts of readings in fresh worlds, and which choices decide the score.

    Left are claims by readings: the default, the readings that the search found, and the closest
    one. Right is the variance of the score that each choice explains over all readings tried first.
    """
    n_claims, n_bars = len(found.claims), min(len(found.effects), _MOST_BARS)
    left, between, for_bars, above = 2.35, 2.25, 3.2, 0.75
    cells = 0.36 * len(found.columns)
    start = left + max(cells, 3.0) + between
    width, height = start + for_bars + 0.4, above + 0.21 * max(n_claims, n_bars) + 0.5
    figure = new_figure(width, height)

    def place(x: float, wide: float, rows: int) -> Axes:
        tall = 0.21 * rows
        return figure.add_axes(
            (x / width, 1.0 - (above + tall) / height, wide / width, tall / height)
        )

    _verdicts(place(left, cells, n_claims), found)
    _bars(place(start, for_bars, max(n_bars, 1)), found)
    return figure


def _verdicts(ax: Axes, found: JointOutcome) -> None:
    words = list(_VERDICTS)
    columns = found.columns.values()
    shown = np.array(
        [
            [words.index(row.words[claim]) if claim in row.words else np.nan for row in columns]
            for claim in found.claims
        ]
    )
    colors = ListedColormap(list(_VERDICTS.values()))
    ax.imshow(shown, cmap=colors, vmin=-0.5, vmax=len(words) - 0.5, aspect="auto")
    for i, j in np.argwhere(np.isfinite(shown)):
        word = words[int(shown[i, j])]
        ax.text(
            j, i, SYMBOLS[word], ha="center", va="center", fontsize=8, color=_SYMBOL_COLORS[word]
        )
    ax.set_xticks(np.arange(-0.5, len(columns)), minor=True)
    ax.set_yticks(np.arange(-0.5, len(found.claims)), minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5)
    for edge in (0.5, len(columns) - 1.5):
        ax.axvline(edge, color="white", linewidth=5.0)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    labels = [f"{name}\n{row.value.reproduced}" for name, row in found.columns.items()]
    ax.set_xticks(range(len(columns)), labels, fontsize=8)
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(found.claims)), found.claims, fontsize=8)
    for word in ("reproduced", "cannot tell", "not reproduced", "opposite"):
        ax.scatter([], [], s=60, marker="s", color=_VERDICTS[word], label=f"{SYMBOLS[word]} {word}")
    ax.legend(
        ncols=len(words), fontsize=8, loc="upper left", bbox_to_anchor=(0.0, 0.0),
        frameon=False, handletextpad=0.3, columnspacing=1.2,
    )  # fmt: skip
    ax.set_title(
        "verdicts of each reading in fresh worlds, and number reproduced", fontsize=9, loc="left"
    )


def _bars(ax: Axes, found: JointOutcome) -> None:
    leading = found.effects[:_MOST_BARS]
    explained = [max(one.explained, 0.0) for one in leading]
    ax.barh(range(len(leading)), explained, height=0.7, color="#6b8fb5")
    for k, x in enumerate(explained):
        ax.annotate(f"{x:.2f}", (x, k), (3, 0), textcoords="offset points", va="center", fontsize=8)
    ax.set_yticks(range(len(leading)), [f"{one.choice}: {one.best}" for one in leading], fontsize=8)
    ax.set_ylim(max(len(leading), 1) - 0.5, -0.5)
    ax.set_xlim(0.0, 1.15 * max([*explained, 0.01]))
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.set_title(
        "variance of the score explained\nby each choice, with its best word",
        fontsize=9,
        loc="left",
    )


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
