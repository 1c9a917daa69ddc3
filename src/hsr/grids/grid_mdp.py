"""Layouts as MDPs: four moves, walls that stop them, and an optional slip."""

import os

from hsr._base.validation import check_probability
from hsr.grids.layout import GridLayout
from hsr.grids.named import read_layout
from hsr.mdp.finite import FiniteMDP


def grid_mdp(
    layout: GridLayout | str | os.PathLike[str], discount: float = 0.9, *, slip: float = 0.0
) -> FiniteMDP:
    """Return the MDP of walking on a layout.

    The actions are up, right, down and left, in this order. A move into a wall or off the grid
    leaves the state unchanged.

    Parameters
    ----------
    layout : GridLayout, str or path
        A layout, the name of one that `load_layout` knows, or the path of a text file.
    discount : float in [0, 1)
        Discount per step.
    slip : float in [0, 1]
        Probability that a move goes in one of the other three directions, each equally likely.

    Returns
    -------
    FiniteMDP
        An MDP with one state per open cell and four actions. It is deterministic if `slip` is 0.

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
    """
    layout = read_layout(layout)
    slip = check_probability(slip, "slip")
    firm = FiniteMDP.from_successors(layout.neighbours, discount)
    if slip == 0.0:
        return firm
    moves = [firm.transition_of(action) for action in range(firm.n_actions)]
    others = slip / (len(moves) - 1)
    everything = sum(moves[1:], start=moves[0]) * others
    return FiniteMDP([everything + move * (1.0 - slip - others) for move in moves], discount)
