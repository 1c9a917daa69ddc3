"""Transitions in the form from which one uniform random number draws an outcome."""

import numpy as np

from hsr._base.arrays import FloatArray
from hsr.mdp.finite import FiniteMDP


def outcomes(mdp: FiniteMDP) -> tuple[np.ndarray, np.ndarray, FloatArray]:
    """Return the outcomes of all actions as (indptr, arrival, cumulative).

    Row ``s * A + a`` belongs to action `a` in state `s`. It lists the possible next states and the
    cumulative sums of their probabilities.
    """
    n_rows = mdp.n_states * mdp.n_actions
    if mdp.successors is not None:
        return np.arange(n_rows + 1), mdp.successors.ravel(), np.ones(n_rows)
    matrices = [mdp.transition_of(action) for action in range(mdp.n_actions)]
    counts = np.stack([np.diff(P.indptr) for P in matrices], axis=1)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    arrival = np.empty(indptr[-1], dtype=np.int32)
    probability = np.empty(indptr[-1])
    for a, P in enumerate(matrices):
        place = np.repeat(indptr[a : -1 : mdp.n_actions] - P.indptr[:-1], counts[:, a]) + np.arange(
            P.nnz
        )
        arrival[place] = P.indices
        probability[place] = P.data
    return indptr, arrival, cumulative_sums(indptr, probability)


def cumulative_sums(indptr: np.ndarray, data: FloatArray) -> FloatArray:
    """Return the cumulative sums within each row of a sparse matrix."""
    total = np.cumsum(data)
    before = np.concatenate([[0.0], total])[indptr[:-1]]
    return total - np.repeat(before, np.diff(indptr))
