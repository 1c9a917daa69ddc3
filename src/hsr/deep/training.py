"""Training by stochastic gradient descent: the loop that every learner here shares."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
    check_number,
    check_seed,
    is_list,
)

OPTIMISERS = {
    "adam": "Adam, with a rate that falls to zero along a cosine",
    "sgd": "plain gradient descent with a constant rate",
}
ORDERS = {
    "random": "batches are drawn with replacement",
    "log": "batches follow each other as in the log",
}
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
        Step size, at the beginning.
    target_rate : float in (0, 1]
        Targets are computed with a slow copy of the network. After each update the copy moves by
        this fraction towards the network. 1 keeps no copy.
    optimiser : {"adam", "sgd"}
        Adam with a rate that falls to zero along a cosine, or plain gradient descent with a
        constant rate.
    order : {"random", "log"}
        Whether batches are drawn from all transitions with replacement, or follow each other as in
        the log, which begins again at its end.
    precision : {"single", "double"}
        Of the floating-point numbers.
    n_reports : int
        How often training pauses to record its progress.

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
        if not 0.0 < check_number(self.target_rate, "target_rate") <= 1.0:
            raise InputError(f"target_rate is {self.target_rate}; it must lie in (0, 1]")
        check_choice(self.optimiser, OPTIMISERS, "optimiser")
        check_choice(self.order, ORDERS, "order")
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
    """What is known at one moment of the training.

    Parameters
    ----------
    update : int
        Number of updates until then.
    loss : float
        Loss of the last batch.
    error : float
        Distance from the exact answer, relative to its size. NaN where that is not known.
    """

    update: int
    loss: float
    error: float


class _Carry(NamedTuple):
    """What one update hands to the next."""

    parameters: Any
    target: Any
    optimiser: Any
    key: jax.Array
    update: jax.Array
    loss: jax.Array


class Learner(NamedTuple):
    """What is trained, and on what.

    Parameters
    ----------
    make : callable
        Returns the network before training, from a key that draws its weights.
    loss : callable
        Takes the network, its slow copy, the numbers of the batch's items, a key and the data, and
        returns the loss. Nothing flows back through the copy.
    data : pytree of arrays
        Everything that the loss reads.
    n_data : int
        How many items batches are drawn from.
    error_of : callable, optional
        Returns a network's distance from the exact answer, if that is known.
    at_once : bool
        Whether several seeds are trained side by side, in one computation. Convolutions are not:
        those of several networks at once are slow.
    """

    make: Callable[[jax.Array], Any]
    loss: Loss
    data: Any
    n_data: int
    error_of: Callable[[Any], float] | None = None
    at_once: bool = True


def descend(
    learner: Learner,
    training: Training,
    seeds: Sequence[int],
    progress: bool,
) -> list[tuple[Any, tuple[Report, ...]]]:
    """Return a trained network and its reports for each seed.

    Parameters
    ----------
    learner : Learner
        What is trained.
    training : Training
        How.
    seeds : sequence of int
        Each draws the first weights and the batches of one network.
    progress : bool
        Whether to print the reports of the first seed.
    """
    if len(seeds) == 1 or not learner.at_once:
        return [_train(learner, training, [seed], progress)[0] for seed in seeds]
    return _train(learner, training, seeds, progress)


def _train(
    learner: Learner, training: Training, seeds: Sequence[int], progress: bool
) -> list[tuple[Any, tuple[Report, ...]]]:
    keys = jnp.stack([jax.random.split(jax.random.key(seed)) for seed in seeds])
    network = eqx.filter_jit(eqx.filter_vmap(learner.make))(keys[:, 0])
    parameters, static = eqx.partition(network, eqx.is_array)
    steps, n_seeds = training.gradient_steps(), len(seeds)
    carry = _Carry(
        parameters,
        parameters,
        jax.vmap(steps.init)(parameters),
        keys[:, 1],
        jnp.zeros(n_seeds, jnp.int32),
        jnp.zeros(n_seeds, training.dtype),
    )
    update = partial(_updates, learner.loss, static, steps, training, learner.n_data)
    if n_seeds == 1:  # without vmap, whose batched kernels add in another order and are slower
        some_updates = jax.jit(lambda carry, n, data: _stacked(update(_one(carry, 0), n, data)))
    else:
        some_updates = jax.jit(jax.vmap(update, in_axes=(0, None, None)))
    reports: list[list[Report]] = [[] for _ in seeds]
    for n in _lengths(training):
        carry = jax.block_until_ready(some_updates(carry, n, learner.data))
        for k, record in enumerate(reports):
            error = float("nan")
            if learner.error_of is not None:
                error = learner.error_of(eqx.combine(_one(carry.parameters, k), static))
            record.append(Report(int(carry.update[k]), float(carry.loss[k]), error))
        if progress:
            _print(reports[0][-1])
        _check_converges(reports, training)
    return [
        (eqx.combine(_one(carry.parameters, k), static), tuple(record))
        for k, record in enumerate(reports)
    ]


def _one(stacked: Any, k: int) -> Any:
    """Return what belongs to one of several seeds."""
    return jax.tree.map(lambda array: array[k], stacked)


def _stacked(one: Any) -> Any:
    """Return what belongs to one seed, as the only one of several."""
    return jax.tree.map(lambda array: array[None], one)


def _check_converges(reports: list[list[Report]], training: Training) -> None:
    for record in reports:
        if not np.isfinite(record[-1].loss):
            raise InputError(
                f"training diverged: the loss is {record[-1].loss} after {record[-1].update} "
                f"updates; use a learning rate below {training.learning_rate:g}"
            )


def _lengths(training: Training) -> Iterator[int]:
    """Yield how many updates are made before each report."""
    n, k = training.n_updates, min(training.n_reports, training.n_updates)
    for i in range(k):
        yield n * (i + 1) // k - n * i // k


def _updates(
    loss: Loss,
    static: Any,
    steps: optax.GradientTransformation,
    training: Training,
    n_data: int,
    carry: _Carry,
    n: int,
    data: Any,
) -> _Carry:
    """Return what n updates lead to."""

    def one(_: int, carry: _Carry) -> _Carry:
        key, draw, own = jax.random.split(carry.key, 3)
        if training.order == "log":
            first = carry.update * training.batch_size
            items = (first + jnp.arange(training.batch_size)) % n_data
        else:
            items = jax.random.randint(draw, (training.batch_size,), 0, n_data)

        def of_parameters(parameters: Any) -> jax.Array:
            slow = eqx.combine(jax.lax.stop_gradient(carry.target), static)
            return loss(eqx.combine(parameters, static), slow, items, own, data)

        value, gradient = jax.value_and_grad(of_parameters)(carry.parameters)
        change, optimiser = steps.update(gradient, carry.optimiser, carry.parameters)
        parameters = optax.apply_updates(carry.parameters, change)
        # Targets of the network itself would move with every update, and can diverge.
        rate = training.target_rate
        target = jax.tree.map(lambda old, new: old + rate * (new - old), carry.target, parameters)
        return _Carry(parameters, target, optimiser, key, carry.update + 1, value)

    return jax.lax.fori_loop(0, n, one, carry)


def trained_for(training: Training, updates: int | None) -> Training:
    """Return how to train with another number of updates, if one is given."""
    return training if updates is None else replace(training, n_updates=updates)


def read_seeds(seed: Any) -> list[int]:
    """Return seeds, of which a single one may be given by itself."""
    return [check_seed(one) for one in (seed if is_list(seed) else [seed])]


def _print(report: Report) -> None:
    """Print one line of a learning curve."""
    error = (
        "" if np.isnan(report.error) else f"   distance from the exact answer {report.error:.2e}"
    )
    print(f"update {report.update:>7}   loss {report.loss:.3e}{error}", flush=True)  # noqa: T201


@contextmanager
def numbers_of(training: Training) -> Iterator[None]:
    """Compute in the precision that is asked for, and say in one sentence if memory runs out."""
    try:
        with jax.enable_x64(training.precision == "double"):
            yield
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        device = jax.devices()[0]
        raise TooLargeError(
            f"the memory of {device.device_kind} is exhausted; use smaller batches than "
            f"{training.batch_size}, a narrower network or smaller observations"
        ) from None
