"""Panels of transfer figures: a world, curves, the criterion, and what worlds say."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.gridspec import SubplotSpec

from hsr._base.arrays import IntArray
from hsr.paper.transfer.learning import Learning
from hsr.plots import draw_curves, draw_layout, draw_marks, panel

_LOOKS = {"one-hot": 0, "RW-SR rows": 1, "SR rows": 2, "eSR rows": 2, "HSR rows": 3, "eHSR rows": 3}


def looks_of(names: Iterable[str]) -> list[int]:
    """Return the colour of each agent; a kind of features has the same colour in every figure."""
    return [_LOOKS.get(name, k) for k, name in enumerate(names)]


def draw_task(ax: Axes, learned: Learning) -> None:
    """Draw a layout with the start and the goals of the first world."""
    layout, world = learned.layout, learned.example
    draw_layout(ax, layout)
    draw_marks(ax, layout, [world.start], ["S"], color="#0072b2")
    words = [f"G{k + 1}" for k in range(len(world.goals))]
    draw_marks(ax, layout, world.goals, words, color="#d55e00")


def draw_steps(
    ax: Axes,
    steps: Mapping[str, IntArray],
    optimal: Sequence[int],
    *,
    looks: Sequence[int] | None = None,
    columns: int = 4,
) -> None:
    """Draw steps (world, seed, task, episode): the median world, and the middle half of worlds.

    A world's value is the geometric mean over its seeds.
    """
    n = next(iter(steps.values())).shape[-1]
    curves = {name: _geometric_means(x) for name, x in steps.items()}
    draw_curves(
        ax,
        np.arange(1, len(optimal) * n + 1.0),
        {name: x.reshape(len(x), -1) for name, x in curves.items()},
        looks=looks_of(steps) if looks is None else looks,
        band="quartiles",
    )
    for k, best in enumerate(optimal):
        ax.hlines(best, k * n + 1, (k + 1) * n, color="#888888", linestyle=":", linewidth=1.2)
        if k:
            ax.axvline(k * n + 0.5, color="#888888", linewidth=0.8)
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** (0.14 * math.ceil(len(steps) / columns)))
    words = "; the goal moves at the line" if len(optimal) > 1 else ""
    ax.set_xlabel(f"episode; dotted: fewest steps{words}", fontsize=7)
    ax.set_ylabel("steps", fontsize=7)
    _legend(ax, columns)


def draw_met(
    ax: Axes, learned: Learning, *, looks: Sequence[int] | None = None, columns: int = 4
) -> None:
    """Draw the share of runs that have met the criterion by each episode, goal after goal.

    Lines that end below 1 are agents of which runs never met it.
    """
    n = next(iter(learned.steps.values())).shape[-1]
    shares: dict[str, Any] = {}
    for name, episodes in learned.episodes.items():
        met = learned.met[name]
        by = [
            (met[..., k, None] & (episodes[..., k, None] <= np.arange(1, n + 1))).mean(axis=1)
            for k in range(episodes.shape[-1])
        ]
        shares[name] = np.concatenate(by, axis=-1)
    lines = draw_curves(
        ax,
        np.arange(1, len(learned.optimal) * n + 1.0),
        shares,
        looks=looks_of(shares) if looks is None else looks,
    )
    for line in lines:
        line.set_drawstyle("steps-post")
    for k in range(1, len(learned.optimal)):
        ax.axvline(k * n + 0.5, color="#888888", linewidth=0.8)
    ax.set_ylim(0.0, 1.0)
    ax.set_xlabel("episode", fontsize=7)
    ax.set_ylabel(f"share of runs within {learned.factor:g} x fewest", fontsize=7)


def draw_learned(
    steps: SubplotSpec,
    met: SubplotSpec,
    letters: Sequence[str],
    learned: Learning,
    *,
    looks: Sequence[int] | None = None,
    columns: int = 4,
) -> None:
    """Draw the steps in one place of a figure, and who met the criterion in another."""
    ax = panel(steps, letters[0], "steps to the goal: median world, middle half of worlds")
    draw_steps(ax, learned.steps, learned.optimal, looks=looks, columns=columns)
    ax = panel(met, letters[1], "runs that have met the criterion")
    draw_met(ax, learned, looks=looks)


def one_scale(axes: Sequence[Axes]) -> None:
    """Give panels the same ends of the vertical axis."""
    ends = [ax.get_ylim() for ax in axes]
    for ax in axes:
        ax.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))


def _geometric_means(steps: IntArray) -> np.ndarray:
    """Return the geometric mean over seeds (world, task, episode); 0 is an episode not needed."""
    counted = np.where(steps > 0, steps, np.nan)
    last = np.nanmin(counted, axis=-1, keepdims=True)
    filled = np.where(steps > 0, steps, last)
    return np.exp(np.log(filled).mean(axis=1))


def _legend(ax: Axes, columns: int) -> None:
    ax.legend(
        fontsize=7,
        framealpha=1.0,
        edgecolor="none",
        borderpad=0.1,
        ncols=columns,
        loc="upper right",
    )
