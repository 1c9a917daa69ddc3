"""The panels that all transfer figures have in common: the map with start and goals, curves, episodes, efficiency."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from hsr._base.arrays import FloatArray, IntArray
from hsr.experiments.transfer_curves import Intervals, Learning, episodes_by_goal
from hsr.mdp import GridLayout
from hsr.plots import draw_layout, draw_marks
from hsr.plots.curves import draw_curves, draw_groups

_LOOKS = {"one-hot": 0, "RW-SR rows": 1, "SR rows": 2, "eSR rows": 2, "HSR rows": 3, "eHSR rows": 3}


def looks_of(names: Iterable[str]) -> list[int]:
    """Return the colours by which agents are told apart; a kind of features has the same one in every figure."""
    return [_LOOKS.get(name, k) for k, name in enumerate(names)]


def draw_task_map(ax: Axes, layout: GridLayout) -> None:
    """Draw a map with its start and its first two goals."""
    draw_layout(ax, layout)
    assert layout.start is not None
    draw_marks(ax, layout, [layout.start], ["S"], color="#0072b2")
    draw_marks(ax, layout, layout.goals[:2], ["G1", "G2"], color="#d55e00")


def draw_steps(
    ax: Axes, steps: Mapping[str, IntArray], optimal: Sequence[int], *, looks: Sequence[int] | None = None, columns: int = 4
) -> None:
    """Draw the steps of each named agent, (seed, task, episode), with the optimal number of each task and a legend above."""
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
    ax.set_ylim(low, high * (high / low) ** 0.14)
    ax.set_xlabel("episode; the goal moves at the line", fontsize=7)
    ax.set_ylabel("steps", fontsize=7)
    ax.legend(fontsize=7, framealpha=1.0, edgecolor="none", borderpad=0.1, ncols=columns, loc="upper right")


def draw_episodes(ax: Axes, learned: Learning, *, looks: Sequence[int] | None = None) -> None:
    """Draw the episodes to the criterion of each agent and goal; runs that never met it are on the line, at all episodes."""
    groups = episodes_by_goal(learned.episodes)
    each = looks_of(learned.episodes) if looks is None else looks
    draw_groups(ax, groups, intervals=[learned.intervals[key] for key in groups], looks=[look for look in each for _ in (0, 1)])
    ax.tick_params(axis="x", labelsize=6)
    most = next(iter(learned.steps.values())).shape[2]
    ax.axhline(most, color="#888888", linewidth=0.8, zorder=0)
    low, high = ax.get_ylim()
    ax.set_ylim(min(0.0, low), max(1.08 * most, high))
    ax.set_ylabel("episodes", fontsize=7)


def draw_efficiency(
    ax: Axes, efficiency: Mapping[str, FloatArray], intervals: Intervals, *, looks: Sequence[int] | None = None
) -> None:
    """Draw the transfer efficiency of each agent; the line at 1 is the baseline."""
    each = looks_of(efficiency) if looks is None else looks
    draw_groups(ax, efficiency, intervals=[intervals[name] for name in efficiency], looks=each)
    ax.axhline(1.0, color="#888888", linewidth=0.8)
    ax.set_ylabel("efficiency", fontsize=7)
