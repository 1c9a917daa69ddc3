"""Numbers to axes: each function takes an `ax`, draws on it and returns what it drew. Nothing is
computed or shown here.
"""

from hsr._base.extras import needs

needs("plots", "hsr.plots")

from hsr.plots.curves import COLORS, draw_curves, draw_groups
from hsr.plots.grid import draw_layout, draw_marks, draw_policy, draw_values
from hsr.plots.matrix import draw_embedding, draw_matrix
from hsr.plots.page import inline_image, new_figure, panel, save_figure

__all__ = [
    "COLORS",
    "draw_curves",
    "draw_embedding",
    "draw_groups",
    "draw_layout",
    "draw_marks",
    "draw_matrix",
    "draw_policy",
    "draw_values",
    "inline_image",
    "new_figure",
    "panel",
    "save_figure",
]
