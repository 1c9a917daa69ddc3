"""Block steps between states of an MDP: the transitions behind `FiniteMDP.with_barrier`."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, IntArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import as_array, check_indices
from hsr.mdp.transitions import canonical, find_successors

if TYPE_CHECKING:
    from hsr.mdp.finite import FiniteMDP

FORGOTTEN = ("fingerprint", "predecessors")  # what is computed from transitions and kept


def barred(mdp: "FiniteMDP", passages: Any, states: Any) -> dict[str, Any]:
    """Return the successors and matrices of an MDP in which blocked steps stay where they are.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    passages : sequence of pairs of states
        Blocked in both directions.
    states : sequence of int
        States that cannot be entered.
    """
    shut = check_indices(states, mdp.n_states, "states")
    pairs = _read_passages(mdp, passages)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    keys = both[:, 0] * mdp.n_states + both[:, 1]

    def blocked(here: Any, there: Any) -> BoolArray:
        inside = here == there
        return (np.isin(here * mdp.n_states + there, keys) | np.isin(there, shut)) & ~inside

    if mdp.successors is not None:
        here, there = np.arange(mdp.n_states)[:, None], mdp.successors.astype(np.int64)
        table = np.where(blocked(here, there), here, there).astype(np.int32)
        return {"successors": read_only(table), "_matrices": {}}
    matrices = []
    for action in range(mdp.n_actions):
        P = sparse.coo_array(mdp.transition_of(action))
        here, there = (axis.astype(np.int64) for axis in P.coords)
        to = np.where(blocked(here, there), here, there)
        matrices.append(canonical(sparse.coo_array((P.data, (here, to)), shape=P.shape)))
    return {"successors": find_successors(tuple(matrices)), "_matrices": dict(enumerate(matrices))}


def _read_passages(mdp: "FiniteMDP", passages: Any) -> IntArray:
    """Return pairs of neighbouring states, of shape (n, 2), or raise `InputError`."""
    given = as_array(passages, "passages", "a list of pairs of states")
    if not given.size:
        return np.empty((0, 2), dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != 2:
        raise InputError(
            f"passages is {short_repr(passages)}; it must be a list of pairs of states, such as "
            "[(3, 4), (10, 11)]; mdp.state_of(label) finds a state"
        )
    pairs = check_indices(given.ravel(), mdp.n_states, "passages").reshape(-1, 2)
    steps = sum(
        (mdp.transition_of(a) for a in range(mdp.n_actions)),
        start=sparse.csr_array((mdp.n_states, mdp.n_states)),
    )
    there = np.asarray(steps[pairs[:, 0], pairs[:, 1]] + steps[pairs[:, 1], pairs[:, 0]]).ravel()
    apart = np.flatnonzero((there == 0.0) | (pairs[:, 0] == pairs[:, 1]))
    if apart.size:
        first, second = pairs[apart[0]].tolist()
        raise InputError(
            f"passages has ({first}, {second}), but no step leads from one of these states to the "
            "other; a passage joins two neighbours"
        )
    return pairs
