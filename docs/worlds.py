"""Draw one text file as four worlds into docs/worlds.png: `MUJOCO_GL=egl python docs/worlds.py`.

It needs the extras `plots`, `minigrid` and `mujoco`, and a way to render without a display.
"""

from pathlib import Path

import numpy as np

import hsr
from hsr.plots import draw_layout, draw_marks, new_figure, save_figure


def main() -> None:
    """Draw the layout, its pixels, MiniGrid, PointMaze, and a path of macro steps."""
    layout = hsr.load_layout("four_rooms")
    start, goal = layout.start, layout.goals[0]
    maze = layout.to_pointmaze(render_mode="rgb_array")
    pictures = (
        layout.pixels([start], cell_size=2, goal=goal)[0],
        hsr.minigrid_pixels(layout.to_minigrid(goal=goal), tile_size=16)[0],
        from_above(maze),
    )

    figure = new_figure(10.0, 2.2)
    margins = {"wspace": 0.06, "left": 0.005, "right": 0.995, "bottom": 0.01, "top": 0.9}
    axes = figure.subplots(1, 5, gridspec_kw=margins)
    draw_layout(axes[0], layout)
    draw_marks(axes[0], layout, [start], ["S"], color="#0072b2")
    draw_marks(axes[0], layout, [goal], ["G"], color="#d55e00")
    for ax, picture in zip(axes[1:], pictures, strict=False):
        ax.imshow(picture, interpolation="nearest")
        ax.axis("off")
    draw_layout(axes[4], layout)
    row, col = cells_of(layout, path_to(maze, goal))
    axes[4].plot(col, row, ".", color="#0072b2", markersize=1.5)
    titles = ("the text file", "pixels", "MiniGrid", "PointMaze", "macro steps to the goal")
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, fontsize=8.5)
    save_figure(figure, Path(__file__).with_name("worlds.png"))


def from_above(maze: hsr.PointMaze) -> np.ndarray:
    """Return the picture of MuJoCo, seen from above."""
    maze.reset(seed=0)
    renderer = maze.env.unwrapped.point_env.mujoco_renderer
    renderer.default_cam_config = {
        "distance": 16.0,
        "elevation": -90.0,
        "azimuth": 90.0,
        "lookat": np.zeros(3),
    }
    return maze.env.render()


def path_to(maze: hsr.PointMaze, goal: int) -> np.ndarray:
    """Return the positions (n, 2) of the greedy path to a goal, by macro steps."""
    policy = hsr.greedy_policy(maze.mdp, hsr.GoalTask(None, goal))
    positions: list[np.ndarray] = []
    step = maze.env.step

    def recorded(force: np.ndarray) -> tuple:
        result = step(force)
        positions.append(result[0]["observation"][:2])
        return result

    maze.env.step = recorded
    at = maze.reset(seed=0)
    while (state := maze.state_at(at[:2])) != goal:
        at, _ = maze.macro_step(int(np.argmax(policy[state])))
    return np.array(positions)


def cells_of(layout: hsr.GridLayout, xy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions as fractional rows and columns of the layout."""
    return 0.5 * layout.n_rows - xy[:, 1] - 0.5, xy[:, 0] + 0.5 * layout.n_cols - 0.5


if __name__ == "__main__":
    main()
