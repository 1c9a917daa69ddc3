"""Draw docs/discovery/, the methods of online discovery: `python docs/figures/discovery.py`.

One agent without a bonus explores a maze of 31 x 31 cells, with the settings of the study.
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

import hsr
from hsr.plots import draw_values, new_figure, panel, save_figure

TIMES = (1_000, 3_000, 10_000)
METHODS = ("eigen", "frontier")
FOLDER = Path(__file__).parents[1] / "discovery"
END, START = "#d55e00", "#f0e442"


def draw_methods() -> None:
    """Draw visited states and where options lead after 1,000, 3,000 and 10,000 steps."""
    layout = hsr.random_maze(31, seed=0)
    mdp = hsr.grid_mdp(layout, discount=0.99)
    FOLDER.mkdir(exist_ok=True)
    for method in METHODS:
        every = 100 if method == "frontier" else 1000
        online = hsr.OnlineOptions(method=method, warm_up=every, refresh=every)
        figure = new_figure(11.0, 4.1)
        axes = figure.subplots(
            1, 3, gridspec_kw={"wspace": 0.04, "left": 0.01, "right": 0.99, "bottom": 0.01}
        )
        agent, how = hsr.Sarsa("none"), {"seeds": [1], "start": 0}
        # Options due after the last time wait for a running choice, at most until the next.
        history = hsr.explore(mdp, agent, online, steps=TIMES[-1] + every, **how).options_at[0]
        for ax, time in zip(axes, TIMES, strict=True):
            run = hsr.explore(mdp, agent, online, steps=time, **how)
            covered = f"{(run.first_visit >= 0).mean():.0%} visited"
            panel(ax, "", f"{time:,} steps: {covered}")
            draw(ax, layout, mdp, run, next(history[step] for step in history if step >= time))
        save_figure(figure, FOLDER / f"{method}.png", dpi=100, palette=True)


def draw(
    ax: Axes,
    layout: hsr.GridLayout,
    mdp: hsr.FiniteMDP,
    run: hsr.agents.ExplorationRun,
    options: hsr.OptionSet,
) -> None:
    """Draw visits as shades of blue, the start, and a disc wherever an option arrives and stops."""
    visits, visited = run.visits[0], run.first_visit[0] >= 0
    shade = 0.25 + 0.5 * np.log1p(visits) / np.log1p(visits.max())
    draw_values(ax, layout, np.where(visited, shade, 0.0), cmap="Blues", limits=(0.0, 1.0))
    ends = set()
    for option in options:
        running = np.flatnonzero(option.initiation & visited)
        policy = option.policy if option.policy.ndim == 1 else option.policy.argmax(axis=1)
        entered = mdp.successors[running, policy[running]]
        ends.update(entered[(option.termination[entered] > 0.0) & visited[entered]].tolist())
    cells = layout.cells[sorted(ends)]
    ax.scatter(
        cells[:, 1], cells[:, 0], s=34, color=END, edgecolor="white", linewidths=0.7, zorder=3
    )
    row, column = layout.cells[0]
    ax.scatter([column], [row], s=60, marker="*", color=START, edgecolor="black", linewidths=0.6,
               zorder=4)  # fmt: skip


if __name__ == "__main__":
    draw_methods()
