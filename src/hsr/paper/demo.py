"""The picture of `hsr demo`: the predictive maps of a maze, as in Figure 1."""

from collections.abc import Callable
from pathlib import Path

from hsr import InputError
from hsr.agents import OptionSpec
from hsr.grids import MazeSpec
from hsr.paper.figures.predictive_maps import draw_maps
from hsr.paper.maps import MapSettings
from hsr.paper.maps.summary import summary_of
from hsr.plots import save_figure

_FEWEST_STATES = 8
_WORDS = {"RW-SR": "SR of the random walk", "eSR": "expected SR", "eHSR": "expected HSR"}


def draw_demo(
    out: Path,
    layout: str = "four_rooms",
    on_step: Callable[[str], None] = lambda step: None,
) -> list[Path]:
    """Compute and draw the maps of a maze as PNG and SVG, and return the paths.

    Parameters
    ----------
    out : Path
        The folder.
    layout : str
        A layout as `hsr.grids.MazeSpec` takes it: a name, or the path of a text file.
    on_step : callable
        Called before each step, with its words.

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

    def say(step: str) -> None:
        on_step("computing " + " ".join(_WORDS.get(word, word) for word in step.split()))

    summary = summary_of(world, OptionSpec(), maps, say)
    on_step("drawing the figure")
    figure = draw_maps(summary)
    name = "figure1" if layout == "four_rooms" else f"figure1_{maze.name}"
    return [save_figure(figure, Path(out) / f"{name}.{ending}") for ending in ("png", "svg")]
