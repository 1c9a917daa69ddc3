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

from hsr.deep.benchmark.factors import N_FACTORS, SETTINGS, backward_layers, loss_of, visited
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
    F = data.outputs(network.forward, s)[jnp.arange(items.size), a]
    later = data.outputs(slow.forward, t)
    T = jnp.einsum("ba,bad->bd", data.mu[t, : data.n_actions], later)
    return loss_of(network, slow, F, T, s, key, data=data, setting=setting)


def answers(network: Factors, data: Data, setting: Any, rewards: jax.Array) -> Answers:
    """Return the visits of the behaviour, and scores of one step of policy improvement."""
    F, B = data.outputs(network.forward), visited(data, network.backward)
    psi = jnp.einsum("sad,xd->sax", F, B)
    rows = jnp.einsum("sa,sax->sx", data.mu[: data.n_places, : data.n_actions], psi)
    values = jnp.einsum("sax,nx->nsa", psi, rewards)
    return Answers(psi, values, rows, data.dead(network.forward))


ONE_STEP = Method(
    "one-step FB",
    {"learning_rate": (3e-4, 1e-3, 3e-3), **SETTINGS},
    make,
    loss,
    answers,
)
