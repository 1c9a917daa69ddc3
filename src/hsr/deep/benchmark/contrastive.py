"""A contrastive critic: f(s, a, x) = phi(s, a) . psi(x), by symmetric InfoNCE [eysenbach2022].

A positive pair is a step (s, a) and the state x in which the same trajectory is k steps later, with
k = 0, 1, ... of probability (1 - g) g^k. In a batch of pairs, f classifies which x belongs to which
(s, a), and the reverse. At the optimum, f = log p(x | s, a) / p(x) plus a constant, where
p(x | s, a) = (1 - g) M(s, a, x). With one direction of classification only, the constant could
depend on (s, a).

There is no bootstrapping: the critic describes the policy that made the log, and actions are chosen
by one step of improvement.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hsr.deep.benchmark.factors import N_FACTORS, represented
from hsr.deep.benchmark.protocol import Answers, Data, Method
from hsr.deep.learned_measure import Factors

_LARGEST = 10.0  # largest weight of a pair


def make(data: Data, key: jax.Array) -> Factors:
    """Return untrained networks phi, with one output per action, and psi."""
    of_forward, of_backward = jax.random.split(key)
    phi = data.layers((data.n_actions, N_FACTORS), of_forward)
    return Factors(phi, data.layers((N_FACTORS,), of_backward))


def loss(
    network: Factors, slow: Factors, items: jax.Array, key: jax.Array, data: Data, setting: Any
) -> jax.Array:
    """Return the loss of a batch of pairs, one for each step of `items`."""
    first, later, weight = pairs(data, items, key)
    s, a, _ = data.steps[first].T
    phi = data.outputs(network.forward, s)[jnp.arange(items.size), a]
    psi = data.outputs(network.backward, data.steps[later, 0])
    return info_nce(phi @ psi.T, weight, setting["penalty"])


def pairs(data: Data, items: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return the first and the later step of each pair, and the weight of the pair.

    If the step k later than an item is beyond the end of its trajectory, the item is taken as the
    later step. Of n steps, min(n, 2 (n - k)) give a pair: weights make up for the others. Without
    them long pairs would be too rare, and the map too short-sighted.
    """
    u = jax.random.uniform(key, items.shape, minval=1e-7)
    k = jnp.floor(jnp.log(u) / jnp.log(data.discount)).astype(jnp.int32)
    last, n = data.last[items], data.prepared["length"][items]
    first = jnp.where(items + k <= last, items, items - k)
    within = first > last - n
    weight = jnp.maximum(1.0, n / jnp.maximum(2 * (n - k), 1))
    first = jnp.maximum(first, 0)
    later = jnp.minimum(first + k, last)
    return first, later, jnp.where(within, jnp.minimum(weight, _LARGEST), 0.0)


def lengths(data: Data, world: Any = None, seed: int = 0) -> dict[str, Any]:
    """Return the length of the trajectory to which each step belongs."""
    return {"length": np.bincount(np.asarray(data.last))[np.asarray(data.last)].astype(np.int32)}


def info_nce(f: jax.Array, weight: jax.Array, penalty: Any) -> jax.Array:
    """Return the mean cross-entropy of both classifications.

    Parameters
    ----------
    f : array of shape (b, b)
        The critic for (s, a) of pair i and x of pair j.
    weight : array of shape (b,)
        The weight of each pair.
    penalty : scalar
        Weight of the squared logarithm of the sum of exp(f) over x, which keeps f bounded.
    """
    logs = jnp.log(jnp.maximum(weight, 1e-30))
    over_x = jax.nn.logsumexp(f + logs, axis=1)
    over_s = jax.nn.logsumexp(f + logs[:, None], axis=0)
    terms = over_x + over_s - 2.0 * jnp.diag(f) + penalty * over_x**2
    return jnp.sum(weight * terms) / jnp.maximum(weight.sum(), 1.0)


def answers(network: Factors, data: Data, setting: Any, rewards: jax.Array) -> Answers:
    """Return the visits of the behaviour, normalised for each step."""
    rows, weight, within = represented(data, 2**11)
    phi, psi = data.outputs(network.forward), data.outputs(network.backward, rows)
    f = jnp.einsum("sad,xd->sax", phi, psi) + jnp.log(jnp.maximum(weight, 1e-30))
    largest = jnp.max(f, axis=2, keepdims=True)
    sums = jnp.exp(f - largest) @ within
    visits = sums / (1.0 - data.discount) / jnp.sum(sums, axis=2, keepdims=True)
    M = jnp.einsum("sa,sax->sx", data.mu[: data.n_places, : data.n_actions], visits)
    values = jnp.einsum("sax,nx->nsa", visits, rewards)
    return Answers(visits, values, M, data.dead(network.forward))


CONTRASTIVE = Method(
    "contrastive",
    {"learning_rate": (3e-4, 1e-3, 3e-3), "penalty": (0.0, 0.1)},
    make,
    loss,
    answers,
    prepare=lengths,
)
