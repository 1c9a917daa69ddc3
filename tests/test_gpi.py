"""Generalised policy improvement whose reward is given: the algorithm as published."""

import numpy as np
import pytest

import hsr

LAYOUT = hsr.load_layout("four_rooms")
MDP = hsr.grid_mdp(LAYOUT, discount=0.9)
TASKS = [hsr.GoalTask(LAYOUT.start, goal) for goal in LAYOUT.goals]


@pytest.mark.parametrize("pretraining", [hsr.every_goal(MDP), TASKS[::-1]], ids=["every goal", "the two goals"])
@pytest.mark.parametrize("features", ["onehot", "hsr"])
def test_with_the_reward_known_and_the_optimal_policy_in_the_pool_every_step_is_optimal(pretraining, features):
    agent = hsr.GPI(features, pretraining=pretraining, reward="known", epsilon=0.0)
    run = hsr.train(MDP, TASKS, agent, hsr.eigenoptions(MDP), seeds=range(4), episodes=3)
    assert (run.steps == np.array([10, 18])[None, :, None]).all()
    assert run.choice_use[:, :, MDP.n_actions :].sum() == 0  # the pool's policies are made of primitive actions


def test_a_pool_that_never_passes_the_goal_walks_at_random():
    """The only policy never goes through the goal, so that all actions tie except beside it."""
    agent = hsr.GPI(pretraining=[hsr.GoalTask(None, MDP.n_states - 1)], reward="known", epsilon=0.0)
    goal = LAYOUT.state_at(1, 11)  # no shortest path to the last state leads through the opposite corner
    run = hsr.train(MDP, [hsr.GoalTask(LAYOUT.state_at(11, 1), goal)], agent, seeds=range(8), episodes=1)
    assert (run.steps > 20).all()
    assert len(np.unique(run.steps)) > 4
