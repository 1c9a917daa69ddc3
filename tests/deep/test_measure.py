"""Densities of visits: the minimum of the loss is the exact map divided by the distribution."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hsr
import hsr.deep
from hsr.deep.choices import read_problem
from hsr.deep.learned_measure import Factors, visits_of
from hsr.deep.measure import measure_learner
from hsr.deep.networks import Layers
from tests.cases import cases
from tests.deep.mazes import choice_maps, corridor, uniform_map
from tests.oracles.random_tasks import task_ending

TABLE = hsr.deep.Network(kind="linear")


def random_stops():
    """Return options down and to the left, with random stopping."""
    stop = np.random.default_rng(1).uniform(0.1, 0.9, size=(2, 6))
    return hsr.OptionSet(policy=np.array([[2] * 6, [3] * 6]), termination=stop)


def table_of(weights):
    """Return a network on one-hot observations with these outputs, (S, ...)."""
    n, out = len(weights), weights.shape[1:]
    layers = Layers(TABLE, (n,), out, True, jax.random.key(0))
    matrix = jnp.asarray(weights.reshape(n, -1).T)
    return eqx.tree_at(lambda all: all.layers[-1].weight, layers, matrix)


@cases("goal", {"without end": None, "with a goal": 4, "with two ends": [0, 4]})
def test_gradient_is_zero_at_the_exact_density(goal):
    mdp, options = corridor(), random_stops()
    task = task_ending(mdp, goal)
    steps = hsr.deep.random_steps(mdp, 600, task=task)
    problem = read_problem(steps, options, None, None, None, mdp, task)
    maps = choice_maps(hsr.option_model(mdp, options, task=task), uniform_map(mdp, options, task))
    with jax.enable_x64(True):
        density = maps / visits_of(problem.experience).probability
        exact = Factors(table_of(density), table_of(np.eye(mdp.n_states)))
        learner = measure_learner(problem, 6, TABLE, hsr.deep.Training(precision="double"))
        arguments = (exact, jnp.arange(len(steps)), jax.random.key(0), learner.data)
        gradient = eqx.filter_grad(lambda f: learner.loss(f, *arguments))(exact)
        size = float(jnp.abs(learner.loss(exact, *arguments)))
    for leaf in jax.tree.leaves(gradient.forward):
        np.testing.assert_allclose(leaf, 0.0, atol=1e-12 * size)


@pytest.fixture(scope="module")
def learned():
    training = hsr.deep.Training(
        n_updates=3000, learning_rate=0.05, target_rate=1.0, precision="double", n_reports=2
    )
    steps = hsr.deep.random_steps(corridor(), 1000)
    how = {"n_factors": 6, "mdp": corridor(), "network": TABLE, "training": training}
    return hsr.deep.learn_measure(steps, random_stops(), **how)


def test_full_rank_converges_to_the_closed_form(learned):
    exact = uniform_map(corridor(), random_stops())
    np.testing.assert_allclose(learned.toarray(), exact, atol=1e-10)
    np.testing.assert_allclose(learned.toarray().sum(axis=1), 5.0, atol=1e-9)
    assert learned.curve[-1].error < 1e-10


def test_density_agrees_with_the_map(learned):
    states = np.arange(6)
    mu = np.full((6, 6), 1 / 6)
    density = learned.density(states, states, mu)
    np.testing.assert_allclose(density * learned.distribution, learned.toarray(), atol=1e-10)
    np.testing.assert_allclose(
        density, np.einsum("sc,scx->sx", mu, learned.density(states, states)), atol=1e-10
    )
    np.testing.assert_allclose(learned @ states, learned.toarray() @ states)


@pytest.fixture(scope="module")
def plane():
    """A log of 700 steps between points of a square, so many that they are sampled."""
    rng = np.random.default_rng(0)
    where, actions = rng.uniform(-1, 1, size=(700, 2)), rng.integers(2, size=700)
    after = np.clip(where + 0.3 * np.array([1.0, 0.0]) * (1 - 2 * actions[:, None]), -1, 1)
    return hsr.deep.Observed(where, actions, after)


def test_states_that_are_not_listed(plane):
    training = hsr.deep.Training(n_updates=60, batch_size=64, n_reports=1)
    small = {"n_factors": 8, "network": hsr.deep.Network(width=32), "training": training}
    m = hsr.deep.learn_measure(plane, discount=0.5, **small)
    assert m.shape == (1400, 1400)
    assert m.density([[0.0, 0.0]], plane.observations[:5]).shape == (1, 2, 5)
    assert np.isnan(m.curve[-1].error)
    block = np.random.default_rng(1).normal(size=1400)
    np.testing.assert_allclose(m @ block, m.left @ m.right.T @ block / 1400, atol=1e-10)
