"""Generalised policy improvement: against a plain twin, and optimal where it must be."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.agents.gpi import Pool
from tests.oracles import dense_options
from tests.oracles.agent_worlds import (
    SETTINGS,
    check_twin,
    features_of,
    four_rooms,
    fractional,
    slippery,
    two_rooms,
)
from tests.oracles.plain_linear_q import gpi_table

# Generalised policy improvement.


def dense_pool(mdp, tasks):
    """Return the map of each task's optimal policy, ended at its goal: (I - g diag(1 - 1_goal)
    P)^-1.
    """
    maps = []
    for task in tasks:
        P = dense_options.option_chain(mdp.toarray(), hsr.greedy_policy(mdp, task))
        P[task.goal] = 0.0
        maps.append(np.linalg.inv(np.eye(mdp.n_states) - mdp.discount * P))
    return maps


@pytest.mark.parametrize("world", [four_rooms, slippery])
@pytest.mark.parametrize("goals", ["every", "some"])
def test_the_pool_evaluates_its_policies_on_any_reward(world, goals):
    mdp = world()[0]
    tasks = hsr.goal_tasks(mdp)[:: 1 if goals == "every" else 5]
    rng = np.random.default_rng(0)
    maps = dense_pool(mdp, tasks)
    for reward in (np.eye(mdp.n_states)[3], rng.standard_normal(mdp.n_states)):
        by_hand = np.max([np.einsum("sat,t->sa", mdp.toarray(), M @ reward) for M in maps], axis=0)
        assert_allclose(Pool(mdp, tasks).action_values(reward), by_hand, rtol=0, atol=1e-12)
        assert_allclose(gpi_table(mdp, maps, reward), by_hand, rtol=0, atol=1e-12)


@pytest.mark.parametrize("world", [four_rooms, slippery, fractional])
@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
@pytest.mark.parametrize("reward", ["found", "regressed"])
def test_every_step_of_gpi_is_that_of_the_plain_twin(world, features, reward):
    mdp, options, tasks, horizon = world()
    rows = features_of(features, mdp.n_states)
    pretraining = hsr.goal_tasks(mdp)[::4]
    pool = dense_pool(mdp, pretraining)
    forms = ("auto",) if features in ("sr", "hsr") else ("primal", "dual")
    for seed in (0, 1):
        # For the pool's values the tolerance is relative to their largest magnitude.
        settings = {**SETTINGS, "tie_tolerance": 0.15 if seed else 1e-12}
        of_gpi = {"pretraining": pretraining, "reward": reward, **settings}
        agents = [hsr.GPI(rows, form=form, **of_gpi) for form in forms]
        how = {"options": options, "agents": agents, "pool": pool, "reward": reward}
        check_twin(mdp, tasks, seed, rows, settings, episodes=6, horizon=horizon, **how)


GPI_ONLINE = hsr.OnlineOptions(3, warm_up=60, refresh=20, values="reset")


def gpi_with_online_options(features, seed, episodes):
    """Return (run, result) of the library and of the twin, compared."""
    mdp, pretraining = two_rooms(), hsr.goal_tasks(two_rooms())[::3]
    tasks, pool = [hsr.GoalTask(0, 12), hsr.GoalTask(None, 2)], dense_pool(mdp, pretraining)
    agents = [hsr.GPI(features, pretraining=pretraining, **SETTINGS)]
    how = {"options": GPI_ONLINE, "agents": agents, "pool": pool, "episodes": episodes}
    return check_twin(mdp, tasks, seed, features, SETTINGS, horizon=40, **how)


@pytest.mark.parametrize("features", ["onehot", "hsr"])
def test_gpi_and_options_found_on_the_way_go_together_as_in_the_plain_twin(features):
    """Options go on being found, for the values that go on being learned."""
    for seed in range(3):
        run, result = gpi_with_online_options(features, seed, 6)
        assert run.terminated.any()
        assert len(result.options) > 3


@pytest.mark.parametrize("features", ["onehot", "hsr"])
def test_gpi_makes_no_options_when_there_is_nothing_left_to_choose(features):
    """The last options found are those of the last choice, as for an agent without a pool."""
    for seed in (2, 3):
        run, result = gpi_with_online_options(features, seed, 4)
        assert_array_equal(run.found_options[0].policy, result.options[-1].policy)
        assert_array_equal(run.found_options[0].termination, result.options[-1].termination)


@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
@pytest.mark.parametrize("with_options", [False, True])
def test_after_the_goal_was_found_gpi_with_the_right_policy_is_optimal(features, with_options):
    """The pool holds each goal's own optimal policy, whose value no policy exceeds."""
    mdp, options, tasks, _ = four_rooms()
    agent = hsr.GPI(
        features_of(features, mdp.n_states), pretraining=hsr.goal_tasks(mdp), epsilon=0.0
    )
    for task, shortest in zip(tasks, (10, 18), strict=True):
        run = hsr.train(
            mdp,
            [task],
            agent,
            options if with_options else None,
            seeds=range(10),
            episodes=12,
            horizon=2000,
            evaluate=True,
        )
        for i in range(10):
            found = np.flatnonzero(run.terminated[i, 0])[0]
            assert found < 6
            assert_array_equal(run.steps[i, 0, found + 1 :], shortest)
            assert run.greedy_steps[i, 0] == shortest
            assert run.goal_time[i, 0] == run.steps[i, 0, : found + 1].sum()


def test_gpi_forgets_the_reward_when_the_task_changes():
    """Without exploration its own values keep leading it to the first goal, unless it went on
    acting by what it found there.
    """
    mdp, options, tasks, _ = four_rooms()
    agent = hsr.GPI(pretraining=hsr.goal_tasks(mdp), epsilon=0.1, learning_rate=0.5)
    run = hsr.train(
        mdp, tasks, agent, options, seeds=range(10), episodes=12, horizon=2000, trajectory_of=0
    )
    assert run.terminated.all(axis=2).any(axis=0).all()
    for k in (0, 1):
        choices, found = run.trajectory.choice[run.trajectory.task == k], run.goal_time[0, k]
        assert choices[:found].max() >= 4  # options too, until the goal is found
        assert choices[found:].max() < 4


def test_features_matter_only_until_the_goal_is_found():
    """In the first task values are all zero before, and are not looked at after: any features give
    the same steps.
    """
    mdp, options, tasks, _ = four_rooms()
    agents = {
        word: hsr.GPI(
            features_of(word, mdp.n_states), pretraining=hsr.goal_tasks(mdp)[::3], learning_rate=0.1
        )
        for word in ("onehot", "few", "many", "sr", "hsr")
    }
    runs = hsr.train(mdp, tasks, agents, options, seeds=range(5), episodes=15, horizon=1000)
    assert runs["onehot"].terminated[:, 0].any(axis=1).all()
    for run in runs.values():
        assert_array_equal(run.steps[:, 0], runs["onehot"].steps[:, 0])
    assert len({run.steps[:, 1].tobytes() for run in runs.values()}) == len(runs)


def test_a_reward_regressed_from_shared_features_differs_from_one_that_was_found():
    """One-hot features see the goal alone; features that other states share spread it, and the
    agent follows the spread.
    """
    mdp, options, tasks, _ = four_rooms()
    how = {"pretraining": hsr.goal_tasks(mdp), "epsilon": 0.1, "learning_rate": 0.1}
    few = features_of("few", mdp.n_states)
    agents = {
        (name, reward): hsr.GPI(Phi, reward=reward, **how)
        for name, Phi in (("onehot", "onehot"), ("few", few))
        for reward in ("found", "regressed")
    }
    runs = hsr.train(mdp, tasks, agents, options, seeds=range(5), episodes=15, horizon=500)
    assert_array_equal(runs["onehot", "found"].steps, runs["onehot", "regressed"].steps)
    assert (runs["few", "found"].steps[:, 0] == runs["onehot", "found"].steps[:, 0]).all()
    assert (runs["few", "regressed"].steps != runs["few", "found"].steps).any()


# The reward is given: the algorithm as published.

LAYOUT = hsr.load_layout("four_rooms")
MDP = hsr.grid_mdp(LAYOUT, discount=0.9)
TASKS = [hsr.GoalTask(LAYOUT.start, goal) for goal in LAYOUT.goals]


@pytest.mark.parametrize(
    "pretraining", [hsr.goal_tasks(MDP), TASKS[::-1]], ids=["every goal", "the two goals"]
)
@pytest.mark.parametrize("features", ["onehot", "hsr"])
def test_with_the_reward_known_and_the_optimal_policy_in_the_pool_every_step_is_optimal(
    pretraining, features
):
    agent = hsr.GPI(features, pretraining=pretraining, reward="known", epsilon=0.0)
    run = hsr.train(MDP, TASKS, agent, hsr.eigenoptions(MDP), seeds=range(4), episodes=3)
    assert (run.steps == np.array([10, 18])[None, :, None]).all()
    assert (
        run.choice_use[:, :, MDP.n_actions :].sum() == 0
    )  # the pool's policies are made of primitive actions


def test_a_pool_that_never_passes_the_goal_walks_at_random():
    """The only policy never goes through the goal, so that all actions tie except beside it."""
    agent = hsr.GPI(pretraining=[hsr.GoalTask(None, MDP.n_states - 1)], reward="known", epsilon=0.0)
    goal = LAYOUT.state_at(
        1, 11
    )  # no shortest path to the last state leads through the opposite corner
    run = hsr.train(
        MDP, [hsr.GoalTask(LAYOUT.state_at(11, 1), goal)], agent, seeds=range(8), episodes=1
    )
    assert (run.steps > 20).all()
    assert len(np.unique(run.steps)) > 4
