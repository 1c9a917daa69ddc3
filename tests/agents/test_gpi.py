"""Generalised policy improvement: against a plain twin, and optimal where it must be."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.agents.gpi import Pool
from tests.oracles import dense_options
from tests.oracles.agent_worlds import (
    FOUR_ROOMS,
    SETTINGS,
    check_twin,
    features_of,
    forms_of,
    four_rooms,
    fractional,
    slippery,
    train_in,
    two_rooms,
)
from tests.oracles.plain_linear_q import gpi_table

MDP, OPTIONS, TASKS, _ = four_rooms()


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
    place, forms = world(), forms_of(features)
    for seed in (0, 1):
        # For the pool's values the tolerance is relative to their largest magnitude.
        settings = {**SETTINGS, "tie_tolerance": 0.15 if seed else 1e-12}
        check_gpi(place, seed, features, settings, pretrained=4, reward=reward, forms=forms)


@pytest.mark.parametrize("reward", ["found", "regressed"])
def test_gpi_takes_the_first_of_equally_good_actions_as_the_plain_twin(reward):
    settings = {**SETTINGS, "ties": "first", "explore_at": "steps"}
    for world in (four_rooms(), slippery(), fractional()):
        for seed in (2, 3):
            check_gpi(world, seed, "hsr", settings, pretrained=4, reward=reward)


def check_gpi(world, seed, features, settings, *, pretrained, reward="found", **how):
    """Compare GPI with its plain twin; every so many goals are pretrained."""
    tasks = hsr.goal_tasks(world[0])[::pretrained]
    kind = partial(hsr.GPI, pretraining=tasks, reward=reward)
    how = {"episodes": 6, "pool": dense_pool(world[0], tasks), "reward": reward, **how}
    return check_twin(world, seed, features, settings, kind=kind, **how)


def tables_over_options(mdp, options, tasks):
    """Return a function of the reward for entering states, and the goal, that returns the values
    (S, C) of the best policy of the pool, from chains of state and running choice.
    """
    model = hsr.option_model(mdp, options)
    plans = [hsr.plan_over_options(model, task) for task in tasks]

    def table(reward, goal):
        entering = np.broadcast_to(reward, mdp.toarray().shape)
        values = [
            dense_options.flattened_choices(mdp, options, mu, entering, goal=goal) for mu in plans
        ]
        return np.where(model.available.T, np.max(values, axis=0), -np.inf)

    return table


def certain():
    """Two rooms in which nothing is random, with options through the door."""
    mdp = two_rooms()
    tasks = [hsr.GoalTask(0, 12), hsr.GoalTask(None, 2)]
    return mdp, hsr.point_options(mdp, [6, 12, 0]), tasks, 60


@pytest.mark.parametrize("world", [certain, slippery, fractional])
@pytest.mark.parametrize("features", ["onehot", "hsr"])
@pytest.mark.parametrize("reward", ["found", "regressed"])
def test_every_step_over_options_is_that_of_the_plain_twin(world, features, reward):
    place = mdp, options, *_ = world()
    tasks = hsr.goal_tasks(mdp)[:: mdp.n_states // 3]
    kind = partial(hsr.GPI, pretraining=tasks, reward=reward, over="options")
    how = {"episodes": 5, "pool": tables_over_options(mdp, options, tasks), "reward": reward}
    for seed, explore_at in ((0, "choices"), (1, "steps")):
        settings = {**SETTINGS, "explore_at": explore_at}
        run, _ = check_twin(place, seed, features, settings, kind=kind, **how)
        assert run.terminated.any()
        if world is certain and reward == "found":
            own = run.trajectory.task == 0
            chosen = run.trajectory.choice[own][run.goal_time[0, 0] :]
            assert chosen.max() >= mdp.n_actions  # options too, after the switch


@pytest.mark.parametrize("features", ["onehot", "hsr"])
def test_gpi_with_online_options_is_that_of_the_plain_twin(features):
    """Options are found as long as there is a choice to make, for the values still learned."""
    online = hsr.OnlineOptions(3, warm_up=60, refresh=20, values="reset")
    world = two_rooms(), online, [hsr.GoalTask(0, 12), hsr.GoalTask(None, 2)], 40
    for seed in range(3):
        run, result = check_gpi(world, seed, features, SETTINGS, pretrained=3)
        assert run.terminated.any()
        assert len(result.options) > 3
    for seed in (2, 3):
        run, _ = check_gpi(world, seed, features, SETTINGS, pretrained=3, episodes=4)
        assert len(run.options_at[0]) > 1


@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
@pytest.mark.parametrize("with_options", [False, True])
def test_after_the_goal_was_found_gpi_with_the_right_policy_is_optimal(features, with_options):
    """The pool holds each goal's own optimal policy, whose value no policy exceeds."""
    mdp, options, tasks, _ = four_rooms()
    rows = features_of(features, mdp.n_states)
    agent = hsr.GPI(rows, pretraining=hsr.goal_tasks(mdp), epsilon=0.0)
    for task, shortest in zip(tasks, (10, 18), strict=True):
        world = mdp, options if with_options else None, [task], 2000
        run = train_in(world, agent, seeds=range(10), episodes=12, evaluate=True)
        for i in range(10):
            found = np.flatnonzero(run.terminated[i, 0])[0]
            assert found < 6
            assert_array_equal(run.steps[i, 0, found + 1 :], shortest)
            assert run.greedy_steps[i, 0] == shortest
            assert run.goal_time[i, 0] == run.steps[i, 0, : found + 1].sum()


def test_gpi_forgets_the_reward_when_the_task_changes():
    """Each task is explored with options until its goal is found, and with actions after that."""
    agent = hsr.GPI(pretraining=hsr.goal_tasks(MDP), epsilon=0.1, learning_rate=0.5)
    how = {"seeds": range(10), "episodes": 12, "horizon": 2000, "trajectory_of": 0}
    run = train_in(four_rooms(), agent, **how)
    assert run.terminated.all(axis=2).any(axis=0).all()
    for k in (0, 1):
        choices, found = run.trajectory.choice[run.trajectory.task == k], run.goal_time[0, k]
        assert choices[:found].max() >= 4  # options too, until the goal is found
        assert choices[found:].max() < 4


def test_features_matter_only_until_the_goal_is_found():
    """In the first task values are all zero before, and are not looked at after: any features give
    the same steps.
    """
    how = {"pretraining": hsr.goal_tasks(MDP)[::3], "learning_rate": 0.1}
    agents = {
        word: hsr.GPI(features_of(word, MDP.n_states), **how)
        for word in ("onehot", "few", "many", "sr", "hsr")
    }
    runs = train_in(four_rooms(), agents, seeds=range(5), episodes=15, horizon=1000)
    assert runs["onehot"].terminated[:, 0].any(axis=1).all()
    for run in runs.values():
        assert_array_equal(run.steps[:, 0], runs["onehot"].steps[:, 0])
    assert len({run.steps[:, 1].tobytes() for run in runs.values()}) == len(runs)


def test_a_reward_regressed_from_shared_features_differs_from_one_that_was_found():
    """One-hot features see the goal alone; features that other states share spread it, and the
    agent follows the spread.
    """
    how = {"pretraining": hsr.goal_tasks(MDP), "epsilon": 0.1, "learning_rate": 0.1}
    agents = {
        (name, reward): hsr.GPI(features_of(name, MDP.n_states), reward=reward, **how)
        for name in ("onehot", "few")
        for reward in ("found", "regressed")
    }
    runs = train_in(four_rooms(), agents, seeds=range(5), episodes=15, horizon=500)
    assert_array_equal(runs["onehot", "found"].steps, runs["onehot", "regressed"].steps)
    assert (runs["few", "found"].steps[:, 0] == runs["onehot", "found"].steps[:, 0]).all()
    assert (runs["few", "regressed"].steps != runs["few", "found"].steps).any()


# The reward is given: the algorithm as published.


@pytest.mark.parametrize(
    "pretraining", [hsr.goal_tasks(MDP), TASKS[::-1]], ids=["every goal", "the two goals"]
)
@pytest.mark.parametrize("features", ["onehot", "hsr"])
def test_with_the_reward_known_and_the_optimal_policy_in_the_pool_every_step_is_optimal(
    pretraining, features
):
    agent = hsr.GPI(features, pretraining=pretraining, reward="known", epsilon=0.0)
    run = hsr.train(MDP, TASKS, agent, OPTIONS, seeds=range(4), episodes=3)
    assert (run.steps == np.array([10, 18])[None, :, None]).all()
    assert run.choice_use[:, :, 4:].sum() == 0  # the pool's policies are made of primitive actions


def test_a_pool_that_never_passes_the_goal_walks_at_random():
    """The only policy never goes through the goal, so that all actions tie except beside it."""
    agent = hsr.GPI(pretraining=[hsr.GoalTask(None, MDP.n_states - 1)], reward="known", epsilon=0.0)
    # No shortest path to the last state leads through the opposite corner.
    task = hsr.GoalTask(FOUR_ROOMS.state_at(11, 1), FOUR_ROOMS.state_at(1, 11))
    run = hsr.train(MDP, [task], agent, seeds=range(8), episodes=1)
    assert (run.steps > 20).all()
    assert len(np.unique(run.steps)) > 4
