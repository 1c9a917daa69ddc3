"""Draw docs/changing-worlds.png: `python docs/changing_worlds.py`.

A door of the four rooms closes after 50 episodes and opens again after 100.
"""

from pathlib import Path

import numpy as np

import hsr
from hsr.plots import draw_layout, new_figure, panel, save_figure

TIMES, EPISODES, SEEDS = (50, 100), 150, range(50)
GRID = {"width_ratios": [1, 2.2], "wspace": 0.25, "left": 0.02, "bottom": 0.16, "top": 0.84}
COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7")


def main() -> None:
    """Train five agents on one task, and draw the layout and the steps of each episode."""
    layout = hsr.load_layout("four_rooms")
    path, mdp, closed = worlds(layout)
    figure = new_figure(9.0, 3.2)
    left, right = figure.subplots(1, 2, gridspec_kw=GRID)
    panel(left, "", "the door that closes")
    draw_layout(left, layout)
    row, col = layout.cell_of(path)
    left.scatter([col], [row], marker="x", s=60, color="#d55e00", zorder=3)
    for (name, run), colour in zip(runs(layout, mdp, closed).items(), COLOURS, strict=True):
        steps = run.steps[:, 0]
        right.plot(np.arange(EPISODES), steps.mean(axis=0), color=colour, label=name, lw=1.2)
    for time in TIMES:
        right.axvline(time, color="0.6", lw=0.8, ls=":")
    right.set(yscale="log", xlabel="episode", ylabel="steps to the goal")
    right.legend(frameon=False, fontsize=7, ncols=3, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    save_figure(figure, Path(__file__).with_name("changing-worlds.png"), dpi=100, palette=True)


def worlds(layout: hsr.GridLayout) -> tuple[int, hsr.FiniteMDP, hsr.FiniteMDP]:
    """Return the door on the shortest path, and the MDPs in which it is open and closed."""
    mdp = hsr.grid_mdp(layout, discount=0.95)
    from_start, to_goal = (layout.distances_from(s) for s in (layout.start, layout.goals[0]))
    doors = layout.bottlenecks
    door = int(doors[np.argmin((from_start + to_goal)[doors])])
    return door, mdp, hsr.grid_mdp(layout, discount=0.95, closed=[door])


def runs(
    layout: hsr.GridLayout, mdp: hsr.FiniteMDP, closed: hsr.FiniteMDP
) -> dict[str, hsr.agents.TrainingRun]:
    """Return the runs of the agents by name."""
    options = hsr.eigenoptions(mdp, 8, signs="both")
    flat, sr = hsr.LinearQ(learning_rate=0.2), hsr.LinearQ("sr", learning_rate=0.01)
    hierarchical = hsr.LinearQ("hsr", learning_rate=0.01)

    def train(agent, options=None, after="fixed"):
        changes = {TIMES[0]: closed, TIMES[1]: mdp}
        return hsr.train(
            mdp,
            [hsr.GoalTask(layout.start, layout.goals[0])],
            agent,
            options,
            seeds=SEEDS,
            episodes=EPISODES,
            horizon=1000,
            schedule=hsr.Schedule(changes, options=after),
        )

    return {
        "one-hot": train(flat),
        "SR": train(sr),
        "HSR, options fixed": train(hierarchical, options),
        "HSR, options repaired": train(hierarchical, options, "repaired"),
        "HSR, options remade": train(
            hierarchical, options, lambda world: hsr.eigenoptions(world, 8, signs="both")
        ),
    }


if __name__ == "__main__":
    main()
