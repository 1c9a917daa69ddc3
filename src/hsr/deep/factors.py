"""Two networks whose outputs are multiplied, so that they fill a matrix of any size."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.deep.experience import Experience
from hsr.deep.networks import Layers

_AS_A_WHOLE = 512  # distributions over at most so many rows are not sampled but added up
_NEGLIGIBLE = 1e-3  # singular values below this fraction of the largest are not scaled up


class Factors(eqx.Module):  # type: ignore[misc]
    """A network of where one is, and one of where one will be.

    Parameters
    ----------
    forward : Layers
        From observations to arrays (..., K).
    backward : Layers
        From observations to arrays (K,).
    """

    forward: Layers
    backward: Layers


class Visits(NamedTuple):
    """How often each row of a table of observations is met.

    Parameters
    ----------
    rows : int array of shape (n,)
        Rows that are drawn with equal probabilities.
    probability : array of shape (R,)
        The probability of each row among them.
    """

    rows: IntArray
    probability: FloatArray

    @property
    def few(self) -> bool:
        """Whether there are so few rows that their distribution is added up, not sampled."""
        return self.probability.size <= _AS_A_WHOLE


def visits_of(experience: Experience) -> Visits:
    """Return how often each row is met in a log, before or after a step."""
    rows = experience.steps[:, [0, 2]].T.reshape(-1)
    return Visits(rows, np.bincount(rows, minlength=experience.n_rows) / rows.size)


def drawn(
    key: jax.Array, n: int, rows: jax.Array, probability: jax.Array | None
) -> tuple[jax.Array, jax.Array]:
    """Return rows, and weights with which they stand for the distribution that they are from.

    Parameters
    ----------
    key : jax.Array
        Draws the rows.
    n : int
        How many are drawn.
    rows : int array
        What they are drawn from.
    probability : array of shape (R,), or None
        If given, all rows are returned with these weights, and none is drawn.
    """
    if probability is not None:
        return jnp.arange(probability.size), probability
    return rows[jax.random.randint(key, (n,), 0, rows.size)], jnp.full(n, 1.0 / n)


def decorrelated(layers: Layers, inputs: jax.Array, weight: jax.Array, size: float) -> Layers:
    """Return a network whose outputs are uncorrelated and of one size.

    Only the last layer is changed. Hidden units of a random network are strongly correlated.
    Products with outputs that are, too, are learned in order of the size of their singular values,
    and the small ones take very long.

    Parameters
    ----------
    layers : Layers
        The network.
    inputs : array of shape (n, ...)
        Some observations.
    weight : array of shape (n,)
        Their probabilities.
    size : float
        Root of the mean square of each output.
    """
    _, units = layers.with_units(inputs)
    last, n = layers.layers[-1], len(inputs)
    if units:
        hidden = units[-1].reshape(n, -1)
    elif layers.one_hot:
        hidden = jax.nn.one_hot(inputs, last.in_features, dtype=last.weight.dtype)
    else:
        hidden = inputs.reshape(n, -1)
    _, s, Vt = jnp.linalg.svd(jnp.sqrt(weight)[:, None] * hidden, full_matrices=False)
    k = min(s.size, last.out_features)
    factor = jnp.where(s > _NEGLIGIBLE * s[0], size / jnp.maximum(s, _NEGLIGIBLE * s[0]), 0.0)
    W = jnp.zeros_like(last.weight).at[:k].set(factor[:k, None] * Vt[:k])
    layers = eqx.tree_at(lambda all: all.layers[-1].weight, layers, W)
    if last.bias is None:
        return layers
    return eqx.tree_at(lambda all: all.layers[-1].bias, layers, jnp.zeros_like(last.bias))


def with_fixed_units(layers: Layers) -> Layers:
    """Return the network with hidden layers that are not trained."""
    fixed = jax.tree.map(
        lambda leaf: jax.lax.stop_gradient(leaf) if eqx.is_array(leaf) else leaf, layers
    )
    return eqx.tree_at(lambda all: all.layers[-1], fixed, layers.layers[-1])
