"""Layouts as MDPs: four moves, walls that stop them, and an optional slip."""

import os
from collections.abc import Sequence

import numpy as np

from hsr._base.arrays import Int32Array, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_choice, check_indices, check_probability, is_list
from hsr.grids.layout import ACTION_NAMES, GridLayout
from hsr.grids.named import read_layout
from hsr.mdp.finite import FiniteMDP


def grid_mdp(
    layout: GridLayout | str | os.PathLike[str],
    discount: float = 0.9,
    *,
    slip: float = 0.0,
    closed: Sequence[int] | IntArray = (),
    wind: tuple[str, float] | None = None,
) -> FiniteMDP:
    """Return the MDP of walking on a layout.

    The actions are up, right, down and left, in this order. A move into a wall or off the grid
    leaves the state unchanged.

    Parameters
    ----------
    layout : GridLayout, str or path
        A layout, the name of one that `load_layout` knows, or the path of a text file.
    discount : float in [0, 0.99999]
        Discount per step.
    slip : float in [0, 1]
        Probability that a move goes in one of the other three directions, each equally likely.
    closed : sequence of int
        States that cannot be entered, such as a door ``layout.bottlenecks[0]``. A move into one
        leaves the state unchanged. The states are kept and can still be left, so that MDPs with
        different closed states have the same states and can follow each other in a `Schedule`.
    wind : (direction, probability), optional
        With this probability a move goes in the direction of the wind, one of "up", "right",
        "down" and "left", whatever the action. Otherwise it goes or slips as without wind.

    Returns
    -------
    FiniteMDP
        An MDP with one state per open cell and four actions. It is deterministic without slip and
        wind.

    Examples
    --------
    >>> import hsr
    >>> hsr.grid_mdp("four_rooms", discount=0.9)
    FiniteMDP(n_states=104, n_actions=4, discount=0.9, deterministic)

    A corridor of three cells in which one move in four goes elsewhere. From the left end, the
    action "right" succeeds with probability 3/4:

    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), slip=0.25)
    >>> mdp.transition_of(1).toarray()[0].round(6)
    array([0.25, 0.75, 0.  ])

    The same corridor, firm, with its middle closed, and with a wind to the left:

    >>> layout = hsr.GridLayout.from_text("...")
    >>> hsr.grid_mdp(layout, closed=[1]).successors[:, 1].tolist()
    [0, 2, 2]
    >>> hsr.grid_mdp(layout, wind=("left", 0.25)).transition_of(1).toarray()[1]
    array([0.25, 0.  , 0.75])
    """
    layout = read_layout(layout)
    slip = check_probability(slip, "slip")
    blown, gust = _check_wind(wind)
    mdp = FiniteMDP.from_successors(_open_moves(layout, closed), discount)
    if slip > 0.0 or gust > 0.0:
        moves = [mdp.transition_of(action) for action in range(mdp.n_actions)]
        others = slip / (len(moves) - 1)
        everything = sum(moves[1:], start=moves[0]) * others
        blurred = [everything + move * (1.0 - slip - others) for move in moves]
        if gust > 0.0:
            blurred = [move * (1.0 - gust) + moves[blown] * gust for move in blurred]
        mdp = FiniteMDP(blurred, discount)
    mdp._set(cells=layout.cells)
    return mdp


def _open_moves(layout: GridLayout, closed: Sequence[int] | IntArray) -> Int32Array:
    """Return the state that each action leads to, of shape (S, 4), past closed states."""
    shut = check_indices(closed, layout.n_states, "closed")
    if not shut.size:
        return layout.neighbours
    here = np.arange(layout.n_states, dtype=np.int32)[:, None]
    return np.where(np.isin(layout.neighbours, shut), here, layout.neighbours)


def _check_wind(wind: tuple[str, float] | None) -> tuple[int, float]:
    """Return the action and the probability of the wind."""
    if wind is None:
        return 0, 0.0
    if not is_list(wind) or len(wind) != 2:
        raise InputError(
            f"wind is {short_repr(wind)}; it must be a direction and a probability, "
            "such as ('left', 0.2)"
        )
    direction = check_choice(wind[0], ACTION_NAMES, "wind[0]")
    return ACTION_NAMES.index(direction), check_probability(wind[1], "wind[1]")
