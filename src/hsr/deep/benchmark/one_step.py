"""One-step forward-backward representations [zheng2026].

F(s, a) and B(x) learn the successor measure of the policy that made the log, and actions are chosen
by one step of policy improvement: for rewards r, argmax_a of F(s, a) . E[r(x) B(x)]. Unlike in
forward-backward representations, the policy whose measure is learned does not depend on F.

The authors take the next action from the log. Here its mean under the behaviour is taken, which has
the same fixed point and less noise. Rewards are not weighted by their softmax, as the authors do in
continuous control. That would change the rewards.
"""

from typing import Any

import jax
import jax.numpy as jnp

from hsr.deep.benchmark.factors import (
    N_FACTORS,
    backward_layers,
    density_loss,
    moments,
    orthonormality,
    visited,
    with_trained_units,
)
from hsr.deep.benchmark.protocol import Answers, Data, Method
from hsr.deep.learned_measure import Factors


def make(data: Data, key: jax.Array) -> Factors:
    """Return untrained networks F, with one output per action, and B."""
    of_forward, of_backward = jax.random.split(key)
    F = data.layers((data.n_actions, N_FACTORS), of_forward)
    return Factors(F, backward_layers(data, of_backward))


def loss(
    network: Factors, slow: Factors, items: jax.Array, key: jax.Array, data: Data, setting: Any
) -> jax.Array:
    """Return the loss of the density, and the weight of `setting` times that of its basis."""
    s, a, t = data.steps[items].T
    B = with_trained_units(network.backward, setting["trained_units"])
    F = data.outputs(network.forward, s)[jnp.arange(items.size), a]
    later = data.outputs(slow.forward, t)
    T = jnp.einsum("ba,bad->bd", data.mu[t, : data.n_actions], later)
    G, H = moments(data, B, slow.backward, key)
    at_s = data.outputs(B, s)
    density = density_loss(F, T, at_s, data.discount, G, H)
    return density + setting["orthonormality"] * orthonormality(data, G)


def answers(network: Factors, data: Data, setting: Any, rewards: jax.Array) -> Answers:
    """Return the visits of the behaviour, and scores of one step of policy improvement."""
    F, B = data.outputs(network.forward), visited(data, network.backward)
    psi = jnp.einsum("sad,xd->sax", F, B)
    rows = jnp.einsum("sa,sax->sx", data.mu[: data.n_places, : data.n_actions], psi)
    values = jnp.einsum("sax,nx->nsa", psi, rewards)
    return Answers(psi, values, rows, data.dead(network.forward))


ONE_STEP = Method(
    "one-step FB",
    {
        "learning_rate": (3e-4, 1e-3, 3e-3),
        "target_rate": (0.05,),
        "orthonormality": (0.0, 1.0),
        "trained_units": (0.0, 1.0),
    },
    make,
    loss,
    answers,
)
