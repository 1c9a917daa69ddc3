"""Panels of transfer figures: a world, learning curves, and episodes to the criterion."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hsr._base.arrays import FloatArray, IntArray
from hsr.paper.transfer.learning import Learning
from hsr.plots import COLORS, draw_curves, draw_layout, draw_marks

GOALS = ("#d62728", "#c000c0", "#777777")  # red and magenta, as the paper's dashed lines
HATCHES = ("", "///", "...")  # of the goals
_LOOKS = {"one-hot": 0, "RW-SR rows": 1, "SR rows": 2, "eSR rows": 2, "HSR rows": 3, "eHSR rows": 3}
_LAST = 10  # episodes at the end of a run, whose mean is drawn after training has ended


def looks_of(names: Iterable[str]) -> list[int]:
    """Return the colour of each agent; a kind of features has the same colour in every figure."""
    return [_LOOKS.get(name.removeprefix("exact "), k) for k, name in enumerate(names)]


def draw_task(ax: Axes, learned: Learning) -> None:
    """Draw a layout with the start and the goals of the first world."""
    layout, world = learned.layout, learned.example
    draw_layout(ax, layout)
    draw_marks(ax, layout, [world.start], ["S"], color="#0072b2")
    for k, goal in enumerate(world.goals):
        draw_marks(ax, layout, [goal], [f"G{k + 1}"], color=GOALS[k % len(GOALS)])


def draw_steps(
    ax: Axes,
    steps: Mapping[str, IntArray],
    optimal: Sequence[int],
    *,
    looks: Sequence[int] | None = None,
    columns: int = 4,
) -> None:
    """Draw steps (world, seed, task, episode): mean and standard error over worlds.

    A run that ended before the last episode goes on at the mean of its last ten episodes.
    """
    n = next(iter(steps.values())).shape[-1]
    draw_curves(
        ax,
        np.arange(1, len(optimal) * n + 1.0),
        {name: continued(x).mean(axis=1) for name, x in steps.items()},
        looks=looks_of(steps) if looks is None else looks,
    )
    for k, best in enumerate(optimal):
        ax.hlines(best, k * n + 1, (k + 1) * n, color=GOALS[k], linestyle="--", linewidth=1.2)
        if k:
            ax.axvline(k * n + 0.5, color="#888888", linewidth=0.8)
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    rows = -(-len(steps) // columns)
    ax.set_ylim(low, high * (high / low) ** (0.14 * rows))  # room for the legend
    words = "; the goal moves at the line" if len(optimal) > 1 else ""
    ax.set_xlabel(f"episode; dashed: optimal{words}", fontsize=8)
    ax.set_ylabel("steps to the goal", fontsize=8)
    ax.legend(
        fontsize=7, framealpha=1.0, edgecolor="none", borderpad=0.1, ncols=columns,
        loc="upper right",
    )  # fmt: skip


def continued(steps: IntArray) -> FloatArray:
    """Return steps (..., episode) with the mean of the last ten episodes in place of missing ones.

    Examples
    --------
    >>> continued(np.array([12, 10, 0, 0]))
    array([12., 10., 11., 11.])
    """
    n_run = (steps > 0).sum(axis=-1, keepdims=True)
    age = n_run - 1 - np.arange(steps.shape[-1])
    recent = (age >= 0) & (age < _LAST)
    last = (steps * recent).sum(axis=-1, keepdims=True) / recent.sum(axis=-1, keepdims=True)
    return np.where(age >= 0, steps, last)


def draw_episodes(ax: Axes, learned: Learning, *, looks: Sequence[int] | None = None) -> None:
    """Draw episodes to the criterion: a bar per agent and goal, and a point per world.

    Bars of the second goal are hatched. Worlds where the criterion is out of reach are left out.
    """
    n_goals = len(learned.optimal)
    width = 0.8 / n_goals
    numbers = looks_of(learned.episodes) if looks is None else looks
    for x, (look, episodes) in enumerate(zip(numbers, learned.episodes.values(), strict=True)):
        for k in range(n_goals):
            n = episodes[learned.counted(k), :, k].mean(axis=1)
            place = x + (k - (n_goals - 1) / 2) * width
            _bar(ax, n, place, width, COLORS[look % len(COLORS)], HATCHES[k])
    words = [name.replace(" rows", "\nrows").replace(", ", ",\n") for name in learned.episodes]
    ax.set_xticks(range(len(words)), words, fontsize=7)
    ax.set_ylabel("episodes to the criterion", fontsize=8)
    if n_goals > 1:
        ax.set_ylim(0.0, 1.12 * ax.get_ylim()[1])  # room for the legend
        goals = [
            Patch(facecolor="#dddddd", edgecolor="#444444", hatch=HATCHES[k], label=f"G{k + 1}")
            for k in range(n_goals)
        ]
        ax.legend(
            handles=goals, fontsize=7, frameon=False, ncols=n_goals, loc="upper right",
            borderpad=0.1,
        )  # fmt: skip


def draw_efficiency(ax: Axes, learned: Learning, names: Sequence[str]) -> None:
    """Draw the transfer efficiency of some agents: geometric mean, a point per world."""
    logs = {name: learned.efficiency(name, "one-hot").values.mean(axis=1) for name in names}
    draw_bars(ax, logs)
    ticks = [
        y for y in (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0) if _within(ax, np.log(y))
    ]
    ax.set_yticks(np.log(ticks), [f"{y:g}" for y in ticks])
    ax.axhline(0.0, color="#888888", linewidth=0.8, linestyle=":")
    ax.set_ylabel("transfer efficiency (smaller is better)", fontsize=8)


def draw_bars(ax: Axes, values: Mapping[str, FloatArray]) -> None:
    """Draw a value (world,) per agent as a bar with its standard error, and a point per world."""
    for x, (look, of_agent) in enumerate(zip(looks_of(values), values.values(), strict=True)):
        _bar(ax, of_agent, x, 0.6, COLORS[look % len(COLORS)])
    ax.set_xticks(range(len(values)), list(values), fontsize=7)
    ax.set_xlim(-0.6, len(values) - 0.4)


def _bar(
    ax: Axes, values: FloatArray, place: float, width: float, color: str, hatch: str = ""
) -> None:
    error = values.std(ddof=1) / np.sqrt(len(values))
    ax.bar(
        place, values.mean(), width, yerr=error, color=color, alpha=0.45, edgecolor=color,
        hatch=hatch, capsize=2,
    )  # fmt: skip
    jitter = np.random.default_rng(0).uniform(-0.3, 0.3, len(values)) * width
    ax.plot(place + jitter, values, ".", color=color, markersize=3, alpha=0.7)


def _within(ax: Axes, y: float) -> bool:
    low, high = ax.get_ylim()
    return bool(low <= y <= high)


def one_scale(axes: Sequence[Axes]) -> None:
    """Give panels the same ends of the vertical axis."""
    ends = [ax.get_ylim() for ax in axes]
    for ax in axes:
        ax.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
