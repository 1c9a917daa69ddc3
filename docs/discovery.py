"""Draw what each method of online discovery does into docs/discovery/: `python docs/discovery.py`.

One agent without a bonus in a maze of 31 x 31 cells, with the settings of the experiment discovery.
"""

from pathlib import Path

import numpy as np

import hsr
from hsr.plots import draw_values, new_figure, panel, save_figure

TIMES = (1_000, 3_000, 10_000)
METHODS = ("eigen", "covering", "frontier", "successor", "betweenness", "diffusion")
FOLDER = Path(__file__).parent / "discovery"


def main() -> None:
    """Draw visited states and where options lead after 1,000, 3,000 and 10,000 steps."""
    layout = hsr.random_maze(31, seed=0)
    mdp = hsr.grid_mdp(layout, discount=0.99)
    FOLDER.mkdir(exist_ok=True)
    for method in METHODS:
        every = 100 if method == "frontier" else 1000
        online = hsr.OnlineOptions(method=method, warm_up=every, refresh=every)
        figure = new_figure(9.0, 3.3)
        axes = figure.subplots(
            1, 3, gridspec_kw={"wspace": 0.05, "left": 0.01, "right": 0.99, "bottom": 0.01}
        )
        for ax, time in zip(axes, TIMES, strict=True):
            # One step more, so that the options made after `time` steps are there.
            run = hsr.explore(mdp, hsr.Sarsa("none"), online, seeds=[1], steps=time + 1, start=0)
            covered = f"{(run.first_visit >= 0).mean():.0%} visited"
            panel(ax, "", f"{time:,} steps, {covered}")
            draw(ax, layout, mdp, run)
        save_figure(figure, FOLDER / f"{method}.png", dpi=100, palette=True)


def draw(ax, layout, mdp, run) -> None:
    """Draw visits as shades of blue, and a disc in each state where an option arrives and stops."""
    visits, visited = run.visits[0], run.first_visit[0] >= 0
    shade = 0.2 + 0.6 * np.log1p(visits) / np.log1p(visits.max())
    draw_values(ax, layout, np.where(visited, shade, 0.0), cmap="Blues", limits=(0.0, 1.0))
    ends = set()
    for option in run.found_options[0]:
        running = np.flatnonzero(option.initiation & visited)
        policy = option.policy if option.policy.ndim == 1 else option.policy.argmax(axis=1)
        entered = mdp.successors[running, policy[running]]
        ends.update(entered[(option.termination[entered] > 0.0) & visited[entered]].tolist())
    cells = layout.cells[sorted(ends)]
    ax.scatter(cells[:, 1], cells[:, 0], s=9, color="#d55e00", zorder=3, linewidths=0)


if __name__ == "__main__":
    main()
