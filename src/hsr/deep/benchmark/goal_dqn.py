"""Deep Q-learning for goals, with goals in hindsight [andrychowicz2017]: the floor, without a map.

Q(s, a, g) learns the value of entering the place g, which pays 1 and ends the episode. The goals of
a batch are places that the trajectory enters later, as often as places of discounted visits, or any
places of the log. Targets are those of double Q-learning. For rewards, the goal is the place that
pays most.
"""

from typing import Any

import jax
import jax.numpy as jnp

from hsr.deep.benchmark.forward_backward import observed
from hsr.deep.benchmark.protocol import Answers, Data, Method
from hsr.deep.networks import Layers


def make(data: Data, key: jax.Array) -> Layers:
    """Return an untrained network from observations of the state and of the goal to Q."""
    n_inputs = 2 * observed(data, jnp.arange(1)).size
    return Layers(data.network, (n_inputs,), (data.n_actions,), False, key)


def values_at(network: Layers, data: Data, rows: jax.Array, goals: jax.Array) -> jax.Array:
    """Return Q at rows for goals, (b, A)."""
    return network(jnp.concatenate([observed(data, rows), observed(data, goals)], axis=1))


def loss(
    network: Layers, slow: Layers, items: jax.Array, key: jax.Array, data: Data, setting: Any
) -> jax.Array:
    """Return half the mean squared error of double Q-learning."""
    of_later, of_any, of_kind = jax.random.split(key, 3)
    s, a, t = data.steps[items].T
    later = data.later(items, of_later)
    others = jax.random.randint(of_any, items.shape, 0, len(data.steps))
    hindsight = jax.random.bernoulli(of_kind, setting["hindsight"], items.shape)
    goal = data.place[data.steps[jnp.where(hindsight, later, others), 2]]
    rows = jnp.arange(items.size)
    best = jnp.argmax(values_at(network, data, t, goal), axis=1)
    after = values_at(slow, data, t, goal)[rows, best]
    target = jnp.where(data.place[t] == goal, 1.0, data.discount * after)
    error = values_at(network, data, s, goal)[rows, a] - jax.lax.stop_gradient(target)
    return 0.5 * jnp.mean(error**2)


def answers(network: Layers, data: Data, setting: Any, rewards: jax.Array) -> Answers:
    """Return the values of all goals. There is no map."""
    places = jnp.arange(data.n_places)
    q = jax.lax.map(lambda g: values_at(network, data, places, jnp.full_like(places, g)), places)
    best = jnp.argmax(jnp.where(data.exists, rewards, -jnp.inf), axis=1)
    return Answers(jnp.moveaxis(q, 0, 2), q[best])


GOAL_DQN = Method(
    "goal DQN",
    {
        "learning_rate": (3e-4, 1e-3, 3e-3),
        "target_rate": (0.02, 0.1),
        "hindsight": (0.5, 0.8),
    },
    make,
    loss,
    answers,
)
