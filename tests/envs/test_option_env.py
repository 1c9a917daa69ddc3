"""`OptionEnv` against the exact option model, and at its door."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import hsr.envs
from tests.cases import raises

ROW = hsr.GridLayout.from_text("S....1")
RIGHT = {
    "policy": [[1] * 6],
    "termination": [[0, 0, 0, 1, 0, 0]],
    "initiation": [[True] * 3 + [False] * 3],
}


def row_env(option=RIGHT, **settings):
    """Return a row of six cells with one option: to the right until the fourth cell."""
    return hsr.OptionEnv(hsr.GridWorld(ROW), hsr.OptionSet(**option), **settings)


class Blind(gymnasium.Env):
    """An environment with numbered states and actions that tells nothing else about itself."""

    observation_space, action_space = gymnasium.spaces.Discrete(6), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = 0
        return 0, {}

    def step(self, action):
        self.state = (self.state + action) % 6
        return self.state, 1.0, False, False, {}


def test_a_certain_option_ends_where_and_when_its_model_says():
    """Every eigenoption from every state in which it may start: end and g^duration are the one
    entry of the model's row.
    """
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    goal, checked = layout.goals[0], 0
    model = hsr.option_model(mdp, options, task=hsr.GoalTask(None, goal))
    stopping = [model.stopping(4 + o).toarray() for o in range(8)]
    for start in range(0, layout.n_states, 3):
        if start == goal:
            continue
        env = hsr.OptionEnv(hsr.GridWorld(layout, goal, start), options)
        _, info = env.reset()
        for o in np.flatnonzero(info["action_mask"][4:]):
            env.reset()
            end, reward, terminated, _, after = env.step(4 + o)
            expected = np.zeros(layout.n_states)
            expected[end] = 0.9 ** after["duration"]
            assert np.allclose(stopping[o][start], expected, rtol=1e-12, atol=0.0)
            assert terminated == (end == goal) == (reward == 1.0)
            checked += 1
    assert checked > 100


def test_a_random_option_ends_as_its_model_says_on_average():
    """Mean of g^T over ends, 6000 runs of an option with a random policy and random stops in a
    slipping world.

    Each mean is over numbers in [0, 1]; 4.5 standard errors fail by accident about once in
    10^4 over all ends.
    """
    layout, rng = hsr.load_layout("four_rooms"), np.random.default_rng(0)
    policy = rng.dirichlet(np.ones(4), size=(1, 104))
    termination = rng.choice([0.0, 0.1, 0.5, 1.0], p=[0.3, 0.4, 0.2, 0.1], size=(1, 104))
    options = hsr.OptionSet(policy, termination)
    base = hsr.GridWorld(layout, goal=(1, 4), start=(2, 2), slip=0.2)
    env = hsr.OptionEnv(base, options, reward="discounted")
    exact = (
        hsr.option_model(base.mdp, options, task=base.task).stopping(4).T
        @ np.eye(104)[base.task.start]
    ).ravel()
    env.reset(seed=1)
    runs = np.zeros((6000, 104))
    for run in runs:
        env.reset()
        end, reward, terminated, _, info = env.step(4)
        run[end] = 0.9 ** info["duration"]
        assert reward == info["discounted_reward"] == pytest.approx(run[end] / 0.9 * terminated)
    error = 4.5 * np.sqrt(runs.var(axis=0) / len(runs)) + 1e-4
    assert (np.abs(runs.mean(axis=0) - exact) <= error).all()
    assert exact.sum() > 0.5


def test_rewards_during_an_option_add_up():
    """The blind environment pays 1 each step: g^0 + g^1 + g^2 is discounted, 3 is plain."""
    for reward, paid in (("sum", 3.0), ("discounted", 1.75)):
        options = hsr.OptionSet(RIGHT["policy"], RIGHT["termination"])
        env = hsr.OptionEnv(Blind(), options, discount=0.5, reward=reward)
        env.reset()
        _, earned, _, _, info = env.step(2)
        assert (earned, info["discounted_reward"], info["duration"]) == (paid, 1.75, 3)


def test_actions_are_the_environments_own_first_then_the_options():
    env = row_env()
    for too_early in (lambda: env.step(0), env.action_masks):
        with raises("before reset|call reset first"):
            too_early()
    _, info = env.reset()
    assert env.action_space == gymnasium.spaces.Discrete(5)
    assert info["action_mask"].dtype == np.int8
    assert info["action_mask"].tolist() == [1, 1, 1, 1, 1]
    assert env.step(1)[0] == 1
    *step, info = env.step(4)
    assert step == [3, 0.0, False, False]
    assert (info["duration"], info["cell"].tolist()) == (2, [0, 3])
    env.action_space.seed(0)
    assert {int(env.action_space.sample(info["action_mask"])) for _ in range(100)} == {0, 1, 2, 3}
    with raises(r"action 4, 'option 0', cannot be chosen in state 3.*action_mask"):
        env.step(4)
    with raises("action is 5; it must lie in"):
        env.step(5)


def test_action_masks_are_the_booleans_of_the_last_mask():
    env = row_env()
    _, info = env.reset()
    for step in (1, 4, 3):
        masks = env.action_masks()
        assert masks.dtype == np.bool_
        assert masks.tolist() == info["action_mask"].astype(bool).tolist()
        masks[:], info["action_mask"][:] = False, 0  # what was returned is the caller's
        assert env.action_masks()[0]
        *_, info = env.step(step)


def test_a_wait_changes_nothing_and_takes_no_time():
    env = row_env(unavailable="wait")
    env.reset()
    before, *_, told = env.step(4)
    told["cell"][:] = -1  # what was returned is the caller's
    for _ in range(2):
        *step, info = env.step(4)
        assert step == [before, 0.0, False, False]
        assert (info["duration"], info["discounted_reward"]) == (0, 0.0)
        assert info["cell"].tolist() == [0, 3]
        info["cell"][:] = -1
    assert env.step(1)[0] == before + 1


def test_one_seed_gives_one_life_with_random_options():
    rng = np.random.default_rng(0)
    options = hsr.OptionSet(rng.dirichlet(np.ones(4), size=(2, 104)), np.full((2, 104), 0.2))

    def life(seed):
        env = hsr.OptionEnv(hsr.GridWorld(slip=0.1), options)
        env.reset(seed=seed)
        return [(step[0], step[4]["duration"]) for step in (env.step(4 + i % 2) for i in range(40))]

    assert life(5) == life(5)
    assert life(5) != life(6)


def test_frozen_lake_takes_options_from_its_own_table():
    lake = gymnasium.make("FrozenLake-v1")
    options = hsr.eigenoptions(hsr.from_gymnasium(lake), n_options=2)
    for given, told in (({}, False), ({"discount": 0.9}, True)):
        env = hsr.OptionEnv(lake, options, **given)
        _, info = env.reset(seed=0)
        assert info["action_mask"].shape == (6,)
        *_, info = env.step(4)
        assert info["duration"] >= 1
        assert ("discounted_reward" in info) == told
    grid = hsr.GridWorld()
    own = hsr.eigenoptions(hsr.from_gymnasium(grid), n_options=2)
    assert own.mdp_fingerprint != grid.mdp.fingerprint
    assert hsr.OptionEnv(grid, own).action_space.n == 6


def test_gymnasium_has_nothing_to_say_against_it():
    """Apart from the advice to check the bare environment."""
    options = hsr.eigenoptions(hsr.grid_mdp(hsr.load_layout("loop")), n_options=4)
    env = hsr.OptionEnv(
        gymnasium.make("hsr/Loop-v0", disable_env_checker=True), options, unavailable="wait"
    )
    with pytest.warns(UserWarning, match="different from the unwrapped version") as caught:
        check_env(env, skip_render_check=True)
    assert len(caught) == 1


def test_it_can_be_made_again_from_its_spec():
    options = hsr.OptionSet(np.ones((1, 104), dtype=int), np.ones((1, 104)))
    env = hsr.OptionEnv(
        gymnasium.make("hsr/FourRooms-v0"), options, reward="discounted", discount=0.5
    )
    again = gymnasium.make(env.spec)
    assert isinstance(again, hsr.OptionEnv)
    assert (again.discount, again.action_space) == (0.5, env.action_space)


def test_what_does_not_fit_is_refused():
    layout = hsr.load_layout("four_rooms")
    eigen, plain = hsr.eigenoptions(hsr.grid_mdp(layout), 2), hsr.OptionSet(**RIGHT)
    from_one = Blind()
    from_one.action_space = gymnasium.spaces.Discrete(2, start=1)
    # As many states, another maze.
    other = hsr.GridWorld(hsr.GridLayout.from_text(layout.to_text()[::-1]))
    cart, vector = gymnasium.make("CartPole-v1"), hsr.envs.GridWorldVector(2)
    discounted = {"reward": "discounted"}
    for env, options, settings, words in (
        (cart, plain, {}, "OptionEnv needs observations that are states, Discrete.*Box"),
        (vector, plain, {}, "needs a gymnasium.Env; this is GridWorldVector"),
        (hsr.GridWorld(), plain, {}, "options are for 6 states; this MDP has 104"),
        (other, eigen, {}, "another MDP"),
        (Blind(), plain, discounted, "reward is 'discounted', and the environment"),
        (from_one, plain, {"discount": 0.9}, "OptionEnv needs actions with numbers"),
    ):
        with raises(words):
            hsr.OptionEnv(env, options, **settings)


def test_what_the_environment_says_of_its_own_actions_stands():
    taxi = gymnasium.make(max(name for name in gymnasium.registry if name.startswith("Taxi-v")))
    options = hsr.point_options(hsr.from_gymnasium(taxi), [0])
    env = hsr.OptionEnv(taxi, options, discount=0.9)
    _, info = env.reset(seed=0)
    _, own = taxi.reset(seed=0)
    assert own["action_mask"].min() == 0
    assert info["action_mask"][:6].tolist() == own["action_mask"].tolist()


def test_options_upon_options_start_only_where_all_may():
    inner = row_env()
    env = hsr.OptionEnv(inner, hsr.OptionSet([[1] * 6], [[0, 0, 0, 0, 1, 1]]), discount=0.9)
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [1] * 6
    # To the right until the fifth cell, where the inner option may not start.
    *_, info = env.step(5)
    assert info["action_mask"].tolist() == [1, 1, 1, 1, 0, 1]


def test_action_masks_are_found_through_wrappers_and_batches_by_name():
    """As sb3-contrib asks: the attribute for one environment, the name in each copy of a batch."""
    features = np.eye(6)
    outside = hsr.FeatureObservation(row_env(), features)
    inside = hsr.OptionEnv(
        hsr.FeatureObservation(hsr.GridWorld(ROW), features), hsr.OptionSet(**RIGHT)
    )
    for env in (outside, inside, gymnasium.wrappers.TimeLimit(outside, 9)):
        env.reset()
        env.step(4)
        assert env.get_wrapper_attr("action_masks")().tolist() == [True] * 4 + [False]
    assert outside.action_masks().tolist() == [True] * 4 + [False]
    assert not hasattr(hsr.FeatureObservation(hsr.GridWorld(ROW), features), "action_masks")
    envs = gymnasium.vector.SyncVectorEnv([lambda: hsr.FeatureObservation(row_env(), features)] * 2)
    envs.reset(seed=0)
    envs.step(np.array([4, 1]))
    assert np.stack(envs.call("action_masks"))[:, 4].tolist() == [False, True]


def going(direction, env=None, **settings):
    """Return a row with an option that moves in one direction and never stops."""
    option = hsr.OptionSet([[direction] * 6], np.zeros((1, 6)), names=["going"])
    env = hsr.OptionEnv(env or hsr.GridWorld(ROW), option, **settings)
    env.reset(seed=0)
    return env


def test_an_option_is_cut_short_by_the_goal_or_its_limit():
    """The goal is five steps to the right, so that five steps are enough and four are not."""
    for reward, paid in (("sum", 1.0), ("discounted", 0.9**4)):
        *step, info = going(1, max_option_steps=5, reward=reward).step(4)
        assert step == [5, pytest.approx(paid), True, False]
        assert (info["duration"], info["discounted_reward"]) == (5, pytest.approx(0.9**4))
    for limit, direction in ((4, 1), (1000, 3)):
        with raises(f"option 0, 'going', has not stopped after {limit:,} primitive steps"):
            going(direction, max_option_steps=limit).step(4)


def test_a_time_limit_ends_an_option_without_an_error():
    *step, info = going(3, gymnasium.wrappers.TimeLimit(hsr.GridWorld(ROW), 7)).step(4)
    assert (step, info["duration"]) == ([0, 0.0, False, True], 7)
