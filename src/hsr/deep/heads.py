"""What the outputs of a network predict of choices, and how they learn it from steps."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.validation import check_flag
from hsr.deep.choices import Choices
from hsr.deep.experience import Experience
from hsr.deep.networks import Layers, Network, layers_of, outputs
from hsr.deep.training import (
    Learner,
    Report,
    Training,
    descend,
    numbers_of,
    read_seeds,
)

SMALLEST = 1e-35  # fewer visits count as these, so that logarithms are finite in single precision


class Heads(NamedTuple):
    """What each output of a network predicts. Each entry is 0 or 1 per head.

    With phi the features, psi the prediction of the same head at the next state t, and M that of
    the policy over choices, a head learns from a step from s to t

        starts phi(s) + g ((1 - stop) psi(t) + stop (ends phi(t) + continues M(t))).
    """

    starts: FloatArray
    ends: FloatArray
    continues: FloatArray


def learn_heads(
    experience: Experience,
    choices: Choices,
    heads: Heads,
    phi: FloatArray | None,
    gamma: float,
    network: Network,
    training: Training,
    seed: int | Sequence[int],
    progress: bool,
    error_of: Callable[[FloatArray], float],
    log_scale: FloatArray | None = None,
) -> list[tuple[Layers, tuple[Report, ...]]]:
    """Return networks from observations to the predictions of heads, with their learning curves.

    Parameters
    ----------
    experience : Experience
        The transitions.
    choices : Choices
        What each head follows: the choices, repeated as often as there are heads for each.
    heads : Heads
        What each head predicts.
    phi : array of shape (R, D), or None
        The features that are added up. None for one-hot features.
    gamma : float
        The discount.
    network, training, seed, progress
        As in `learn_hsr`.
    error_of : callable
        Returns the error of all predictions, (R, H, D), or NaN if the exact ones are not known.
    log_scale : array of shape (D,), optional
        Outputs plus these numbers are then logarithms of predictions, as in `td_loss`.
    """
    check_flag(progress, "progress")
    seeds = read_seeds(seed)
    n_heads, n_features = heads.starts.size, experience.n_rows if phi is None else phi.shape[1]
    with numbers_of(training):
        dtype = training.dtype
        data = {
            "inputs": experience.inputs(dtype),
            "steps": jnp.asarray(experience.steps, jnp.int32),
            "phi": None if phi is None else jnp.asarray(phi, dtype),
            "weight": jnp.asarray(choices.weight, dtype),
            "stop": jnp.asarray(choices.stop, dtype),
            "mu": jnp.asarray(choices.mu, dtype),
            "goal": jnp.asarray(choices.goal),
            "log_scale": None if log_scale is None else jnp.asarray(log_scale, dtype),
            "heads": Heads(*(jnp.asarray(flag, dtype) for flag in heads)),
        }
        whole = experience.n_rows <= 2 * training.batch_size

        def make(key: jax.Array) -> Layers:
            return layers_of(network, experience, (n_heads, n_features), dtype, key)

        def error(layers: Layers) -> float:
            predicted = np.asarray(outputs(layers, data["inputs"]), dtype=np.float64)
            return error_of(visits_of(predicted, log_scale))

        learner = Learner(
            make,
            lambda *arguments: td_loss(gamma, n_features, whole, *arguments),
            data,
            len(experience.steps),
            error,
            at_once=network.kind != "cnn",
        )
        return descend(learner, training, seeds, progress)


def td_loss(
    gamma: float,
    n_features: int,
    whole: bool,
    network: Layers,
    slow: Layers,
    items: jax.Array,
    key: jax.Array,
    data: dict[str, Any],
) -> jax.Array:
    """Return half the squared TD errors of all heads, added up, and averaged over a batch.

    If outputs are logarithms, so are the errors: the logarithm of the target is subtracted from
    that of the prediction. Its mean is the logarithm of the mean only if steps have no randomness.

    Parameters
    ----------
    gamma : float
        The discount.
    n_features : int
        The number D of features.
    whole : bool
        Whether the table is so small that the network is evaluated at all of its rows once.
    network, slow : Layers
        The network that learns, and the copy that makes the targets.
    items : int array of shape (b,)
        The steps of the batch.
    key : jax.Array
        Not used.
    data : dict of arrays
        What `learn_heads` puts there.
    """
    s, _, t = data["steps"][items].T
    if whole:
        now, later = network(data["inputs"])[s], slow(data["inputs"])[t]
    else:
        now, later = network(data["inputs"][s]), slow(data["inputs"][t])
    phi, log_scale = data["phi"], data.get("log_scale")
    if log_scale is not None:
        most = (1.0 if phi is None else phi.max()) / (1.0 - gamma)
        later = jnp.minimum(jnp.exp(later + log_scale), most)
    at_s, at_t = (
        jax.nn.one_hot(rows, n_features, dtype=now.dtype) if phi is None else phi[rows]
        for rows in (s, t)
    )
    n_choices = data["mu"].shape[1]
    M = jnp.einsum("bc,bcd->bd", data["mu"][t], later[:, :n_choices])
    M = jnp.where(data["goal"][t][:, None], at_t, M)
    starts, ends, continues = (flag[None, :, None] for flag in data["heads"])
    stop = data["stop"][t][:, :, None]
    after = ends * at_t[:, None] + continues * M[:, None]
    target = starts * at_s[:, None] + gamma * ((1.0 - stop) * later + stop * after)
    if log_scale is not None:
        target = jnp.log(jnp.maximum(target, SMALLEST)) - log_scale
    errors = jnp.sum((now - jax.lax.stop_gradient(target)) ** 2, axis=2)
    return 0.5 * jnp.sum(data["weight"][items] * errors) / items.size


def visits_of(outputs: FloatArray, log_scale: FloatArray | None) -> FloatArray:
    """Return predictions from the outputs of a network, which may be logarithms."""
    return outputs if log_scale is None else np.exp(outputs + log_scale)
