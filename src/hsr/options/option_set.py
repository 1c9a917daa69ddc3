"""`OptionSet`: actions extended in time, with states to start in, a policy and a termination."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.extras import needs
from hsr._base.frozen import Frozen
from hsr._base.validation import (
    as_array,
    check_array,
    check_distribution_rows,
    check_index,
    is_list,
)
from hsr.mdp.fingerprint import check_made_for, read_fingerprint
from hsr.mdp.finite import FiniteMDP

if TYPE_CHECKING:
    import xarray

_MOST_ACTIONS = 2**31 - 1
_INSTEAD = (
    "make them for this one, or adapt them to it with hsr.options.repair_options(options, mdp)"
)


@dataclass(frozen=True, repr=False)
class Option:
    """One option of an `OptionSet`, as indexing and iteration return it.

    Parameters
    ----------
    name : str
        Name of the option in its set.
    policy : int array of shape (S,), or float array of shape (S, A)
        The action in each state, or the probability of each action.
    termination : array of shape (S,)
        Probability of stopping on arrival in each state.
    initiation : bool array of shape (S,)
        States in which the option may be chosen.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."))
    >>> option = hsr.point_options(mdp, targets=[4])[0]
    >>> option
    Option('to 4', 5 states, may start in 4, may stop in 1)
    >>> option.policy[:4]  # action 1 is right
    array([1, 1, 1, 1], dtype=int32)
    """

    name: str
    policy: np.ndarray
    termination: FloatArray
    initiation: BoolArray

    def __repr__(self) -> str:
        start, stop = np.count_nonzero(self.initiation), np.count_nonzero(self.termination)
        return (
            f"Option({self.name!r}, {self.initiation.size} states, "
            f"may start in {start}, may stop in {stop})"
        )


class OptionSet(Frozen):
    """Several options over the same states, read-only.

    An option is a triple (initiation, policy, termination) [sutton1999]. It may be chosen in a
    state of its initiation set. It then acts at least once by its policy. On arrival in each state
    it stops with the probability that its termination has there.

    ``options[o]`` and iteration give each option by itself, as an `Option`.

    Parameters
    ----------
    policy : int array of shape (O, S), or float array of shape (O, S, A)
        The action of each option in each state, or the probability of each action.
    termination : array of shape (O, S), entries in [0, 1]
        Probability of stopping on arrival in each state.
    initiation : bool array of shape (O, S), optional
        States in which each option may be chosen. Everywhere by default.
    names : sequence of O strings, optional
        Names of the options. "option 0", "option 1", ... by default.
    mdp_fingerprint : str, optional
        ``mdp.fingerprint`` of the MDP for which the options were made. They are then refused in an
        MDP with other transition probabilities. None for options made by hand.

    Raises
    ------
    InputError
        If shapes do not agree, or an entry is no action or no probability.

    Examples
    --------
    One option for a row of three cells: go right until the last cell.

    >>> import hsr
    >>> options = hsr.OptionSet(
    ...     policy=[[1, 1, 1]], termination=[[0, 0, 1]], initiation=[[True, True, False]]
    ... )
    >>> options
    OptionSet(1 option, n_states=3, deterministic)
    >>> options[0].name
    'option 0'
    """

    policy: np.ndarray
    termination: FloatArray
    initiation: BoolArray
    names: tuple[str, ...]
    mdp_fingerprint: str | None

    def __init__(
        self,
        policy: Any,
        termination: Any,
        initiation: Any = None,
        names: Sequence[str] = (),
        mdp_fingerprint: str | None = None,
    ) -> None:
        pi = _read_policy(policy)
        n_options, n_states = pi.shape[:2]
        beta = check_array(termination, (n_options, n_states), "termination")
        # The set becomes read-only, and must not follow what the caller writes later.
        if isinstance(termination, np.ndarray) and np.may_share_memory(beta, termination):
            beta = beta.copy()
        wrong = np.argwhere((beta < 0.0) | (beta > 1.0))
        if wrong.size:
            o, s = wrong[0]
            raise InputError(f"termination[{o}, {s}] is {beta[o, s]:.6g}; it must lie in [0, 1]")
        allowed = _read_initiation(initiation, n_options, n_states)
        words = _read_names(names, n_options)
        self._set(
            policy=read_only(pi),
            termination=read_only(beta),
            initiation=read_only(allowed),
            names=words,
        )
        self._set(mdp_fingerprint=read_fingerprint(mdp_fingerprint))

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled arrays are writeable. The constructor makes them read-only again.
        fields = (self.policy, self.termination, self.initiation, self.names, self.mdp_fingerprint)
        return OptionSet, fields

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
        plural = "" if len(self) == 1 else "s"
        return f"OptionSet({len(self)} option{plural}, n_states={self.n_states}, {kind})"

    @cached_property
    def actions(self) -> Int32Array | None:
        """The action of each option in each state, of shape (O, S), or None.

        None if some policy gives two actions of one state a probability above zero.
        """
        if self.policy.ndim == 2:
            return self.policy
        actions = certain_actions(self.policy)
        return read_only(actions) if (actions >= 0).all() else None

    @cached_property
    def stops(self) -> BoolArray | None:
        """Where each option stops, a bool array of shape (O, S), or None.

        None if some probability of stopping is neither 0 nor 1.
        """
        stops: BoolArray = self.termination == 1.0
        return read_only(stops) if (stops | (self.termination == 0.0)).all() else None

    def to_xarray(self) -> "xarray.Dataset":
        """Return the arrays as one `xarray.Dataset`.

        Returns
        -------
        xarray.Dataset
            ``policy``, ``termination`` and ``initiation`` with the axes option (by name) and state.
            A policy of probabilities also has the axis action. ``attrs["mdp_fingerprint"]`` is
            there if
            the options were made for an MDP.
        """
        needs("xarray", "OptionSet.to_xarray")
        import xarray

        arrays = {
            "policy": (("option", "state", "action")[: self.policy.ndim], self.policy),
            "termination": (("option", "state"), self.termination),
            "initiation": (("option", "state"), self.initiation),
        }
        attrs = {"mdp_fingerprint": self.mdp_fingerprint} if self.mdp_fingerprint else {}
        return xarray.Dataset(arrays, coords={"option": list(self.names)}, attrs=attrs)


def certain_actions(policy: FloatArray) -> Int32Array:
    """Return the action of probability 1 of each option in each state (O, S), -1 for none.

    >>> certain_actions(np.array([[[0.0, 1.0], [0.5, 0.5]]]))
    array([[ 1, -1]], dtype=int32)
    """
    actions = np.full(policy.shape[:2], -1, dtype=np.int32)
    place, action = np.divmod(np.flatnonzero(policy == 1.0), max(policy.shape[2], 1))
    actions.ravel()[place] = action
    return actions


def no_options(n_states: int) -> OptionSet:
    """Return an empty option set over `n_states` states.

    >>> len(no_options(104))
    0
    """
    nothing = np.zeros((0, n_states), dtype=np.int32)
    return OptionSet(policy=nothing, termination=nothing)


def options_from(
    policy: np.ndarray,
    termination: FloatArray,
    initiation: BoolArray,
    names: Sequence[str],
    mdp_fingerprint: str | None = None,
) -> OptionSet:
    """Return options of arrays that the library's own methods made.

    Nothing is checked or copied. The arrays become read-only.

    Parameters
    ----------
    policy, termination, initiation, names, mdp_fingerprint
        As in `OptionSet`, of its own types: int32 or float64, float64, and bool.
    """
    options = OptionSet.__new__(OptionSet)
    options._set(
        policy=read_only(policy),
        termination=read_only(termination),
        initiation=read_only(initiation),
        names=tuple(names),
        mdp_fingerprint=mdp_fingerprint,
    )
    return options


def options_that_stop(
    policy: Int32Array, stop: BoolArray, names: Sequence[str], mdp_fingerprint: str
) -> OptionSet:
    """Return options that end for certain where `stop` says so and may be chosen elsewhere.

    Parameters
    ----------
    policy : int32 array of shape (O, S)
        The action of each option in each state. It becomes read-only.
    stop : bool array of shape (O, S)
        Where each option stops.
    names : sequence of O strings
        Names of the options.
    mdp_fingerprint : str
        ``mdp.fingerprint`` of the MDP.
    """
    return options_from(policy, stop.astype(np.float64), ~stop, names, mdp_fingerprint)


def check_options(mdp: FiniteMDP, options: OptionSet) -> OptionSet:
    """Return the options if they fit this MDP and were not made for another.

    Raises
    ------
    InputError
        If they have other states or actions than the MDP, or were made for an MDP with other
        transition probabilities.
    """
    check_fit(mdp, options)
    check_made_for(mdp.fingerprint, options.mdp_fingerprint, "the options were made", _INSTEAD)
    return options


def check_fit(mdp: FiniteMDP, options: OptionSet) -> None:
    """Raise `InputError` unless options have the states and actions of this MDP."""
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
            f"policy[{o}, {s}] is {options.policy[o, s]}; "
            f"this MDP has actions 0..{mdp.n_actions - 1}"
        )


def _read_policy(policy: Any) -> np.ndarray:
    array = as_array(policy, "policy", "integers (O, S) or probabilities (O, S, A)")
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


def _read_names(names: Any, n_options: int) -> tuple[str, ...]:
    if not is_list(names):
        raise InputError(f"names is {short_repr(names)}; it must be a list of {n_options} strings")
    words = tuple(names) or tuple(f"option {o}" for o in range(n_options))
    if len(words) != n_options:
        raise InputError(f"names has {len(words)} entries; there are {n_options} options")
    return words


def _read_initiation(initiation: Any, n_options: int, n_states: int) -> BoolArray:
    if initiation is None:
        return np.ones((n_options, n_states), dtype=bool)
    array = as_array(initiation, "initiation", f"bool of shape ({n_options}, {n_states})")
    if array.shape != (n_options, n_states) or array.dtype != bool:
        raise InputError(
            f"initiation has shape {array.shape} and type {array.dtype}; "
            f"it must be bool of shape ({n_options}, {n_states})"
        )
    return array.copy()
