"""Draw the table of a sweep: means of agents over the values of a setting, and differences."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hsr.experiments.changes import in_short
from hsr.experiments.sweep import Row
from hsr.plots import COLORS, new_figure, panel


def draw_sweep(rows: Sequence[Row], keys: Sequence[str]) -> Figure:
    """Draw the mean of each agent over the values of the first key, and its difference below.

    Every other combination of values, and every measure, has a column of its own. Bars are 95 %
    intervals over worlds.
    """
    x_key, *others = keys
    columns: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        parts = (row["where"], *(in_short(key, row[key]) for key in others))
        columns.setdefault((row["measure"], ", ".join(filter(None, parts))), []).append(row)
    figure = new_figure(3.6 * len(columns) + 2.0, 5.6)
    figure.set_layout_engine("constrained")
    axes = figure.subplots(2, len(columns), squeeze=False)
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    drawn: dict[str, Line2D] = {}
    for column, (words, own) in zip(axes.T, columns.items(), strict=True):
        panel(column[0], "", "\n".join(words).strip())
        drawn |= _draw_values(column[0], own, x_key, agents, "mean", "interval")
        _draw_values(column[1], own, x_key, agents, "difference", "difference_interval")
        reference = next((f" from {row['against']}" for row in own if "against" in row), "")
        panel(column[1], "", "")
        column[1].axhline(0.0, color="#888888", linewidth=0.8)
        column[1].set_xlabel(x_key, fontsize=7)
        column[1].set_ylabel(f"difference{reference}", fontsize=7)
    axes[0, 0].set_ylabel("mean over worlds, 95 % interval", fontsize=7)
    figure.legend(
        [drawn[agent] for agent in agents], agents, fontsize=7, frameon=False,
        loc="outside right upper",
    )  # fmt: skip
    return figure


def _draw_values(
    ax: Axes, rows: Sequence[Row], key: str, agents: Sequence[str], value: str, interval: str
) -> dict[str, Line2D]:
    """Draw one number of each agent over the values of a key, side by side."""
    ticks = list(dict.fromkeys(str(row[key]) for row in rows))
    lines = {}
    for k, agent in enumerate(agents):
        own = [row for row in rows if row["agent"] == agent and value in row]
        if not own:
            continue
        aside = 0.5 * (k - (len(agents) - 1) / 2) / len(agents)
        y = np.array([row[value] for row in own])
        ends = np.array([row[interval] for row in own]).reshape(-1, 2)
        bars = ax.errorbar(
            [ticks.index(str(row[key])) + aside for row in own], y, np.abs(ends.T - y),
            color=COLORS[k % len(COLORS)], marker="os^D"[k // len(COLORS) % 4],
            linestyle=("-", "--", ":", "-.")[k // len(COLORS) % 4], markersize=3, capsize=2,
            linewidth=1.0, label=agent,
        )  # fmt: skip
        lines[agent] = bars.lines[0]
    ax.set_xticks(range(len(ticks)), ticks, fontsize=7)
    ax.set_xlim(-0.5, len(ticks) - 0.5)
    return lines
