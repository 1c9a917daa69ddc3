"""Draw the animation of the site: `python docs/figures/moving_goal.py`.

Agents learn one goal for 50 episodes. Then the goal moves, and the picture shows the first episode
after that. Each panel shows the seed with the median number of steps of 41 seeds.
"""

from pathlib import Path

import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter

import hsr
from hsr.plots import draw_layout, draw_marks, new_figure, save_figure

AGENTS = {"one-hot features": "onehot", "rows of the SR": "sr", "rows of the HSR": "hsr"}
MAZE = "paired_bottlenecks"
FRAMES, HOLD = 70, 25  # of the walk, and of the last picture
STATIC = Path(__file__).parents[1] / "_static"


def paths() -> dict[str, np.ndarray]:
    """Return the states of each agent in the first episode after the goal has moved."""
    layout = hsr.load_layout(MAZE)
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    tasks = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
    agents = {name: hsr.LinearQ(kind, learning_rate=0.01) for name, kind in AGENTS.items()}
    runs = hsr.train(mdp, tasks, agents, options, seeds=range(41), episodes=50)
    found = {}
    for name, agent in agents.items():
        seed = int(np.argsort(runs[name].steps[:, 1, 0], kind="stable")[20])
        run = hsr.train(mdp, tasks, agent, options, seeds=[seed], episodes=50, trajectory_of=seed)
        walk = run.trajectory
        now = (walk.task == 1) & (walk.episode == 0)
        found[name] = np.append(walk.state[now], walk.arrival[now][-1])
    return found


def main() -> None:
    """Draw one panel per agent, and move the agents."""
    layout, walks = hsr.load_layout(MAZE), paths()
    per_frame = max(len(walk) for walk in walks.values()) / FRAMES
    figure = new_figure(7.2, 2.1)
    axes = figure.subplots(
        1, 3, gridspec_kw={"wspace": 0.06, "left": 0.01, "right": 0.99, "bottom": 0.01, "top": 0.82}
    )
    xy = np.array([layout.cell_of(s)[::-1] for s in range(layout.n_states)], dtype=float)
    drawn = []
    for ax, name in zip(axes, walks, strict=True):
        draw_layout(ax, layout)
        draw_marks(ax, layout, [layout.start, layout.goals[1]], ["S", "G2"], color="#d55e00")
        (trail,) = ax.plot([], [], color="#0072b2", lw=1.2, alpha=0.5)
        (dot,) = ax.plot([], [], "o", color="#0072b2", ms=7)
        drawn.append((trail, dot, ax.set_title(name, fontsize=9)))

    def move(frame: int) -> list[object]:
        for (name, walk), (trail, dot, title) in zip(walks.items(), drawn, strict=True):
            last = min(int((frame + 1) * per_frame), len(walk) - 1)
            trail.set_data(*xy[walk[max(0, last - 30) : last + 1]].T)
            dot.set_data(*xy[walk[last : last + 1]].T)
            arrived = ", arrived" if last == len(walk) - 1 else ""
            title.set_text(f"{name}\n{last} steps{arrived}")
        return []

    film = FuncAnimation(figure, move, frames=FRAMES + HOLD, interval=80)
    film.save(STATIC / "moving-goal.gif", writer=PillowWriter(fps=12), dpi=100)
    save_figure(figure, STATIC / "moving-goal.png")


if __name__ == "__main__":
    main()
