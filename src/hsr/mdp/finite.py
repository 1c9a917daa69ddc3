"""Finite MDPs, without rewards."""

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import Int32Array, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.frozen import Frozen
from hsr._base.memory import check_fits
from hsr._base.validation import check_discount, check_index, read_numbers
from hsr.kernels.graph import predecessors
from hsr.mdp.fingerprint import fingerprint_of_matrices, fingerprint_of_table, likeliest
from hsr.mdp.labels import Labels, is_hashable, number_states, read_labels

ROW_SUM_TOLERANCE = 1e-8
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
    fingerprint : str
        Equal for two MDPs in which every action has the same outcomes with the same probabilities.
    structure_fingerprint : str
        Equal for two MDPs in which every action has the same most likely outcome.

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
    # Of a deterministic MDP only those that were asked for.
    _matrices: dict[int, sparse.csr_array]

    def __init__(
        self, transition: Any, discount: float, labels: Sequence[Hashable] | None = None
    ) -> None:
        discount = check_discount(discount)
        matrices = _read_matrices(transition)
        for action, matrix in enumerate(matrices):
            check_rows(matrix, partial("transition[{}, {action}]".format, action=action))
        n_states = int(matrices[0].shape[0])
        self._set(
            discount=discount,
            n_states=n_states,
            n_actions=len(matrices),
            labels=read_labels(labels, n_states),
        )
        self._set(successors=_find_successors(matrices), _matrices=dict(enumerate(matrices)))

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

        Maps and bases carry the fingerprint of the MDP that they were made for, so that they are
        not used with another MDP by mistake. The fingerprint does not depend on the discount or on
        labels. Probabilities count to nine decimals.
        """
        if self.successors is not None:
            return fingerprint_of_table(self.successors)
        return fingerprint_of_matrices(self._matrices[a] for a in range(self.n_actions))

    @cached_property
    def structure_fingerprint(self) -> str:
        """Fingerprint of the deterministic MDP in which every action has its most likely outcome.

        Options carry it, because a policy that fits a maze still fits when moves slip. Mazes that
        differ only in `slip` share it, as long as moves succeed more often than not. For a
        deterministic MDP it equals `fingerprint`.
        """
        if self.successors is not None:
            return self.fingerprint
        return fingerprint_of_table(likeliest([self._matrices[a] for a in range(self.n_actions)]))

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
        if self.successors is not None:
            return FiniteMDP.from_successors, (self.successors, self.discount, self.labels)
        return FiniteMDP, (list(self._matrices.values()), self.discount, self.labels)

    def __repr__(self) -> str:
        kind = "deterministic" if self.is_deterministic else "stochastic"
        size = f"n_states={self.n_states}, n_actions={self.n_actions}, discount={self.discount}"
        return f"FiniteMDP({size}, {kind})"


def _read_matrices(transition: Any) -> tuple[sparse.csr_array, ...]:
    if sparse.issparse(transition):
        raise InputError(
            "transition is one sparse matrix; give a sequence with one (S, S) matrix per action"
        )
    given_sparse = isinstance(transition, Sequence) and any(
        sparse.issparse(matrix) for matrix in transition
    )
    matrices = list(transition) if given_sparse else _split_dense(transition)
    for action, matrix in enumerate(matrices):
        if (
            not sparse.issparse(matrix)
            or matrix.ndim != 2
            or matrix.shape != (matrices[0].shape[0],) * 2
        ):
            kind = (
                f"has shape {matrix.shape}"
                if sparse.issparse(matrix)
                else f"is of type {type(matrix).__name__}"
            )
            raise InputError(
                f"transition matrix of action {action} {kind}; "
                "each must be sparse of one shape (S, S)"
            )
    if matrices[0].shape[0] == 0:
        raise InputError("transition has no states; there must be at least one")
    return tuple(
        canonical(matrix, f"transition matrix of action {action}")
        for action, matrix in enumerate(matrices)
    )


def _split_dense(transition: Any) -> list[sparse.csr_array]:
    forms = "give an array of shape (S, A, S) or A sparse matrices of shape (S, S)"
    array = read_numbers(transition, f"transition cannot be read as numbers; {forms}")
    if array.ndim != 3 or array.shape[0] != array.shape[2] or 0 in array.shape:
        raise InputError(
            f"transition has shape {array.shape}; it must have shape (S, A, S) "
            "with the same S first and last, or be a sequence of A sparse matrices of shape (S, S)"
        )
    return [sparse.csr_array(array[:, action]) for action in range(array.shape[1])]


def canonical(matrix: Any, name: str = "matrix") -> sparse.csr_array:
    """Return a read-only copy in compressed sparse rows, sorted and without duplicates or zeros.

    SciPy does not look at the indices of a sparse matrix by itself. One that lies outside makes
    compiled code read and write foreign memory, so all are checked before the first use.
    """
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{name} has type {matrix.dtype}; it must hold real numbers")
    _check_indices(matrix, name)
    csr = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    for array in (csr.data, csr.indices, csr.indptr):
        read_only(array)
    return csr


def _check_indices(matrix: Any, name: str) -> None:
    """Raise `InputError` if a sparse matrix has entries outside of its shape."""
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
        elif matrix.format == "coo":
            for axis, (along, size) in enumerate(zip(matrix.coords, matrix.shape, strict=True)):
                if along.shape != matrix.data.shape:
                    raise ValueError(f"axis {axis} has {along.size} indices")
                if along.size and not (along.min() >= 0 and along.max() < size):
                    raise ValueError(f"an index of axis {axis} lies outside")
        else:
            _check_indices(matrix.tocoo(), name)
    except (ValueError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise InputError(
            f"{name} is not a valid sparse matrix of shape {matrix.shape}: {error}"
        ) from None


def check_mdp(mdp: Any) -> FiniteMDP:
    """Return `mdp` if it is a `FiniteMDP`, or raise `InputError` that says how to get one."""
    if not isinstance(mdp, FiniteMDP):
        kind = type(mdp).__name__
        raise InputError(f"mdp is of type {kind}; it must be a FiniteMDP{_MDP_OF.get(kind, '')}")
    return mdp


def check_rows(matrix: sparse.csr_array, name: Callable[[int], str]) -> None:
    """Raise `InputError` unless every row is a distribution; `name(state)` names a row."""
    bad = ~np.isfinite(matrix.data) | (matrix.data < 0.0)
    if bad.any():
        entry = int(np.flatnonzero(bad)[0])
        row = name(int(np.searchsorted(matrix.indptr, entry, side="right")) - 1)
        raise InputError(
            f"{row[:-1]}, {matrix.indices[entry]}] is {matrix.data[entry]:.6g}; "
            "probabilities are finite and not negative"
        )
    sums = matrix @ np.ones(matrix.shape[1])
    wrong = np.flatnonzero(np.abs(sums - 1.0) > ROW_SUM_TOLERANCE)
    if wrong.size:
        raise InputError(f"{name(int(wrong[0]))} sums to {sums[wrong[0]]:.10g}; rows must sum to 1")


def _find_successors(matrices: tuple[sparse.csr_array, ...]) -> Int32Array | None:
    for matrix in matrices:
        if (
            matrix.nnz != matrix.shape[0]
            or (matrix.data != 1.0).any()
            or (np.diff(matrix.indptr) != 1).any()
        ):
            return None
    table: Int32Array = np.stack([matrix.indices for matrix in matrices], axis=1).astype(np.int32)
    return read_only(table)
