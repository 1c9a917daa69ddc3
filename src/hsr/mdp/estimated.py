"""`EstimatedMDP`: transition probabilities that were counted in a log."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray, read_only
from hsr._base.validation import check_index, check_not_negative
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.labels import Labels


class EstimatedMDP(FiniteMDP):
    """An MDP whose probabilities were estimated from a log; `from_transitions` makes one.

    It can do everything that a `FiniteMDP` can, and it knows how much data is behind each
    probability.

    Parameters
    ----------
    transition, discount, labels : as in `FiniteMDP`
        The estimated MDP, with one label per state.
    action_labels : tuple
        One label per action.
    counts : int array of shape (S, A)
        Number of times that each action was taken in each state.
    estimated : bool array of shape (S, A)
        Where the probabilities come from the log.
    possible : bool array of shape (S, A), optional
        Which actions there are in each state. All of them by default.

    Attributes
    ----------
    action_labels : tuple
        What the actions are called in the log.
    counts : int array of shape (S, A)
        How often each action was taken in each state.
    estimated : bool array of shape (S, A)
        Where the probabilities are frequencies in the log. Elsewhere they are what the caller asked
        `from_transitions` to assume.
    possible : bool array of shape (S, A)
        Which actions there are in each state. In a path or a recording, only those that lead to
        another place.

    Examples
    --------
    >>> import hsr
    >>> log = [("nest", "go", "food"), ("food", "go", "nest"), ("nest", "go", "nest")]
    >>> mdp = hsr.from_transitions(log, discount=0.9)
    >>> mdp
    EstimatedMDP(n_states=2, n_actions=1, discount=0.9, counted in 3 steps)
    >>> mdp.transition_of(0).toarray()
    array([[0.5, 0.5],
           [1. , 0. ]])
    >>> mdp.counts.tolist()
    [[2], [1]]
    """

    action_labels: Labels
    counts: IntArray
    estimated: BoolArray
    possible: BoolArray

    def __init__(
        self,
        transition: Any,
        discount: float,
        labels: Labels,
        action_labels: Labels,
        counts: IntArray,
        estimated: BoolArray,
        possible: BoolArray | None = None,
    ) -> None:
        super().__init__(transition, discount, labels)
        if possible is None:
            possible = np.ones(counts.shape, dtype=bool)
        self._set(
            action_labels=action_labels,
            counts=read_only(counts),
            estimated=read_only(estimated),
            possible=read_only(possible),
        )

    def behaviour(self, pseudo_counts: float = 0.0) -> FloatArray:
        """Return the policy that was seen: how often each action was taken in each state.

        With n(s, a) the counts and c the pseudo-counts,

            pi(a | s) = (n(s, a) + c) / sum_b (n(s, b) + c),

        over the actions that are possible in s. Where nothing was counted, all possible actions are
        equally likely.

        Parameters
        ----------
        pseudo_counts : float
            Added to the count of every possible action. With 0 an action that was never seen has
            probability 0. About 1 is usual where a policy is to predict new data.

        Returns
        -------
        float array of shape (S, A)
            A policy for `successor_representation` and others.

        Examples
        --------
        >>> import hsr
        >>> log = [("nest", "go", "food"), ("food", "go", "nest"), ("nest", "stay", "nest")]
        >>> mdp = hsr.from_transitions(log, missing="stay")
        >>> mdp.behaviour()
        array([[0.5, 0.5],
               [1. , 0. ]])
        >>> mdp.behaviour(pseudo_counts=1.0)[mdp.state_of("food")].round(3)
        array([0.667, 0.333])
        """
        added = check_not_negative(pseudo_counts, "pseudo_counts")
        n = self.counts + added * self.possible
        unseen = n.sum(axis=1) == 0.0
        some = self.possible[unseen].any(axis=1, keepdims=True)
        n[unseen] = np.where(some, self.possible[unseen], 1.0)
        return n / n.sum(axis=1, keepdims=True)

    def with_barrier(
        self, passages: Sequence[tuple[int, int]] = (), *, states: Sequence[int] = ()
    ) -> Self:
        """Return the MDP with blocked passages, and with the same states.

        Actions that only led across the barrier are no longer possible, and their counts are
        removed, so that `behaviour` shares their probability among the other actions of the state.

        Parameters
        ----------
        passages : sequence of pairs of states
            Blocked in both directions.
        states : sequence of int
            States that cannot be entered. They can still be left.

        Raises
        ------
        InputError
            If no step leads from one state of a pair to the other.

        Examples
        --------
        >>> import hsr
        >>> mdp = hsr.from_path("abcabac", discount=0.9)
        >>> blocked = mdp.with_barrier([(mdp.state_of("a"), mdp.state_of("c"))])
        >>> blocked.behaviour()[blocked.state_of("a")]
        array([1., 0.])
        """
        mdp = super().with_barrier(passages, states=states)
        stuck = _stays(mdp) & ~_stays(self)
        mdp._set(
            counts=read_only(np.where(stuck, 0, self.counts)),
            estimated=read_only(self.estimated & ~stuck),
            possible=read_only(self.possible & ~stuck),
        )
        return mdp

    def standard_error_of(self, action: int) -> sparse.csr_array:
        """Return the standard error of each probability of `transition_of(action)`.

        With p estimated from n steps it is sqrt(p (1 - p) / n). An outcome that always followed has
        standard error 0, however rarely the action was taken, so look at `counts` as well.

        Parameters
        ----------
        action : int
            The number of the action.

        Returns
        -------
        sparse array of shape (S, S)
            With the entries of `transition_of(action)`. They are nan where nothing was estimated.
        """
        a = check_index(action, self.n_actions, "action")
        P = self.transition_of(a).copy()
        n = np.where(self.estimated[:, a], self.counts[:, a], np.nan).repeat(np.diff(P.indptr))
        P.data = np.sqrt(P.data * (1.0 - P.data) / n)
        return P

    def __reduce__(self) -> tuple[Any, ...]:
        matrices = [self.transition_of(action) for action in range(self.n_actions)]
        # Copies, because the arrays of the new object are its own.
        more = (self.action_labels, self.counts.copy(), self.estimated.copy(), self.possible.copy())
        return EstimatedMDP, (matrices, self.discount, self.labels, *more)

    def __repr__(self) -> str:
        size = f"n_states={self.n_states}, n_actions={self.n_actions}, discount={self.discount}"
        return f"EstimatedMDP({size}, counted in {self.counts.sum()} steps)"


def _stays(mdp: FiniteMDP) -> BoolArray:
    """Return where an action certainly leads to the state itself, of shape (S, A)."""
    if mdp.successors is not None:
        return np.asarray(mdp.successors == np.arange(mdp.n_states)[:, None])
    matrices = (mdp.transition_of(action) for action in range(mdp.n_actions))
    return np.stack([P.diagonal() >= 1.0 - 1e-12 for P in matrices], axis=1)
