"""Drawing on Matplotlib axes: layouts, tasks, arenas, MiniGrid, policies, maps, learning curves.

Each function takes an ``ax``, draws on it and returns what it drew. Nothing is computed or shown
here, and no global state of Matplotlib is changed. Matplotlib comes with the extra ``plots``:
``pip install '.[plots]'`` in a clone.

>>> import hsr
>>> from hsr.plots import draw_values, new_figure, panel
>>> layout = hsr.load_layout("four_rooms")
>>> M = hsr.successor_representation(hsr.grid_mdp(layout, discount=0.9))
>>> figure = new_figure(3.0, 3.0)
>>> ax = panel(figure.subplots(), "a", "visits from the start")
>>> image = draw_values(ax, layout, M.rows(layout.start))
"""

from hsr._base.extras import needs

needs("plots", "hsr.plots")

from hsr.plots.arena import draw_arena
from hsr.plots.curves import COLORS, draw_curves, draw_groups
from hsr.plots.grid import (
    draw_embedding,
    draw_layout,
    draw_marks,
    draw_matrix,
    draw_policy,
    draw_values,
)
from hsr.plots.minigrid import draw_minigrid
from hsr.plots.options import draw_options_over_time
from hsr.plots.page import inline_image, new_figure, panel, save_figure
from hsr.plots.task import draw_task

__all__ = [
    "COLORS",
    "draw_arena",
    "draw_curves",
    "draw_embedding",
    "draw_groups",
    "draw_layout",
    "draw_marks",
    "draw_matrix",
    "draw_minigrid",
    "draw_options_over_time",
    "draw_policy",
    "draw_task",
    "draw_values",
    "inline_image",
    "new_figure",
    "panel",
    "save_figure",
]
