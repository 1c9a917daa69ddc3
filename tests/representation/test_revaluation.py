"""Revaluation, against dense solves, the flattened chain of options and exact fractions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import raises
from tests.oracles.dense_options import flattened_occupancy, option_chain
from tests.oracles.exact_values import best_values
from tests.oracles.random_mdps import mdps, policies
from tests.oracles.random_options import models_with_mu
from tests.oracles.random_tasks import reward_problem, rewards_of
from tests.strategies import assert_refused, bad_counts

CLOSE = {"rtol": 0, "atol": 1e-8}  # values up to 100, and ties within 1e-9 of the largest value


def dense_map(mdp, pi, terminal):
    """Return (I - g P)^-1 with nothing after terminal states."""
    transition = mdp.toarray()
    transition[list(terminal)] = 0.0
    return np.linalg.inv(np.eye(mdp.n_states) - mdp.discount * option_chain(transition, pi))


@given(st.data())
def test_stages_over_actions_are_policy_iteration(data):
    mdp = data.draw(mdps())
    reward, terminal = data.draw(rewards_of(mdp, shapes=("state",)))
    task = hsr.RewardTask(mdp, reward, terminal=terminal)
    ends = task.terminal  # absorbing states that pay nothing, too
    M = dense_map(mdp, data.draw(policies(mdp)), ends)
    k = data.draw(st.integers(0, 3))
    stages = hsr.revalue(M, task, mdp, improvements=k)
    assert stages.values.shape == stages.achieved.shape == (k + 2, mdp.n_states)
    assert stages.choices.shape == (k + 2, mdp.n_states, mdp.n_actions)
    assert_allclose(stages.values[0], M @ reward, **CLOSE)
    for v, mu, achieved in zip(stages.values, stages.choices, stages.achieved, strict=True):
        assert_allclose(achieved, dense_map(mdp, mu, ends) @ reward, **CLOSE)
        q = reward[:, None] + mdp.discount * mdp.toarray() @ v
        assert_allclose(
            (mu * q).sum(axis=1)[~np.isin(np.arange(mdp.n_states), ends)],
            q.max(axis=1)[~np.isin(np.arange(mdp.n_states), ends)],
            **CLOSE,
        )
    # The policy of the map ends where the task does, so every stage improves on the one before.
    assert (np.diff(np.vstack([stages.values[0], stages.achieved]), axis=0) >= -1e-8).all()
    assert_array_equal(stages.values[1:-1], stages.achieved[:k])
    ways, paid, at_end = reward_problem(mdp, reward, ends)
    best, _ = best_values(ways, paid, mdp.discount)
    optimal = np.array([float(v + end) for v, end in zip(best, at_end, strict=True)])
    assert_allclose(stages.values[-1], optimal, **CLOSE)


@given(st.data())
def test_stages_over_options_are_those_of_the_flattened_chain(data):
    model, mu = data.draw(models_with_mu(with_task=False))
    mdp = model.mdp
    reward, terminal = data.draw(rewards_of(mdp, shapes=("state",)))
    task = hsr.RewardTask(mdp, reward, terminal=terminal[:1])
    how = {"primitives": model.n_primitives > 0, "goal": [*terminal[:1], None][0]}
    M = flattened_occupancy(mdp, model.options, mu, **how)
    stages = hsr.revalue(M, task, model, improvements=2)
    assert_allclose(stages.values[0], M @ reward, **CLOSE)
    for mu, achieved in zip(stages.choices, stages.achieved, strict=True):
        visits = flattened_occupancy(mdp, model.options, mu, **how)
        assert_allclose(achieved, visits @ reward, **CLOSE)
    assert (np.diff(np.vstack([stages.values[0], stages.achieved]), axis=0) >= -1e-8).all()
    assert (stages.lost >= -1e-8).all()
    assert stages.lost[-1] == 0.0
    if model.n_primitives:
        assert_allclose(stages.values[-1], hsr.optimal_value(mdp, task), **CLOSE)


def test_enough_improvements_are_as_good_as_replanning():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9, slip=0.1)
    task = hsr.reward_tasks(mdp, 1, kind="mixed", seed=1)[0]
    stages = hsr.revalue(hsr.successor_representation(mdp), task, mdp, improvements=30)
    assert stages.lost[0] > 0.01
    assert_allclose(stages.achieved[-2], stages.achieved[-1], **CLOSE)


def test_a_goal_is_a_reward_in_the_goal():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    task = hsr.GoalTask(0, 80)
    stages = hsr.revalue(hsr.successor_representation(mdp), task, mdp, improvements=0)
    elsewhere = np.arange(104) != 80
    assert_allclose(stages.values[-1][elsewhere], 0.9 * hsr.optimal_value(mdp, task)[elsewhere])
    assert stages.values[-1][80] == 1.0
    assert_array_equal(stages.starts, [0])
    assert stages.labels == ["map", "replanned"]


def test_a_map_that_ended_at_an_old_goal_sees_no_reward_beyond_it():
    """Right along a corridor, to the old goal in cell 3. The new reward is in cell 5."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.5)
    old = hsr.GoalTask(0, 3)
    right = hsr.greedy_policy(mdp, old, ties="first")
    ended = hsr.successor_representation(mdp, right, task=old)
    reward = np.eye(6)[5]
    stages = hsr.revalue(ended, reward, mdp, improvements=5)
    assert_array_equal(stages.values[0], reward)  # seen in cell 5 alone
    assert stages.lost[0] > stages.lost[-2] == 0.0
    assert repr(stages).count("\n") == 8


def test_a_learned_map_is_read_like_an_exact_one():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    learned = hsr.learn_sr(mdp, steps=200_000, learning_rate=0.1, seed=0)
    exact = hsr.revalue(hsr.successor_representation(mdp), np.eye(104)[7], mdp)
    stages = hsr.revalue(learned, np.eye(104)[7], mdp)
    assert_array_equal(stages.values[0], learned[:, 7])
    assert_array_equal(stages.achieved[-1], exact.achieved[-1])


def test_bad_input_is_refused():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    M, reward = hsr.successor_representation(mdp), np.zeros(104)
    with raises("M has the discount 0.9 and the MDP 0.95; they must be equal"):
        hsr.revalue(M, reward, hsr.grid_mdp("four_rooms", discount=0.95))
    with raises("M is a map made for another MDP"):
        hsr.revalue(hsr.successor_representation(hsr.grid_mdp("four_rooms", slip=0.1)), reward, mdp)
    with raises("the reward is paid per action; a map predicts states"):
        hsr.revalue(M, hsr.RewardTask(mdp, np.ones((104, 4))), mdp)
    with raises(r"M has shape \(104, 2\)"):
        hsr.revalue(hsr.successor_features(mdp, None, np.ones((104, 2))), reward, mdp)
    with raises(r"M has shape \(3, 3\)"):
        hsr.revalue(np.eye(3), reward, mdp)
    with raises("it must be a FiniteMDP"):
        hsr.revalue(M, reward, hsr.load_layout("four_rooms"))
    assert_refused(lambda **bad: hsr.revalue(M, reward, mdp, **bad), "improvements", bad_counts(0))


def test_an_exact_map_knows_its_mdp_and_a_model_its_map():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    reward, M = np.eye(104)[7], hsr.successor_representation(mdp)
    assert_array_equal(hsr.revalue(M, reward).values, hsr.revalue(M, reward, mdp).values)
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, 4))
    mu = hsr.plan_over_options(model, hsr.GoalTask(None, 50))
    for policy in (None, mu):
        old = hsr.uniform_policy(model) if policy is None else policy
        by_map = hsr.revalue(hsr.hierarchical_sr(model, old), reward, model)
        by_model = hsr.revalue(model, reward, policy=policy)
        assert_array_equal(by_model.values, by_map.values)
        assert_array_equal(by_model.choices, by_map.choices)
    with raises("does not know its MDP"):
        hsr.revalue(M.toarray(), reward)
    with raises("policy is given with a map"):
        hsr.revalue(M, reward, policy=hsr.uniform_policy(mdp))


def test_an_mdp_is_no_map():
    mdp = hsr.grid_mdp("four_rooms")
    for wrong in (mdp, None):
        with raises("map_or_model is .*; it must be a map, such as"):
            hsr.revalue(wrong, np.ones(104))
