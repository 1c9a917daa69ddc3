"""Densities of visits: the minimum of the loss is the exact map divided by the distribution."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hsr
import hsr.deep
from hsr.deep.choices import read_choices
from hsr.deep.experience import read_experience
from hsr.deep.measure import Factors, _data, measure_loss, visits_of
from hsr.deep.networks import Layers
from tests.cases import cases, raises

MDP = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.8)
OPTIONS = hsr.OptionSet(  # to the left and to the right, with stopping drawn at random
    policy=np.array([[2] * MDP.n_states, [3] * MDP.n_states]),
    termination=np.random.default_rng(1).uniform(0.1, 0.9, size=(2, MDP.n_states)),
)
TABLE = hsr.deep.Network(kind="linear")
GOAL = hsr.GoalTask(start=0, goal=4)


def choice_maps(task):
    """Return the visits of each choice and what follows it, (C, S, S): N_c + F_c M."""
    model = hsr.option_model(MDP, OPTIONS, task=task)
    M = hsr.hierarchical_sr(model, hsr.options.uniform_choice(model)).toarray()
    return np.stack(
        [
            model.occupancy(c).toarray() + model.stopping(c).toarray() @ M
            for c in range(model.n_choices)
        ]
    )


def table_of(weights):
    """Return a network on one-hot observations with these outputs, (S, ...)."""
    n, out = len(weights), weights.shape[1:]
    layers = Layers(TABLE, (n,), out, True, jax.random.key(0))
    matrix = jnp.asarray(weights.reshape(n, -1).T)
    return eqx.tree_at(lambda all: all.layers[-1].weight, layers, matrix)


@cases("task", {"without end": None, "with a goal": GOAL})
def test_gradient_is_zero_at_the_exact_density(task):
    steps = hsr.deep.random_steps(MDP, 600, task=task)
    experience = read_experience(steps, None, MDP)
    choices = read_choices(experience, OPTIONS, None, MDP, task)
    visits = visits_of(experience)
    density = choice_maps(task) / visits.probability
    with jax.enable_x64(True):
        exact = Factors(table_of(density.transpose(1, 0, 2)), table_of(np.eye(MDP.n_states)))
        data = _data(experience, choices, visits, jnp.float64)
        items = jnp.arange(len(steps))
        arguments = (exact, items, jax.random.key(0), data)
        gradient = eqx.filter_grad(lambda f: measure_loss(MDP.discount, f, *arguments))(exact)
        size = float(jnp.abs(measure_loss(MDP.discount, exact, *arguments)))
    for leaf in jax.tree.leaves(gradient.forward):
        np.testing.assert_allclose(leaf, 0.0, atol=1e-12 * size)


@pytest.fixture(scope="module")
def learned():
    training = hsr.deep.Training(
        n_updates=3000, learning_rate=0.05, target_rate=1.0, precision="double", n_reports=2
    )
    return hsr.deep.learn_measure(
        hsr.deep.random_steps(MDP, 1000),
        OPTIONS,
        n_factors=MDP.n_states,
        world=MDP,
        network=TABLE,
        training=training,
    )


def test_full_rank_converges_to_the_closed_form(learned):
    model = hsr.option_model(MDP, OPTIONS)
    exact = hsr.hierarchical_sr(model, hsr.options.uniform_choice(model)).toarray()
    np.testing.assert_allclose(learned.toarray(), exact, atol=1e-10)
    np.testing.assert_allclose(learned.toarray().sum(axis=1), 5.0, atol=1e-9)
    assert learned.curve[-1].error < 1e-10


def test_density_agrees_with_the_map(learned):
    states = np.arange(MDP.n_states)
    mu = np.full((MDP.n_states, 6), 1 / 6)
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
    m = hsr.deep.learn_measure(
        plane,
        discount=0.5,
        n_factors=8,
        network=hsr.deep.Network(width=32),
        training=training,
    )
    assert m.shape == (1400, 1400)
    assert m.density([[0.0, 0.0]], plane.observations[:5]).shape == (1, 2, 5)
    assert np.isnan(m.curve[-1].error)
    block = np.random.default_rng(1).normal(size=1400)
    np.testing.assert_allclose(m @ block, m.left @ m.right.T @ block / 1400, atol=1e-10)


@cases(
    "change, words",
    {
        "no factors": ({"n_factors": 0}, "n_factors"),
        "no discount": ({"world": None}, "discount is None"),
        "no options": ({"options": 3}, "options is int"),
        "no goal": ({"task": hsr.GoalTask(0, 99)}, "99"),
    },
)
def test_bad_input(change, words):
    arguments = {"steps": hsr.deep.random_steps(MDP, 20), "world": MDP, **change}
    with raises(words):
        hsr.deep.learn_measure(**arguments)
