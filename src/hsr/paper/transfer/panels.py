"""Panels of transfer figures: the layout with start and goals, curves, episodes, efficiency."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.gridspec import SubplotSpec

from hsr.paper.stats import Comparison
from hsr.paper.transfer.curves import Intervals, Learning, episodes_by_goal
from hsr.plots import COLORS, draw_curves, draw_groups, draw_layout, draw_marks, panel
from hsr.toolkit import FloatArray, IntArray

_LOOKS = {"one-hot": 0, "RW-SR rows": 1, "SR rows": 2, "eSR rows": 2, "HSR rows": 3, "eHSR rows": 3}


def looks_of(names: Iterable[str]) -> list[int]:
    """Return the colour of each agent; a kind of features has the same colour in every figure."""
    return [_LOOKS.get(name, k) for k, name in enumerate(names)]


def draw_task(ax: Axes, learned: Learning) -> None:
    """Draw a layout with its start and the goals that were learned."""
    layout, n = learned.layout, len(learned.goals)
    draw_layout(ax, layout)
    assert layout.start is not None
    draw_marks(ax, layout, [layout.start], ["S"], color="#0072b2")
    words = ["G"] if n == 1 else [f"G{k + 1}" for k in range(n)]
    draw_marks(ax, layout, learned.goals, words, color="#d55e00")


def one_scale(axes: Sequence[Axes]) -> None:
    """Give panels the same ends of the vertical axis."""
    ends = [ax.get_ylim() for ax in axes]
    for ax in axes:
        ax.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))


def with_rates(learned: Learning) -> dict[str, IntArray]:
    """Return the steps of each agent, with its step size in brackets after its name."""
    return {f"{name} ({learned.rates[name]:g})": steps for name, steps in learned.steps.items()}


def draw_steps(
    ax: Axes,
    steps: Mapping[str, IntArray],
    optimal: Sequence[int],
    *,
    looks: Sequence[int] | None = None,
    columns: int = 4,
) -> None:
    """Draw the steps (seed, task, episode) of each agent, and the optimal number of each task."""
    n = next(iter(steps.values())).shape[2]
    draw_curves(
        ax,
        np.arange(1, len(optimal) * n + 1.0),
        {name: x.reshape(len(x), -1) for name, x in steps.items()},
        looks=looks_of(steps) if looks is None else looks,
    )
    for k, best in enumerate(optimal):
        ax.hlines(best, k * n + 1, (k + 1) * n, color="#888888", linestyle=":", linewidth=1.2)
        if k:
            ax.axvline(k * n + 0.5, color="#888888", linewidth=0.8)
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** (0.14 * math.ceil(len(steps) / columns)))
    ax.set_xlabel(
        "episode; dotted: fewest steps"
        + ("; the goal moves at the line" if len(optimal) > 1 else ""),
        fontsize=7,
    )
    ax.set_ylabel("steps", fontsize=7)
    ax.legend(
        fontsize=7,
        framealpha=1.0,
        edgecolor="none",
        borderpad=0.1,
        ncols=columns,
        loc="upper right",
    )


def draw_episodes(ax: Axes, learned: Learning, *, looks: Sequence[int] | None = None) -> None:
    """Draw the episodes to the criterion of each agent and goal.

    Runs that never met the criterion lie on the line, at the number of all episodes.
    """
    groups = {key.replace(" ", "\n"): n for key, n in episodes_by_goal(learned.episodes).items()}
    each = [
        look
        for look in (looks_of(learned.episodes) if looks is None else looks)
        for _ in learned.goals
    ]
    draw_groups(ax, groups, intervals=list(learned.intervals.values()), looks=each)
    ax.tick_params(axis="x", labelsize=6)
    draw_limit(ax, learned, ax.get_ylim())


def draw_limit(ax: Axes, learned: Learning, ends: tuple[float, float] = (0.0, 0.0)) -> None:
    """Draw the number of all episodes as a line, with room above it.

    The vertical axis also includes the values in `ends`.
    """
    most = next(iter(learned.steps.values())).shape[2]
    ax.axhline(most, color="#888888", linewidth=0.8, zorder=0)
    ax.set_ylim(min(0.0, ends[0]), max(1.08 * most, ends[1]))
    ax.set_ylabel("episodes", fontsize=7)


def draw_learned(
    steps: SubplotSpec, episodes: SubplotSpec, letters: Sequence[str], learned: Learning
) -> None:
    """Draw the steps in one place of a figure, and the episodes to the criterion in another."""
    ax = panel(steps, letters[0], "steps to the goal, mean and standard error over seeds")
    draw_steps(ax, learned.steps, learned.optimal)
    words = f"episodes until within {learned.factor:g} x optimal, mean and 95 % interval"
    draw_episodes(panel(episodes, letters[1], words), learned)


def draw_efficiency(
    ax: Axes,
    efficiency: Mapping[str, FloatArray],
    intervals: Intervals,
    *,
    looks: Sequence[int] | None = None,
) -> None:
    """Draw the transfer efficiency of each agent; the line at 1 is the baseline."""
    each = looks_of(efficiency) if looks is None else looks
    draw_groups(ax, efficiency, intervals=[intervals[name] for name in efficiency], looks=each)
    ax.axhline(1.0, color="#888888", linewidth=0.8)
    ax.set_ylabel("efficiency", fontsize=7)


def draw_differences(ax: Axes, tests: Sequence[Mapping[str, Comparison]]) -> None:
    """Draw named differences in episodes, with the 95 % interval and the p-value of each test.

    An infinite interval, which the signed-rank test of five pairs or fewer has, is left out.
    """
    for k, found in enumerate(tests):
        color, marker = COLORS[2 * k], "os^"[k]
        for row, comparison in enumerate(found.values()):
            y, x = row + 0.36 * (k - 0.5 * (len(tests) - 1)), comparison.difference
            low, high = comparison.difference_interval
            ends = [[x - low], [high - x]] if math.isfinite(high - low) else None
            ax.errorbar(x, y, xerr=ends, color=color, marker=marker, markersize=4, capsize=2)
            words = f"{comparison.test}: p = {comparison.p:.2g}"
            ax.text(
                1.01,
                y,
                words,
                transform=ax.get_yaxis_transform(),
                color=color,
                fontsize=6,
                va="center",
            )
    ax.set_yticks(range(len(tests[0])), list(tests[0]))
    ax.set_ylim(len(tests[0]) - 0.4, -0.6)
    ax.axvline(0.0, color="#888888", linewidth=0.8, zorder=0)
    ax.set_xlabel("difference in episodes, 95 % interval", fontsize=7)


def draw_tuned(
    row: SubplotSpec,
    letters: Sequence[str],
    learned: Learning,
    efficiency: tuple[Mapping[str, FloatArray], Intervals] | None = None,
    *,
    looks: Sequence[int] | None = None,
) -> None:
    """Draw the control of step sizes: curves, episodes and efficiency, at each agent's own rate."""
    places = row.subgridspec(1, 12, wspace=1.6)
    last = 12 if efficiency is None else 10
    each = looks_of(learned.steps) if looks is None else looks
    ax = panel(
        places[0, :5],
        letters[0],
        "control: steps, each at its own rate (in brackets)",
    )
    draw_steps(ax, with_rates(learned), learned.optimal, looks=each, columns=2)
    ax = panel(
        places[0, 5:last],
        letters[1],
        f"control: episodes to {learned.factor:g} x optimal",
    )
    draw_episodes(ax, learned, looks=each)
    if efficiency is not None:
        ax = panel(places[0, last:], letters[2], "control: efficiency")
        named_looks = dict(zip(learned.steps, each, strict=True))
        draw_efficiency(ax, *efficiency, looks=[named_looks[name] for name in efficiency[0]])
        ax.set_xticks(
            ax.get_xticks(), [name.replace(" ", "\n") for name in efficiency[0]], fontsize=6
        )
