"""The same MDP with another discount: what changes, what is shared, and what types keep."""

import pickle

import gymnasium
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.oracles.random_mdps import mdps
from tests.strategies import assert_refused, bad_probabilities


@given(mdps(), st.floats(0.0, 0.99))
def test_only_the_discount_differs_and_arrays_are_shared(mdp, discount):
    before = mdp.discount
    made = mdp.with_discount(discount)
    assert (made.discount, mdp.discount) == (discount, before)
    assert made.fingerprint == mdp.fingerprint
    assert pickle.loads(pickle.dumps(made)).discount == discount
    assert made.successors is mdp.successors
    for action in range(mdp.n_actions):
        assert made.transition_of(action) is mdp.transition_of(action)
    P = mdp.toarray().mean(axis=1)
    M = hsr.successor_representation(made).toarray()
    assert_allclose(M @ (np.eye(len(P)) - discount * P), np.eye(len(P)), atol=1e-9)


def test_cells_labels_and_places_stay():
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    assert mdp.with_discount(0.5).cells is mdp.cells
    graph = hsr.FiniteMDP.from_successors([[1], [0]], 0.9, labels=["nest", "food"])
    graph.state_of("nest")  # numbers the labels
    assert graph.with_discount(0.5).state_of("food") == 1
    corners = np.array([[0, 0], [0, 1], [1, 1], [1, 0]], dtype=float)
    tracked = hsr.from_positions(np.tile(corners, (5, 1)), centres=corners, discount=0.9)
    made = tracked.with_discount(0.5)
    kept = [name for name in type(tracked).__annotations__ if name != "discount"]
    assert "frames" in kept
    assert all(getattr(made, name) is getattr(tracked, name) for name in kept)
    assert pickle.loads(pickle.dumps(made)).report == tracked.report


def test_an_estimated_mdp_keeps_its_counts():
    log = [("nest", "go", "food"), ("food", "go", "nest"), ("nest", "go", "nest")]
    mdp = hsr.from_transitions(log, discount=0.9)
    made = mdp.with_discount(0.5)
    assert repr(made) == "EstimatedMDP(n_states=2, n_actions=1, discount=0.5, counted in 3 steps)"
    assert_array_equal(made.counts, mdp.counts)
    assert_array_equal(made.behaviour(1.0), mdp.behaviour(1.0))
    assert_array_equal(made.standard_error_of(0).toarray(), mdp.standard_error_of(0).toarray())


def test_the_rewards_and_starts_of_an_environment_stay():
    newest = max(name for name in gymnasium.registry if name.startswith("CliffWalking-v"))
    lake, cliff = gymnasium.make("FrozenLake-v1"), gymnasium.make(newest)
    for env in (lake, cliff):
        made = hsr.from_gymnasium(env, discount=0.9).with_discount(0.7)
        read = hsr.from_gymnasium(env, discount=0.7)
        ours, other = hsr.RewardTask(made), hsr.RewardTask(read)
        assert_array_equal(ours.starts, other.starts)
        assert_array_equal(hsr.optimal_value(made, ours), hsr.optimal_value(read, other))


def test_bad_discounts_are_refused():
    mdp = hsr.FiniteMDP.from_successors([[0]], discount=0.9)
    assert_refused(mdp.with_discount, "discount", bad_probabilities(high=0.99999))
