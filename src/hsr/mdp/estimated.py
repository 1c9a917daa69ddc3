"""MDPs that were estimated from a log."""

from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, IntArray, read_only
from hsr._base.validation import check_index
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

    Attributes
    ----------
    action_labels : tuple
        What the actions are called in the log.
    counts : int array of shape (S, A)
        How often each action was taken in each state.
    estimated : bool array of shape (S, A)
        Where the probabilities are frequencies in the log. Elsewhere they are what the caller asked
        `from_transitions` to assume.

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

    def __init__(
        self,
        transition: Any,
        discount: float,
        labels: Labels,
        action_labels: Labels,
        counts: IntArray,
        estimated: BoolArray,
    ) -> None:
        super().__init__(transition, discount, labels)
        self._set(
            action_labels=action_labels, counts=read_only(counts), estimated=read_only(estimated)
        )

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
        more = (self.action_labels, self.counts.copy(), self.estimated.copy())
        return EstimatedMDP, (matrices, self.discount, self.labels, *more)

    def __repr__(self) -> str:
        size = f"n_states={self.n_states}, n_actions={self.n_actions}, discount={self.discount}"
        return f"EstimatedMDP({size}, counted in {self.counts.sum()} steps)"
