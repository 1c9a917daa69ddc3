"""Stable-Baselines3 takes the environments, one at a time and as a batch; without it nothing runs.

`pip install -r examples/requirements.txt` installs it.
"""

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit

import hsr.envs
from hsr.envs import GridWorldVector
from tests.cases import raises

pytest.importorskip("stable_baselines3")

ROW = hsr.GridLayout.from_text("S..1")


@pytest.mark.parametrize("name", [one for one in gymnasium.registry if one.startswith("hsr/")])
def test_every_registered_environment_passes_its_check(name, recwarn):
    from stable_baselines3.common.env_checker import check_env

    check_env(gymnasium.make(name).unwrapped)
    assert not [one for one in recwarn if "hsr" in str(one.message)]


def test_a_batch_is_what_its_own_copies_would_be():
    from stable_baselines3.common.vec_env import DummyVecEnv

    from hsr.envs.sb3 import SB3VecEnv

    settings = {"layout": ROW, "slip": 0.3}
    batch = GridWorldVector(4, max_episode_steps=6, autoreset_mode="SameStep", **settings)
    ours = SB3VecEnv(batch)
    theirs = DummyVecEnv([lambda: TimeLimit(hsr.GridWorld(**settings), 6)] * 4)
    for env in (ours, theirs):
        env.seed(3)
    assert ours.reset().tolist() == theirs.reset().tolist()
    ends = 0
    for actions in np.random.default_rng(0).integers(4, size=(60, 4)):
        (seen, rewards, done, infos), (same, paid, over, told) = (
            env.step(actions) for env in (ours, theirs)
        )
        assert (seen.tolist(), rewards.tolist(), done.tolist()) == (
            same.tolist(),
            paid.tolist(),
            over.tolist(),
        )
        for i in np.flatnonzero(done):
            ends += 1
            for key in ("terminal_observation", "TimeLimit.truncated"):
                assert infos[i][key] == told[i][key]
    assert ends > 10


def test_ppo_learns_with_the_batch():
    from stable_baselines3 import PPO

    from hsr.envs.sb3 import SB3VecEnv

    envs = GridWorldVector(8, ROW, max_episode_steps=30, autoreset_mode="SameStep")
    agent = PPO("MlpPolicy", SB3VecEnv(envs), n_steps=16, batch_size=64, seed=0).learn(256)
    assert agent.num_timesteps >= 256


def test_other_ways_to_start_episodes_are_refused():
    from hsr.envs.sb3 import SB3VecEnv

    with raises("make them with autoreset_mode='SameStep'"):
        SB3VecEnv(GridWorldVector(2))
