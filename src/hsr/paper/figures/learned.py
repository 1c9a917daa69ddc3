"""Panels of how agents learn one goal: steps by episode, and episodes to the criterion."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from hsr._base.arrays import IntArray
from hsr.paper.transfer import Learning
from hsr.plots import COLORS, draw_curves

_POINTS = 0.28  # half the width over which the points of a bar are spread


def draw_learning(
    ax: Axes, learned: Learning, agents: Mapping[str, int], *, episodes: int | None = None
) -> None:
    """Draw steps by episode, the mean over worlds with its standard error.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    learned : Learning
        How agents learned one goal.
    agents : mapping from str to int
        The agents to draw, with the number of their colour.
    episodes : int, optional
        How many episodes to draw, by default all.
    """
    steps = {name: learned.steps[name][:, :, 0, :episodes].mean(axis=1) for name in agents}
    n = next(iter(steps.values())).shape[-1]
    draw_curves(ax, np.arange(1.0, n + 1.0), steps, looks=list(agents.values()))
    ax.axhline(learned.optimal[0], color="#888888", linestyle=":", linewidth=1.2)
    ax.set_yscale("log")
    ax.set_xlabel("episode", fontsize=8)


def draw_episodes(ax: Axes, episodes: Sequence[IntArray], looks: Sequence[int]) -> None:
    """Draw episodes (world, seed) as bars with standard errors, and one point per world."""
    for k, (one, look) in enumerate(zip(episodes, looks, strict=True)):
        worlds, color = one.mean(axis=1), COLORS[look % len(COLORS)]
        mean, error = mean_and_error(one)
        ax.bar(k, mean, 0.75, color=color, alpha=0.35, edgecolor=color)
        spread = np.random.default_rng(0).uniform(-_POINTS, _POINTS, len(worlds))
        ax.scatter(k + spread, worlds, s=5, color=color, alpha=0.6, linewidths=0)
        ax.errorbar(k, mean, error, color="#000000", capsize=3, linewidth=1.2)
    ax.set_ylim(0.0, None)
    ax.set_xlim(-0.6, len(episodes) - 0.4)


def mean_and_error(episodes: IntArray) -> tuple[float, float]:
    """Return the mean of episodes (world, seed) over worlds, and its standard error."""
    worlds = episodes.mean(axis=1)
    return float(worlds.mean()), float(worlds.std(ddof=1) / np.sqrt(len(worlds)))
