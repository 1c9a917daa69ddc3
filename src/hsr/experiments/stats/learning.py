"""One number per seed from learning curves and maps: speed, transfer, and change."""

from typing import Any

import numpy as np

from hsr import InputError
from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.validation import (
    check_array,
    check_choice,
    check_learning_rate,
    check_not_negative,
    read_numbers,
)


def moving_average(steps: Any, rate: float = 0.1, start: Any = None) -> FloatArray:
    """Return the exponential moving average along the last axis.

        e_k = e_(k-1) + rate (x_k - e_(k-1)),    k = 1, 2, ...

    Parameters
    ----------
    steps : array of shape (..., episode)
        Steps of each episode, x_k.
    rate : float in (0, 1]
        Weight of the newest episode.
    start : array that broadcasts to shape (...), optional
        The value e_0 before the first episode. By default the first episode's own, so that ``e_1 =
        x_1``.

    Returns
    -------
    ndarray of shape (..., episode)

    Examples
    --------
    >>> moving_average([100.0, 50.0, 50.0])
    array([100. ,  95. ,  90.5])
    >>> moving_average([100.0, 50.0, 50.0], start=10.0)
    array([19.  , 22.1 , 24.89])
    """
    x = _read_curves(steps, least_axes=1)
    step_size = check_learning_rate(rate, "rate")
    try:
        e = np.broadcast_to(
            x[..., 0] if start is None else check_array(start, np.shape(start), "start"),
            x.shape[:-1],
        )
    except ValueError:
        raise InputError(
            f"start has shape {np.shape(start)}; it must broadcast to {x.shape[:-1]}"
        ) from None
    average = np.empty(x.shape)
    for k in range(x.shape[-1]):
        e = e + step_size * (x[..., k] - e)
        average[..., k] = e
    return average


def episodes_to_criterion(
    steps: Any,
    optimal: Any,
    *,
    factor: float = 1.5,
    rate: float = 0.1,
    start: str = "first",
    restart: bool = True,
    horizon: float | None = None,
) -> IntArray:
    """Return how many episodes each task took to be learned.

    This is the number k = 1, 2, ... of the first episode whose `moving_average` e_k is below
    ``factor * optimal``. It is the number of all episodes if there is none, so a task learned in
    the last episode and one never learned count alike; `criterion_met` tells them apart. The mean
    over runs is the restricted mean of the time to the criterion. The paper leaves details open,
    which are arguments here: where the average starts, and whether it restarts when the goal moves.

    Parameters
    ----------
    steps : array of shape (..., task, episode)
        Steps of each episode, such as ``run.steps`` with the axes (seed, task, episode).
    optimal : array of shape (task,)
        Smallest number of steps from start to goal.
    factor : float
        The criterion as a multiple of `optimal`.
    rate : float in (0, 1]
        Rate of the moving average.
    start : {"first", "optimal", "zero", "horizon"}
        The average starts at the first episode's steps, at ``optimal``, at zero or at `horizon`.
        With "optimal" or "zero" it starts below the criterion, and a moderately good first episode
        meets it at once (at the default factor and rate, one of less than 6 times the optimal
        steps with "optimal").
    restart : bool
        Whether the average restarts with each task. If not, it is carried over from the task
        before. If that task ended well, a task that begins moderately well meets the criterion at
        once.
    horizon : float, optional
        The most steps of an episode, where the average starts with ``start="horizon"``.

    Returns
    -------
    int array of shape (..., task)

    Examples
    --------
    The average of episode k is 10 + 30 * 0.9^(k - 1): 15.003 in episode 18, and 14.503 in episode
    19.

    >>> episodes_to_criterion([[40.0] + 49 * [10.0]], [10.0])
    array([19])
    """
    below = _below(steps, optimal, factor, rate, start, restart, horizon)
    return np.where(below.any(axis=-1), below.argmax(axis=-1) + 1, below.shape[-1])


def criterion_met(steps: Any, optimal: Any, **criterion: Any) -> BoolArray:
    """Return whether each task met the criterion of `episodes_to_criterion` at all.

    A run that did not is censored: how long it would have taken is not known.

    Parameters
    ----------
    steps, optimal, **criterion
        As in `episodes_to_criterion`.

    Returns
    -------
    bool array of shape (..., task)

    Examples
    --------
    >>> criterion_met([[40.0] + 49 * [10.0], 50 * [40.0]], [10.0, 10.0])
    array([ True, False])
    """
    return np.asarray(_below(steps, optimal, **criterion).any(axis=-1))


def _below(
    steps: Any,
    optimal: Any,
    factor: float = 1.5,
    rate: float = 0.1,
    start: str = "first",
    restart: bool = True,
    horizon: float | None = None,
) -> BoolArray:
    """Return in which episodes (..., task, episode) the moving average is below the criterion."""
    x = _read_curves(steps, least_axes=2)
    n_tasks, n_episodes = x.shape[-2:]
    best = check_array(optimal, (n_tasks,), "optimal")
    if best.min() <= 0.0:
        raise InputError(f"optimal[{best.argmin()}] is {best.min():.6g}; it must be positive")
    bound = check_not_negative(factor, "factor") * best
    check_choice(start, ("first", "optimal", "zero", "horizon"), "start")
    if start == "horizon" and horizon is None:
        raise InputError("start is 'horizon' and horizon is None; it must be a number of steps")
    levels = {"first": None, "optimal": best, "zero": np.zeros(n_tasks)}
    origin = np.full(n_tasks, horizon) if start == "horizon" else levels[start]
    if restart:
        average = moving_average(x, rate, origin)
    else:
        one_curve = x.reshape(*x.shape[:-2], n_tasks * n_episodes)
        average = moving_average(one_curve, rate, None if origin is None else origin[0])
    return np.asarray(average.reshape(x.shape) < bound[:, None])


def relative_change(before: Any, after: Any) -> Any:
    """Return the relative change of a map, ``||M1 - M2||_F^2 / ||M1||_F^2``.

    Norms are taken over the last two axes.

    Parameters
    ----------
    before, after : arrays of shape (..., S, S)
        M1 and M2, such as ``run.maps[:, 0]`` and ``run.maps[:, 1]``.

    Returns
    -------
    float, or ndarray of shape (...)

    Examples
    --------
    >>> relative_change([[2.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [2.0, 1.0]])
    1.0
    """
    first = _read_curves(before, least_axes=2, name="before")
    second = check_array(after, first.shape, "after")
    size = np.square(first).sum(axis=(-2, -1))
    if not np.all(size > 0.0):
        raise InputError(
            "before has a map of zeros only; the change relative to zero is not defined"
        )
    change = np.square(first - second).sum(axis=(-2, -1)) / size
    return change if change.ndim else float(change)


def _read_curves(values: Any, *, least_axes: int, name: str = "steps") -> FloatArray:
    """Return a finite array with at least `least_axes` axes, none of them empty."""
    array = read_numbers(values, f"{name} cannot be read as numbers")
    if array.ndim < least_axes or not array.size:
        axes = "one axis" if least_axes == 1 else "two axes"
        raise InputError(
            f"{name} has shape {array.shape}; it must have at least {axes} and none empty"
        )
    return check_array(array, array.shape, name)
