"""Grid environments of any task: what steps pay, where episodes end, and options in them."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.testing import assert_allclose, assert_array_equal

import hsr.envs
from hsr.mdp.task import step_rewards
from tests.cases import cases, raises
from tests.envs.test_gymnasium_vector import MODES, live, pair, reset

LAYOUT = hsr.GridLayout(np.arange(12).reshape(3, 4) == 5, name="ring")
N = LAYOUT.n_states


def mdp_of(slip=0.0, discount=0.9):
    return hsr.grid_mdp(LAYOUT, discount=discount, slip=slip)


def numbers(*shape):
    return np.random.default_rng(4).normal(size=shape)


TASKS = {
    "goal": lambda mdp: hsr.GoalTask(None, N - 1),
    "goal and start": lambda mdp: hsr.GoalTask(0, N - 1),
    "per state": lambda mdp: hsr.RewardTask(mdp, numbers(N), start=0, terminal=[3, N - 1]),
    "never ends": lambda mdp: hsr.RewardTask(mdp, numbers(N)),
    "per action": lambda mdp: hsr.RewardTask(mdp, numbers(N, 4), terminal=[N - 1]),
    "per transition": lambda mdp: hsr.RewardTask(mdp, numbers(N, 4, N), terminal=[5]),
}


@pytest.mark.parametrize("slip", [0.0, 0.3])
@cases("make", TASKS)
def test_the_table_of_an_environment_has_the_values_of_its_task(make, slip):
    mdp = mdp_of(slip)
    made = gymnasium.make("hsr/GridWorld-v0", layout=LAYOUT, task=make(mdp), slip=slip)
    env = made.unwrapped
    read = hsr.from_gymnasium(env, discount=0.9)
    over = step_rewards(mdp, env.task).terminal
    assert_allclose(
        hsr.optimal_value(read, hsr.RewardTask(read))[~over],
        hsr.optimal_value(mdp, env.task)[~over],
        rtol=1e-10,
        atol=1e-12,
    )
    check_env(env)


def paid_by(task, before, action, state):
    """Return what a step pays and whether it ends the episode, from the definition."""
    if isinstance(task, hsr.GoalTask):
        return float(state == task.goal), state == task.goal
    over = state in task.terminal
    if task.per == "state":
        return task.reward[before] + 0.9 * task.reward[state] * over, over
    if task.per == "action":
        return task.reward[before, action], over
    return task.reward[action].toarray()[before, state], over


@pytest.mark.parametrize("slip", [0.0, 0.3])
@cases("make", TASKS)
def test_steps_pay_what_the_task_says_and_end_where_it_does(make, slip):
    mdp = mdp_of(slip)
    task = make(mdp)
    env, rng = hsr.GridWorld(LAYOUT, task=task, slip=slip), np.random.default_rng(0)
    before, _ = env.reset(seed=1)
    ends = 0
    for action in rng.integers(4, size=400):
        state, reward, terminated, truncated, _ = env.step(action)
        paid, over = paid_by(task, before, action, state)
        assert reward == pytest.approx(paid, rel=1e-14)
        assert (terminated, truncated) == (over, False)
        if terminated:
            assert env.step(action)[:3] == (state, 0.0, True)
            before, _ = env.reset()
            ends += 1
        else:
            before = state
    assert ends > 3 or "never" in repr(task)


@pytest.mark.parametrize("slip", [0.0, 0.3])
@pytest.mark.parametrize("mode", MODES)
@cases("make", TASKS)
def test_a_batch_lives_as_its_copies_would_alone(make, mode, slip):
    ours, peer = pair(
        "hsr/GridWorld-v0", mode,
        layout=LAYOUT, task=make(mdp_of(slip)), slip=slip, max_episode_steps=15,
    )  # fmt: skip
    reset(ours, peer, seed=3)
    live(ours, peer, 60)


def test_a_goal_task_is_the_goal():
    layout = hsr.GridLayout.from_text("S...\n.#..")
    for start in (1, None):
        task = hsr.GoalTask(start, 6)
        assert hsr.GridWorld(layout, task=task).task == task
        given = hsr.GridWorld(layout, 6, "random" if start is None else start)
        assert given.task == task
        assert given.P == hsr.GridWorld(layout, task=task).P


def test_starts_are_those_of_the_task():
    task = hsr.RewardTask(mdp_of(), numbers(N), terminal=[0, 1, 2])
    env = hsr.GridWorld(LAYOUT, task=task)
    env.reset(seed=0)
    assert {env.reset()[0] for _ in range(200)} == set(range(3, N))


def test_pictures_mark_all_terminal_states():
    task = hsr.RewardTask(mdp_of(), numbers(N), start=0, terminal=[3, 7])
    env = hsr.GridWorld(LAYOUT, task=task, render_mode="ansi", observation="pixels")
    picture, _ = env.reset(seed=0)
    assert env.render() == "@..G\n.#..\nG..."
    assert_array_equal(picture, LAYOUT.pixels([0], goal=[3, 7])[0])
    for goal in (3, 7):
        row, col = LAYOUT.cell_of(goal)
        assert picture[2 * row, 2 * col].tolist() == [0, 158, 115]


def option_of(seed=0):
    """Return a stochastic option with random stops, never certain ones."""
    rng = np.random.default_rng(seed)
    return hsr.OptionSet(rng.dirichlet(np.ones(4), (1, N)), rng.uniform(0.0, 0.4, (1, N)))


@pytest.mark.parametrize("name", ["goal", "per state", "per action", "per transition"])
def test_an_option_collects_what_its_exact_model_says_on_average(name):
    """Mean discounted reward of 4000 runs against u = r + g P (1 - beta) u, one linear solve.

    Five standard errors fail by accident once in 10^6.
    """
    mdp = mdp_of(0.2)
    task, options = TASKS[name](mdp), option_of()
    pays = step_rewards(mdp, task)
    pi, beta = options.policy[0], options.termination[0]
    r = (pi * pays.expected).sum(axis=1)
    P = sum(pi[:, [a]] * mdp.transition_of(a).toarray() for a in range(4))
    P *= ~pays.terminal[:, None]
    u = np.linalg.solve(np.eye(N) - 0.9 * P * (~pays.terminal * (1 - beta)), r)
    model = hsr.option_model(mdp, options, task=task)
    assert_allclose((model.occupancy(4) @ r)[~pays.terminal], u[~pays.terminal], rtol=1e-10)
    env = hsr.OptionEnv(hsr.GridWorld(LAYOUT, task=task, slip=0.2), options, reward="discounted")
    env.reset(seed=2)
    errors = []
    for _ in range(4000):
        start, _ = env.reset()
        end, reward, terminated, _, info = env.step(4)
        assert terminated == pays.terminal[end]
        assert reward == info["discounted_reward"]
        errors.append(reward - u[start])
    assert abs(np.mean(errors)) < 5 * np.std(errors) / np.sqrt(len(errors))


def test_a_certain_option_collects_exactly_the_discounted_sum():
    """Up to the first cell and along the top: the rewards of the states that are left."""
    reward = np.arange(1.0, N + 1)
    for terminal, last, paid in (
        ([3], 3, sum(0.5**k * reward[s] for k, s in enumerate([7, 4, 0, 1, 2, 3]))),
        ([1, 3], 1, sum(0.5**k * reward[s] for k, s in enumerate([7, 4, 0, 1]))),
        ([], 3, sum(0.5**k * reward[s] for k, s in enumerate([7, 4, 0, 1, 2]))),
    ):
        mdp = mdp_of(discount=0.5)
        task = hsr.RewardTask(mdp, reward, start=7, terminal=terminal)
        policy = np.ones(N, dtype=int)
        policy[[7, 4]] = 0
        options = hsr.OptionSet(policy[None], (np.arange(N) == 3)[None].astype(float))
        env = hsr.OptionEnv(
            hsr.GridWorld(LAYOUT, task=task, discount=0.5), options, reward="discounted"
        )
        env.reset()
        end, earned, terminated, _, _ = env.step(4)
        assert (end, terminated) == (last, bool(terminal))
        assert earned == pytest.approx(paid, rel=1e-14)


def test_what_does_not_fit_gets_a_sentence():
    task = TASKS["per state"](mdp_of())
    with raises("task is given, and so is goal or start"):
        hsr.GridWorld(LAYOUT, goal=3, task=task)
    with raises("task is given, and so is goal or start"):
        hsr.GridWorld(LAYOUT, start="random", task=task)
    with raises("made for another MDP"):
        hsr.GridWorld(LAYOUT, task=task, slip=0.1)
    with raises("task is 3; it must be a GoalTask or a RewardTask"):
        hsr.GridWorld(LAYOUT, task=3)
    with raises("a continuing goal is known to `train` alone"):
        gymnasium.make("hsr/GridWorld-v0", layout=LAYOUT, task=hsr.GoalTask(0, 3, True))


@pytest.mark.parametrize("kind", ["several", "mixed", "smooth"])
def test_eigenoptions_collect_exactly_what_their_models_say(kind):
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    (task,) = hsr.reward_tasks(mdp, 1, kind=kind, seed=1)
    options, pays = hsr.eigenoptions(mdp, n_options=3), step_rewards(mdp, task)
    model = hsr.option_model(mdp, options, task=task)
    env = hsr.OptionEnv(hsr.GridWorld("four_rooms", task=task), options, reward="discounted")
    env.reset(seed=0)
    for o, option in enumerate(options):
        r = pays.expected[np.arange(104), option.policy]
        expected = model.occupancy(4 + o) @ r
        for _ in range(40):
            start, info = env.reset()
            if info["action_mask"][4 + o]:
                assert env.step(4 + o)[1] == pytest.approx(expected[start], rel=1e-9, abs=1e-12)
