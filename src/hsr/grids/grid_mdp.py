"""Grid maps as MDPs: four moves, walls that stop them, and an optional slip."""

from hsr._base.validation import check_probability
from hsr.grids.layout import GridLayout
from hsr.mdp.finite import FiniteMDP


def grid_mdp(layout: GridLayout, discount: float = 0.9, *, slip: float = 0.0) -> FiniteMDP:
    """Return the MDP of walking on a map.

    The actions are up, right, down and left, in this order; a move into a wall or off the map stays
    put.

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
    firm = FiniteMDP.from_successors(layout.neighbours, discount)
    if slip == 0.0:
        return firm
    moves = [firm.transition_of(action) for action in range(firm.n_actions)]
    others = slip / (len(moves) - 1)
    everything = sum(moves[1:], start=moves[0]) * others
    return FiniteMDP([everything + move * (1.0 - slip - others) for move in moves], discount)
