"""`FiniteMDP`: transition probabilities and a discount, without rewards."""

from collections.abc import Hashable, Sequence
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray, Int32Array, IntArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.frozen import Frozen
from hsr._base.memory import check_fits
from hsr._base.validation import check_discount, check_index, read_numbers
from hsr.kernels.graph import predecessors
from hsr.mdp.barriers import FORGOTTEN, barred
from hsr.mdp.fingerprint import fingerprint_of_matrices, fingerprint_of_table
from hsr.mdp.labels import Labels, is_hashable, number_states, read_labels
from hsr.mdp.transitions import (
    canonical,
    check_rows,
    cumulative_sums,
    find_successors,
    read_matrices,
)

_MDP_OF = {  # by name, because these types are defined above this package
    "GridLayout": "; make one with hsr.grid_mdp(layout)",
    "str": "; hsr.grid_mdp(name) makes one of a named layout",
    "GridWorld": "; use env.mdp",
    "OptionModel": "; use model.mdp",
}


class FiniteMDP(Frozen):
    """A finite Markov decision process without rewards.

    It holds the transition probabilities P(t | s, a) and a discount. Rewards belong to a task
    (`GoalTask`) or to the caller (``M @ reward``), because a predictive map is made once and used
    for many rewards.

    Transitions are kept as one sparse matrix of shape (S, S) per action. If every action has a
    single outcome, the MDP is recognised as deterministic. Its table of successors then allows
    faster exact algorithms: breadth-first search instead of policy iteration, and jump tables
    instead of matrix inverses.

    Parameters
    ----------
    transition : array of shape (S, A, S), or a sequence of A sparse matrices of shape (S, S)
        ``transition[s, a, t]`` is the probability of arriving in `t` when action `a` is taken in
        `s`. Each row sums to 1.
    discount : float in [0, 0.99999]
        Discount per step.
    labels : sequence of S different hashable objects, optional
        What the states are called where they come from. `state_of` finds a state by its label.

    Attributes
    ----------
    n_states, n_actions : int
        The numbers of states S and actions A.
    discount : float
        The discount per step.
    labels : tuple or None
        The labels of the states.
    successors : int array of shape (S, A), or None
        The state that each action leads to. None unless the MDP is deterministic.
    cells : int array of shape (S, 2), or None
        Row and column of each state, if the MDP is that of a layout.
    fingerprint : str
        Equal for two MDPs in which every action has the same outcomes with the same probabilities.

    Raises
    ------
    InputError
        If shapes are wrong, an entry is negative or not finite, or a row does not sum to 1. The
        message names the state and the action.

    Examples
    --------
    Two states. Action 0 stays and action 1 changes the state:

    >>> import numpy as np, hsr
    >>> transition = np.zeros((2, 2, 2))
    >>> transition[[0, 1], 0, [0, 1]] = 1
    >>> transition[[0, 1], 1, [1, 0]] = 1
    >>> mdp = hsr.FiniteMDP(transition, discount=0.9)
    >>> mdp
    FiniteMDP(n_states=2, n_actions=2, discount=0.9, deterministic)
    >>> mdp.successors.tolist()
    [[0, 1], [1, 0]]
    """

    discount: float
    n_states: int
    n_actions: int
    labels: Labels | None
    successors: Int32Array | None
    cells: IntArray | None = None
    # Of a deterministic MDP only those that were asked for.
    _matrices: dict[int, sparse.csr_array]

    def __init__(
        self, transition: Any, discount: float, labels: Sequence[Hashable] | None = None
    ) -> None:
        discount = check_discount(discount)
        matrices = read_matrices(transition)
        for action, matrix in enumerate(matrices):
            check_rows(matrix, partial("transition[{}, {action}]".format, action=action))
        n_states = int(matrices[0].shape[0])
        self._set(
            discount=discount,
            n_states=n_states,
            n_actions=len(matrices),
            labels=read_labels(labels, n_states),
        )
        self._set(successors=find_successors(matrices), _matrices=dict(enumerate(matrices)))

    @staticmethod
    def from_successors(
        successors: Any, discount: float, labels: Sequence[Hashable] | None = None
    ) -> "FiniteMDP":
        """Return the deterministic MDP of a table of successors.

        Parameters
        ----------
        successors : int array of shape (S, A)
            The state that each action leads to.
        discount : float in [0, 0.99999]
            Discount per step.
        labels : sequence of S different hashable objects, optional
            What the states are called.

        Examples
        --------
        >>> import hsr
        >>> hsr.FiniteMDP.from_successors([[0, 1], [1, 0]], discount=0.9).transition_of(1).toarray()
        array([[0., 1.],
               [1., 0.]])
        """
        discount = check_discount(discount)
        table = read_numbers(
            successors, "successors cannot be read as integers; it must have shape (S, A)"
        )
        if table.ndim != 2 or 0 in table.shape:
            raise InputError(
                f"successors has shape {table.shape}; it must have shape (S, A), not empty"
            )
        wrong = np.argwhere(~((table >= 0) & (table < table.shape[0]) & (table == np.floor(table))))
        if wrong.size:
            s, a = wrong[0]
            raise InputError(
                f"successors[{s}, {a}] is {table[s, a]:.6g}; "
                f"it must be a state in 0..{table.shape[0] - 1}"
            )
        mdp = FiniteMDP.__new__(FiniteMDP)
        mdp._set(discount=discount, n_states=table.shape[0], n_actions=table.shape[1], _matrices={})
        mdp._set(
            successors=read_only(table.astype(np.int32)), labels=read_labels(labels, table.shape[0])
        )
        return mdp

    @property
    def is_deterministic(self) -> bool:
        """Whether every action has a single outcome in every state."""
        return self.successors is not None

    def transition_of(self, action: int) -> sparse.csr_array:
        """Return the sparse matrix of one action, of shape (S, S).

        Parameters
        ----------
        action : int
            The number of the action, from 0.

        Returns
        -------
        sparse array of shape (S, S)
            Row `s` is the distribution of the next state. The array is read-only.
        """
        a = check_index(action, self.n_actions, "action")
        if a not in self._matrices:
            assert self.successors is not None
            indptr = np.arange(self.n_states + 1)
            entries = (np.ones(self.n_states), self.successors[:, a], indptr)
            self._matrices[a] = canonical(
                sparse.csr_array(entries, shape=(self.n_states, self.n_states))
            )
        return self._matrices[a]

    def with_discount(self, discount: float) -> Self:
        """Return the same MDP with another discount.

        Everything else is shared: transitions, labels, and what an MDP keeps of its source, such as
        the rewards of an environment or the counts of a log. The fingerprint is the same, so that
        options can be used at every discount.

        Parameters
        ----------
        discount : float in [0, 0.99999]
            Discount per step.

        Examples
        --------
        >>> import hsr
        >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
        >>> mdp.with_discount(0.99)
        FiniteMDP(n_states=104, n_actions=4, discount=0.99, deterministic)
        """
        mdp = object.__new__(type(self))
        mdp._set(**{**vars(self), "discount": check_discount(discount)})
        return mdp

    def with_barrier(
        self, passages: Sequence[tuple[int, int]] = (), *, states: Sequence[int] = ()
    ) -> Self:
        """Return the MDP with blocked passages, and with the same states.

        A step that would cross the barrier stays where it is. Maps of both worlds have the same
        rows and columns, and can be compared entry by entry. The fingerprint differs, because maps
        and options of one world are not those of the other.

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
        A ring of four states. With a barrier between 0 and 3 the way from 0 to 3 has three steps:

        >>> import hsr
        >>> mdp = hsr.FiniteMDP.from_successors([[1, 3], [2, 0], [3, 1], [0, 2]], discount=0.5)
        >>> mdp.with_barrier([(0, 3)]).successors.tolist()
        [[1, 0], [2, 0], [3, 1], [3, 2]]
        """
        mdp = object.__new__(type(self))
        kept = {name: value for name, value in vars(self).items() if name not in FORGOTTEN}
        mdp._set(**{**kept, **barred(self, passages, states)})
        return mdp

    def state_of(self, label: Hashable) -> int:
        """Return the state with this label, or raise `InputError` if there is none.

        Parameters
        ----------
        label : hashable
            One of `labels`.

        Examples
        --------
        >>> import hsr
        >>> mdp = hsr.FiniteMDP.from_successors([[1], [0]], discount=0.9, labels=["nest", "food"])
        >>> mdp.state_of("food")
        1
        """
        if self.labels is None:
            raise InputError("this MDP has no labels; its states are the numbers 0, 1, ...")
        if not is_hashable(label) or label not in self._numbers:
            raise InputError(
                f"no state is labelled {short_repr(label)}; labels are such as "
                f"{short_repr(self.labels[0])}"
            )
        return self._numbers[label]

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return number_states(self.labels or ())

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits that identify the transition probabilities.

        Options, maps and bases record the fingerprint of the MDP that they were made for, so that
        they are not used in another MDP by mistake. The fingerprint does not depend on the discount
        or on labels. Probabilities count to nine decimals.
        """
        if self.successors is not None:
            return fingerprint_of_table(self.successors)
        return fingerprint_of_matrices(self._matrices[a] for a in range(self.n_actions))

    def toarray(self) -> np.ndarray:
        """Return the dense array of shape (S, A, S); `TooLargeError` if it would not fit."""
        n_bytes = 8 * self.n_states**2 * self.n_actions
        check_fits(
            n_bytes, "the dense transition array", "use .transition_of(action), which is sparse"
        )
        return np.stack(
            [self.transition_of(action).toarray() for action in range(self.n_actions)], axis=1
        )

    @cached_property
    def predecessors(self) -> tuple[np.ndarray, np.ndarray]:
        """The reversed edges as (indptr, indices): from where one move may lead to a state."""
        if self.successors is not None:
            indptr, indices = predecessors(self.successors)
        else:
            support = sum(
                self._matrices.values(), start=sparse.csr_array((self.n_states, self.n_states))
            ).tocsc()
            indptr, indices = support.indptr.astype(np.int64), support.indices.astype(np.int32)
        return read_only(indptr), read_only(indices)

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled arrays are writeable; the constructor freezes them.
        state = None if self.cells is None else {"cells": self.cells}
        if self.successors is not None:
            table = (self.successors, self.discount, self.labels)
            return FiniteMDP.from_successors, table, state
        return FiniteMDP, (list(self._matrices.values()), self.discount, self.labels), state

    def __repr__(self) -> str:
        kind = "deterministic" if self.is_deterministic else "stochastic"
        size = f"n_states={self.n_states}, n_actions={self.n_actions}, discount={self.discount}"
        return f"FiniteMDP({size}, {kind})"


def check_mdp(mdp: Any) -> FiniteMDP:
    """Return `mdp` if it is a `FiniteMDP`, or raise `InputError` that says how to get one."""
    if not isinstance(mdp, FiniteMDP):
        kind = type(mdp).__name__
        raise InputError(f"mdp is of type {kind}; it must be a FiniteMDP{_MDP_OF.get(kind, '')}")
    return mdp


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
