"""`Experience`: what an agent has seen of the world, and nothing else."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from hsr.agents.discovery.beliefs import counts_of
from hsr.kernels.records import Transitions
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet, options_from


@dataclass(frozen=True, eq=False)
class Experience:
    """The states that an agent has visited, and the transitions that it has seen.

    Visited states are numbered in their order. V is their number, and A that of actions.

    Attributes
    ----------
    states : int array (V,)
        The visited states.
    world : FiniteMDP or None
        The visited states with the transitions that were seen, at their frequencies. An action that
        was never tried stays where it is. None if nothing was seen.
    tried : int array (V, A)
        How often each action was taken in each visited state.
    arrivals : int array (V,)
        How often each visited state was entered.
    learned : array (S, S)
        The SR that the agent has learned. It is not copied.
    """

    states: IntArray
    world: FiniteMDP | None
    tried: IntArray
    arrivals: IntArray
    learned: FloatArray

    @property
    def left(self) -> IntArray:
        """How often each visited state was left (V,)."""
        return np.asarray(self.tried.sum(axis=1))

    @property
    def M(self) -> FloatArray:
        """The learned SR between visited states (V, V)."""
        return self.learned[np.ix_(self.states, self.states)]

    @property
    def norms(self) -> FloatArray:
        """The sums of rows of the learned SR (V,); without a copy of the map."""
        return np.asarray(self.learned.sum(axis=1)[self.states])

    @property
    def untried(self) -> BoolArray:
        """Which actions were never taken (V, A)."""
        return np.asarray(self.tried == 0)


def experience_of(
    mdp: FiniteMDP,
    transitions: Transitions,
    seen: Int32Array,
    M: FloatArray,
    former: sparse.csr_array | None = None,
) -> Experience:
    """Return what an agent knows.

    Of the MDP itself only the number of actions and the discount are read, and whether steps are
    random.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP in which the agent acts.
    transitions : Transitions
        Its outcomes as tables.
    seen : int array (nnz,)
        How often each outcome was seen.
    M : array (S, S)
        The SR that the agent has learned.
    former : sparse array (S * A, S), optional
        What was seen before the world changed, of actions that were not taken since.
    """
    if former is not None:
        return _of_counts(mdp, counts_of(mdp.n_states, transitions, seen, former), M)
    n, n_actions = mdp.n_states, mdp.n_actions
    n_tried = np.add.reduceat(seen, transitions.indptr[:-1], dtype=np.int64)
    tried = n_tried.reshape(n, n_actions)
    arrivals = np.bincount(transitions.arrival, seen, minlength=n).astype(np.int64)
    states = np.flatnonzero((tried.sum(axis=1) > 0) | (arrivals > 0))
    world = _seen_world(mdp, transitions, seen, n_tried, states) if states.size else None
    return Experience(states, world, tried[states], arrivals[states], M)


def _of_counts(mdp: FiniteMDP, counts: sparse.csr_array, M: FloatArray) -> Experience:
    """Return what an agent knows, from how often each outcome was seen (S * A, S)."""
    n, n_actions = mdp.n_states, mdp.n_actions
    n_tried = np.asarray(counts.sum(axis=1))
    tried, arrivals = n_tried.reshape(n, n_actions), np.asarray(counts.sum(axis=0))
    states = np.flatnonzero((tried.sum(axis=1) > 0) | (arrivals > 0))
    if not states.size:
        return Experience(states, None, tried[states], arrivals[states], M)
    matrices = []
    for a in range(n_actions):
        rows = states * n_actions + a
        untried = n_tried[rows] == 0
        scale = sparse.diags_array(1.0 / np.maximum(n_tried[rows], 1))
        frequency = scale @ counts[rows][:, states] + sparse.diags_array(untried.astype(float))
        matrices.append(sparse.csr_array(frequency))
    world = FiniteMDP(matrices, mdp.discount)
    return Experience(states, world, tried[states], arrivals[states], M)


def _seen_world(
    mdp: FiniteMDP, transitions: Transitions, seen: Int32Array, n_tried: IntArray, states: IntArray
) -> FiniteMDP:
    """Return the visited states with what was seen of them."""
    number = np.full(mdp.n_states, -1)
    number[states] = np.arange(states.size)
    rows = (states[:, None] * mdp.n_actions + np.arange(mdp.n_actions)).ravel()
    here = np.repeat(np.arange(states.size), mdp.n_actions)
    if mdp.is_deterministic:
        leads = number[transitions.arrival[transitions.indptr[rows]]]
        table = np.where(n_tried[rows] > 0, leads, here)
        return FiniteMDP.from_successors(table.reshape(states.size, -1), mdp.discount)
    row_of = np.repeat(np.arange(n_tried.size), np.diff(transitions.indptr))
    (known,) = np.nonzero(seen)
    source, action = np.divmod(row_of[known], mdp.n_actions)
    frequency = seen[known] / n_tried[row_of[known]]
    matrices = []
    for a in range(mdp.n_actions):
        own = action == a
        untried = np.flatnonzero(n_tried[states * mdp.n_actions + a] == 0)
        entries = np.concatenate([frequency[own], np.ones(untried.size)])
        left = np.concatenate([number[source[own]], untried])
        entered = np.concatenate([number[transitions.arrival[known[own]]], untried])
        shape = (states.size, states.size)
        matrices.append(sparse.csr_array((entries, (left, entered)), shape=shape))
    return FiniteMDP(matrices, mdp.discount)


def in_the_whole(mdp: FiniteMDP, states: IntArray, options: OptionSet) -> OptionSet:
    """Return options over visited states as options over all states.

    In a state that was never visited they cannot be chosen, and they stop there.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP in which the agent acts.
    states : int array (V,)
        The visited states.
    options : OptionSet
        Options over these V states.
    """
    n_options = len(options)
    policy = np.zeros((n_options, mdp.n_states, *options.policy.shape[2:]), options.policy.dtype)
    if policy.ndim == 3:
        policy[:, :, 0] = 1.0
    policy[:, states] = options.policy
    termination = np.ones((n_options, mdp.n_states))
    termination[:, states] = options.termination
    initiation = np.zeros((n_options, mdp.n_states), dtype=bool)
    initiation[:, states] = options.initiation
    names = [
        f"to {states[int(name[3:])]}" if name.startswith("to ") else name for name in options.names
    ]
    return options_from(policy, termination, initiation, names, mdp.structure_fingerprint)
