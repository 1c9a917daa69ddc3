"""Train a method in all worlds, with several settings and seeds, as one program."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from hsr.deep.benchmark.measures import measured
from hsr.deep.benchmark.protocol import Answers, Data, Method
from hsr.deep.benchmark.worlds import BEHAVIOURS, PATH, World
from hsr.deep.networks import Network
from hsr.deep.training import begun, updates

OBSERVATIONS = ("one-hot", "xy", "pixels")
LITTLE = 2000  # steps of a short log


@dataclass(frozen=True)
class Condition:
    """What a method learns from.

    Parameters
    ----------
    observation : {"one-hot", "xy", "pixels"}
        What the network sees.
    behaviour : {"walk", "mixture"}
        A random walk, or a mixture of policies that approach goals.
    little : bool
        Whether the log has 2,000 steps only.
    """

    observation: str = "one-hot"
    behaviour: str = "walk"
    little: bool = False

    def __str__(self) -> str:
        log = "little data" if self.little else "much data"
        return f"{self.observation}, {self.behaviour}, {log}"

    def log_of(self, world: World) -> np.ndarray:
        """Return the log of a world, or of a batch of worlds. A short one is repeated."""
        log = getattr(world, f"log_{self.behaviour}")
        if not self.little:
            return np.asarray(log, dtype=np.int32)
        return np.resize(log[: min(LITTLE, len(log))], log.shape).astype(np.int32)


_COMPILED: dict[Any, Any] = {}


class Batches(NamedTuple):
    """How `hsr.deep.training.updates` draws batches and moves the slow copy."""

    batch_size: int
    target_rate: Any
    order: str = "random"


def data_of(world: World, condition: Condition, method: Method, network: Network) -> Data:
    """Return the log of one world as the arrays that a method reads."""
    n_actions, n_places = world.after.shape[1], world.exists.size
    steps = condition.log_of(world)
    s, a = steps.T[:2]
    mu = np.asarray(world.behaviour[BEHAVIOURS.index(condition.behaviour)], dtype=np.float32)
    C = len(world.acts) if method.uses_options else n_actions
    if method.uses_options:
        mu = (world.available / np.maximum(1, world.available.sum(axis=0))).T.astype(np.float32)
    last = np.minimum((np.arange(len(steps)) // PATH + 1) * PATH, len(steps)) - 1
    data = Data(
        inputs=inputs_of(world, condition),
        steps=steps,
        last=last.astype(np.int32),
        place=np.arange(n_places, dtype=np.int32),
        rho=(np.bincount(s, minlength=n_places) / len(steps)).astype(np.float32),
        exists=np.asarray(world.exists),
        weight=(a[:, None] == world.acts[:C, s].T).astype(np.float32),
        stop=np.asarray(world.stop[:C].T, dtype=np.float32),
        mu=mu,
        discount=np.float32(world.discount),
        prepared={},
        n_actions=n_actions,
        network=network,
    )
    if method.prepare is not None:
        data = eqx.tree_at(lambda one: one.prepared, data, method.prepare(data, world, 0))
    return data


def inputs_of(world: World, condition: Condition) -> np.ndarray:
    """Return what networks read in each place: its number, or a centred and scaled observation."""
    if condition.observation == "one-hot":
        return np.arange(world.exists.size, dtype=np.int32)
    observations, exists = getattr(world, condition.observation), world.exists
    centred = observations - observations[exists].mean(axis=0)
    return np.asarray(centred / centred[exists].std() * exists[:, None], dtype=np.float32)


def world_at(worlds: World, k: int) -> World:
    """Return one world of a batch."""
    return World(*(array[k] for array in worlds))


def stacked_data(worlds: World, condition: Condition, method: Method, network: Network) -> Data:
    """Return the data of a batch of worlds."""
    each = [
        data_of(world_at(worlds, k), condition, method, network) for k in range(len(worlds.exists))
    ]
    return jax.tree.map(lambda *arrays: jnp.asarray(np.stack(arrays)), *each)


def fitted(
    method: Method,
    batch_size: int,
    data: Data,
    setting: Mapping[str, Any],
    rewards: Any,
    seed: Any,
    n_updates: Any,
) -> Answers:
    """Return the answers of one network after its training. Everything may be traced.

    Adam starts with the learning rate of the setting, which falls to zero along a cosine.
    """
    first, draws = jax.random.split(jax.random.key(seed))
    parameters, static = eqx.partition(method.make(data, first), eqx.is_array)
    steps = optax.adam(
        lambda k: setting["learning_rate"] * 0.5 * (1.0 + jnp.cos(jnp.pi * k / n_updates))
    )

    def loss(network: Any, slow: Any, items: Any, key: Any, data: Data) -> jax.Array:
        return method.loss(network, slow, items, key, data, setting)

    batches = Batches(batch_size, setting.get("target_rate", 1.0))
    carry = begun(steps, parameters, draws)
    carry = updates(loss, static, steps, batches, len(data.steps), carry, n_updates, data)
    return method.answers(eqx.combine(carry.parameters, static), data, setting, rewards)


class Program:
    """Training and measuring a method in all worlds, compiled for the sizes of its data.

    Parameters
    ----------
    method : Method
        The method.
    worlds : World
        A batch of worlds.
    condition : Condition
        What is learned from.
    network : Network
        Kind and size of networks.
    n_settings, n_seeds : int
        Settings and seeds that are trained at once, in every world.
    batch_size : int
        Steps per update.
    """

    def __init__(
        self,
        method: Method,
        worlds: World,
        condition: Condition,
        network: Network,
        *,
        n_settings: int,
        n_seeds: int,
        batch_size: int,
    ) -> None:
        self.method, self.worlds, self.n_settings = method, on_device(worlds), n_settings
        self.seeds, self.behaviour = jnp.arange(n_seeds), condition.behaviour
        self.data = stacked_data(worlds, condition, method, network)
        one = partial(fitted, method, batch_size)
        for axes in ((None, None, None, 0, None), (None, 0, None, None, None)):
            one = jax.vmap(one, in_axes=axes)
        one = jax.vmap(one, in_axes=(0, 0, 0, None, None))
        begin = time.perf_counter()
        nothing = {name: np.ones((len(worlds.exists), n_settings)) for name in method.settings}
        arguments = self._arguments(nothing, 1)
        sizes = tuple(leaf.shape for leaf in jax.tree.leaves(arguments))
        key = method.name, network, batch_size, sizes
        if key not in _COMPILED:
            _COMPILED[key] = jax.jit(one).lower(*arguments).compile()
        self._train = _COMPILED[key]
        self.compile_seconds = time.perf_counter() - begin

    def _arguments(self, settings: Mapping[str, Any], n_updates: int) -> tuple[Any, ...]:
        numbers = {name: jnp.asarray(value, jnp.float32) for name, value in settings.items()}
        return self.data, numbers, self.worlds.rewards, self.seeds, jnp.asarray(n_updates)

    def run(
        self, settings: Mapping[str, Any], n_updates: int
    ) -> tuple[dict[str, Any], float, float]:
        """Return every measure, (W, K, seeds, ...), and the seconds of training and compiling.

        Parameters
        ----------
        settings : dict of str to array of shape (W, K)
            The settings of each world.
        n_updates : int
            Number of updates.
        """
        n, found, seconds = next(iter(settings.values())).shape[1], [], 0.0
        for first in range(0, n, self.n_settings):
            columns = np.minimum(np.arange(first, first + self.n_settings), n - 1)
            some = {name: values[:, columns] for name, values in settings.items()}
            begin = time.perf_counter()
            answers = jax.block_until_ready(self._train(*self._arguments(some, n_updates)))
            seconds += time.perf_counter() - begin
            found.append(measure_all(self.worlds, answers, self.method.target, self.behaviour))
        joined = {
            name: np.concatenate([np.asarray(one[name]) for one in found], axis=1)[:, :n]
            for name in found[0]
        }
        return joined, seconds, self.compile_seconds


def on_device(worlds: World) -> World:
    """Return a batch of worlds as arrays in single precision."""
    kinds = {"f": jnp.float32, "i": jnp.int32}
    return World(*(jnp.asarray(one, kinds.get(one.dtype.kind, one.dtype)) for one in worlds))


@partial(jax.jit, static_argnames=("target", "behaviour"))
def measure_all(worlds: World, answers: Answers, target: str, behaviour: str) -> dict[str, Any]:
    """Return the measures of answers of shape (worlds, settings, seeds, ...)."""
    one = partial(measured, target=target, behaviour=behaviour)
    for _ in range(2):
        one = jax.vmap(one, in_axes=(None, 0))
    return jax.vmap(one)(worlds, answers)
