"""The benchmark for a method of one's own, given as a function."""

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr.deep.benchmark.folder import Folder, Piece
from hsr.deep.benchmark.protocol import Answers
from hsr.deep.benchmark.running import Condition, inputs_of, measure_all, on_device, world_at
from hsr.deep.benchmark.worlds import BEHAVIOURS, World
from hsr.options.option_set import OptionSet


class Log(NamedTuple):
    """What a method of one's own learns from.

    Parameters
    ----------
    steps : int array of shape (n, 3)
        State, action and next state, as `hsr.deep.random_steps` returns them.
    observe : array of shape (S, D), or None
        The observation of each state, None if they are one-hot.
    n_states, n_actions : int
        How many states and actions there are.
    behaviour : array of shape (S, A)
        The policy that made the log, whose map is asked for.
    """

    steps: np.ndarray
    observe: np.ndarray | None
    n_states: int
    n_actions: int
    behaviour: np.ndarray


class Map(NamedTuple):
    """What a method of one's own may return.

    Parameters
    ----------
    goals : array of shape (S, A, S), or (S, A + O, S) with options
        The score of each choice in each state for each goal. Greedy steps take the largest.
    rows : array of shape (S, S), optional
        Discounted visits to each state from each state. Without them there is no error.
    values : callable, optional
        Returns the scores of choices, (n, S, C), for rewards per state, (n, S). By default the sum
        of rewards times `goals`.
    """

    goals: Any
    rows: Any = None
    values: Callable[[np.ndarray], Any] | None = None


def learned_by(
    fit: Callable[..., Any], folder: Folder, piece: Piece, settings: Mapping[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], float]:
    """Return the measures of a function in all worlds, (W, K, seeds, ...), and its seconds.

    Parameters
    ----------
    fit : callable
        The method, as in `hsr.deep.benchmark`.
    folder : Folder
        The worlds.
    piece : Piece
        The condition and the number of updates.
    settings : dict of str to array of shape (W, K)
        The settings of each world.
    """
    plan, method, condition = folder.plan, piece.method, piece.condition
    n_settings = next(iter(settings.values())).shape[1]
    shape = len(folder.names), n_settings, plan.n_seeds
    worlds, found, seconds = on_device(folder.worlds), [], 0.0
    for w, k, seed in np.ndindex(shape):
        world = world_at(folder.worlds, w)
        log, options = log_of(world, condition), options_of(world)
        begin = time.perf_counter()
        learned = fit(
            log,
            options,
            piece.n_updates,
            discount=float(world.discount),
            seed=seed,
            **{name: float(values[w, k]) for name, values in settings.items()},
        )
        seconds += time.perf_counter() - begin
        answers = answers_of(learned, log, world)
        one = jax.tree.map(lambda array: jnp.asarray(array, jnp.float32)[None, None, None], answers)
        here = World(*(array[w : w + 1] for array in worlds))
        found.append(measure_all(here, one, method.target, condition.behaviour))
    return {
        name: np.reshape([one[name] for one in found], (*shape, *found[0][name].shape[3:]))
        for name in found[0]
    }, seconds


def log_of(world: World, condition: Condition) -> Log:
    """Return the log of a world in a condition."""
    n, n_actions = int(world.exists.sum()), world.after.shape[1]
    behaviour = world.behaviour[BEHAVIOURS.index(condition.behaviour)][:n]
    inputs = inputs_of(world, condition)
    observe = None if condition.observation == "one-hot" else inputs[:n]
    return Log(condition.log_of(world).astype(np.int64), observe, n, n_actions, behaviour)


def options_of(world: World) -> OptionSet:
    """Return the options of a world."""
    n, n_actions = int(world.exists.sum()), world.after.shape[1]
    policy, stop, start = (
        part[n_actions:, :n] for part in (world.acts, world.stop, world.available)
    )
    return OptionSet(policy.astype(np.int64), stop.astype(np.float64), start.astype(bool))


def answers_of(learned: Any, log: Log, world: World) -> Answers:
    """Return answers from a map, an array or a `Map`, padded to the sizes of the worlds."""
    discount, n_actions = float(world.discount), log.n_actions
    if hasattr(learned, "of_choices"):
        learned = Map(learned.of_choices(), learned.toarray())
    elif not isinstance(learned, Map):
        array = learned.toarray() if isinstance(learned, LazyMatrix) else np.asarray(learned)
        if array.ndim == 2:
            counts = np.full((len(array), n_actions, len(array)), 1e-9)
            np.add.at(counts, tuple(log.steps.T), 1.0)
            model = counts / counts.sum(axis=2, keepdims=True)
            learned = Map(np.eye(len(array))[:, None] + discount * model @ array, array)
        elif array.shape[1:2] == (n_actions,):
            learned = Map(array, np.einsum("sa,sax->sx", log.behaviour[: len(array)], array))
        else:
            learned = Map(array)
    goals = np.asarray(learned.goals, dtype=float)
    n, n_places = len(goals), world.exists.size
    C = goals.shape[1] if goals.ndim == 3 else 0
    if C not in (n_actions, len(world.acts)) or goals.shape[2] != n or n > n_places:
        raise InputError(
            f"fit returned scores of shape {goals.shape}; they must have shape (S, C, S), with "
            f"S = {log.n_states} and C = {n_actions}, or {len(world.acts)} with options"
        )
    rewards = world.rewards[:, :n]
    values = goals @ rewards.T if learned.values is None else learned.values(rewards)
    if learned.values is None:
        values = np.moveaxis(values, 2, 0)
    more = n_places - n
    return Answers(
        np.pad(goals, ((0, more), (0, 0), (0, more))),
        np.pad(np.asarray(values, dtype=float), ((0, 0), (0, more), (0, 0))),
        None if learned.rows is None else np.pad(np.asarray(learned.rows), ((0, more), (0, more))),
    )
