"""The picture of `hsr demo`: the predictive maps of a maze."""

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr import InputError
from hsr.agents import OptionSpec
from hsr.grids import MazeSpec
from hsr.paper.maps import MapSettings
from hsr.paper.maps.panels import (
    draw_map,
    draw_projections,
    draw_row_of_features,
    draw_row_of_options,
    draw_row_of_vectors,
    lettered,
)
from hsr.paper.maps.summary import MapSummary, summary_of
from hsr.plots import draw_layout, draw_marks, new_figure, save_figure

_FEWEST_STATES = 8


def draw_demo(out: Path, layout: str = "four_rooms") -> list[Path]:
    """Compute and draw the maps of a maze as PNG and SVG, and return the paths.

    Parameters
    ----------
    out : Path
        The folder.
    layout : str
        A layout as `hsr.grids.MazeSpec` takes it: a name, or the path of a text file.

    Raises
    ------
    InputError
        If the maze is too small for eight eigenoptions, or has parts that are not connected.
    """
    world = MazeSpec(layout)
    maze, mdp = world.build()
    if len(maze.parts) > 1 or mdp.n_states <= _FEWEST_STATES:
        raise InputError(
            f"the layout {maze.name!r} has {mdp.n_states} states in {len(maze.parts)} parts; "
            f"maps and eight options need more than {_FEWEST_STATES} states in one part"
        )
    maps = MapSettings(n_components=min(32, mdp.n_states))
    figure = draw_maps(summary_of(world, OptionSpec(), maps))
    name = "figure1" if layout == "four_rooms" else f"figure1_{maze.name}"
    return [save_figure(figure, Path(out) / f"{name}.{ending}") for ending in ("png", "svg")]


def draw_maps(numbers: MapSummary) -> Figure:
    """Return the picture: the layout, its maps, options, projections and parts."""
    figure = new_figure(13.0, 15.2)
    grid = GridSpec(
        7,
        1,
        figure,
        height_ratios=[2.15, 1, 1, 2.15, 1, 1, 1],
        hspace=0.34,
        left=0.03,
        right=0.965,
        top=0.965,
        bottom=0.01,
    )
    layout = numbers.layout
    top = grid[0].subgridspec(1, 4, wspace=0.12)
    ax = lettered(
        figure.add_subplot(top[0]), "a", f"{layout.name}: {layout.n_states} states, start and goals"
    )
    draw_layout(ax, layout)
    if layout.start is not None:
        draw_marks(ax, layout, [layout.start], ["S"], color="#0072b2")
    draw_marks(
        ax, layout, layout.goals, [f"G{k + 1}" for k in range(len(layout.goals))], color="#d55e00"
    )
    for k, key in enumerate(numbers.maps):
        draw_map(figure, top[k + 1], "bcd"[k], numbers, key)
    draw_row_of_vectors(figure, grid[1], "e", numbers)
    draw_row_of_options(figure, grid[2], "f", numbers)
    draw_projections(figure, grid[3], "ghi", numbers)
    for place, letter, kind, key in (
        (4, "j", "nmf", "eHSR"),
        (5, "k", "nmf", "RW-SR"),
        (6, "l", "svd", "eHSR"),
    ):
        draw_row_of_features(figure, grid[place], letter, numbers, kind, key)
    return figure
