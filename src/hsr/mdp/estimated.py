"""`EstimatedMDP`: an MDP that was counted in a log, with the counts behind each of its
probabilities.
"""

from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, IntArray, read_only
from hsr._base.validation import check_index
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.labels import Labels


class EstimatedMDP(FiniteMDP):
    """An MDP that was counted in a log (`from_transitions`); it can do all that a `FiniteMDP` can.

    Attributes
    ----------
    action_labels : tuple
        What the actions are called in the log.
    counts : int array of shape (S, A)
        How often each action was tried in each state.
    estimated : bool array of shape (S, A)
        Where the probabilities are shares of the log; elsewhere they are what the caller asked for.
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
        """Return the standard error of each probability of `transition_of(action)`; nan where it is
        not estimated.

        An outcome that always followed has the error 0, however rarely it was tried: look at
        `counts` as well.
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
