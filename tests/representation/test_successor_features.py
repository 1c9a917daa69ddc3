"""Successor features and regressed rewards, against dense inverses, the flattened chain of options,
rollouts and normal equations.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import cases, raises
from tests.oracles.agent_worlds import two_rooms
from tests.oracles.dense_options import flattened_occupancy, option_chain, rollout_interval
from tests.oracles.random_mdps import mdps, policies
from tests.oracles.random_options import models_with_mu
from tests.representation.test_td import fractional_options, random_mu
from tests.strategies import assert_refused, bad_arrays, bad_indices, bad_probabilities

NUMBERS = st.integers(-8, 8).map(lambda quarters: quarters / 4)


@st.composite
def features_of(draw, mdp):
    """Return features of shape (S, d) and weights of shape (d,)."""
    d = draw(st.integers(1, 4))
    size = mdp.n_states * d
    phi = np.array(draw(st.lists(NUMBERS, min_size=size, max_size=size)))
    w = np.array(draw(st.lists(NUMBERS, min_size=d, max_size=d)))
    return phi.reshape(mdp.n_states, d), w


def test_a_task_of_another_type_is_refused():
    mdp = two_rooms()
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, 2), task=hsr.GoalTask(None, 1))
    with raises("it must be a GoalTask or a RewardTask"):
        hsr.successor_features(model, None, np.eye(mdp.n_states), task=np.ones(3))


@given(st.data())
def test_successor_features_are_the_dense_inverse_times_the_features(data):
    mdp = data.draw(mdps())
    pi, (phi, w) = data.draw(policies(mdp)), data.draw(features_of(mdp))
    goal = data.draw(st.none() | st.integers(0, mdp.n_states - 1))
    task = None if goal is None else hsr.GoalTask(None, goal)
    psi = hsr.successor_features(mdp, pi, phi, task=task)
    transition = mdp.toarray()
    if goal is not None:
        transition[goal] = 0.0
    P = option_chain(transition, pi)
    dense = np.linalg.inv(np.eye(mdp.n_states) - mdp.discount * P) @ phi
    assert_allclose(psi.toarray(), dense, rtol=0, atol=1e-10)
    assert_allclose(psi @ w, dense @ w, rtol=0, atol=1e-10)
    assert_allclose(psi.rows([0]), dense[:1], rtol=0, atol=1e-10)
    of_choices = psi.of_choices()
    direct = phi[:, None] + mdp.discount * np.einsum("sat,td->sad", transition, dense)
    assert_allclose(of_choices, direct, rtol=0, atol=1e-10)
    assert_allclose(np.einsum("sa,sad->sd", pi, of_choices), dense, rtol=0, atol=1e-10)
    assert_allclose(psi.of_choices(w), of_choices @ w, rtol=0, atol=1e-10)


@given(st.data())
def test_successor_features_of_options_are_those_of_the_flattened_chain(data):
    """The chain over pairs of a state and a running choice knows neither N nor F."""
    model, mu = data.draw(models_with_mu(with_task=False))
    phi, _ = data.draw(features_of(model.mdp))
    psi = hsr.successor_features(model, mu, phi)
    how = {"primitives": model.n_primitives > 0}
    dense = flattened_occupancy(model.mdp, model.options, mu, **how) @ phi
    assert_allclose(psi.toarray(), dense, rtol=0, atol=1e-9)
    of_choices = psi.of_choices()
    assert_allclose(np.einsum("sc,scd->sd", mu, of_choices), dense, rtol=0, atol=1e-9)


@pytest.mark.parametrize("choice", range(7))
def test_features_of_one_choice_lie_in_the_interval_of_rollouts(choice):
    """The choice is made in the start alone: coming back leads to a copy of it."""
    mdp = two_rooms(0.2)
    options = fractional_options(mdp)
    task = hsr.GoalTask(None, mdp.n_states - 1)
    model = hsr.option_model(mdp, options, task=task)
    mu, start = random_mu(model), 0
    psi = hsr.successor_features(model, mu, np.arange(mdp.n_states)[:, None] / 4.0)
    first = mu.copy()
    first[start] = np.eye(model.n_choices)[choice]
    transition = mdp.toarray()
    twin = mdp.n_states  # the start seen again, where mu is followed
    wide = np.zeros((twin + 1, mdp.n_actions, twin + 1))
    wide[:twin, :, :twin], wide[twin, :, :twin] = transition, transition[start]
    wide[..., twin], wide[..., start] = wide[..., start].copy(), 0.0

    def with_twin(array, axis):
        return np.concatenate([array, np.take(array, [start], axis=axis)], axis=axis)

    two = hsr.FiniteMDP(wide, mdp.discount)
    many = hsr.OptionSet(with_twin(options.policy, 1), with_twin(options.termination, 1))
    both = np.concatenate([first, mu[[start]]])
    reward = with_twin(psi.features[:, 0], 0)
    how = {"samples": 400, "z": 4.5, "goal": task.goal, "horizon": 60}
    low, high = rollout_interval(two, many, both, start, reward, np.random.default_rng(0), **how)
    assert low < psi.of_choices([1.0])[start, choice] < high


def test_features_come_from_bases_maps_and_functions():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    M = hsr.successor_representation(mdp)
    basis = hsr.SVDBasis(n_components=6).fit(M)
    rows = mdp.cells[:, :1].astype(float)
    for features, phi in (
        (basis, basis.features_),
        (M, M.toarray()),
        (lambda row, col: [row], rows),
        (lambda state: [state, 1.0], np.stack([np.arange(104.0), np.ones(104)], axis=1)),
    ):
        psi = hsr.successor_features(mdp, None, features)
        assert_array_equal(psi.features, phi)
        assert not psi.features.flags.writeable
    assert hsr.LinearQ(features=psi) is not None


def test_a_basis_of_another_mdp_and_a_wrong_first_argument_are_refused():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    other = hsr.successor_representation(hsr.grid_mdp("four_rooms", slip=0.1))
    with raises("features is a map made for another MDP"):
        hsr.successor_features(mdp, None, other)
    with raises("features has shape .3,.; it must have shape .104, "):
        hsr.successor_features(mdp, None, [1, 2, 3])
    with raises("is of type GridLayout; it must be a FiniteMDP"):
        hsr.successor_features(hsr.load_layout("four_rooms"), None, np.eye(104))
    with raises("features is a function of 2 arguments, and this MDP has no cells"):
        hsr.successor_features(hsr.from_path("abab"), None, lambda row, col: [row])


# Regression.


@given(st.data())
def test_regression_solves_the_normal_equations_with_the_shortest_weights(data):
    n_states, d, n = (data.draw(st.integers(1, top)) for top in (5, 4, 8))
    phi = np.array(data.draw(st.lists(NUMBERS, min_size=n_states * d, max_size=n_states * d)))
    phi = phi.reshape(n_states, d)
    visits = data.draw(st.lists(st.integers(0, n_states - 1), min_size=n, max_size=n))
    rewards = np.array(data.draw(st.lists(NUMBERS, min_size=n, max_size=n)))
    ridge = data.draw(st.sampled_from((0.0, 0.5)))
    w = hsr.regress_reward(phi, visits, rewards, ridge=ridge)
    X = phi[visits]
    assert_allclose(X.T @ (X @ w - rewards) + ridge * w, 0, atol=1e-9)
    assert_allclose(w, np.linalg.pinv(X) @ X @ w, atol=1e-9)  # no part that no visit sees
    counts = np.eye(n_states)[visits]
    assert_allclose(hsr.regress_reward(phi, counts, rewards, ridge=ridge), w, atol=1e-9)


def test_returns_of_episodes_tell_the_weights_too():
    """Discounted visits of each episode, and the discounted sum of its rewards."""
    rng = np.random.default_rng(2)
    phi, w = rng.normal(size=(20, 3)), np.array([1.0, -2.0, 0.5])
    visits = rng.random((10, 20))
    assert_allclose(hsr.regress_reward(phi, visits, visits @ phi @ w), w, atol=1e-12)


@cases(
    "name, bad",
    {
        "visits": ("visits", st.sampled_from([np.ones((2, 4)), np.full((2, 3), np.nan), 1])),
        "states": ("visits", st.lists(bad_indices(3), min_size=2, max_size=2) | st.just([])),
        "rewards": ("rewards", bad_arrays((2,))),
        "ridge": ("ridge", bad_probabilities(high=None)),
        "features": ("features", st.sampled_from([lambda s: [s], hsr.SVDBasis(2)])),
    },
)
def test_bad_regressions_are_refused(name, bad):
    good = {"features": np.eye(3), "visits": [0, 1], "rewards": [1.0, 2.0]}
    said = "has not been fitted|features is a function" if name == "features" else None
    assert_refused(lambda **change: hsr.regress_reward(**{**good, **change}), name, bad, said)


def test_one_hot_features_give_the_map_and_a_reward_one_product():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    M = hsr.successor_representation(mdp)
    psi = hsr.successor_features(mdp, None, np.eye(mdp.n_states))
    assert_allclose(psi.toarray(), M.toarray(), rtol=0, atol=1e-12)
    phi = np.random.default_rng(0).normal(size=(mdp.n_states, 5))
    psi, w = hsr.successor_features(mdp, None, phi), np.arange(5.0)
    assert_array_equal(psi @ w, M @ (phi @ w))
    assert psi.shape == (104, 5)
    assert psi.rows([3, 4]).shape == (2, 5)


def test_weights_are_found_when_visits_span_the_features_and_give_the_values():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    rng = np.random.default_rng(1)
    phi, w = rng.normal(size=(104, 7)), rng.normal(size=7)
    visits = rng.integers(0, 104, size=300)
    fitted = hsr.regress_reward(phi, visits, phi[visits] @ w)
    assert_allclose(fitted, w, rtol=0, atol=1e-12)
    values = hsr.successor_representation(mdp) @ (phi @ w)
    assert_allclose(hsr.successor_features(mdp, None, phi) @ fitted, values, atol=1e-10)
