"""`PointMaze` against Gymnasium's own checks, and the exact map of the point."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import hsr.envs
from hsr.grids.point import point_mdp
from tests.cases import raises


def line():
    return hsr.GridLayout.from_text("S..1")


def test_gymnasium_has_nothing_to_say_against_it():
    check_env(gymnasium.make("hsr/PointMaze-v0").unwrapped)


def test_the_goal_pays_once_and_holds_the_point():
    env = hsr.envs.PointMaze(line())
    env.reset(seed=0)
    rewards, terminated = [], False
    while not terminated:
        observation, reward, terminated, _, info = env.step(1)
        rewards.append(reward)
    assert rewards == [0.0] * (len(rewards) - 1) + [1.0]
    assert info["cell"].tolist() == [0, 3]
    np.testing.assert_allclose(observation[0], (2 * info["position"][1] - 4) / 4, atol=1e-6)
    assert env.step(3)[1:3] == (0.0, True)
    np.testing.assert_array_equal(env.position, info["position"])


def test_the_goal_is_reached_as_often_as_the_exact_map_says():
    """P(reached after t steps) against powers of the chain of squares that ends at the goal.

    The share of 2000 episodes lies within 4 standard errors of 1/2 in all but 1 of 10^4 cases. The
    chain of squares half as wide differs by 0.0014, so that of these squares by less than 0.002.
    """
    env, rng = hsr.envs.PointMaze(line(), step=0.7), np.random.default_rng(0)
    reached = 0
    for episode in range(2000):
        env.reset(seed=episode)
        reached += any(env.step(a)[2] for a in rng.choice([1, 3], size=20, p=[0.6, 0.4]))
    mdp, policy = point_mdp(line(), 10, step=0.7), np.tile([0.0, 0.6, 0.0, 0.4], (400, 1))
    P = hsr.MarkovChain.from_policy(mdp, policy).matrix.toarray()
    column = np.arange(400) % 40
    P[column >= 30] = np.eye(400)[column >= 30]
    exact = np.linalg.matrix_power(P, 20)[column < 10][:, column >= 30].sum(axis=1).mean()
    assert abs(reached / 2000 - exact) < 4 * 0.5 / np.sqrt(2000) + 0.002


def test_calls_in_the_wrong_order_are_refused():
    env = hsr.envs.PointMaze(render_mode="ansi")
    with raises("has not started; call reset first"):
        env.step(0)
    env.reset(seed=0)
    assert str(env.render()).count("@") == 1
    with pytest.raises(hsr.InputError, match="action"):
        env.step(4)
