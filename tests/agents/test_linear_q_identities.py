"""Linear Q-learning: identities between features and forms, and optimal behaviour in the end."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.oracles.agent_worlds import (
    BY_EPISODE,
    FOUR_ROOMS,
    UPDATES,
    check_same_bytes,
    corridor,
    features_of,
    four_rooms,
    steps_of,
    train_in,
)

# Identities.


def check_same_steps(mdp, tasks, one, other, **how):
    """Assert that two agents take the same steps over ten seeds, two tasks and fifty episodes."""
    how = {"seeds": range(10), "episodes": 50, "horizon": 1000, "keep_values": True, **how}
    runs = hsr.train(mdp, tasks, {"one": one, "other": other}, **how)
    assert_array_equal(runs["one"].steps, runs["other"].steps)
    assert_array_equal(runs["one"].choice_use, runs["other"].choice_use)
    # Values reach 1 and take tens of thousands of updates, each with a rounding error of at most
    # 1e-15.
    assert_allclose(runs["one"].values, runs["other"].values, rtol=0, atol=1e-9)
    assert runs["one"].terminated.mean() > 0.3


def full_rank_matrices():
    """Return two matrices of full rank over the four rooms: the SR of the walk, and noise."""
    mdp = four_rooms()[0]
    return {
        "walk": hsr.successor_representation(mdp).toarray(),
        "noise": np.random.default_rng(3).standard_normal((mdp.n_states, mdp.n_states)) / 10.0,
    }


@pytest.mark.parametrize("form", ["primal", "dual"])
@pytest.mark.parametrize("matrix", ["walk", "noise"])
def test_features_matter_through_their_inner_products_alone(matrix, form):
    """U U' = I, so singular vectors are one-hot; M M' = (U diag(s)) (U diag(s))'."""
    mdp, options, tasks, _ = four_rooms()
    M = full_rank_matrices()[matrix]
    U, s, _ = np.linalg.svd(M)
    assert s[-1] > 1e-4
    orthonormal = hsr.LinearQ(U, learning_rate=0.1, form=form)
    check_same_steps(mdp, tasks, hsr.LinearQ(learning_rate=0.1), orthonormal, options=options)
    rows, scaled = (hsr.LinearQ(Phi, learning_rate=0.05, form=form) for Phi in (M, U * s))
    check_same_steps(mdp, tasks, rows, scaled, options=options)


@pytest.mark.parametrize("vectors", ["left", "right"])
def test_all_singular_vectors_of_a_map_learn_as_one_hot_features_do(vectors):
    mdp, options, tasks, _ = four_rooms()
    M = hsr.expected_sr(mdp, hsr.goal_tasks(mdp)).toarray()
    basis = hsr.basis.BasisSpec("svd", vectors=vectors).build(M)
    one_hot = hsr.LinearQ(learning_rate=0.1)
    check_same_steps(mdp, tasks, one_hot, hsr.LinearQ(basis, learning_rate=0.1), options=options)


@pytest.mark.parametrize("update", UPDATES)
def test_the_dual_form_decides_as_the_primal_form(update):
    Phi = features_of("few", FOUR_ROOMS.n_states)
    agents = {
        form: hsr.LinearQ(Phi, learning_rate=0.1, update=update, form=form)
        for form in ("primal", "dual")
    }
    how = {"seeds": range(10), "episodes": 20, "horizon": 300}
    one, other = train_in(four_rooms(), agents, **how).values()
    assert_array_equal(one.steps, other.steps)
    assert_array_equal(one.choice_use, other.choice_use)


@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
def test_options_that_are_never_available_are_no_options(features):
    mdp, options, tasks, _ = four_rooms()
    agent = hsr.LinearQ(features_of(features, mdp.n_states), learning_rate=0.1)
    keep = {"keep_values": True, "keep_maps": features in ("sr", "hsr"), "trajectory_of": 3}
    how = {"seeds": range(4), "episodes": 20, "horizon": 500, **keep}
    alone = hsr.train(mdp, tasks, agent, None, **how)
    nowhere = hsr.OptionSet(options.policy, options.termination, np.zeros_like(options.initiation))
    empty = hsr.OptionSet(np.zeros((0, mdp.n_states), dtype=int), np.zeros((0, mdp.n_states)))
    for none in (nowhere, empty):
        run = hsr.train(mdp, tasks, agent, none, **how)
        for name in (*BY_EPISODE, "first_visit"):
            assert getattr(run, name).tobytes() == getattr(alone, name).tobytes()
        assert run.values[:, :, :4].tobytes() == alone.values.tobytes()
        assert not run.values[:, :, 4:].any()
        assert run.choice_use[:, :, :4].tobytes() == alone.choice_use.tobytes()
        assert steps_of(run.trajectory).tobytes() == steps_of(alone.trajectory).tobytes()
        if run.maps is not None:
            assert run.maps.tobytes() == alone.maps.tobytes()


def test_without_options_and_with_one_step_the_two_maps_are_one():
    """With primitive actions alone every choice lasts one step, and Eq. 8 is Eq. 2."""
    mdp, _, tasks, _ = four_rooms()
    agents = {
        (word, how): hsr.LinearQ(word, learning_rate=0.1, map_update=how)
        for word, how in (("sr", "chosen"), ("hsr", "chosen"), ("hsr", "passed"))
    }
    how = {"seeds": range(3), "episodes": 20, "keep_maps": True, "keep_values": True}
    sr, *others = hsr.train(mdp, tasks, agents, **how).values()
    for run in others:
        assert run.maps.tobytes() == sr.maps.tobytes()
        assert run.values.tobytes() == sr.values.tobytes()


def test_where_there_is_one_action_every_map_is_the_successor_representation():
    """However steps are bundled into choices, the same states follow, so maps become exact."""
    mdp = corridor(6, discount=0.9)
    options = hsr.OptionSet(np.zeros((2, 6), dtype=int), [[0, 0, 1, 0, 1, 1], [0, 0, 0, 0, 1, 1]])
    task = hsr.GoalTask(0, 5)
    exact = hsr.successor_representation(mdp, task=task).toarray()
    for word, how in (("sr", "chosen"), ("hsr", "chosen"), ("hsr", "passed")):
        agent = hsr.LinearQ(word, epsilon=1.0, map_learning_rate=0.5, map_update=how)
        run = hsr.train(mdp, [task], agent, options, seeds=range(3), episodes=2000, keep_maps=True)
        assert_allclose(run.maps[:, 0], np.broadcast_to(exact, (3, 6, 6)), rtol=0, atol=1e-13)


@pytest.mark.parametrize("how", ["sr without options", "sr", "chosen", "passed", "intra_option"])
@pytest.mark.parametrize("continuing", [False, True])
def test_a_map_with_a_discount_of_its_own_is_that_of_an_mdp_with_this_discount(how, continuing):
    """Random choices depend on no value, so that both agents take the same steps."""
    mdp, options, _, _ = four_rooms()
    word, settings = ("sr", {}) if how.startswith("sr") else ("hsr", {"map_update": how})
    options = None if how == "sr without options" else options
    settings |= {"epsilon": 1.0, "map_learning_rate": 0.2}
    far = hsr.FiniteMDP([mdp.transition_of(a) for a in range(4)], discount=0.97)
    tasks = [hsr.GoalTask(0, 50, continuing=continuing)]
    keep = {"seeds": range(2), "episodes": 6, "keep_maps": True, "keep_values": True}
    own = hsr.train(mdp, tasks, hsr.LinearQ(word, map_discount=0.97, **settings), options, **keep)
    same = hsr.train(far, tasks, hsr.LinearQ(word, **settings), options, **keep)
    usual = hsr.train(mdp, tasks, hsr.LinearQ(word, **settings), options, **keep)
    assert own.maps.tobytes() == same.maps.tobytes() != usual.maps.tobytes()
    assert not np.array_equal(own.values, same.values)  # those keep the discount of the MDP


@pytest.mark.parametrize("wrong", [-0.1, 1.0, float("nan")])
def test_the_discount_of_a_map_lies_below_one(wrong):
    with pytest.raises(hsr.InputError, match="map_discount is"):
        hsr.LinearQ("sr", map_discount=wrong)


# Optimal behaviour.


@pytest.mark.parametrize("with_options", [False, True])
@pytest.mark.parametrize("update", ["chosen_and_primitives", "intra_option"])
def test_long_training_ends_in_shortest_paths(with_options, update):
    """Ten steps to G1, then eighteen to G2.

    With learning rate 1 in a certain world a value becomes its target at once: a number 0.9^k of a
    path that exists. So none exceeds the optimum once those of the former task have faded, and
    where all was tried often enough it is the optimum. Half of all choices are random, and 3000
    episodes visit each pair near the start's shortest paths hundreds of times.
    """
    mdp, options, tasks, _ = four_rooms()
    agent = hsr.LinearQ(learning_rate=1.0, epsilon=0.5, update=update)
    how = {"seeds": range(10), "episodes": 3000, "evaluate": True, "keep_values": True}
    run = hsr.train(mdp, tasks, agent, options if with_options else None, **how)
    assert_array_equal(run.greedy_steps, np.broadcast_to([10, 18], (10, 2)))
    best = run.values[:, 0, :, FOUR_ROOMS.start].max(axis=1)
    assert_allclose(best, 0.9**9, rtol=1e-12)


def test_the_evaluation_leaves_no_trace():
    """Nothing is learned in it, and it has a generator of its own."""
    world = mdp, _, _, horizon = four_rooms()
    for features in ("onehot", "few", "sr", "hsr"):
        agent = hsr.LinearQ(features_of(features, mdp.n_states), learning_rate=0.2)
        keep = {"keep_values": True, "keep_maps": features in ("sr", "hsr")}
        without, with_it = (
            train_in(world, agent, episodes=6, evaluate=evaluate, **keep)
            for evaluate in (False, True)
        )
        assert without.greedy_steps is None
        assert ((with_it.greedy_steps >= 10) & (with_it.greedy_steps <= horizon)).all()
        check_same_bytes(without, with_it)
