"""Optimal values, greedy policies, free stopping and climbing, against exact fractions."""

import signal
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from tests.cases import cases, raises
from tests.oracles.exact_values import (
    best_goal_values,
    best_of_every_policy,
    best_values,
    exact_rows,
    steps_to,
    support,
)
from tests.oracles.random_mdps import deterministic_mdps, mdps, stochastic_mdps, with_goal
from tests.oracles.random_options import tables
from tests.strategies import assert_refused, bad_choices, bad_counts

import hsr
from hsr.kernels.ascent import climb
from hsr.kernels.graph import predecessors
from hsr.mdp.solvers import GREEDY_TIES, action_values, best_action_values
from hsr.mdp.task import check_task, goal_distances, step_rewards

# Policy iteration stops at relative improvements of 1e-12, which a discount of 0.99 can add up to a
# hundred times that.
CLOSE = {"rtol": 1e-10, "atol": 0.0}
TIED = 1 - 1e-9
STOP = 1e-10


def as_floats(values):
    return np.array(values, dtype=object).astype(float)


def task_of(goal):
    return hsr.GoalTask(None, goal)


@pytest.mark.parametrize("worlds", [deterministic_mdps, stochastic_mdps])
@given(data=st.data())
def test_optimal_value_is_the_best_of_every_policy(worlds, data):
    mdp, goal = data.draw(with_goal(worlds(max_states=4, max_actions=2)))
    best = as_floats(best_of_every_policy(mdp, goal))
    assert_allclose(hsr.optimal_value(mdp, task_of(goal)), best, **CLOSE)


@given(with_goal(mdps()))
def test_optimal_values_satisfy_the_exact_optimality_equation(pair):
    mdp, goal = pair
    v, q = best_goal_values(mdp, goal)
    found = hsr.optimal_value(mdp, task_of(goal))
    assert found.shape == (mdp.n_states,)
    assert found[goal] == 0.0
    assert_allclose(found, as_floats(v), **CLOSE)
    assert_allclose(action_values(mdp, step_rewards(mdp, task_of(goal))), as_floats(q), **CLOSE)


@pytest.mark.parametrize(
    ("worlds", "tied"), [(deterministic_mdps, Fraction(1)), (stochastic_mdps, Fraction(TIED))]
)
@given(data=st.data())
def test_uniform_ties_give_all_optimal_actions_the_same_probability(worlds, tied, data):
    """In a deterministic world these are exactly the best; else those within the tolerance."""
    mdp, goal = data.draw(with_goal(worlds()))
    _, q = best_goal_values(mdp, goal)
    best = np.array([[value >= max(row) * tied for value in row] for row in q])
    expected = best / best.sum(axis=1, keepdims=True)
    assert_array_equal(hsr.greedy_policy(mdp, task_of(goal)), expected)
    if worlds is deterministic_mdps:
        first = hsr.greedy_policy(mdp, task_of(goal), ties="first")
        assert_array_equal(first.argmax(axis=1), best.argmax(axis=1))


@given(with_goal(mdps()), st.integers(0, 2**32))
def test_random_ties_take_one_optimal_action_and_repeat_with_the_seed(pair, seed):
    mdp, goal = pair
    optimal = hsr.greedy_policy(mdp, task_of(goal)) > 0.0
    policy, again, own = (
        hsr.greedy_policy(mdp, task_of(goal), ties="random", seed=source)
        for source in (seed, seed, np.random.default_rng(seed))
    )
    assert ((policy == 0.0) | (policy == 1.0)).all()
    assert (policy.sum(axis=1) == 1.0).all()
    assert optimal[policy == 1.0].all()
    assert_array_equal(policy, again)
    assert_array_equal(policy, own)


def test_random_ties_draw_every_tied_action_equally_often():
    n = 6000
    mdp = hsr.FiniteMDP.from_successors(np.zeros((n, 3), dtype=int), discount=0.9)
    policy = hsr.greedy_policy(mdp, task_of(0), ties="random", seed=0)
    # 6000 draws with p = 1/3: standard deviation 36.5; five of them.
    assert np.abs(policy.sum(axis=0) - n / 3).max() < 5 * 36.5
    assert (policy != hsr.greedy_policy(mdp, task_of(0), ties="random", seed=1)).any()


@given(with_goal(mdps()))
def test_values_are_positive_exactly_where_the_goal_can_be_reached(pair):
    mdp, goal = pair
    assume(mdp.discount > 0.0)
    reached = steps_to(support(mdp), goal)
    positive = hsr.optimal_value(mdp, task_of(goal)) > 0.0
    assert set(np.flatnonzero(positive)) == set(reached) - {goal}
    policy = hsr.greedy_policy(mdp, task_of(goal))
    assert_array_equal(policy[~positive], 1.0 / mdp.n_actions)


@given(with_goal(mdps()))
def test_goal_distances_are_those_of_a_plain_search(pair):
    mdp, goal = pair
    expected = steps_to(support(mdp), goal)
    assert goal_distances(mdp, goal).tolist() == [expected.get(s, -1) for s in range(mdp.n_states)]


@given(with_goal(mdps()))
def test_a_start_that_cannot_reach_the_goal_is_refused(pair):
    mdp, goal = pair
    reached = steps_to(support(mdp), goal)
    for start in range(mdp.n_states):
        task = hsr.GoalTask(start=start, goal=goal)
        if start in reached:
            assert check_task(mdp, task) is task
        else:
            with raises(f"task.goal {goal} cannot be reached from task.start {start}"):
                hsr.optimal_value(mdp, task)


def test_with_discount_zero_only_the_last_step_counts():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.0)
    assert hsr.optimal_value(mdp, task_of(4)).tolist() == [0.0, 0.0, 0.0, 1.0, 0.0]
    policy = hsr.greedy_policy(mdp, task_of(4))
    assert policy[3].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert policy[0].tolist() == [0.25] * 4


@pytest.mark.parametrize("slip", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("discount", [0.9, 0.999, 0.99999])
def test_ties_in_a_slippery_square_have_the_symmetry_of_the_square(slip, discount):
    n = 9
    layout = hsr.GridLayout(np.zeros((n, n), dtype=bool))
    mdp = hsr.grid_mdp(layout, discount=discount, slip=slip)
    policy = hsr.greedy_policy(mdp, task_of(layout.state_at(4, 4))).reshape(n, n, 4)
    upside_down = policy[::-1][:, :, [2, 1, 0, 3]]
    across_the_diagonal = policy.transpose(1, 0, 2)[:, :, [3, 2, 1, 0]]
    assert_array_equal(policy, upside_down)
    assert_array_equal(policy, across_the_diagonal)
    assert policy[0, 0].tolist() == [0.0, 0.5, 0.5, 0.0]


@cache
def row_of_five():
    return hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)


def greedy(**how):
    return hsr.greedy_policy(row_of_five(), task_of(0), **{"ties": "random", **how})


@cases(
    "call, name, bad",
    {
        "ties": (greedy, "ties", bad_choices(GREEDY_TIES)),
        "seed": (greedy, "seed", bad_counts(0, None)),
        "goal": (lambda goal: hsr.GoalTask(0, goal), "goal", bad_counts(0)),
        "start": (lambda start: hsr.GoalTask(start, 0), "start", bad_counts(0)),
    },
)
def test_bad_arguments_are_refused(call, name, bad):
    assert_refused(call, name, bad)


@cases(
    "task, says",
    {
        "number": (0, "task is 0; it must be a GoalTask"),
        "goal": (hsr.GoalTask(None, 5), r"task.goal is 5; it must lie in 0\.\.4"),
        "start": (hsr.GoalTask(9, 0), r"task.start is 9; it must lie in 0\.\.4"),
    },
)
def test_tasks_of_another_mdp_are_refused(task, says):
    with raises(says):
        hsr.optimal_value(row_of_five(), task)


def test_every_goal_is_one_task_per_state():
    assert hsr.goal_tasks(row_of_five()) == [task_of(goal) for goal in range(5)]


@st.composite
def stopping_problems(draw):
    """(mdp, reward): an MDP with a reward of either sign per state and action, in eighths."""
    mdp = draw(mdps(max_states=6, max_actions=3))
    return mdp, draw(tables((mdp.n_states, mdp.n_actions), st.integers(-8, 8))) / 8.0


@given(stopping_problems(), st.booleans())
def test_best_action_values_of_any_reward_are_the_exact_ones(problem, may_stop):
    mdp, reward = problem
    rewards = [[Fraction(float(r)) for r in row] for row in reward]
    _, q = best_values(exact_rows(mdp), rewards, mdp.discount, may_stop=may_stop)
    matrices = [mdp.transition_of(action) for action in range(mdp.n_actions)]
    for unit in (1.0, 2.0**-30):
        found = best_action_values(matrices, unit * reward, mdp.discount, may_stop=may_stop) / unit
        # Values reach 100; improvements below 1e-12 of that are not looked for, and 0.99 can add
        # them up a hundred times.
        assert_allclose(found, as_floats(q), rtol=1e-10, atol=1e-9)


def quick_values(P, reward, discount, **how):
    """Return the best action values; fail, instead of hanging, after two seconds."""

    def give_up(*_):
        raise AssertionError("no answer within 2 s")

    former = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 2.0)
    try:
        matrices = [sparse.csr_array(P[:, a]) for a in range(P.shape[1])]
        return best_action_values(matrices, reward, discount, **how)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, former)


@pytest.mark.parametrize("may_stop", [False, True])
@pytest.mark.parametrize("discount", [0.9, 0.99999])
def test_policy_iteration_ends_where_values_vanish_but_for_rounding(discount, may_stop):
    # Tenths are not exact in binary: where rewards cancel, a value of 0 is computed as 1e-17 or so
    # of either sign, and no relative margin tells that from an improvement.
    rng = np.random.default_rng(0)
    for _ in range(100):
        n, n_actions = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        first, second = (np.eye(n)[rng.integers(0, n, (n, n_actions))] for _ in range(2))
        P, reward = (first + second) / 2.0, rng.integers(-3, 4, (n, n_actions)) / 10.0
        q = quick_values(P, reward, discount, may_stop=may_stop)
        v = np.maximum(q.max(axis=1), 0.0) if may_stop else q.max(axis=1)
        # Values reach 0.3 / (1 - g): 1e-10 of that is far above rounding and far below a tenth.
        assert_allclose(q, reward + discount * P @ v, rtol=0, atol=0.3e-10 / (1.0 - discount))


def test_policy_iteration_ends_in_three_states_at_discount_09():
    first, second = [[2, 0, 2], [0, 0, 1], [0, 0, 0]], [[2, 0, 2], [2, 0, 1], [0, 2, 2]]
    reward = np.array([[-0.2, -0.3, 0.1], [0.0, -0.2, -0.1], [-0.1, -0.3, -0.3]])
    q = quick_values((np.eye(3)[first] + np.eye(3)[second]) / 2.0, reward, 0.9)
    # 0 and 2 pay each other 0.1 in turn: v0 = 0.1 + 0.9 v2 and v2 = -0.1 + 0.9 v0, so v0 = 0.1 /
    # 1.9 = -v2, and v1 = 0.
    assert_allclose(q.max(axis=1), [0.1 / 1.9, 0.0, -0.1 / 1.9], rtol=0, atol=1e-12)


@st.composite
def landscapes(draw):
    """(mdp, v, discount): a deterministic world and heights in eighths, so that many states tie."""
    mdp = draw(deterministic_mdps(max_states=7, max_actions=4))
    heights = draw(tables((mdp.n_states,), st.integers(-8, 8))) / 8.0
    return mdp, heights, draw(st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999]))


def run_climb(successors, v, discount):
    policy = np.full(v.size, -1, dtype=np.int32)
    stop = np.zeros(v.size, dtype=bool)
    by_height = np.argsort(v, kind="stable")
    climb(successors, *predecessors(successors), v, by_height, discount, STOP, policy, stop)
    return policy, stop


@given(landscapes())
def test_climb_is_optimal_with_free_stopping(problem):
    mdp, v, discount = problem
    rows = exact_rows(mdp)
    heights = [Fraction(float(height)) for height in v]
    rewards = [
        [sum(p * heights[t] for t, p in row.items()) - heights[s] for row in rows[s]]
        for s in range(mdp.n_states)
    ]
    _, q = best_values(rows, rewards, discount, may_stop=True)
    policy, stop = run_climb(mdp.successors, v, discount)
    # Heights are eighths below 1 in size, so a value is 0 or far from the stopping tolerance of
    # 1e-10, and kernel rounding
    # (1e-15) is far below the tie margin of 1e-13 (or a quarter of (1 - g) 1e-10).
    for s, row in enumerate(q):
        assert stop[s] == (max(row) <= STOP)
        tied = [float(max(row) - value) < 1e-14 for value in row]
        assert policy[s] == tied.index(True)


@pytest.mark.parametrize("discount", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [20, 100])
def test_climb_on_rough_ground_has_the_values_of_slow_value_iteration(n, discount):
    rng = np.random.default_rng(n)
    for _ in range(20):
        successors = rng.integers(0, n, (n, 2)).astype(np.int32)
        heights = rng.standard_normal(n)
        worth = np.zeros(n)
        # The error shrinks by the discount with each sweep: 0.99^4000 is 3e-18.
        for _ in range(4000 if discount > 0.9 else 400):
            q = heights[successors] - heights[:, None] + discount * worth[successors]
            worth = np.maximum(q.max(axis=1), 0.0)
        policy, stop = run_climb(successors, heights, discount)
        # Heights without ties: the best action is alone by far more than the kernel's rounding.
        assert_array_equal(stop, worth < STOP)
        assert_allclose(q[np.arange(n), policy], q.max(axis=1), rtol=0, atol=1e-12)


@pytest.mark.parametrize("discount", [0.9, 0.99999])
@pytest.mark.parametrize("rise", [0.1, 1e-4, 1e-8])
def test_climb_ends_from_everywhere_when_waiting_costs_next_to_nothing(discount, rise):
    rng = np.random.default_rng(0)
    for _ in range(150):
        n = int(rng.integers(2, 12))
        successors = rng.integers(0, n, (n, 3)).astype(np.int32)
        policy, stop = run_climb(successors, 0.1 + rise * rng.integers(0, 5, n), discount)
        ahead = np.where(stop, np.arange(n), successors[np.arange(n), policy])
        reached = np.arange(n)
        for _ in range(n):
            reached = ahead[reached]
        assert stop[reached].all()


def test_climb_stops_on_peaks_and_plateaus_and_crosses_a_dip_that_pays():
    # Heights along a corridor; from the peak at 2 the higher peak at 5 is worth the way only if the
    # future counts.
    v = np.array([0.0, 1.0, 2.0, 1.5, 1.5, 4.0, 4.0])
    successors = np.clip(np.arange(7)[:, None] + [-1, 1], 0, 6).astype(np.int32)
    # From 2 to the right: -0.5 + 0.9 * 0 + 0.81 * 2.5 = 1.525 > 0.
    policy, stop = run_climb(successors, v, 0.9)
    assert stop.tolist() == [False] * 5 + [True, True]
    assert policy[:5].tolist() == [1, 1, 1, 1, 1]
    # With 0.25 the same way is worth -0.5 + 0.0625 * 2.5 < 0, and the state behind the dip (3) goes
    # on to 5: 0.25 * 2.5 > 0.5.
    policy, stop = run_climb(successors, v, 0.25)
    assert stop.tolist() == [False, False, True, False, False, True, True]
    assert policy[3] == 1


@pytest.mark.parametrize("discount", [0.9, 0.99])
def test_slippery_four_rooms_has_the_values_of_slow_value_iteration(discount):
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=discount, slip=0.3)
    transition = mdp.toarray()
    for goal in (0, 51, 103):
        inside = np.arange(mdp.n_states) != goal
        v = np.zeros(mdp.n_states)
        # The error shrinks by the discount with each sweep: 0.99^4000 is 3e-18.
        for _ in range(4000):
            v = inside * (transition @ (discount * inside * v) + transition[:, :, goal]).max(axis=1)
        assert_allclose(hsr.optimal_value(mdp, task_of(goal)), v, **CLOSE)


@given(with_goal(mdps()), st.sampled_from(["uniform", "first", "random"]))
def test_greedy_policy_is_worth_the_optimal_value(pair, ties):
    mdp, goal = pair
    policy = hsr.greedy_policy(mdp, task_of(goal), ties=ties, seed=3)
    assert_allclose(policy.sum(axis=1), 1.0, rtol=1e-15)
    best, _ = best_goal_values(mdp, goal)
    # Ties are cut at a factor of 1e-9, which a discount of 0.99 can add up to 1e-7.
    assert_allclose(value_of(mdp, policy, goal), as_floats(best), rtol=1e-7, atol=1e-15)


def value_of(mdp, policy, goal):
    """E[g^(T - 1)] under a policy, by one dense solve of its definition."""
    P = np.einsum("sa,sat->st", policy, mdp.toarray())
    enters = P[:, goal].copy()
    P[goal], P[:, goal], enters[goal] = 0.0, 0.0, 0.0
    return np.linalg.solve(np.eye(mdp.n_states) - mdp.discount * P, enters)
