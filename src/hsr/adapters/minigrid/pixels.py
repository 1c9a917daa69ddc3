"""Pictures of the states of a MiniGrid environment, by MiniGrid's own renderer."""

from typing import Any

import numpy as np

from hsr._base.memory import check_fits
from hsr._base.validation import check_choice, check_count
from hsr.adapters.minigrid.states import explored
from hsr.grids.pictures import Pixels

MINIGRID_VIEWS = {
    "full": "the whole grid from above",
    "agent": "the cells in front of the agent, as it sees them",
}


def minigrid_pixels(
    env: Any,
    *,
    tile_size: int = 8,
    view: str = "full",
    max_states: int = 100_000,
    seed: int = 0,
) -> Pixels:
    """Return one RGB picture per state of a MiniGrid environment, drawn by MiniGrid itself.

    The states are those of ``from_minigrid(env, max_states=max_states, seed=seed)``, in the same
    order. A learner that sees pictures can therefore be compared with exact options, maps and
    values of that MDP.

    Parameters
    ----------
    env : gymnasium.Env
        A MiniGrid environment that `from_minigrid` can read. It is left as it was.
    tile_size : int
        Height and width of a cell in pixels.
    view : {"full", "agent"}
        What is drawn. "full": the whole grid, with the cells that the agent sees highlighted unless
        the environment was made with ``highlight=False``. These are the observations of MiniGrid's
        `RGBImgObsWrapper`. "agent": only the cells that the agent sees, turned so that it looks
        upwards. These are the observations of `RGBImgPartialObsWrapper`. Different states can look
        the same.
    max_states : int
        The number of states at which the search gives up.
    seed : int
        The seed of the reset, which decides the layout of environments that draw one.

    Returns
    -------
    uint8 array of shape (S, height, width, 3)
        The pictures, in the order of the states.

    Raises
    ------
    InputError
        As `from_minigrid`, or if `view` or `tile_size` is wrong.
    TooLargeError
        If the pictures do not fit in memory.

    Examples
    --------
    >>> import gymnasium, minigrid, hsr
    >>> env = gymnasium.make("MiniGrid-Empty-5x5-v0")
    >>> mdp, pictures = hsr.from_minigrid(env), hsr.minigrid_pixels(env)
    >>> mdp.n_states, pictures.shape
    (34, (34, 40, 40, 3))
    """
    size = check_count(tile_size, "tile_size")
    of_agent = check_choice(view, tuple(MINIGRID_VIEWS), "view") == "agent"
    with explored(env, max_states=max_states, seed=seed) as (stage, scenes, _, _):
        world = stage.world
        n_rows, n_cols = (
            (world.agent_view_size, world.agent_view_size)
            if of_agent
            else (world.grid.height, world.grid.width)
        )
        shape = (len(scenes), n_rows * size, n_cols * size, 3)
        check_fits(
            int(np.prod(shape, dtype=object)),
            f"{shape[0]:,} pictures of {shape[1]} x {shape[2]} pixels",
            "choose a smaller tile_size",
        )
        pictures = np.empty(shape, dtype=np.uint8)
        for state, scene in enumerate(scenes):
            stage.arrange(scene)
            pictures[state] = world.get_frame(
                highlight=world.highlight, tile_size=size, agent_pov=of_agent
            )
    return pictures
