"""Markov chains: MDPs with a fixed policy."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.frozen import Frozen
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_array, check_discount, check_distribution_rows
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.resolvent import Resolvent
from hsr.mdp.transitions import ROW_SUM_TOLERANCE, canonical, check_rows


class MarkovChain(Frozen):
    """A finite Markov chain, and its discounted occupancy.

    The occupancy at discount g is the sum over t of g^t P^t = (I - g P)^-1. For the random walk on
    an MDP it is the successor representation, from which eigenoptions are made.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (S, S)
        Row `s` is the distribution of the state after `s`.

    Attributes
    ----------
    matrix : sparse array of shape (S, S)
        The transition matrix P, in compressed sparse rows and read-only.
    n_states : int
        Number of states S.

    Raises
    ------
    InputError
        If the matrix is not square, or a row is not a distribution. The message names the row.

    Examples
    --------
    The occupancy of one reward per step is 1 / (1 - g):

    >>> import hsr
    >>> chain = hsr.MarkovChain([[0.5, 0.5], [0.5, 0.5]])
    >>> (chain.occupancy(0.9) @ [1.0, 1.0]).round(12)
    array([10., 10.])
    """

    matrix: sparse.csr_array
    n_states: int

    def __init__(self, matrix: Any) -> None:
        if not sparse.issparse(matrix):
            matrix = sparse.csr_array(check_array(matrix, (None, None), "matrix"))
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
            raise InputError(f"matrix has shape {matrix.shape}; it must be square and not empty")
        chain = canonical(matrix)
        check_rows(chain, lambda state: f"matrix[{state}]")
        self._set(matrix=chain, n_states=int(chain.shape[0]))

    @classmethod
    def from_policy(cls, mdp: FiniteMDP, policy: Any = None) -> "MarkovChain":
        """Return the chain of an MDP under a fixed policy, P = sum_a diag(pi(a | .)) P_a.

        Parameters
        ----------
        mdp : FiniteMDP
            The MDP, with S states and A actions.
        policy : array of shape (S, A), optional
            Probability of each action in each state. The uniform policy by default.

        Examples
        --------
        >>> import hsr
        >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text(".."), discount=0.9)
        >>> hsr.MarkovChain.from_policy(mdp).matrix.toarray()
        array([[0.75, 0.25],
               [0.25, 0.75]])
        """
        check_mdp(mdp)
        return cls(policy_chain(mdp, check_policy(mdp, policy)))

    def occupancy(self, discount: float) -> LazyMatrix:
        """Return (I - g P)^-1, the expected discounted number of visits.

        Parameters
        ----------
        discount : float in [0, 0.99999]
            The discount g.

        Returns
        -------
        LazyMatrix of shape (S, S)
            Row `s` holds the visits to every state when the chain starts in `s`. Rows, columns and
            products are computed on demand.
        """
        gamma = check_discount(discount)
        P = self.matrix
        return Resolvent(P.indptr, P.indices, gamma * P.data).as_matrix()

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether P equals its transpose, as for the random walk on a grid."""
        return bool(abs(self.matrix - self.matrix.T).max() == 0.0) if self.matrix.nnz else True

    @cached_property
    def parts(self) -> tuple[IntArray, ...]:
        """The states of each connected component (directions ignored), by first state."""
        count, label = connected_components(self.matrix, directed=True, connection="weak")
        order = np.argsort(label, kind="stable")
        cuts = np.cumsum(np.bincount(label, minlength=count))[:-1]
        return tuple(sorted(np.split(order, cuts), key=lambda part: int(part[0])))


def policy_chain(mdp: FiniteMDP, policy: FloatArray) -> sparse.csr_array:
    """Return the sparse matrix P_pi = sum_a diag(pi(a | .)) P_a, of shape (S, S).

    The policy, of shape (S, A), is not checked here. `MarkovChain.from_policy` does that.
    """
    n_states, n_actions = mdp.n_states, mdp.n_actions
    if mdp.successors is not None:
        indptr = np.arange(0, n_states * n_actions + 1, n_actions)
        csr = sparse.csr_array(
            (policy.ravel(), mdp.successors.ravel(), indptr), shape=(n_states, n_states)
        )
        csr = csr.copy()
    else:
        parts = [
            mdp.transition_of(action).multiply(policy[:, [action]]) for action in range(n_actions)
        ]
        csr = sparse.csr_array(sum(parts[1:], start=parts[0]))
    csr.sum_duplicates()
    csr.eliminate_zeros()
    return csr


def check_policy(mdp: FiniteMDP, policy: Any, name: str = "policy") -> FloatArray:
    """Return a policy of shape (S, A) with rows that sum to 1. None means the uniform policy."""
    if policy is None:
        return uniform_over_actions(mdp)
    array = check_array(policy, (mdp.n_states, mdp.n_actions), name)
    return check_distribution_rows(array, name, tolerance=ROW_SUM_TOLERANCE)


def uniform_over_actions(mdp: FiniteMDP) -> FloatArray:
    """Return the policy that takes every action with probability 1 / A, of shape (S, A)."""
    check_mdp(mdp)
    return np.full((mdp.n_states, mdp.n_actions), 1.0 / mdp.n_actions)
