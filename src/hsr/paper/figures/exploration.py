"""Figure 6: a maze, coverage and goals found over time, and coverage by the size of the maze."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hsr.paper.exploring import Explored, Key, draw_against_steps, draw_by_size
from hsr.paper.exploring.panels import LOOKS
from hsr.paper.exploring.run import goal_of, maze_of, start_of
from hsr.plots import draw_layout, draw_marks, new_figure, panel

AGENTS = ("SR-norm", "SR-SPIE", "HSR-norm", "HSR-SPIE")
BY_SIZE = ("SR-SPIE", "HSR-SPIE")


def draw(numbers: Explored, variants: Mapping[str, Explored]) -> Figure:
    """Return the figure."""
    setting, times = numbers.setting, numbers.times
    here = 0 if setting.maze.layout else setting.maze.size
    figure = new_figure(13.0, 3.7)
    grid = figure.add_gridspec(1, 4, wspace=0.24, left=0.01, right=0.985, top=0.91, bottom=0.22)
    _maze(panel(grid[0], "a", "an exemplar maze"), numbers)
    looks = [LOOKS[name] for name in AGENTS]
    coverage = {name: numbers.coverage(Key(name, here)) for name in AGENTS}
    ax = panel(grid[1], "b", "pure exploration")
    lines = draw_against_steps(ax, times, coverage, looks=looks)
    ax.set_ylabel("states visited", fontsize=7)
    entries = {
        name: numbers.rows[Key(name, here, goal=True)].array("goal_entries") for name in AGENTS
    }
    found = {name: ((t >= 0) & (t <= times)).astype(float) for name, t in entries.items()}
    ax = panel(grid[2], "", "goal-directed navigation")
    draw_against_steps(ax, times, found, looks=looks)
    ax.set_ylabel("seeds that found the goal", fontsize=7)
    ax = panel(grid[3], "c", f"coverage after {setting.steps:,} steps")
    final = {
        name: np.stack([numbers.coverage(Key(name, n))[..., -1] for n in setting.sizes], 2)
        for name in BY_SIZE
    }
    draw_by_size(ax, setting.sizes, final, [LOOKS[name] for name in BY_SIZE])
    ax.set_ylabel("states visited", fontsize=7)
    figure.legend(
        lines, AGENTS, fontsize=8, frameon=False, ncols=4, loc="lower center",
        bbox_to_anchor=(0.62, 0.0), handlelength=3,
    )  # fmt: skip
    return figure


def _maze(ax: Axes, numbers: Explored) -> None:
    """Draw the first maze, with its start and goal."""
    setting = numbers.setting
    number = next(iter(numbers.rows.values())).seeds[0]
    layout, _ = maze_of(setting.maze, number)
    start = start_of(layout, setting.maze.start, number)
    goal = goal_of(layout, number, setting.goal_distance, start)
    draw_layout(ax, layout)
    draw_marks(ax, layout, [start], ["S"], color="#0072b2")
    draw_marks(ax, layout, [goal], ["G"], color="#d55e00")
