"""`MiniGridStates` against the environment itself, step by step, and with options and features."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from minigrid.core.world_object import Lava
from minigrid.wrappers import FullyObsWrapper

import hsr
from tests.adapters.test_from_minigrid import Room, everything
from tests.cases import raises

WORLDS = {
    "empty": "MiniGrid-Empty-5x5-v0",
    "key": "MiniGrid-DoorKey-5x5-v0",
    "lava": "MiniGrid-LavaGapS5-v0",
}


@pytest.fixture(scope="module", params=WORLDS.values(), ids=WORLDS.keys())
def env(request):
    return hsr.envs.MiniGridStates(gymnasium.make(request.param), discount=0.8, seed=3)


def test_a_walk_gives_the_states_ends_and_successes_of_the_world(env):
    twin = gymnasium.make(env.spec.id)
    rng = np.random.default_rng(0)
    twin.reset(seed=3)
    state, _ = env.reset(seed=8)
    seen, met, ends = {state: everything(twin, False)}, {}, 0
    for _ in range(700):
        action = int(rng.choice(7, p=np.array([2, 2, 5, 2, 1, 2, 1]) / 15))
        _, own, *over, _ = twin.step(action)
        state, reward, *flags, _ = env.step(action)
        view = everything(twin, over[0])
        assert seen.setdefault(state, view) == view
        assert met.setdefault(view, state) == state
        assert flags == over
        assert reward == float(own > 0) == float(state in env.goals)
        if any(over):
            ends += 1
            twin.reset(seed=3)
            assert env.reset()[0] == 0
    assert ends > 2


def test_every_goal_ends_an_episode_and_the_task_is_the_nearest(env):
    assert all(env.mdp.labels[goal][-1] == "end" for goal in env.goals)
    values = [hsr.optimal_value(env.mdp, hsr.GoalTask(0, goal))[0] for goal in env.goals]
    assert env.task == hsr.GoalTask(0, env.goals[0])
    assert values[0] == max(values)


def test_options_and_features_work_in_it(env):
    options = hsr.point_options(env.mdp, [env.task.goal])
    basis = hsr.SVDBasis(4).fit(hsr.successor_representation(env.mdp))
    both = hsr.FeatureObservation(hsr.OptionEnv(env, options), basis)
    features, _ = both.reset(seed=0)
    assert np.array_equal(features, basis.features_[0].astype(np.float32))
    assert both.action_masks().shape == (8,)
    _, reward, terminated, _, info = both.step(7)
    steps = round(np.log(hsr.optimal_value(env.mdp, env.task)[0]) / np.log(0.8)) + 1
    assert (reward, terminated, info["state"]) == (1.0, True, env.task.goal)
    assert info["duration"] == steps


def test_the_own_reward_of_the_world_can_be_had():
    plain = gymnasium.make(WORLDS["empty"])
    env = hsr.envs.MiniGridStates(FullyObsWrapper(plain), reward="own")
    env.reset()
    total = [env.step(action)[1] for action in (2, 2, 1, 2, 2)]
    assert total == [0.0] * 4 + [pytest.approx(1 - 0.9 * 5 / plain.unwrapped.max_steps)]


def test_the_layout_is_that_of_its_seed_and_stays():
    """Two seeds are two layouts; the seed of `reset` changes nothing."""
    one, other = (
        hsr.envs.MiniGridStates(gymnasium.make(WORLDS["key"]), seed=seed) for seed in (0, 1)
    )
    assert one.mdp.fingerprint != other.mdp.fingerprint
    grids = []
    for seed in (None, 0, 7):
        one.reset(seed=seed)
        grids.append(one.unwrapped.grid.encode().tolist())
    assert grids[0] == grids[1] == grids[2]


def test_gymnasium_has_nothing_to_say_against_it_and_makes_it_again(env):
    """Apart from the advice to check the bare environment."""
    with pytest.warns(UserWarning, match="different from the unwrapped version") as caught:
        check_env(env, skip_render_check=True)
    assert len(caught) == 1
    again = gymnasium.make(env.spec)
    assert isinstance(again, hsr.envs.MiniGridStates)
    assert (again.mdp.fingerprint, again.mdp.discount) == (env.mdp.fingerprint, 0.8)


def test_without_a_goal_there_is_no_task():
    env = hsr.envs.MiniGridStates(Room(lambda room: room.put_obj(Lava(), 2, 2)))
    assert env.goals == ()
    with raises("Room has no state that every step enters with a reward"):
        _ = env.task


def test_bad_steps_and_changes_from_outside_are_refused():
    with raises("not a MiniGrid env"):
        hsr.envs.MiniGridStates(gymnasium.make("CartPole-v1"))
    with raises("more than 3 states"):
        hsr.envs.MiniGridStates(Room(), max_states=3)
    env = hsr.envs.MiniGridStates(Room())
    with raises("step was called before reset"):
        env.step(0)
    env.reset()
    with raises("action is 7; it must lie in"):
        env.step(7)
    env.unwrapped.agent_pos = (2, 2)
    with raises(r"the agent is at \(2, 2, 'down'\), but state 2 is .* something else has changed"):
        env.step(1)
