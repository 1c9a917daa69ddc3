"""Pictures of MiniGrid states against the observations of MiniGrid's own wrappers, step by step."""

import gymnasium
import numpy as np
import pytest
from minigrid.wrappers import RGBImgObsWrapper, RGBImgPartialObsWrapper

import hsr

WRAPPERS = {"full": RGBImgObsWrapper, "agent": RGBImgPartialObsWrapper}


@pytest.mark.parametrize("view", WRAPPERS)
@pytest.mark.parametrize("name", ["MiniGrid-DoorKey-5x5-v0", "MiniGrid-LavaGapS5-v0"])
def test_pictures_are_those_that_minigrid_shows_in_each_state(name, view):
    env = gymnasium.make(name)
    numbered, shown = hsr.envs.MiniGridStates(env), WRAPPERS[view](env, tile_size=4)
    pictures = hsr.adapters.minigrid_pixels(env, tile_size=4, view=view)
    assert pictures.dtype == np.uint8
    assert len(pictures) == numbered.mdp.n_states
    rng, met, over = np.random.default_rng(0), set(), True
    for _ in range(150):
        if over:
            state, _ = numbered.reset(seed=0)
        met.add(state)
        assert np.array_equal(shown.observation({})["image"], pictures[state])
        state, _, terminated, truncated, _ = numbered.step(int(rng.integers(7)))
        over = terminated or truncated
    assert len(met) > 8
    place, steps = env.unwrapped.agent_pos, env.unwrapped.step_count
    hsr.adapters.minigrid_pixels(env, tile_size=2)
    assert (env.unwrapped.agent_pos, env.unwrapped.step_count) == (place, steps)
