"""Grid maps as MDPs: four moves, walls that stop them, and an optional slip."""

import numpy as np
from scipy import sparse

from hsr._base.validation import check_probability
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.layout import GridLayout


def grid_mdp(layout: GridLayout, discount: float = 0.9, *, slip: float = 0.0) -> FiniteMDP:
    """Return the MDP of walking on a map.

    The actions are up, right, down and left, in this order; a move into a wall or off the map stays put.

    Parameters
    ----------
    layout : GridLayout
    discount : float in [0, 1)
    slip : float in [0, 1]
        Probability that the move goes in one of the other three directions, each equally likely.

    Examples
    --------
    >>> import hsr
    >>> hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    FiniteMDP(n_states=104, n_actions=4, discount=0.9, deterministic)
    """
    slip = check_probability(slip, "slip")
    n_states = layout.n_states
    indptr = np.arange(n_states + 1)
    moves = [
        sparse.csr_array((np.ones(n_states), layout.neighbours[:, action], indptr), shape=(n_states, n_states))
        for action in range(4)
    ]
    if slip > 0.0:
        others = slip / 3.0
        everything = sum(moves[1:], start=moves[0]) * others
        moves = [everything + move * (1.0 - slip - others) for move in moves]
    return FiniteMDP(moves, discount)
