"""Stochastic gradient descent: the training loop of every learner."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from hsr._base.errors import InputError, TooLargeError
from hsr._base.validation import (
    check_choice,
    check_count,
    check_learning_rate,
    check_seed,
    is_list,
)

PRECISIONS = {"single": jnp.float32, "double": jnp.float64}

Loss = Callable[[Any, Any, jax.Array, jax.Array, Any], jax.Array]


@dataclass(frozen=True)
class Training:
    """How a network is trained.

    Parameters
    ----------
    n_updates : int
        Number of gradient steps.
    batch_size : int
        Transitions per gradient step.
    learning_rate : float in (0, 1]
        Initial step size.
    target_rate : float in (0, 1]
        Targets are computed with a slowly moving copy of the network. After each update the copy
        moves by this fraction towards the network. With 1 the network itself is used.
    optimiser : {"adam", "sgd"}
        Adam with a rate that falls to zero along a cosine, or plain gradient descent with a
        constant rate.
    order : {"random", "log"}
        Whether batches are drawn from all transitions with replacement, or taken in the order of
        the log, which starts again at its end.
    precision : {"single", "double"}
        Precision of floating-point numbers.
    n_reports : int
        Number of points of the learning curve.

    Examples
    --------
    >>> import hsr.deep
    >>> hsr.deep.Training(n_updates=500).batch_size
    128
    """

    n_updates: int = 3000
    batch_size: int = 128
    learning_rate: float = 2e-3
    target_rate: float = 0.05
    optimiser: str = "adam"
    order: str = "random"
    precision: str = "single"
    n_reports: int = 20

    def __post_init__(self) -> None:
        for name in ("n_updates", "batch_size", "n_reports"):
            check_count(getattr(self, name), name)
        check_learning_rate(self.learning_rate)
        check_learning_rate(self.target_rate, "target_rate")
        check_choice(self.optimiser, ("adam", "sgd"), "optimiser")
        check_choice(self.order, ("random", "log"), "order")
        check_choice(self.precision, PRECISIONS, "precision")

    @property
    def dtype(self) -> Any:
        """The type of floating-point numbers."""
        return PRECISIONS[self.precision]

    def gradient_steps(self) -> optax.GradientTransformation:
        """Return the optimiser."""
        if self.optimiser == "sgd":
            return optax.sgd(self.learning_rate)
        return optax.adam(optax.cosine_decay_schedule(self.learning_rate, self.n_updates))


class Report(NamedTuple):
    """One point of a learning curve.

    Parameters
    ----------
    update : int
        Number of updates so far.
    loss : float
        Loss of the last batch.
    error : float
        Relative distance from the exact answer. NaN if that is not known.
    """

    update: int
    loss: float
    error: float


class Carry(NamedTuple):
    """State of training between two updates."""

    parameters: Any
    target: Any
    optimiser: Any
    key: jax.Array
    update: jax.Array
    loss: jax.Array


class Learner(NamedTuple):
    """A network to be trained, its loss and its data.

    Parameters
    ----------
    make : callable
        Returns the initial network from a random key.
    loss : callable
        Takes the network, its slow copy, the indices of the batch, a key and the data, and returns
        the loss. Gradients do not flow through the copy.
    data : pytree of arrays
        Everything that the loss reads.
    n_data : int
        Number of items that batches are drawn from.
    error_of : callable, optional
        Returns the distance of a network from the exact answer, if that is known.
    at_once : bool
        Whether several seeds are trained in one computation. Convolutions of several networks at
        once are slow, so networks with convolutions are trained one after another.
    """

    make: Callable[[jax.Array], Any]
    loss: Loss
    data: Any
    n_data: int
    error_of: Callable[[Any], float] | None = None
    at_once: bool = True


def train(
    make_learner: Callable[[], Learner],
    training: Training,
    seed: Any,
    progress: bool,
    result: Callable[[Any, tuple[Report, ...]], Any],
) -> Any:
    """Train one network for each seed.

    Parameters
    ----------
    make_learner : callable
        Returns what is trained. It is called in the precision of the training.
    training : Training
        How it is trained.
    seed : int or sequence of int
        Seed of the initial weights and the batches.
    progress : bool
        Whether to print the learning curve of the first seed.
    result : callable
        Takes a trained network and its learning curve. It is also called in that precision.

    Returns
    -------
    Any
        The result, or a list of results if `seed` is a sequence.
    """
    seeds = read_seeds(seed)
    with precision_of(training):
        learner = make_learner()
        together = [seeds] if learner.at_once else [[number] for number in seeds]
        trained = [pair for some in together for pair in _train(learner, training, some, progress)]
        results = [result(network, reports) for network, reports in trained]
    return results if is_list(seed) else results[0]


def read_seeds(seed: Any) -> list[int]:
    """Return seeds that are given as an integer or as a sequence of integers."""
    return [check_seed(number) for number in (seed if is_list(seed) else [seed])]


def _train(
    learner: Learner, training: Training, seeds: list[int], progress: bool
) -> list[tuple[Any, tuple[Report, ...]]]:
    keys = jnp.stack([jax.random.split(jax.random.key(seed)) for seed in seeds])
    network = eqx.filter_jit(eqx.filter_vmap(learner.make))(keys[:, 0])
    parameters, static = eqx.partition(network, eqx.is_array)
    steps, n_seeds = training.gradient_steps(), len(seeds)
    carry = jax.vmap(partial(begun, steps))(parameters, keys[:, 1])
    update = partial(updates, learner.loss, static, steps, training, learner.n_data)
    if n_seeds == 1:  # without vmap, whose batched kernels add in another order and are slower
        some_updates = jax.jit(lambda carry, n, data: _stacked(update(_of_seed(carry, 0), n, data)))
    else:
        some_updates = jax.jit(jax.vmap(update, in_axes=(0, None, None)))
    reports: list[list[Report]] = [[] for _ in seeds]
    n_reports = min(training.n_reports, training.n_updates)
    for n in np.diff(np.arange(n_reports + 1) * training.n_updates // n_reports).tolist():
        carry = jax.block_until_ready(some_updates(carry, n, learner.data))
        for k, record in enumerate(reports):
            error = float("nan")
            if learner.error_of is not None:
                error = learner.error_of(eqx.combine(_of_seed(carry.parameters, k), static))
            record.append(Report(int(carry.update[k]), float(carry.loss[k]), error))
        if progress:
            _print(reports[0][-1])
        for record in reports:
            _check_converges(record[-1], training)
    return [
        (eqx.combine(_of_seed(carry.parameters, k), static), tuple(record))
        for k, record in enumerate(reports)
    ]


def _of_seed(stacked: Any, k: int) -> Any:
    """Return the part that belongs to seed k."""
    return jax.tree.map(lambda array: array[k], stacked)


def _stacked(single: Any) -> Any:
    """Add an axis for seeds."""
    return jax.tree.map(lambda array: array[None], single)


def _check_converges(report: Report, training: Training) -> None:
    if not np.isfinite(report.loss):
        raise InputError(
            f"training diverged: the loss is {report.loss} after {report.update} updates; "
            f"use a learning rate below {training.learning_rate:g}"
        )


def begun(steps: optax.GradientTransformation, parameters: Any, key: jax.Array) -> Carry:
    """Return the state of training before the first update."""
    dtype = jax.tree.leaves(parameters)[0].dtype
    none = jnp.zeros((), jnp.int32), jnp.zeros((), dtype)
    return Carry(parameters, parameters, steps.init(parameters), key, *none)


def updates(
    loss: Loss,
    static: Any,
    steps: optax.GradientTransformation,
    training: Any,
    n_data: int,
    carry: Carry,
    n: int,
    data: Any,
) -> Carry:
    """Return the state of training after n more updates.

    Parameters
    ----------
    loss : callable
        As in `Learner`.
    static : Any
        What `equinox.partition` leaves of the network besides its arrays.
    steps : optax.GradientTransformation
        The optimiser.
    training : Training, or anything with its order, batch_size and target_rate
        How batches are drawn and the slow copy moves. The rate may be a traced number.
    n_data : int
        Number of items that batches are drawn from.
    carry : Carry
        State of training.
    n : int
        Number of updates.
    data : pytree of arrays
        Everything that the loss reads.
    """

    def next_update(_: int, carry: Carry) -> Carry:
        key, draw, of_loss = jax.random.split(carry.key, 3)
        if training.order == "log":
            first = carry.update * training.batch_size
            items = (first + jnp.arange(training.batch_size)) % n_data
        else:
            items = jax.random.randint(draw, (training.batch_size,), 0, n_data)

        def of_parameters(parameters: Any) -> jax.Array:
            slow = eqx.combine(jax.lax.stop_gradient(carry.target), static)
            return loss(eqx.combine(parameters, static), slow, items, of_loss, data)

        value, gradient = jax.value_and_grad(of_parameters)(carry.parameters)
        change, optimiser = steps.update(gradient, carry.optimiser, carry.parameters)
        parameters = optax.apply_updates(carry.parameters, change)
        # Targets from the network itself would move with every update, and can diverge.
        rate = training.target_rate
        target = jax.tree.map(lambda old, new: old + rate * (new - old), carry.target, parameters)
        return Carry(parameters, target, optimiser, key, carry.update + 1, value)

    return jax.lax.fori_loop(0, n, next_update, carry)


def _print(report: Report) -> None:
    """Print one point of a learning curve."""
    known = not np.isnan(report.error)
    error = f"   distance from the exact answer {report.error:.2e}" if known else ""
    print(f"update {report.update:>7}   loss {report.loss:.3e}{error}", flush=True)  # noqa: T201


@contextmanager
def precision_of(training: Training) -> Iterator[None]:
    """Compute in the precision of the training, and explain how to avoid running out of memory."""
    try:
        with jax.enable_x64(training.precision == "double"):
            yield
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        device = jax.devices()[0]
        raise TooLargeError(
            f"{device.device_kind} is out of memory; use batches of fewer than "
            f"{training.batch_size} items, a narrower network or smaller observations"
        ) from None
