"""`OptionSet`: courses of action, each with where it may start, what it does and where it stops.

An option is a triple (initiation, policy, termination). It may be chosen in a state of its
initiation set, then acts at least once by its policy, and on arrival in each state stops with the
probability that its termination gives there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, read_only
from hsr._base.errors import InputError
from hsr._base.extras import needs
from hsr._base.frozen import Frozen
from hsr._base.validation import check_array, check_distribution_rows, check_index
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.provenance import check_made_for, read_made_for

if TYPE_CHECKING:
    import xarray

_MOST_ACTIONS = 2**31 - 1
_BY_HAND = "make them for this one, or, to use them here on purpose, build OptionSet(policy, termination, initiation) by hand"


@dataclass(frozen=True)
class Option:
    """One option: policy of shape (S,) or (S, A), termination (S,), initiation (S,), and a name."""

    name: str
    policy: np.ndarray
    termination: FloatArray
    initiation: BoolArray


class OptionSet(Frozen):
    """Several options over the same states; read-only.

    Parameters
    ----------
    policy : int array of shape (O, S), or float array of shape (O, S, A)
        The action of each option in each state, or the probability of each action.
    termination : array of shape (O, S), entries in [0, 1]
        Probability of stopping on arrival in each state.
    initiation : bool array of shape (O, S), optional
        Where each option may be chosen; everywhere by default.
    names : sequence of O strings, optional
    made_for : str, optional
        Outline of the MDP whose options these are; they are then refused where actions mostly lead
        elsewhere. None for options made by hand.

    Examples
    --------
    One option for a row of three cells: go right until the last cell.

    >>> import hsr
    >>> options = hsr.OptionSet(policy=[[1, 1, 1]], termination=[[0, 0, 1]], initiation=[[True, True, False]])
    >>> len(options), options[0].name
    (1, 'option 0')
    """

    policy: np.ndarray
    termination: FloatArray
    initiation: BoolArray
    names: tuple[str, ...]
    made_for: str | None

    def __init__(
        self,
        policy: Any,
        termination: Any,
        initiation: Any = None,
        names: Sequence[str] = (),
        made_for: str | None = None,
    ) -> None:
        pi = _read_policy(policy)
        n_options, n_states = pi.shape[:2]
        beta = check_array(termination, (n_options, n_states), "termination")
        if isinstance(termination, np.ndarray) and np.may_share_memory(beta, termination):
            beta = beta.copy()
        wrong = np.argwhere((beta < 0.0) | (beta > 1.0))
        if wrong.size:
            o, s = wrong[0]
            raise InputError(f"termination[{o}, {s}] is {beta[o, s]:.6g}; it must lie in [0, 1]")
        allowed = _read_initiation(initiation, n_options, n_states)
        words = tuple(names) or tuple(f"option {o}" for o in range(n_options))
        if len(words) != n_options:
            raise InputError(f"names has {len(words)} entries; there are {n_options} options")
        self._set(
            policy=read_only(pi),
            termination=read_only(beta),
            initiation=read_only(allowed),
            names=words,
        )
        self._set(made_for=read_made_for(made_for))

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled arrays come back writeable; building anew freezes them.
        return OptionSet, (
            self.policy,
            self.termination,
            self.initiation,
            self.names,
            self.made_for,
        )

    @property
    def n_states(self) -> int:
        """Number of states over which the options are defined."""
        return int(self.policy.shape[1])

    def __len__(self) -> int:
        return int(self.policy.shape[0])

    def __getitem__(self, index: int) -> Option:
        o = check_index(index, len(self), "option")
        return Option(self.names[o], self.policy[o], self.termination[o], self.initiation[o])

    def __iter__(self) -> Iterator[Option]:
        return (self[o] for o in range(len(self)))

    def __repr__(self) -> str:
        kind = "deterministic" if self.actions is not None else "stochastic"
        return f"OptionSet({len(self)} options, n_states={self.n_states}, {kind})"

    @cached_property
    def actions(self) -> Int32Array | None:
        """The one action of each option in each state, of shape (O, S); None if some policy is
        truly random.
        """
        if self.policy.ndim == 2:
            return self.policy
        if (self.policy.max(axis=2, initial=0.0) == 1.0).all():
            return read_only(self.policy.argmax(axis=2).astype(np.int32))
        return None

    @cached_property
    def stops(self) -> BoolArray | None:
        """Where each option stops for sure, of shape (O, S); None if some termination is
        fractional.
        """
        stops: BoolArray = self.termination == 1.0
        return read_only(stops) if (stops | (self.termination == 0.0)).all() else None

    def to_xarray(self) -> "xarray.Dataset":
        """Return the arrays as one `xarray.Dataset` with axes option (by name), state and, for
        random policies, action.
        """
        needs("xarray", "OptionSet.to_xarray")
        import xarray

        arrays = {
            "policy": (("option", "state", "action")[: self.policy.ndim], self.policy),
            "termination": (("option", "state"), self.termination),
            "initiation": (("option", "state"), self.initiation),
        }
        attrs = {"made_for": self.made_for} if self.made_for else {}
        return xarray.Dataset(arrays, coords={"option": list(self.names)}, attrs=attrs)


def check_options(mdp: FiniteMDP, options: OptionSet) -> OptionSet:
    """Return the options if they fit this MDP's states and actions and were not made for another."""
    if not isinstance(options, OptionSet):
        raise InputError(f"options is {type(options).__name__}; it must be an OptionSet")
    if options.n_states != mdp.n_states:
        raise InputError(
            f"the options are for {options.n_states} states; this MDP has {mdp.n_states}"
        )
    if options.policy.ndim == 3:
        n_actions = options.policy.shape[2]
        if n_actions != mdp.n_actions:
            raise InputError(
                f"the options' policies have {n_actions} actions; this MDP has {mdp.n_actions}"
            )
    elif options.policy.size and options.policy.max() >= mdp.n_actions:
        o, s = np.argwhere(options.policy >= mdp.n_actions)[0]
        raise InputError(
            f"policy[{o}, {s}] is {options.policy[o, s]}; this MDP has actions 0..{mdp.n_actions - 1}"
        )
    check_made_for(mdp.structure_fingerprint, options.made_for, "the options were made", _BY_HAND)
    return options


def _read_policy(policy: Any) -> np.ndarray:
    try:
        array = np.asarray(policy)
    except ValueError:
        raise InputError("policy is ragged; it must have shape (O, S) or (O, S, A)") from None
    if array.ndim == 3:
        values = check_array(policy, array.shape, "policy").copy()
        return check_distribution_rows(values, "policy")
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.integer):
        raise InputError(
            f"policy has shape {array.shape} and type {array.dtype}; "
            "it must be integers of shape (O, S) or probabilities of shape (O, S, A)"
        )
    wrong = np.argwhere((array < 0) | (array > _MOST_ACTIONS))
    if wrong.size:
        o, s = wrong[0]
        raise InputError(
            f"policy[{o}, {s}] is {array[o, s]}; actions are integers from 0 to {_MOST_ACTIONS}"
        )
    return array.astype(np.int32)


def _read_initiation(initiation: Any, n_options: int, n_states: int) -> BoolArray:
    if initiation is None:
        return np.ones((n_options, n_states), dtype=bool)
    array = np.asarray(initiation)
    if array.shape != (n_options, n_states) or array.dtype != bool:
        raise InputError(
            f"initiation has shape {array.shape} and type {array.dtype}; it must be bool of shape ({n_options}, {n_states})"
        )
    return array.copy()
