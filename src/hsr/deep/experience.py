"""Transitions as networks learn from them: a table of observations, and steps between its rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import as_array, check_discount
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.representation.intra_option import read_steps

_FORMS = "give steps (state, action, next state), of shape (steps, 3), or hsr.deep.Observed"


class Observed(NamedTuple):
    """Transitions between observations, for worlds whose states cannot be listed.

    Parameters
    ----------
    observations : array of shape (n, ...)
        What was observed before each step.
    actions : int array of shape (n,)
        The action of each step.
    next_observations : array of shape (n, ...)
        What was observed after it.

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

    Where states are listed, row s of the table is what is observed in state s. Otherwise the table
    holds the observations before all steps, and then those after them.

    Parameters
    ----------
    observed : array of shape (R, ...)
        The observations as they are. The numbers of states if observations are one-hot.
    table : float array of shape (R, ...), or None
        The observations as networks read them: centred and scaled, pictures with channels first.
        None if they are one-hot.
    n_rows : int
        The number R of rows.
    steps : int array of shape (n, 3)
        Row, action and next row of each step.
    n_actions : int
        The number of actions.
    listed : bool
        Whether rows are states.
    prepare : callable
        Returns further observations as the table has them.
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
        """Return what a network reads at some rows, or at all: their numbers if one-hot."""
        if rows is None:
            return np.arange(self.n_rows) if self.table is None else self.table
        return rows if self.table is None else self.table[rows]

    def inputs(self, dtype: Any) -> jax.Array:
        """Return what a network reads at all rows, in the precision of its training."""
        return jnp.asarray(self.read(), None if self.table is None else dtype)

    @property
    def follows(self) -> BoolArray:
        """Whether each step but the last is followed by a step from where it ended, (n - 1,)."""
        before, after = self.steps[1:, 0], self.steps[:-1, 2]
        if self.listed or self.table is None:
            return before == after
        same = self.table[before] == self.table[after]
        return same.reshape(len(same), -1).all(axis=1)


def read_experience(steps: Any, observe: Any, world: FiniteMDP | None) -> Experience:
    """Return transitions with what is observed in them.

    Parameters
    ----------
    steps : array of shape (n, 3), or Observed
        Steps (state, action, next state), as numbers or as labels of the world, or transitions
        between observations.
    observe : None, array of shape (S, ...) or callable
        What is observed in each state. None for one-hot observations. A callable takes the
        numbers of states, or observations as they are in the log, and returns an array with one
        observation for each.
    world : FiniteMDP or None
        Where the steps were made, if that is known.
    """
    if world is not None:
        check_mdp(world)
    if isinstance(steps, Observed):
        return _between_observations(steps, observe, world)
    log = _read_log(steps, world)
    n_states = int(log[:, [0, 2]].max()) + 1 if world is None else world.n_states
    n_actions = int(log[:, 1].max()) + 1 if world is None else world.n_actions
    states = observed_states(observe, n_states, all_of_them=world is not None)
    return states._replace(steps=log, n_actions=n_actions)


def observed_states(observe: Any, n_states: int, *, all_of_them: bool = True) -> Experience:
    """Return states with what is observed in them, and no steps.

    Parameters
    ----------
    observe : None, array of shape (S, ...) or callable
        What is observed in each state, as in `read_experience`.
    n_states : int
        The number S of states.
    all_of_them : bool
        Whether there are no more states than these.
    """
    none = np.zeros((0, 3), dtype=np.int64)
    if observe is None:
        numbers = np.arange(n_states)
        return Experience(numbers, None, n_states, none, 0, True, lambda states: states)
    table = _observations(observe(np.arange(n_states)) if callable(observe) else observe, "observe")
    if len(table) < n_states or (all_of_them and len(table) != n_states):
        raise InputError(f"observe has {len(table)} observations; there are {n_states} states")
    prepared, prepare = _centred(table)
    return Experience(table, prepared, len(table), none, 0, True, prepare)


def _between_observations(log: Observed, observe: Any, world: FiniteMDP | None) -> Experience:
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
    n_actions = world.n_actions if world is not None else int(actions.max()) + 1
    steps = np.column_stack([rows, actions, rows + n])
    return Experience(table, prepared, 2 * n, steps, n_actions, False, prepare)


def _read_log(steps: Any, world: FiniteMDP | None) -> IntArray:
    if world is not None:
        return read_steps(world, steps)
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
    array = array.astype(np.float32 if array.dtype.kind in "biu" else array.dtype)
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{name}{list(where)} is {array[where]}; observations must be finite")
    return array


def _centred(table: FloatArray) -> tuple[FloatArray, Callable[[Any], FloatArray]]:
    """Return observations without their mean and of size one, and what does it to further ones.

    Pictures of one world are almost equal, and their mean says nothing.
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


def read_discount(discount: float | None, world: FiniteMDP | None) -> float:
    """Return the discount that is given, or that of the world."""
    if discount is not None:
        return check_discount(discount)
    if world is None:
        raise InputError("discount is None; give a discount in [0, 0.99999], or the world")
    return world.discount
