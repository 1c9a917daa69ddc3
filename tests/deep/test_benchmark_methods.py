"""Methods of the benchmark: the exact answer is where the gradient of each loss vanishes."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from benchmarks.deep import three_states

import hsr
from hsr.deep.benchmark import contrastive, forward_backward, goal_dqn, one_step
from hsr.deep.benchmark.factors import N_FACTORS
from hsr.deep.benchmark.protocol import Data
from hsr.deep.benchmark.running import fitted
from hsr.deep.learned_measure import Factors
from hsr.deep.networks import Layers, Network
from tests.cases import cases
from tests.deep.mazes import corridor, every_outcome, small_mdp, uniform_map
from tests.deep.points import point_data

LINEAR = Network(kind="linear")
DENSITY = {"orthonormality": 0.0, "trained_units": 1.0}


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


def data_of(mdp, steps, network=LINEAR, path=None):
    """Return a log of an MDP as the arrays that methods read, of the uniform policy."""
    n, where = mdp.n_states, np.arange(len(steps))
    last = np.minimum((where // (path or len(steps)) + 1) * (path or len(steps)), len(steps)) - 1
    counts = np.bincount(steps[:, 0], minlength=n)
    arrays = {
        "inputs": np.arange(n),
        "steps": steps,
        "last": last,
        "place": np.arange(n),
        "rho": counts / counts.sum(),
        "exists": np.ones(n, dtype=bool),
        "weight": np.eye(mdp.n_actions)[steps[:, 1]],
        "stop": np.ones((n, mdp.n_actions)),
        "mu": np.full((n, mdp.n_actions), 1 / mdp.n_actions),
        "discount": np.float64(mdp.discount),
    }
    arrays = {name: jnp.asarray(array) for name, array in arrays.items()}
    return Data(**arrays, prepared={}, n_actions=mdp.n_actions, network=network)


def table(values):
    """Return a network on one-hot observations with these outputs, (S, ...)."""
    n, out = len(values), values.shape[1:]
    matrix = jnp.asarray(values.reshape(n, -1).T)
    layers = Layers(LINEAR, (n,), out, True, jax.random.key(0))
    return eqx.tree_at(lambda all: all.layers[-1].weight, layers, matrix)


def padded(values):
    """Return an array with zeros added up to d entries in the last axis."""
    return np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, N_FACTORS - values.shape[-1])])


@cache
def transitions(mdp):
    return np.stack([mdp.transition_of(a).toarray() for a in range(mdp.n_actions)], axis=1)


def visits_of_actions(mdp, M):
    """Return Psi(s, a, x), the visits after an action if the map is that of what follows."""
    return np.eye(mdp.n_states)[:, None] + mdp.discount * transitions(mdp) @ M


def gradient_of(method, network, items, data, setting):
    """Return the gradient of a loss whose targets come from the network itself."""
    of_network = eqx.filter_jit(eqx.filter_grad(method.loss))
    return of_network(network, network, items, jax.random.key(0), data, setting)


def largest(gradient):
    return max(float(jnp.abs(leaf).max()) for leaf in jax.tree.leaves(gradient))


def best_map(mdp, reward):
    """Return the map of the best policy for a reward per state, and its actions."""
    value, P = np.zeros(mdp.n_states), transitions(mdp)
    for _ in range(500):
        value = reward + mdp.discount * (P @ value).max(axis=1)
    best = (P @ value).argmax(axis=1)
    chain = P[np.arange(mdp.n_states), best]
    return np.linalg.inv(np.eye(mdp.n_states) - mdp.discount * chain), best


def test_one_step_fb_learns_the_map_of_the_behaviour():
    """With as many factors as states, F = Psi / rho and B = 1 fit the density exactly."""
    mdp = small_mdp(slip=0.6)
    data = data_of(mdp, every_outcome(mdp))
    psi = visits_of_actions(mdp, uniform_map(mdp))
    exact = Factors(table(padded(psi / data.rho)), table(padded(np.eye(mdp.n_states))))
    items = jnp.arange(len(data.steps))
    gradient = gradient_of(one_step, exact, items, data, DENSITY)
    assert largest(gradient) < 1e-12
    reward = np.random.default_rng(0).normal(size=(2, mdp.n_states))
    found = eqx.filter_jit(one_step.answers)(exact, data, DENSITY, jnp.asarray(reward))
    np.testing.assert_allclose(found.rows, uniform_map(mdp), rtol=1e-10)
    np.testing.assert_allclose(found.goals, psi, rtol=1e-10)
    np.testing.assert_allclose(found.values, np.einsum("sax,nx->nsa", psi, reward), rtol=1e-9)


class OfDirections(eqx.Module):
    """F of a few directions as a table, (directions, S, A, d), of inputs (observation, z)."""

    values: jax.Array
    z: jax.Array

    def __call__(self, inputs):
        n = self.values.shape[1]
        distances = jnp.sum((inputs[:, None, n:] - self.z) ** 2, axis=2)
        return self.values[jnp.argmin(distances, axis=1), jnp.argmax(inputs[:, :n], axis=1)]


def test_fb_learns_the_maps_of_policies_that_are_best_for_their_own_direction(monkeypatch):
    """With B = 1, F . z is the value of the reward z / rho, and its policy the best one for it."""
    mdp = small_mdp(slip=0.6)
    data = data_of(mdp, every_outcome(mdp))
    n, rho = mdp.n_states, np.asarray(data.rho)
    z = np.asarray(forward_backward.of_length(padded(rho[:, None] * np.eye(n))))
    z = np.concatenate([z, padded(np.random.default_rng(0).normal(size=(2, n)))])
    maps = [best_map(mdp, some[:n] / rho)[0] for some in z]
    psi = np.stack([visits_of_actions(mdp, M) for M in maps])
    F = OfDirections(jnp.asarray(padded(psi / rho)), jnp.asarray(z))
    exact = Factors(F, table(padded(np.eye(n))))
    monkeypatch.setattr(
        forward_backward,
        "directions",
        lambda data, B, m, key: F.z[jnp.arange(m) // len(data.steps)],
    )
    items = jnp.tile(jnp.arange(len(data.steps)), len(z))
    gradient = gradient_of(forward_backward, exact, items, data, DENSITY)
    assert largest((gradient.forward.values, gradient.backward)) < 1e-11
    found = eqx.filter_jit(forward_backward.answers)(
        exact, data, DENSITY, jnp.asarray(z[n:, :n] / rho)
    )
    for x in range(n):
        np.testing.assert_allclose(found.rows[:, x], maps[x][:, x], rtol=1e-9)
    best = [best_map(mdp, some[:n] / rho)[1] for some in z[n:]]
    np.testing.assert_array_equal(found.values.argmax(axis=2), best)


def test_a_contrastive_critic_is_the_logarithm_of_a_ratio():
    """The mean gradient over all batches of two pairs, with their probabilities, is zero."""
    mdp, n = corridor(3), 3
    psi = (1 - mdp.discount) * visits_of_actions(mdp, uniform_map(mdp))[:, :2]  # two actions
    psi = psi / psi.sum(axis=2, keepdims=True)
    joint = psi / (2 * n)
    f = np.log(psi / joint.sum(axis=(0, 1)))
    pairs = jnp.asarray(np.argwhere(joint > 0))
    chance = jnp.asarray(joint[joint > 0])

    def mean_loss(f):
        def of_two(i, j):
            s, a, x = pairs[jnp.stack([i, j])].T
            batch = f[s[:, None], a[:, None], x]
            return contrastive.info_nce(batch, jnp.ones(2), 0.0)

        every = jnp.arange(len(pairs))
        losses = jax.vmap(jax.vmap(of_two, (0, None)), (None, 0))(every, every)
        return chance @ losses @ chance

    gradient, exact = jax.jit(jax.grad(mean_loss)), jnp.asarray(f)
    assert largest(gradient(exact + 0.7)) < 1e-12  # any constant
    of_state = jnp.array([0.0, 0.1, 0.2])[:, None, None]
    assert largest(gradient(exact + of_state)) > 1e-4


def test_a_contrastive_critic_with_exact_ratios_answers_with_the_exact_map():
    mdp = small_mdp(slip=0.6)
    data = data_of(mdp, every_outcome(mdp))
    psi = visits_of_actions(mdp, uniform_map(mdp))
    logs = np.log(psi / data.rho) + np.arange(mdp.n_states)[:, None, None]  # any constant
    exact = Factors(table(padded(logs)), table(padded(np.eye(mdp.n_states))))
    reward = np.random.default_rng(0).normal(size=(2, mdp.n_states))
    found = eqx.filter_jit(contrastive.answers)(exact, data, {}, jnp.asarray(reward))
    np.testing.assert_allclose(found.rows, uniform_map(mdp), rtol=1e-9)
    np.testing.assert_allclose(found.goals, psi, rtol=1e-9)
    np.testing.assert_allclose(found.values, np.einsum("sax,nx->nsa", psi, reward), rtol=1e-8)


def test_pairs_are_as_far_apart_as_visits_are_discounted():
    """Weighted counts of 200,000 draws against (1 - g) g^k, within 4.5 standard deviations.

    Trajectories have 10 steps, so that most long pairs do not fit.
    """
    mdp = corridor(3)
    data = data_of(mdp, hsr.deep.random_steps(mdp, 2000), path=10)
    data = eqx.tree_at(lambda one: one.prepared, data, contrastive.lengths(data))
    items = jax.random.randint(jax.random.key(1), (200_000,), 0, 2000)
    first, later, weight = map(np.asarray, contrastive.pairs(data, items, jax.random.key(0)))
    assert np.all(first[weight > 0] // 10 == later[weight > 0] // 10)
    counts = np.bincount((later - first)[weight > 0], weight[weight > 0], minlength=10)
    expected = 200_000 * 0.2 * 0.8 ** np.arange(10)
    deviation = np.sqrt(expected * weight.max())  # each pair counts up to so often
    np.testing.assert_array_less(np.abs(counts - expected), 4.5 * deviation)


class OfGoals(eqx.Module):
    """Q as a table, (S, S, A), of inputs (observation, goal)."""

    values: jax.Array

    def __call__(self, inputs):
        n = len(self.values)
        return self.values[jnp.argmax(inputs[:, :n], axis=1), jnp.argmax(inputs[:, n:], axis=1)]


def test_the_dqn_learns_the_best_value_of_every_goal():
    """Where actions have a single outcome, the loss of the exact values is zero for all batches."""
    mdp = small_mdp()
    P, n = transitions(mdp), mdp.n_states
    q = np.zeros((n, n, mdp.n_actions))
    for _ in range(100):
        q = np.where(P.argmax(axis=2)[:, None] == np.arange(n)[:, None], 1.0, 0.0) + (
            mdp.discount * np.einsum("sat,tg,gt->sga", P, q.max(axis=2), 1 - np.eye(n))
        )
    exact, data = OfGoals(jnp.asarray(q)), data_of(mdp, every_outcome(mdp, 1))
    items, setting = jnp.arange(len(data.steps)), {"hindsight": 0.5}
    assert goal_dqn.loss(exact, exact, items, jax.random.key(0), data, setting) < 1e-20
    found = goal_dqn.answers(exact, data, setting, jnp.asarray(np.eye(n)[[3]]))
    np.testing.assert_allclose(found.goals, q.transpose(0, 2, 1))
    np.testing.assert_allclose(found.values[0], q[:, 3])


@cases("method", {"one-step FB": one_step.ONE_STEP, "contrastive": contrastive.CONTRASTIVE})
def test_states_that_are_not_listed(method):
    """A point in a bent corridor, by its coordinates. After 600 updates errors are about 0.15."""
    layout = hsr.GridLayout.from_text("...\n.#.")
    with jax.enable_x64(False):
        data, exact = point_data(layout, 10_000, discount=0.7, network=Network(width=64))
        if method.prepare:
            more = jax.tree.map(jnp.asarray, method.prepare(data, None, 0))
            data = eqx.tree_at(lambda one: one.prepared, data, more)
        setting = dict.fromkeys(method.settings, 0.0) | {"learning_rate": 1e-3}
        setting["target_rate"] = 0.05
        found = fitted(method, 128, data, setting, jnp.eye(5), 0, 600)
        error = np.linalg.norm(found.rows - exact.map) / np.linalg.norm(exact.map)
    assert error < 0.25
    assert exact.error < 0.001


def test_one_step_fb_finds_its_fixed_point_and_fb_does_not():
    """The didactic figure of [zheng2026], with fewer updates."""
    (one,), (fb,) = (
        three_states.curve(method, error, 1000, width=64, batch_size=128, n_reports=1)
        for method, error in (
            (one_step, three_states.one_step_error),
            (forward_backward, three_states.fb_error),
        )
    )
    assert one.error < 0.02
    assert fb.error > 3 * one.error
