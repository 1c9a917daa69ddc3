"""The augmented-Lagrangian Laplacian as a map: its eigenvectors in the closed form of the SR."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hsr.deep.benchmark.protocol import Answers, Data, Method
from hsr.deep.eigenvectors import Lagrangian, objective, terms_in_full
from hsr.deep.experience import Experience
from hsr.deep.learned_vectors import read_pairs

N_VECTORS = 32
_SMALLEST = 1e-6  # of the variance of functions, relative to the largest


def _prepare(data: Data, world: Any, seed: int) -> dict[str, Any]:
    """Return the distribution of pairs, and the frequencies of outcomes, both from the log."""
    S, A = data.n_places, data.n_actions
    steps = np.column_stack(
        [data.place[data.steps[:, 0]], data.steps[:, 1], data.place[data.steps[:, 2]]]
    )
    places = np.arange(S)
    log = Experience(places, None, S, steps, A, True, lambda states: states)
    joint = read_pairs(log, float(data.discount), S, np.random.default_rng(seed)).joint
    counts = np.zeros((S, A, S))
    np.add.at(counts, tuple(steps.T), 1.0)
    counts[counts.sum(axis=2) == 0.0] = 1.0 / S  # nobody knows where an untried action leads
    model = counts / counts.sum(axis=2, keepdims=True)
    return {"joint": joint.astype(np.float32), "model": model.astype(np.float32)}


def _make(data: Data, key: jax.Array) -> Lagrangian:
    return Lagrangian(data.layers((N_VECTORS,), key), jnp.zeros((N_VECTORS, N_VECTORS)))


def _loss(
    network: Lagrangian, slow: Any, items: Any, key: Any, data: Data, setting: Any
) -> jax.Array:
    terms = terms_in_full(data.outputs(network.layers), data.prepared["joint"])
    return objective(terms, network.duals)


def _answers(network: Lagrangian, data: Data, setting: Any, rewards: jax.Array) -> Answers:
    """Return I + g / (1 - g) (1 + U diag(mu) U') D, with Ritz vectors U and eigenvalues mu.

    mu are eigenvalues of (1 - g) P (I - g P)^-1, and D is how often walks are in each place.
    """
    joint, g = data.prepared["joint"], data.discount
    D = joint.sum(axis=0)
    u = data.outputs(network.layers)
    u = u - D @ u
    sizes, axes = jnp.linalg.eigh(u.T @ (D[:, None] * u))
    kept = sizes > _SMALLEST * sizes[-1]
    white = axes * jnp.where(kept, 1.0 / jnp.sqrt(jnp.where(kept, sizes, 1.0)), 0.0)
    mu, turns = jnp.linalg.eigh(white.T @ (u.T @ joint @ u) @ white)
    U = u @ white @ turns
    once = jnp.eye(data.n_places)
    M = once + g / (1.0 - g) * (1.0 + (U * mu) @ U.T) * D
    psi = once[:, None] + g * jnp.einsum("sat,tx->sax", data.prepared["model"], M)
    values = jnp.einsum("sax,nx->nsa", psi, rewards)
    return Answers(psi, values, M, data.dead(network.layers))


METHOD = Method(
    "Laplacian",
    {"learning_rate": (3e-4, 1e-3, 3e-3, 1e-2, 3e-2)},
    _make,
    _loss,
    _answers,
    target="uniform",
    prepare=_prepare,
)
