"""Deep Q-networks of many agents at once, in environments that are tables of transitions.

Every agent is a double DQN (van Hasselt et al., 2016) with a replay buffer and a slow copy of its
network for the targets. It learns to reach a goal, which then moves, while the agent keeps its
weights, its optimiser and its buffer: nobody tells it. Entering the goal pays 1 and ends the
episode. An episode that takes too long is broken off. This is not treated as an end, so that values
do not depend on the limit.

All agents run in one compiled program. Each has its own environment, learning rate and seed. The
network of an agent is evaluated at all states at once, because there are few. Acting, targets and
gradients read the same table of values.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import hsr
from hsr.deep.networks import Layers, Network


@dataclass(frozen=True)
class Agent:
    """Everything that all agents share.

    Parameters
    ----------
    n_steps : int
        Steps in the environment for each of the two goals, of all walkers together.
    episode_steps : int
        An episode is broken off after these.
    discount : float
        Per step.
    network : Network
        Kind and size of the Q-network.
    batch_size : int
        Transitions per gradient step.
    n_walkers : int
        Copies of the environment in which the agent acts in parallel. Each makes one step between
        two gradient steps.
    capacity : int
        Transitions in the replay buffer. A new one replaces the oldest.
    warm_up : int
        Steps before the first gradient step.
    explore_steps : int
        The probability of a random action falls from 1 to `epsilon` within these.
    epsilon : float
        It then stays there, also when the goal moves.
    target_rate : float
        After each update the slow copy moves by this fraction towards the network.
    n_evaluations : int
        How often the greedy policy is examined for each goal, at equal distances.
    """

    n_steps: int = 80_000
    episode_steps: int = 100
    discount: float = 0.95
    network: Network = Network(width=128)
    batch_size: int = 256
    n_walkers: int = 16
    capacity: int = 40_000
    warm_up: int = 1600
    explore_steps: int = 8000
    epsilon: float = 0.5
    target_rate: float = 0.05
    n_evaluations: int = 40

    def __post_init__(self) -> None:
        if self.capacity % self.n_walkers:
            raise hsr.InputError(
                f"capacity is {self.capacity}; "
                f"it must be a multiple of the {self.n_walkers} walkers"
            )


class Environment(NamedTuple):
    """A deterministic environment as arrays. Those of several agents have a further first axis.

    Parameters
    ----------
    observations : float array of shape (S, D)
        What the agent observes in each state.
    successor : int array of shape (S, A)
        The state that each action leads to.
    goals : int array of shape (2,)
        The first and the second goal.
    shortest : int array of shape (2, S)
        Steps of the shortest path from each state to each goal.
    """

    observations: Any
    successor: Any
    goals: Any
    shortest: Any


class Trained(NamedTuple):
    """What agents did, with one row per agent, and one column per evaluation.

    Parameters
    ----------
    success : array of shape (n, 2 * n_evaluations)
        Fraction of starts from which the greedy policy arrives at the goal.
    efficiency : array of shape (n, 2 * n_evaluations)
        Success weighted by path length (Anderson et al., 2018): mean over all starts of the
        shortest path divided by the path of the greedy policy, 0 where it does not arrive.
    arrivals : array of shape (n, 2 * n_evaluations)
        How often the agent reached the goal while it learned, since the previous evaluation.
    q : array of shape (n, S, A)
        Values at the end.
    """

    success: np.ndarray
    efficiency: np.ndarray
    arrivals: np.ndarray
    q: np.ndarray


class _Carry(NamedTuple):
    """What one update of one agent hands to the next. The key stays, and draws with its number."""

    parameters: Any
    target: Any
    optimiser: Any
    state: jax.Array
    age: jax.Array
    buffer: jax.Array
    arrivals: jax.Array
    key: jax.Array


def environment_of(mdp: hsr.FiniteMDP, goals: Any, observations: np.ndarray) -> Environment:
    """Return a environment without randomness as arrays.

    Observations are centred, and scaled to a standard deviation of one over all their entries. A
    constant is added, which serves networks without a bias.

    Parameters
    ----------
    mdp : FiniteMDP
        The environment. Every action must lead to a single state.
    goals : sequence of two int
        The first and the second goal.
    observations : array of shape (S, ...)
        What is observed in each state.
    """
    successor = successors(mdp)
    goals = np.array(goals)
    flat = np.asarray(observations, dtype=np.float64).reshape(mdp.n_states, -1)
    centred = flat - flat.mean(axis=0)
    read = np.column_stack([centred / (centred.std() or 1.0), np.ones(mdp.n_states)])
    return Environment(
        read.astype(np.float32),
        successor.astype(np.int32),
        goals.astype(np.int32),
        distances(successor)[:, goals].T.astype(np.int32),
    )


def successors(mdp: hsr.FiniteMDP) -> np.ndarray:
    """Return the state that each action leads to, of shape (S, A)."""
    P = [mdp.transition_of(a).toarray() for a in range(mdp.n_actions)]
    if not all(np.isin(p, (0.0, 1.0)).all() for p in P):
        raise hsr.InputError(
            "the environment is stochastic; these agents need one without randomness"
        )
    return np.stack([p.argmax(axis=1) for p in P], axis=1)


def distances(successor: np.ndarray) -> np.ndarray:
    """Return the steps of the shortest paths between all pairs of states, of shape (S, S)."""
    n_states, n_actions = successor.shape
    rows = np.repeat(np.arange(n_states), n_actions)
    graph = csr_array((np.ones(rows.size), (rows, successor.ravel())), shape=(n_states, n_states))
    return dijkstra(graph, unweighted=True)


def train(environments: Environment, rates: Any, seeds: Any, agent: Agent) -> Trained:
    """Train agents for the first goal and then for the second.

    Parameters
    ----------
    environments : Environment
        The environment of each agent: every array has a first axis of length n.
    rates : float array of shape (n,)
        Learning rate of each agent, for Adam.
    seeds : int array of shape (n,)
        Draw first weights, starts, actions and batches of each agent.
    agent : Agent
        What all agents share.
    """
    found = _train(
        jax.tree.map(jnp.asarray, environments),
        jnp.asarray(rates, jnp.float32),
        jnp.asarray(seeds, jnp.uint32),
        agent,
    )
    return Trained(*(np.asarray(array, dtype=np.float64) for array in found))


@partial(jax.jit, static_argnames="agent")
def _train(environments: Environment, rates: jax.Array, seeds: jax.Array, agent: Agent) -> Any:
    shape, n_actions = environments.observations.shape[2:], environments.successor.shape[2]

    def first(environment: Environment, seed: jax.Array) -> _Carry:
        key, weights, place = jax.random.split(jax.random.key(seed), 3)
        network = Layers(agent.network, shape, (n_actions,), False, weights)
        parameters = eqx.filter(network, eqx.is_array)
        uniform = jax.random.uniform(place, (agent.n_walkers,))
        start = _start(uniform, environment.goals[0], environment.successor.shape[0])
        none = jnp.zeros((), jnp.int32)
        optimiser = optax.scale_by_adam().init(parameters)
        buffer = jnp.zeros((agent.capacity, 4), jnp.int32)
        return _Carry(parameters, parameters, optimiser, start, 0 * start, buffer, none, key)

    network = eqx.filter_eval_shape(
        lambda key: Layers(agent.network, shape, (n_actions,), False, key), jax.random.key(0)
    )
    static = eqx.filter(network, lambda leaf: not isinstance(leaf, jax.ShapeDtypeStruct))
    update = jax.vmap(partial(_update, agent, static), in_axes=(0, 0, 0, None, None))
    examine = jax.vmap(partial(_examine, static), in_axes=(0, 0, None))
    n_updates = agent.n_steps // agent.n_walkers // agent.n_evaluations

    def until_evaluation(carry: _Carry, number: jax.Array) -> tuple[_Carry, Any]:
        phase = number // agent.n_evaluations
        before = carry.arrivals
        carry = jax.lax.fori_loop(
            0,
            n_updates,
            lambda n, carry: update(environments, rates, carry, number * n_updates + n, phase),
            carry,
        )
        success, efficiency = examine(environments, carry, phase)
        return carry, (success, efficiency, carry.arrivals - before)

    carry, found = jax.lax.scan(
        until_evaluation,
        jax.vmap(first)(environments, seeds),
        jnp.arange(2 * agent.n_evaluations),
    )
    q = jax.vmap(lambda parameters, environment: _values(static, parameters, environment))
    return *(array.T for array in found), q(carry.parameters, environments)


def _values(static: Any, parameters: Any, environment: Environment) -> jax.Array:
    """Return the values of all actions in all states."""
    return eqx.combine(parameters, static)(environment.observations)


def _start(uniform: jax.Array, goal: jax.Array, n_states: int) -> jax.Array:
    """Return a state that is not the goal, all with the same probability."""
    state = jnp.floor(uniform * (n_states - 1)).astype(jnp.int32)
    state = jnp.minimum(state, n_states - 2)
    return state + (state >= goal)


def _update(
    agent: Agent,
    static: Any,
    environment: Environment,
    rate: jax.Array,
    carry: _Carry,
    n: jax.Array,
    phase: jax.Array,
) -> _Carry:
    """Return what one step of each walker and one gradient step lead to."""
    key = jax.random.fold_in(carry.key, n)
    n_acts = (agent.n_walkers, environment.successor.shape[1] + 3)
    uniform = jax.random.uniform(key, (np.prod(n_acts) + agent.batch_size,))
    acts, draws = uniform[agent.batch_size :].reshape(n_acts), uniform[: agent.batch_size]
    q, back = jax.vjp(lambda parameters: _values(static, parameters, environment), carry.parameters)
    done_steps = n * agent.n_walkers
    carry, steps = _act(agent, environment, carry, q, acts, done_steps, phase)
    buffer = jax.lax.dynamic_update_slice(carry.buffer, steps, (done_steps % agent.capacity, 0))
    n_kept = jnp.minimum(done_steps + agent.n_walkers, agent.capacity)
    drawn = jnp.floor(draws * n_kept).astype(jnp.int32)
    slow = _values(static, carry.target, environment)
    gradient = jax.grad(td_loss)(q, slow, buffer[drawn], agent.discount)
    change, optimiser = optax.scale_by_adam().update(back(gradient)[0], carry.optimiser)
    rate = jnp.where(done_steps < agent.warm_up, 0.0, rate)
    parameters = jax.tree.map(lambda old, by: old - rate * by, carry.parameters, change)
    target = jax.tree.map(
        lambda old, new: old + agent.target_rate * (new - old), carry.target, parameters
    )
    return carry._replace(parameters=parameters, target=target, optimiser=optimiser, buffer=buffer)


def _act(
    agent: Agent,
    environment: Environment,
    carry: _Carry,
    q: jax.Array,
    uniform: jax.Array,
    done_steps: jax.Array,
    phase: jax.Array,
) -> tuple[_Carry, jax.Array]:
    """Return what one step of each walker leads to, and (state, action, next state, arrived)."""
    goal, (n_states, n_actions) = environment.goals[phase], environment.successor.shape
    explored = jnp.minimum(done_steps / agent.explore_steps, 1.0)
    epsilon = 1.0 - (1.0 - agent.epsilon) * explored
    state = carry.state
    best = jnp.argmax(q[state] + 1e-6 * uniform[:, :n_actions], axis=1)  # ties are broken at random
    any_action = jnp.minimum((uniform[:, -1] * n_actions).astype(best.dtype), n_actions - 1)
    action = jnp.where(uniform[:, -2] < epsilon, any_action, best)
    after = environment.successor[state, action]
    arrived = after == goal
    over = arrived | (carry.age + 1 >= agent.episode_steps)
    carry = carry._replace(
        state=jnp.where(over, _start(uniform[:, -3], goal, n_states), after),
        age=jnp.where(over, 0, carry.age + 1),
        arrivals=carry.arrivals + arrived.sum(),
    )
    return carry, jnp.stack([state, action, after, arrived], axis=1).astype(jnp.int32)


def td_loss(q: jax.Array, slow: jax.Array, steps: jax.Array, discount: float) -> jax.Array:
    """Return half the mean squared error of double Q-learning.

    The network chooses the next action, and its slow copy values it.

    Parameters
    ----------
    q, slow : float arrays of shape (S, A)
        Values by the network and by its slow copy.
    steps : int array of shape (b, 4)
        State, action, next state, and whether the goal was entered, which pays 1.
    discount : float
        Per step.
    """
    s, a, t, arrived = steps.T
    best = jnp.argmax(jax.lax.stop_gradient(q)[t], axis=1)
    target = arrived + discount * (1 - arrived) * slow[t, best]
    return 0.5 * jnp.mean(jnp.square(q[s, a] - target))


def _examine(
    static: Any, environment: Environment, carry: _Carry, phase: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Return success of the greedy policy from all starts, and success weighted by path length."""
    n_states = environment.successor.shape[0]
    states, goal = jnp.arange(n_states), environment.goals[phase]
    best = jnp.argmax(_values(static, carry.parameters, environment), axis=1)
    ends = jnp.where(states == goal, goal, environment.successor[states, best])
    length = (states != goal).astype(jnp.int32)
    for _ in range(int(np.ceil(np.log2(n_states)))):  # paths of 1, 2, 4, ... steps
        ends, length = ends[ends], length + length[ends]
    arrives = (ends == goal) & (states != goal)
    ratio = environment.shortest[phase] / jnp.maximum(length, 1)
    return arrives.sum() / (n_states - 1), jnp.where(arrives, ratio, 0.0).sum() / (n_states - 1)
