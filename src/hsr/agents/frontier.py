"""Frontier options: go to the boundary of what was visited, and try something new there.

An agent knows how often each action has led to each state. `counts_of` returns these counts,
`carried_over` keeps those that stay valid when the MDP changes, and `experience_of` turns them into
an MDP of the visited states.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from hsr.kernels.frontier import frontier_tables
from hsr.kernels.records import Tables
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet, no_options, options_from
from hsr.options.points import ways_to_any

NOVELTY = {
    "counts": "states that were left least often are known least",
    "norms": "states with the smallest rows of the learned SR are known least",
}
_ROUNDING = 1e-9  # of cumulative sums, whose last digits depend on the rows before


@dataclass(frozen=True, eq=False)
class Experience:
    """The visited states of an MDP and the transitions that an agent has seen.

    Visited states are numbered in increasing order. V is their number, and A that of actions.

    Attributes
    ----------
    states : int array (V,)
        The visited states.
    known : FiniteMDP or None
        The visited states with the transitions that were seen, at their frequencies. An action that
        was never tried stays where it is. None if nothing was seen.
    tried : int array (V, A)
        How often each action was taken in each visited state.
    """

    states: IntArray
    known: FiniteMDP | None
    tried: IntArray


def experience_of(mdp: FiniteMDP, counts: sparse.csr_array) -> Experience:
    """Return what an agent knows about an MDP.

    Of the MDP itself only the number of actions and the discount are read.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP in which the agent acts.
    counts : sparse array (S * A, S)
        How often each outcome was seen (`counts_of`).
    """
    n_actions, n_tried = mdp.n_actions, np.asarray(counts.sum(axis=1))
    tried = n_tried.reshape(mdp.n_states, n_actions)
    states = np.flatnonzero((tried.sum(axis=1) > 0) | (np.asarray(counts.sum(axis=0)) > 0))
    if not states.size:
        return Experience(states, None, tried[states])
    matrices = []
    for a in range(n_actions):
        rows = states * n_actions + a
        frequency = sparse.csr_array(counts[rows][:, states], dtype=np.float64)
        frequency.data /= np.repeat(n_tried[rows], np.diff(frequency.indptr))
        stays = sparse.diags_array((n_tried[rows] == 0).astype(float))
        matrices.append(sparse.csr_array(frequency + stays))
    return Experience(states, FiniteMDP(matrices, mdp.discount), tried[states])


def frontier(
    mdp: FiniteMDP, counts: sparse.csr_array, n_options: int, row_sums: FloatArray | None
) -> OptionSet:
    """Return options that leave what is known.

    The boundary are the visited states in which some action was never tried. Option k of n takes a
    shortest known path to the nearest of the k/n least known states of the boundary. There it draws
    one of the u actions that were never tried. It stops where it has never been before, and in a
    state of its goal with probability 1 / (u + 1), so that it makes u attempts on average. In a
    state that was never visited it cannot be chosen, and it stops there.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP in which the agent acts.
    counts : sparse array (S * A, S)
        How often each outcome was seen (`counts_of`).
    n_options : int
        The largest number of options. The last one goes to the whole boundary.
    row_sums : array (S,) or None
        How well each state is known, such as the sums of rows of the learned SR. None means how
        often it was left.
    """
    experience = experience_of(mdp, counts)
    states, known = experience.states, experience.known
    untried = experience.tried == 0
    boundary = np.flatnonzero(untried.any(axis=1))
    if known is None or boundary.size == 0:
        return no_options(mdp.n_states)
    left = experience.tried.sum(axis=1)
    knowledge = left.astype(np.float64) if row_sums is None else row_sums[states]
    if known.successors is not None:
        tried = experience.tried.ravel().astype(np.int32)
        options = frontier_choices(known, tried, knowledge, n_options)[0]
        arrays = (options.policy, options.termination, options.initiation)
    else:
        boundary = boundary[np.argsort(knowledge[boundary], kind="stable")]
        n = min(n_options, boundary.size)
        sizes = -(-boundary.size * np.arange(1, n + 1) // n)
        arrays = _over_random_steps(known, boundary, sizes, untried)
    return _over_all_states(mdp, states, *arrays)


def frontier_choices(
    mdp: FiniteMDP, tried: Int32Array, knowledge: FloatArray, n_options: int
) -> tuple[OptionSet, dict[str, Any]]:
    """Return the options of `frontier` over all states, and fields of `Tables` for them.

    Parameters
    ----------
    mdp : FiniteMDP
        An MDP without random steps. Only actions that were tried are followed.
    tried : int array (S * A,)
        How often each action was taken in each state.
    knowledge : array (S,)
        How well each state is known. Empty for how often it was left.
    n_options : int
        The largest number of options, for which the tables have places.
    """
    policy, initiation, cumulative, beta, action, leads, available, n_available = frontier_tables(
        tried, mdp.successors, knowledge, n_options
    )
    n = len(policy)
    fields = {
        "available": available,
        "n_available": n_available,
        "successor": leads,
        "action": action,
        "policy": cumulative,
        "beta": beta,
        "is_certain": n == 0,
    }
    if n == 0:
        return no_options(mdp.n_states), fields
    return options_from(policy, beta[:n], initiation, _names(n), mdp.fingerprint), fields


@lru_cache(maxsize=64)
def _names(n: int) -> tuple[str, ...]:
    return tuple(f"frontier {o + 1}/{n}" for o in range(n))


def _over_random_steps(
    known: FiniteMDP, boundary: IntArray, sizes: IntArray, untried: BoolArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return what the kernel `frontier_tables` does, where actions have several outcomes."""
    n_untried = untried.sum(axis=1)
    policy = np.zeros((sizes.size, known.n_states, known.n_actions))
    termination = np.zeros((sizes.size, known.n_states))
    initiation = np.ones((sizes.size, known.n_states), dtype=bool)
    for o, size in enumerate(sizes):
        goal = boundary[:size]
        action, lost = ways_to_any(known, goal)
        policy[o, np.arange(known.n_states), action] = 1.0
        policy[o, goal] = untried[goal] / n_untried[goal, None]
        termination[o, lost] = 1.0
        termination[o, goal] = 1.0 / (n_untried[goal] + 1.0)
        initiation[o, lost] = False
    return policy, termination, initiation


def _over_all_states(
    mdp: FiniteMDP,
    states: IntArray,
    policy: FloatArray,
    termination: FloatArray,
    initiation: BoolArray,
) -> OptionSet:
    """Return options over visited states (V,) as options over all states."""
    n = len(policy)
    all_policy = np.zeros((n, mdp.n_states, mdp.n_actions))
    all_policy[:, :, 0] = 1.0
    all_policy[:, states] = policy
    all_termination = np.ones((n, mdp.n_states))
    all_termination[:, states] = termination
    all_initiation = np.zeros((n, mdp.n_states), dtype=bool)
    all_initiation[:, states] = initiation
    fingerprint = mdp.fingerprint
    return options_from(all_policy, all_termination, all_initiation, _names(n), fingerprint)


def counts_of(
    n_states: int, tables: Tables, seen: Int32Array, former: sparse.csr_array | None
) -> sparse.csr_array:
    """Return how often each outcome was seen, of shape (S * A, S).

    Parameters
    ----------
    n_states : int
        Number of states S.
    tables : Tables
        The MDP as tables.
    seen : int array (nnz,)
        How often each outcome was seen in this MDP.
    former : sparse array (S * A, S), or None
        What was seen before the MDP changed. It counts for actions not taken since.
    """
    n_rows = tables.indptr.size - 1
    entries = (seen.astype(np.int64), tables.arrival, tables.indptr)
    # A copy: zeros are eliminated in place, and all seeds read the tables.
    counts = sparse.csr_array(entries, shape=(n_rows, n_states), copy=True)
    if former is not None:
        not_taken = np.asarray(counts.sum(axis=1)) == 0
        counts = counts + sparse.diags_array(not_taken, dtype=np.int64) @ former
    counts = sparse.csr_array(counts)
    counts.eliminate_zeros()
    return counts


def carried_over(
    counts: sparse.csr_array, before: Tables, after: Tables
) -> tuple[Int32Array, sparse.csr_array]:
    """Return the counts of each outcome after a change (nnz,), and the former counts (S * A, S).

    An action with the same outcomes keeps its counts, unless some of them are of yet another MDP.
    The counts of all other actions become former ones.

    Parameters
    ----------
    counts : sparse array (S * A, S)
        How often each outcome was seen before the change.
    before, after : Tables
        The outcomes of the two MDPs.
    """
    row = np.repeat(np.arange(after.indptr.size - 1), np.diff(after.indptr))
    of_outcome = np.asarray(counts[row, after.arrival]).ravel()
    kept = _same_rows(before, after)
    kept &= np.bincount(row, of_outcome, minlength=kept.size) == np.asarray(counts.sum(axis=1))
    seen = np.where(kept[row], of_outcome, 0).astype(np.int32)
    former = sparse.csr_array(sparse.diags_array(~kept, dtype=np.int64) @ counts)
    former.eliminate_zeros()
    return seen, former


def _same_rows(before: Tables, after: Tables) -> BoolArray:
    """Return which actions have the same outcomes in two MDPs (S * A,)."""
    sizes = np.diff(before.indptr)
    same = np.asarray(sizes == np.diff(after.indptr))
    row = np.repeat(np.arange(sizes.size), sizes)
    place = np.flatnonzero(same[row])
    other = after.indptr[row[place]] + place - before.indptr[row[place]]
    differs = (before.arrival[place] != after.arrival[other]) | (
        np.abs(before.cumulative[place] - after.cumulative[other]) > _ROUNDING
    )
    same[row[place[differs]]] = False
    return same
