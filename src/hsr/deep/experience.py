"""Transitions for training networks: a table of observations, and steps between its rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import as_array, check_array, check_discount
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.representation.intra_option import read_steps

_FORMS = "give steps (state, action, next state), of shape (steps, 3), or hsr.deep.Observed"


class Observed(NamedTuple):
    """Transitions between observations, for environments whose states cannot be listed.

    Parameters
    ----------
    observations : array of shape (n, ...)
        The observation before each step.
    actions : int array of shape (n,)
        The action of each step.
    next_observations : array of shape (n, ...)
        The observation after each step.

    Examples
    --------
    Ten steps of an agent in the plane:

    >>> import numpy as np, hsr.deep
    >>> path = np.cumsum(np.ones((11, 2)), axis=0)
    >>> log = hsr.deep.Observed(path[:-1], np.zeros(10, dtype=int), path[1:])
    >>> log.observations.shape
    (10, 2)
    """

    observations: Any
    actions: Any
    next_observations: Any


class Experience(NamedTuple):
    """Steps between the rows of a table of observations.

    If states are listed, row s of the table is the observation of state s. Otherwise the table
    holds the observations before all steps, followed by those after them.

    Parameters
    ----------
    observed : array of shape (R, ...)
        The observations as given. State numbers if observations are one-hot.
    table : float array of shape (R, ...), or None
        The inputs of networks: centred and scaled observations, images with channels first. None
        if observations are one-hot.
    n_rows : int
        The number R of rows.
    steps : int array of shape (n, 3)
        Row, action and next row of each step.
    n_actions : int
        The number of actions.
    listed : bool
        Whether rows are states.
    prepare : callable
        Converts other observations to inputs of networks.
    """

    observed: np.ndarray
    table: FloatArray | None
    n_rows: int
    steps: IntArray
    n_actions: int
    listed: bool
    prepare: Callable[[Any], FloatArray]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one observation, or how many there are if they are one-hot."""
        return (self.n_rows,) if self.table is None else self.table.shape[1:]

    def read(self, rows: IntArray | None = None) -> np.ndarray:
        """Return the network inputs of some rows, or of all: row numbers if one-hot."""
        if rows is None:
            return np.arange(self.n_rows) if self.table is None else self.table
        return rows if self.table is None else self.table[rows]

    def inputs(self, dtype: Any) -> jax.Array:
        """Return the network inputs of all rows, in the precision of training."""
        return jnp.asarray(self.read(), None if self.table is None else dtype)

    @property
    def follows(self) -> BoolArray:
        """Whether the next step starts where each step but the last ended, (n - 1,)."""
        before, after = self.steps[1:, 0], self.steps[:-1, 2]
        if self.listed or self.table is None:
            return before == after
        same = self.table[before] == self.table[after]
        return same.reshape(len(same), -1).all(axis=1)

    @property
    def visited(self) -> IntArray:
        """The rows that occur in the log."""
        return np.unique(self.steps[:, [0, 2]])

    @property
    def tried(self) -> BoolArray:
        """Which actions the log tries in each row, (R, A). All if states are not listed."""
        tried = np.full((self.n_rows, self.n_actions), not self.listed)
        tried[self.steps[:, 0], self.steps[:, 1]] = True
        return tried

    def distinct_steps(self) -> tuple[IntArray, FloatArray]:
        """Return each different step once, and its probability given its state and action.

        If states are not listed, no step occurs twice, and all steps have the weight 1.
        """
        if not self.listed:
            return self.steps, np.ones(len(self.steps))
        steps, count = np.unique(self.steps, axis=0, return_counts=True)
        pair = steps[:, 0] * self.n_actions + steps[:, 1]
        return steps, count / np.bincount(pair, weights=count)[pair]


def read_experience(steps: Any, observe: Any, mdp: FiniteMDP | None) -> Experience:
    """Return transitions with their observations, or raise `InputError`.

    Parameters
    ----------
    steps : array of shape (n, 3), or Observed
        Steps (state, action, next state), as state numbers or as labels of the MDP, or transitions
        between observations.
    observe : None, array of shape (S, ...) or callable
        The observation of each state. None for one-hot observations. A callable takes state
        numbers, or the observations of the log, and returns an array with one observation for each.
    mdp : FiniteMDP or None
        The MDP of the steps, if it is known.
    """
    if mdp is not None:
        check_mdp(mdp)
    if isinstance(steps, Observed):
        return _between_observations(steps, observe, mdp)
    log = _read_log(steps, mdp)
    n_states = int(log[:, [0, 2]].max()) + 1 if mdp is None else mdp.n_states
    n_actions = int(log[:, 1].max()) + 1 if mdp is None else mdp.n_actions
    states = observed_states(observe, n_states, exactly=mdp is not None)
    return states._replace(steps=log, n_actions=n_actions)


def observed_states(observe: Any, n_states: int, *, exactly: bool = True) -> Experience:
    """Return states with their observations, and no steps.

    Parameters
    ----------
    observe : None, array of shape (S, ...) or callable
        The observation of each state, as in `read_experience`.
    n_states : int
        The number S of states.
    exactly : bool
        Whether more than S observations are refused.
    """
    none = np.zeros((0, 3), dtype=np.int64)
    if observe is None:
        numbers = np.arange(n_states)
        return Experience(numbers, None, n_states, none, 0, True, lambda states: states)
    table = _observations(observe(np.arange(n_states)) if callable(observe) else observe, "observe")
    if len(table) < n_states or (exactly and len(table) != n_states):
        raise InputError(f"observe has {len(table)} observations; there are {n_states} states")
    prepared, prepare = _centred(table)
    return Experience(table, prepared, len(table), none, 0, True, prepare)


def _between_observations(log: Observed, observe: Any, mdp: FiniteMDP | None) -> Experience:
    before, after = (
        _observations(what if observe is None else observe(what), name)
        for what, name in (
            (log.observations, "observations"),
            (log.next_observations, "next_observations"),
        )
    )
    if before.shape != after.shape or not len(before):
        raise InputError(
            f"observations have shape {before.shape} and next_observations {after.shape}; "
            "they must have the same, with at least one step"
        )
    actions = as_array(log.actions, "actions", "the action of each step")
    if actions.shape != (len(before),) or actions.dtype.kind not in "iu" or actions.min() < 0:
        raise InputError(
            f"actions are {short_repr(log.actions)}; they must be {len(before)} integers, one "
            "per step"
        )
    n = len(before)
    rows = np.arange(n)
    table = np.concatenate([before, after])
    prepared, prepare = _centred(table)
    n_actions = mdp.n_actions if mdp is not None else int(actions.max()) + 1
    steps = np.column_stack([rows, actions, rows + n])
    return Experience(table, prepared, 2 * n, steps, n_actions, False, prepare)


def _read_log(steps: Any, mdp: FiniteMDP | None) -> IntArray:
    if mdp is not None:
        return read_steps(mdp, steps)
    array = as_array(steps, "steps", _FORMS)
    if array.dtype.kind not in "iu" or array.shape[1:] != (3,) or not array.size or array.min() < 0:
        raise InputError(f"steps are {short_repr(steps)}; {_FORMS}, numbered from 0")
    return np.array(array, dtype=np.int64)


def _observations(values: Any, name: str) -> FloatArray:
    array = as_array(values, name, "an array with one observation per row, all of one shape")
    if array.dtype.kind not in "biuf" or array.ndim < 2:
        raise InputError(
            f"{name} is {short_repr(values)}; it must be an array with one observation per row, "
            "all of one shape"
        )
    check_array(array, (None,) * array.ndim, name)
    return array.astype(np.float32 if array.dtype.kind in "biu" else array.dtype)


def _centred(table: FloatArray) -> tuple[FloatArray, Callable[[Any], FloatArray]]:
    """Return centred and scaled observations, and a function that converts other observations.

    Images of one environment are almost equal, so without centring they are hard to tell apart.
    """
    mean = table.mean(axis=0)
    scale = float((table - mean).std()) or 1.0

    def prepare(observations: Any) -> FloatArray:
        array = _observations(observations, "observations")
        if array.shape[1:] != mean.shape:
            raise InputError(
                f"observations have shape {array.shape[1:]}; the network learned from {mean.shape}"
            )
        centred = (array - mean) / scale
        return np.moveaxis(centred, -1, 1) if centred.ndim == 4 else centred

    return prepare(table), prepare


def read_discount(discount: float | None, mdp: FiniteMDP | None) -> float:
    """Return the given discount, or that of the MDP."""
    if discount is not None:
        return check_discount(discount)
    if mdp is None:
        raise InputError("discount is None; give a discount in [0, 0.99999], or the MDP")
    return mdp.discount
