"""Densities of visits as products of two networks, m(s, a, x) = F(s, a) . B(x), and their loss.

The density is relative to the distribution rho of the log. For a target density T(t) . B'(x) after
a step from s to t, where B' is a slow copy, the loss of [touati2021] is half the mean over x of
(m(s, a, x) - g T(t) . B'(x))^2, minus m(s, a, s). With the second moments G = E B B' and
H = E B B_slow' over rho it needs no sum over pairs of states.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from hsr.deep.benchmark.protocol import Data
from hsr.deep.measure import decorrelated, with_fixed_units
from hsr.deep.networks import Layers

N_FACTORS = 128  # the length d of F and B
SETTINGS = {"target_rate": (0.05,), "orthonormality": (0.0, 1.0), "trained_units": (0.0, 1.0)}
_COLUMNS = 512  # rows that represent rho, if states are not listed


def backward_layers(data: Data, key: jax.Array) -> Layers:
    """Return an untrained B whose outputs are uncorrelated under rho and have equal sizes."""
    layers = data.layers((N_FACTORS,), key)
    return decorrelated(layers, data.inputs[: data.n_places], data.rho, size_of(data))


def size_of(data: Data) -> float:
    """Return the root mean square of each output of B before training.

    F then has the size of a map: the density is as large as the number of places.
    """
    return float(min(N_FACTORS, data.n_places)) ** 0.5


def with_trained_units(layers: Layers, share: Any) -> Layers:
    """Return B with the gradients of its hidden layers multiplied by a share, 0 or 1.

    With 0, they stay random, as in `hsr.deep.learn_measure`. The product often converges faster if
    not all of both sides changes at once.
    """
    return jax.tree.map(
        lambda some, none: none + share * (some - none) if eqx.is_array(some) else some,
        layers,
        with_fixed_units(layers),
    )


def moments(data: Data, B: Layers, slow: Layers, key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return E B B' and E B B_slow' over rho, each of shape (d, d).

    Parameters
    ----------
    data : Data
        The log.
    B, slow : Layers
        The network and its slow copy.
    key : jax.Array
        Draws states if they are not listed.
    """
    if len(data.inputs) == data.n_places:
        rows, weight = jnp.arange(data.n_places), data.rho
    else:
        rows = data.steps[jax.random.randint(key, (_COLUMNS,), 0, len(data.steps)), 0]
        weight = jnp.full(_COLUMNS, 1.0 / _COLUMNS)
    at = data.outputs(B, rows)
    weighted = weight[:, None] * at
    return weighted.T @ at, weighted.T @ data.outputs(slow, rows)


def density_loss(
    F: jax.Array, T: jax.Array, at_s: jax.Array, discount: jax.Array, G: jax.Array, H: jax.Array
) -> jax.Array:
    """Return the loss, averaged over a batch.

    Parameters
    ----------
    F, T : arrays of shape (b, d)
        The forward factors before the step, and those of the target after it.
    at_s : array of shape (b, d)
        B before the step.
    discount : scalar
        Discount per step.
    G, H : arrays of shape (d, d)
        What `moments` returned.
    """
    return jnp.mean(jnp.sum(F * (0.5 * F @ G - discount * T @ H.T - at_s), axis=1))


def loss_of(
    network: Any,
    slow: Any,
    F: jax.Array,
    T: jax.Array,
    s: jax.Array,
    key: Any,
    *,
    data: Data,
    setting: Any,
) -> jax.Array:
    """Return the loss of the density, and the weight of `setting` times that of its basis.

    Parameters
    ----------
    network, slow : Factors
        The networks F and B, and their slow copies.
    F, T : arrays of shape (b, d)
        The forward factors before the step, and those of the target after it.
    s : int array of shape (b,)
        Rows before the step.
    key : jax.Array
        Draws states if they are not listed.
    data : Data
        The log.
    setting : dict of str to scalar
        The weight ``orthonormality``, and ``trained_units``, 0 or 1.
    """
    B = with_trained_units(network.backward, setting["trained_units"])
    G, H = moments(data, B, slow.backward, key)
    density = density_loss(F, T, data.outputs(B, s), data.discount, G, H)
    return density + setting["orthonormality"] * orthonormality(data, G)


def orthonormality(data: Data, G: jax.Array) -> jax.Array:
    """Return half the squared distance of E B B' from a multiple of the identity, + a constant."""
    G = G / size_of(data) ** 2
    return 0.5 * jnp.sum(G**2) - jnp.trace(G)


def represented(data: Data, most: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return rows that represent rho, their weights, and in which place each of them is.

    Parameters
    ----------
    data : Data
        The log.
    most : int
        If states are not listed, about so many rows stand for all.

    Returns
    -------
    tuple of arrays of shape (n,), (n,) and (n, S)
    """
    rows, weight = jnp.arange(data.n_places), data.rho
    if len(data.inputs) > data.n_places:
        rows = data.steps[:: max(1, len(data.steps) // most), 0]
        weight = jnp.full(len(rows), 1.0 / len(rows))
    return rows, weight, jax.nn.one_hot(data.place[rows], data.n_places)


def visited(data: Data, B: Layers) -> jax.Array:
    """Return the sum of B over the states of each place, weighted by rho, of shape (S, d)."""
    rows, weight, within = represented(data, 2**14)
    return within.T @ (weight[:, None] * data.outputs(B, rows))
