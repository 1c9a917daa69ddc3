"""Forward-backward representations [touati2021].

F(s, a, z) and B(x) learn the successor measure of the policy that takes argmax_a F(s, a, z) . z,
for all directions z at once. The policy for rewards r is that of z = E[r(x) B(x)]. Half of the
directions of a batch are the B of states, as for goals, and half those of Gaussian rewards. All
have the length sqrt(d). The authors draw the second half from a Gaussian directly. That is the
same if E B B' = 1, which needs no more factors than states.
"""

from typing import Any

import jax
import jax.numpy as jnp

from hsr.deep.benchmark.factors import N_FACTORS, SETTINGS, backward_layers, loss_of, visited
from hsr.deep.benchmark.protocol import Answers, Data, Method
from hsr.deep.learned_measure import Factors
from hsr.deep.networks import Layers


def make(data: Data, key: jax.Array) -> Factors:
    """Return untrained networks F, which also reads a direction, and B."""
    of_forward, of_backward = jax.random.split(key)
    n_inputs = observed(data, jnp.arange(1)).size + N_FACTORS
    out = (data.n_actions, N_FACTORS)
    F = Layers(data.network, (n_inputs,), out, False, of_forward)
    return Factors(F, backward_layers(data, of_backward))


def observed(data: Data, rows: jax.Array) -> jax.Array:
    """Return the observations of rows as vectors, (b, D)."""
    inputs = data.inputs[rows]
    return jax.nn.one_hot(inputs, len(data.inputs)) if data.one_hot else inputs


def of_length(z: jax.Array) -> jax.Array:
    """Return directions z, (..., d), of the length sqrt(d)."""
    return z * jnp.sqrt(N_FACTORS) / jnp.maximum(jnp.linalg.norm(z, axis=-1, keepdims=True), 1e-9)


def directions(data: Data, B: Layers, n: int, key: jax.Array) -> jax.Array:
    """Return n directions, half of them of goals and half of Gaussian rewards, (n, d)."""
    of_rewards, of_rows, of_half = jax.random.split(key, 3)
    rows = data.steps[jax.random.randint(of_rows, (n,), 0, len(data.steps)), 0]
    of_goals = data.outputs(B, rows)
    rewards = jax.random.normal(of_rewards, (n, n), of_goals.dtype)
    half = jax.random.bernoulli(of_half, 0.5, (n, 1))
    return of_length(jnp.where(half, rewards @ of_goals, of_goals))


def loss(
    network: Factors, slow: Factors, items: jax.Array, key: jax.Array, data: Data, setting: Any
) -> jax.Array:
    """Return the loss of the density, and the weight of `setting` times that of its basis."""
    of_z, of_columns = jax.random.split(key)
    s, a, t = data.steps[items].T
    z = directions(data, slow.backward, items.size, of_z)
    rows = jnp.arange(items.size)
    F = network.forward(jnp.concatenate([observed(data, s), z], axis=1))[rows, a]
    later = slow.forward(jnp.concatenate([observed(data, t), z], axis=1))
    best = jnp.argmax(jnp.einsum("bad,bd->ba", later, z), axis=1)
    return loss_of(network, slow, F, later[rows, best], s, of_columns, data=data, setting=setting)


def answers(network: Factors, data: Data, setting: Any, rewards: jax.Array) -> Answers:
    """Return scores of the policies for all goals and rewards, and the visits to each goal."""
    at = observed(data, jnp.arange(data.n_places))
    B = visited(data, network.backward)

    def forward(z: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return F of all places for one direction, (S, A, d), and its scores, (S, A)."""
        F = network.forward(jnp.concatenate([at, jnp.broadcast_to(z, (len(at), z.size))], axis=1))
        return F, F @ z

    def of_goal(pair: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        z, at_goal = pair
        F, scores = forward(z)
        return scores, (F @ at_goal)[jnp.arange(len(at)), jnp.argmax(scores, axis=1)]

    goals, columns = jax.lax.map(of_goal, (of_length(B), B))
    values = jax.lax.map(lambda z: forward(z)[1], of_length(rewards @ B))
    return Answers(jnp.moveaxis(goals, 0, 2), values, columns.T)


FORWARD_BACKWARD = Method(
    "FB",
    {"learning_rate": (1e-4, 3e-4, 1e-3), **SETTINGS},
    make,
    loss,
    answers,
    target="own",
)
