"""Reward tasks: their exact solution against fractions, goals written as rewards, drawn tasks."""

import pickle

import gymnasium
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from tests.cases import cases, raises
from tests.oracles.exact_values import best_values
from tests.oracles.random_mdps import mdps
from tests.oracles.random_tasks import reward_problem, rewards_of
from tests.strategies import assert_refused, bad_choices, bad_counts, bad_indices

import hsr
from hsr.mdp.reward_kinds import REWARD_KINDS
from hsr.mdp.reward_task import RewardedMDP, absorbing_states
from hsr.mdp.task import step_rewards

CLOSE = {"rtol": 1e-9, "atol": 1e-10}


def as_floats(values):
    return np.array(values, dtype=object).astype(float)


@st.composite
def problems(draw):
    mdp = draw(mdps())
    reward, terminal = draw(rewards_of(mdp))
    return mdp, reward, terminal


@given(problems())
def test_optimal_values_are_exact_for_rewards_of_all_shapes(problem):
    mdp, reward, terminal = problem
    rows, rewards, at_end = reward_problem(mdp, reward, terminal)
    v, _ = best_values(rows, rewards, mdp.discount)
    for s in terminal:
        v[s] = at_end[s]
    task = hsr.RewardTask(mdp, reward, terminal=terminal)
    assert set(terminal) <= set(task.terminal)
    assert_allclose(hsr.optimal_value(mdp, task), as_floats(v), **CLOSE)


@given(mdps(), st.data())
def test_a_goal_written_as_a_reward_task_has_the_same_values(mdp, data):
    goal = data.draw(st.integers(0, mdp.n_states - 1))
    assume((~absorbing_states(mdp)[np.arange(mdp.n_states) != goal]).any())
    entering = np.zeros((mdp.n_states, mdp.n_actions, mdp.n_states))
    entering[:, :, goal] = 1.0
    as_goal = step_rewards(mdp, hsr.GoalTask(None, goal))
    as_steps = step_rewards(mdp, hsr.RewardTask(mdp, entering, terminal=[goal]))
    assert_array_equal(as_goal.expected, as_steps.expected)
    # Paid for being there, the goal is worth one discount less, and 1 to begin in.
    as_state = hsr.RewardTask(mdp, np.eye(mdp.n_states)[goal], terminal=[goal])
    v = hsr.optimal_value(mdp, hsr.GoalTask(None, goal))
    entered = hsr.optimal_value(mdp, hsr.RewardTask(mdp, entering, terminal=[goal]))
    assert_allclose(entered, v, rtol=1e-10, atol=1e-12)
    expected = mdp.discount * v
    expected[goal] = 1.0
    assert_allclose(hsr.optimal_value(mdp, as_state), expected, rtol=1e-10, atol=1e-12)


def test_absorbing_states_end_episodes_only_if_they_pay_nothing():
    mdp = hsr.FiniteMDP.from_successors([[1, 2], [1, 1], [2, 2]], discount=0.5)
    assert absorbing_states(mdp).tolist() == [False, True, True]
    task = hsr.RewardTask(mdp, [0.0, 3.0, 0.0])
    assert task.terminal.tolist() == [2]
    assert_allclose(hsr.optimal_value(mdp, task), [3.0, 6.0, 0.0])
    once = hsr.RewardTask(mdp, [0.0, 3.0, 0.0], terminal=[1])
    assert_allclose(hsr.optimal_value(mdp, once), [1.5, 3.0, 0.0])


def test_a_function_gives_the_reward_of_a_state_or_of_a_cell():
    layout = hsr.GridLayout.from_text("..\n.#\n..")
    mdp = hsr.grid_mdp(layout)
    assert_array_equal(hsr.RewardTask(mdp, lambda s: s**2).reward, np.arange(5.0) ** 2)
    of_cell = hsr.RewardTask(mdp, lambda row, col: 10 * row + col)
    assert_array_equal(of_cell.reward, 10.0 * layout.cells[:, 0] + layout.cells[:, 1])
    again = pickle.loads(pickle.dumps(hsr.grid_mdp(layout, slip=0.1)))
    assert_array_equal(again.cells, layout.cells)
    bare = hsr.FiniteMDP(mdp.toarray(), 0.9)
    with raises("function of 2 arguments, and this MDP has no cells"):
        hsr.RewardTask(bare, lambda row, col: 0.0)


@pytest.mark.parametrize("kind", REWARD_KINDS)
def test_drawn_tasks_are_of_their_kind_and_repeat_with_their_seed(kind):
    mdp = hsr.grid_mdp("four_rooms", discount=0.95)
    tasks = hsr.reward_tasks(mdp, 30, kind=kind, seed=4, start=7)
    again = hsr.reward_tasks(mdp, 30, kind=kind, seed=4, start=7)
    for task, other in zip(tasks, again, strict=True):
        assert_array_equal(task.reward, other.reward)
        assert task.start == 7
        paid, ends = task.reward, np.isin(np.arange(mdp.n_states), task.terminal)
        if kind == "smooth":
            assert not ends.any()
            assert abs(paid.mean()) < 1e-12
            assert np.abs(paid).max() == 1.0
            continue
        assert paid[7] == 0.0
        assert (paid[ends] > 0.0).all()
        assert ends.sum() == (1 if kind == "goals" else 3)
        assert (paid[~ends] < 0.0).sum() == (10 if kind == "mixed" else 0)


def test_a_smooth_field_changes_less_between_neighbours_than_between_any_two_states():
    mdp = hsr.grid_mdp("four_rooms")
    for task in hsr.reward_tasks(mdp, 10, kind="smooth", seed=0):
        r = task.reward
        steps = np.abs(r[:, None] - r[mdp.successors]).mean()
        assert steps < 0.6 * np.abs(r[:, None] - r).mean()


def test_goals_can_be_reached_from_the_start():
    """Two parts of a ring road: from state 0 only states 1 to 3 can be reached."""
    mdp = hsr.FiniteMDP.from_successors([[1], [2], [3], [3], [0], [4]], discount=0.9)
    tasks = hsr.reward_tasks(mdp, 50, kind="goals", seed=0, start=0)
    assert {int(np.argmax(task.reward)) for task in tasks} == {1, 2, 3}
    with raises("needs 3 goals and one other state; the number of states for them is 3"):
        hsr.reward_tasks(mdp, 1, kind="several", seed=0, start=0)


@pytest.mark.parametrize("kind", REWARD_KINDS)
def test_drawn_tasks_can_begin_where_the_environment_does(kind):
    """One start of a lake is no goal, and can reach the goals; of two starts one is no goal."""
    lake = hsr.from_gymnasium(gymnasium.make("FrozenLake-v1", is_slippery=False), discount=0.9)
    for task in hsr.reward_tasks(lake, 50, kind=kind):
        assert task.starts.tolist() == [0]
    ring = np.eye(5)[(np.arange(5) + 1) % 5]
    rewards = [sparse.csr_array((5, 5))]
    two = RewardedMDP([sparse.csr_array(ring)], 0.9, rewards, start=[0.5, 0.5, 0, 0, 0])
    drawn = hsr.reward_tasks(two, 50, kind=kind)
    assert {tuple(task.starts) for task in drawn} <= {(0,), (1,), (0, 1)}
    # Four states of a road: three goals always leave the one that is not absorbing.
    road = hsr.FiniteMDP.from_successors([[1], [1], [2], [3]], discount=0.9)
    if kind != "mixed":  # an absorbing state that is penalised does not end the episode
        for task in hsr.reward_tasks(road, 20, kind=kind):
            assert kind == "smooth" or task.starts.tolist() == [0]


def test_the_seed_of_drawn_tasks_is_0_by_default():
    mdp = hsr.grid_mdp("four_rooms")
    (ours,), (given,) = hsr.reward_tasks(mdp, 1), hsr.reward_tasks(mdp, 1, seed=0)
    assert_array_equal(ours.reward, given.reward)


@cases(
    "call",
    {
        "task": lambda **bad: hsr.RewardTask(hsr.grid_mdp("four_rooms"), np.ones(104), **bad),
        "drawn": lambda **bad: hsr.reward_tasks(hsr.grid_mdp("four_rooms"), 2, seed=0, **bad),
    },
)
def test_a_bad_start_is_refused(call):
    assert_refused(call, "start", bad_indices(104).filter(lambda value: value is not None))


def test_what_does_not_fit_is_refused():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."))
    with raises(r"reward has shape \(2, 2\); it must be \(3,\), \(3, 4\) or \(3, 4, 3\)"):
        hsr.RewardTask(mdp, np.ones((2, 2)))
    with raises(r"reward\[1\] is nan; every entry must be finite"):
        hsr.RewardTask(mdp, [0.0, np.nan, 1.0])
    with raises(r"reward is 'goal'; it must be numbers of shape \(3,\), \(3, 4\) or"):
        hsr.RewardTask(mdp, "goal")
    for wrong in (lambda: 1.0, lambda a, b, c: 1.0):
        with raises("it must be a function of a state, or of the row and the column"):
            hsr.RewardTask(mdp, wrong)
    for scale in (1e-300, 1e308):
        with raises("the largest reward is 1e.* in absolute value; it must be 0 or lie in"):
            hsr.RewardTask(mdp, [0.0, 0.0, scale])
    with raises(r"terminal\[1\] is 3; it must lie in 0..2"):
        hsr.RewardTask(mdp, [0.0, 0.0, 1.0], terminal=[2, 3])
    with raises("start is 2, where the episode is already over"):
        hsr.RewardTask(mdp, [0.0, 0.0, 1.0], start=2, terminal=[2])
    one = hsr.FiniteMDP(np.ones((1, 1, 1)), 0.9)
    with raises("needs 1 goal and one other state; the number of states for them is 1"):
        hsr.reward_tasks(one, 1)
    with raises("kind is 'smooth', which needs at least 2 states; the MDP has 1"):
        hsr.reward_tasks(one, 1, kind="smooth")
    assert_refused(lambda **bad: hsr.reward_tasks(mdp, seed=0, **bad), "n", bad_counts())
    assert_refused(
        lambda **bad: hsr.reward_tasks(mdp, 1, seed=0, **bad), "kind", bad_choices(REWARD_KINDS)
    )
