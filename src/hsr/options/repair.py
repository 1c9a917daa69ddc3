"""Adapt options to an MDP that has changed since they were made."""

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, Int32Array
from hsr.kernels.graph import breadth_first, predecessors
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.options.option_set import OptionSet, check_fit
from hsr.options.points import ways_to_any

_DECIMALS = 9  # to which probabilities are compared


def repair_options(options: OptionSet, mdp: FiniteMDP) -> OptionSet:
    r"""Return options that lead to their ends in an MDP for which they were not made.

    The ends of an option are the states in which it may stop. In a state from which its policy
    still leads to an end for certain, nothing changes. In every other state it now takes a shortest
    path to the nearest end. Where no end can be reached, the option stops and can no longer be
    chosen. An option is never extended to states in which it could not be chosen before.

    Whether a policy leads to an end is judged by the most likely outcome of each action, so that
    moves that slip do not count as ways around an obstacle.

    Parameters
    ----------
    options : OptionSet
        The options, made for an MDP with the same states and actions.
    mdp : FiniteMDP
        The MDP in which they are to be used.

    Returns
    -------
    OptionSet
        As many options, with the same names, in the same order. Options that still lead to their
        ends everywhere come out as they were.

    Raises
    ------
    InputError
        If the options have other states or actions than the MDP.

    Examples
    --------
    A corridor around a wall. The option leads from the top left to the bottom left:

    >>> import hsr
    >>> layout = hsr.GridLayout.from_text("...\n.#.\n...")
    >>> mdp = hsr.grid_mdp(layout)
    >>> option = hsr.point_options(mdp, targets=[5])
    >>> int(option[0].policy[0])  # down
    2
    >>> closed = hsr.grid_mdp(layout, closed=[3])
    >>> repaired = hsr.options.repair_options(option, closed)
    >>> int(repaired[0].policy[0])  # right
    1
    """
    check_mdp(mdp)
    check_fit(mdp, options)
    table = mdp.successors
    if table is None:
        table = _likeliest([mdp.transition_of(action) for action in range(mdp.n_actions)])
    policy, termination = options.policy.copy(), options.termination.copy()
    initiation = options.initiation.copy()
    for o in range(len(options)):
        is_end = options.termination[o] > 0.0
        broken = _broken(_moves(table, options.policy[o]), is_end)
        if not broken.any():
            continue
        action, lost = _ways(mdp, is_end)
        if policy.ndim == 2:
            policy[o, broken] = action[broken]
        else:
            policy[o, broken] = np.eye(mdp.n_actions)[action[broken]]
        lost &= ~is_end
        termination[o, lost] = 1.0
        initiation[o, lost] = False
    return OptionSet(policy, termination, initiation, options.names, mdp.fingerprint)


def _likeliest(matrices: list[sparse.csr_array]) -> Int32Array:
    """Return the most likely outcome of each action in each state, of shape (S, A).

    Of equally likely outcomes, the one with the smallest number is taken.
    """
    table = np.empty((matrices[0].shape[0], len(matrices)), dtype=np.int32)
    for action, matrix in enumerate(matrices):
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        order = np.lexsort((matrix.indices, -np.round(matrix.data, _DECIMALS), row))
        table[:, action] = matrix.indices[order[matrix.indptr[:-1]]]
    return table


def _ways(mdp: FiniteMDP, is_end: BoolArray) -> tuple[Int32Array, BoolArray]:
    """Return actions of shortest paths to the ends (S,), and from where there are none."""
    if not is_end.any():
        return np.zeros(mdp.n_states, dtype=np.int32), np.ones(mdp.n_states, dtype=bool)
    return ways_to_any(mdp, np.flatnonzero(is_end))


def _moves(table: Int32Array, policy: np.ndarray) -> Int32Array:
    """Return where a policy may lead from each state (S, n), by the likeliest outcomes (S, A)."""
    states = np.arange(table.shape[0])
    if policy.ndim == 1:
        return table[states, policy][:, None]
    likely = table[states, policy.argmax(axis=1)]
    return np.where(policy > 0.0, table, likely[:, None])


def _broken(moves: Int32Array, is_end: BoolArray) -> BoolArray:
    """Return from which states a policy does not lead to an end for certain (S,)."""
    stuck = ~is_end & ~_can_reach(moves, is_end)
    if not stuck.any() or moves.shape[1] == 1:
        return stuck
    here = np.arange(is_end.size)
    return _can_reach(np.where(is_end[:, None], here[:, None], moves), stuck)


def _can_reach(moves: Int32Array, targets: BoolArray) -> BoolArray:
    """Return which states can reach one of the targets (S,), by moves (S, n).

    Every target leads to one more state, from which a search goes back.
    """
    n, n_moves = moves.shape
    larger = np.append(moves, np.full((1, n_moves), n), axis=0).astype(np.int32)
    larger[:-1][targets] = n
    return np.asarray(breadth_first(*predecessors(larger), n)[:n] >= 0)
