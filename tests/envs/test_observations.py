"""Kinds of observation: the same world, seen as numbers, coordinates and pictures."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import hsr.envs
from tests.envs.test_gymnasium_vector import live, pair, reset

MAZE = hsr.GridLayout.from_text("S..\n.#.\n..1")
SEEN = {
    "state": lambda layout, goal: np.arange(layout.n_states),
    "xy": lambda layout, goal: layout.xy().astype(np.float32),
    "pixels": lambda layout, goal: layout.pixels(cell_size=3, goal=goal),
}


KINDS = ("xy", "pixels")


@pytest.mark.parametrize("kind", SEEN)
def test_an_observation_is_that_of_the_state(kind):
    plain = gymnasium.make("hsr/FourRooms-v0", slip=0.3)
    env = gymnasium.make("hsr/FourRooms-v0", slip=0.3, observation=kind, cell_size=3)
    table = SEEN[kind](env.unwrapped.layout, env.unwrapped.task.goal)
    state, _ = plain.reset(seed=4)
    seen, info = env.reset(seed=4)
    for action in np.random.default_rng(0).integers(4, size=40).tolist():
        assert env.observation_space.contains(seen)
        assert np.array_equal(seen, table[state])
        assert info.get("state", state) == state
        (state, *_), (seen, *_, info) = plain.step(action), env.step(action)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_batch_sees_what_its_copies_would_see_alone(mode, kind):
    ours, peer = pair(
        "hsr/GridWorld-v0", mode, layout=MAZE, slip=0.2, observation=kind, max_episode_steps=9
    )
    reset(ours, peer, seed=3)
    assert min(live(ours, peer, 30)) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_gymnasium_finds_no_fault_and_options_run(kind):
    check_env(hsr.GridWorld(MAZE, observation=kind, cell_size=20), skip_render_check=True)
    options = hsr.eigenoptions(hsr.grid_mdp(MAZE), n_options=2)
    states = []
    for seen_as in ("state", kind):
        env = hsr.OptionEnv(hsr.GridWorld(MAZE, observation=seen_as), options)
        _, info = env.reset(seed=0)
        seen, *_, info = env.step(int(np.flatnonzero(info["action_mask"]).max()))
        states.append(info.get("state", seen))
    assert states[0] == states[1]
