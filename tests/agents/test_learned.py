"""Options and plans learned by Q-learning: step by step against the rule, by hand, and against what
planning finds.
"""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import hsr
from hsr.agents.learned import climbing_values, learn_options, learn_plans
from hsr.mdp.solvers import best_action_values
from tests.oracles.agent_worlds import FOUR_ROOMS, two_rooms
from tests.oracles.plain_pseudo import climb_plainly


@cache
def rooms_13():
    return two_rooms()


@cache
def four_rooms_mdp():
    return hsr.grid_mdp(FOUR_ROOMS, discount=0.9)


GOOD = hsr.GoalTask(None, 0)


def chain(n, discount=0.5):
    """Return a row of n states in which action 0 goes left and action 1 goes right, or stays at the
    ends.
    """
    table = np.clip(np.arange(n)[:, None] + [-1, 1], 0, n - 1)
    return hsr.FiniteMDP.from_successors(table, discount=discount)


def exact_values(mdp, v):
    """Return the exact q (S, A) of climbing v with the right to stop."""
    matrices = [sparse.csr_array(mdp.transition_of(a)) for a in range(mdp.n_actions)]
    rewards = np.stack([P @ v - v for P in matrices], axis=1)
    return best_action_values(matrices, rewards, mdp.discount, may_stop=True)


def climb(mdp, v, learning_rate, epsilon, *, steps, seed=0, rule=climbing_values, **how):
    """Return (q, tried) learned by climbing v at the discount of the MDP, or at another."""
    how = {"discount": mdp.discount, "learning_rate": learning_rate, "epsilon": epsilon, **how}
    return rule(mdp, v, np.random.default_rng(seed), steps=steps, **how)


def value_of_option(mdp, v, option):
    """Return what an option collects of the pseudo-reward from each state, by one dense solve."""
    P = mdp.toarray()[np.arange(mdp.n_states), option.policy]
    r = P @ v - v
    P[option.termination == 1.0], r[option.termination == 1.0] = 0.0, 0.0
    return np.linalg.solve(np.eye(mdp.n_states) - mdp.discount * P, r)


def walk_landscapes(mdp, n):
    """Return the walk's eigenvectors after the first, scaled to a largest magnitude of 1, of shape
    (S, n).
    """
    vectors = hsr.options.map_vectors(hsr.successor_representation(mdp), n)
    return vectors / np.abs(vectors).max(axis=0)


def rough(n_states=13, seed=5):
    """Return a landscape with many peaks."""
    return np.random.default_rng(seed).uniform(-1.0, 1.0, n_states)


# The rule, step by step. Both sides do the same sums in the same order: bit for bit.


@pytest.mark.parametrize("slip", [0.0, 0.2])
@pytest.mark.parametrize(
    ("learning_rate", "epsilon", "discount"), [(0.3, 0.1, 0.8), (1.0, 0.0, 0.95), (0.05, 1.0, 0.0)]
)
@pytest.mark.parametrize("steps", [1, 10, 4000])
def test_the_kernel_is_the_plain_rule_along_the_same_random_stream(
    slip, learning_rate, epsilon, discount, steps
):
    mdp = two_rooms(slip, discount)
    (q, tried), (plain, visited) = (
        climb(mdp, rough(), learning_rate, epsilon, steps=steps, seed=[3, 1], rule=rule)
        for rule in (climbing_values, climb_plainly)
    )
    assert_array_equal(q, plain)
    assert_array_equal(np.flatnonzero(tried), np.unique(visited))
    assert steps < 4000 or (np.abs(q).max() > 0.5 and tried.all())


def test_a_run_of_a_thousand_steps_starts_again():
    """Where leaving takes two thousand steps on average, most runs are cut off, and another limit
    gives another q.
    """
    mdp = hsr.FiniteMDP([[[0.9995, 0.0005]], [[0.0, 1.0]]], discount=0.99)
    problem, how = (mdp, np.array([-1.0, 1.0]), 0.1, 0.0), {"steps": 40_000}
    q, _ = climb(*problem, **how)
    for longest, same in ((999, False), (1000, True), (1001, False)):
        plain, _ = climb(*problem, rule=climb_plainly, longest=longest, **how)
        assert np.array_equal(q, plain) == same


# By hand


def learn_by_hand(v, discount):
    """Return q of a chain learned at rate 1, which is exact as soon as every action has been taken
    often enough.
    """
    return climb(chain(len(v), discount), np.array(v), 1.0, 0.5, steps=1000)[0]


def test_two_states_by_hand():
    """Up is worth 2. Staying below delays that by one step; leaving the top costs 2 and wins back
    half of it.
    """
    assert_array_equal(learn_by_hand([-1.0, 1.0], 0.5), [[1.0, 2.0], [-1.0, 0.0]])


def test_a_valley_is_crossed_where_the_far_side_is_worth_it_and_not_where_it_is_not():
    """Down costs 1/2 and up pays 1, a step later: -0.5 + 0.9 = 0.4 crosses, -0.5 + 0.4 = -0.1 does
    not.
    """
    v = [0.5, 0.0, 1.0]
    how = {"vectors": np.array([v]).T, "learning_rate": 1.0, "steps": 1000}
    for discount, q, ends in (
        (0.9, [[0.36, 0.4], [0.86, 1.0], [-0.1, 0.0]], [0, 0, 1]),
        (0.4, [[0.0, -0.1], [0.5, 1.0], [-0.6, 0.0]], [1, 0, 1]),
    ):
        assert_allclose(learn_by_hand(v, discount), q, rtol=0, atol=1e-15)
        options = learn_options(chain(3, 0.7), 1, discount=discount, **how)
        assert_array_equal(options.termination, [ends])
        assert_array_equal(options.initiation, options.termination == 0)
        assert_array_equal(options.policy[options.initiation], 1)
        by_default = learn_options(chain(3, discount), 1, **how)
        assert by_default.termination[0, 0] == ends[0]


# Convergence


@pytest.mark.parametrize("seed", range(10))
def test_in_a_deterministic_world_values_never_exceed_the_exact_ones_and_reach_them(seed):
    """Each update is an average with a target that is at most the exact value; rounding of a few
    sums gives 1e-14.
    """
    rng = np.random.default_rng(seed)
    mdp = hsr.FiniteMDP.from_successors(rng.integers(0, 15, size=(15, 3)), discount=0.9)
    v = rough(15, seed)
    exact = exact_values(mdp, v)
    for steps in (30, 300, 3000):
        q, _ = climb(mdp, v, 0.3, 0.1, steps=steps, seed=seed)
        assert (np.maximum(q, 0.0) <= np.maximum(exact, 0.0) + 1e-14).all()
    q, _ = climb(mdp, v, 1.0, 0.5, steps=20_000, seed=seed)
    assert_allclose(q, exact, rtol=0, atol=1e-13)


def test_in_a_slippery_world_a_smaller_rate_is_nearer_to_the_exact_values():
    """Jitter falls with the square root of the rate: from 0.1 to 0.001 by ten, and at least by
    five.
    """
    mdp = two_rooms(slip=0.2)
    exact = exact_values(mdp, rough())
    errors = [
        np.abs(climb(mdp, rough(), rate, 0.3, steps=steps)[0] - exact).mean()
        for rate, steps in ((0.1, 1_000_000), (0.001, 10_000_000))
    ]
    assert errors[1] < errors[0] / 5.0
    assert errors[1] < 0.005 * np.ptp(exact)


def check_optimal(mdp, options, landscapes, exact):
    """Assert that learned options end where the exact ones do and collect as much until then."""
    assert_array_equal(options.termination, exact.termination)
    assert_array_equal(options.initiation, exact.initiation)
    assert options.names == exact.names
    for v, *pair in zip(landscapes.T, options, exact, strict=True):
        values = [value_of_option(mdp, v, option) for option in pair]
        assert_allclose(*values, rtol=0, atol=1e-12)  # values of a few, by two solves


def test_with_the_default_settings_the_learned_options_of_the_four_rooms_are_the_exact_ones():
    check_optimal(
        four_rooms_mdp(),
        learn_options(four_rooms_mdp()),
        walk_landscapes(four_rooms_mdp(), 8),
        hsr.eigenoptions(four_rooms_mdp()),
    )


def test_the_slippery_options_end_where_the_exact_ones_do():
    mdp = hsr.grid_mdp(FOUR_ROOMS, discount=0.9, slip=0.1)
    learned = learn_options(mdp, 2, learning_rate=0.03, steps=5_000_000)
    exact = hsr.eigenoptions(mdp, 2)
    assert_array_equal(learned.termination, exact.termination)
    for v, *pair in zip(walk_landscapes(mdp, 2).T, learned, exact, strict=True):
        values = [value_of_option(mdp, v, option) for option in pair]
        # A rate of 0.03 leaves an error of 0.03 in q (measured), and choosing by such values costs
        # at most that per step.
        assert np.abs(values[0] - values[1]).max() < 0.03


# Seeds


def same(first, second):
    """Return whether two option sets are the same in every array."""
    parts = ("policy", "termination", "initiation")
    return all(np.array_equal(getattr(first, part), getattr(second, part)) for part in parts)


def test_the_same_seed_gives_the_same_options_and_another_seed_others():
    how = {"n_options": 4, "steps": 20_000}
    first = learn_options(four_rooms_mdp(), seed=1, **how)
    assert same(first, learn_options(four_rooms_mdp(), seed=1, workers=1, **how))
    assert not same(first, learn_options(four_rooms_mdp(), seed=2, **how))


def test_an_option_draws_from_its_own_stream_whatever_the_others():
    how = {"steps": 20_000, "learning_rate": 0.2, "epsilon": 0.3}
    few, options = (learn_options(four_rooms_mdp(), n, seed=7, **how) for n in (2, 4))
    assert_array_equal(few.policy, options.policy[:2])
    assert_array_equal(few.termination, options.termination[:2])
    for k, v in enumerate(walk_landscapes(four_rooms_mdp(), 4).T):
        q, _ = climb(four_rooms_mdp(), v, seed=[7, k], **how)
        assert_array_equal(options.policy[k], q.argmax(axis=1))
        assert_array_equal(options.termination[k], q.max(axis=1) <= 1e-10)


# Surprises and bad input


def test_states_that_were_never_tried_stop_and_a_warning_counts_them():
    mdp, v = chain(20), np.stack([rough(20, k) for k in range(4)], axis=1)
    how = {"steps": 60, "learning_rate": 0.1, "epsilon": 0.1}
    scaled = (v / np.abs(v).max(axis=0)).T
    tried = np.array([climb(mdp, x, seed=[0, k], **how)[1] for k, x in enumerate(scaled)])
    untried = (~tried).sum(axis=1)
    worst = int(untried.argmax())
    assert 0 < worst < 3
    assert untried.min() == 0
    words = (
        f"{(untried > 0).sum()} of 4 options never acted in some states, v{worst + 1} in the most: "
        f"{untried[worst]}, the first of them {np.flatnonzero(~tried[worst])[0]};"
    )
    with pytest.warns(hsr.HSRWarning, match=words) as seen:
        options = learn_options(mdp, 4, vectors=v, **how)
    assert seen[0].filename == __file__
    assert (options.termination[~tried] == 1.0).all()
    assert not options.initiation[~tried].any()


def test_a_map_in_parts_warns_and_an_option_is_learned_in_its_own_part_alone():
    with pytest.warns(hsr.HSRWarning, match="2 parts"):
        mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....#..."), discount=0.9)
    with pytest.warns(hsr.HSRWarning, match="2 parts") as seen:
        options = learn_options(mdp, 2, learning_rate=1.0, steps=20_000)
    assert seen[0].filename == __file__
    with pytest.warns(hsr.HSRWarning, match="2 parts"):
        assert_array_equal(options.termination, hsr.eigenoptions(mdp, 2).termination)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"n_options": 0}, "n_options is 0"),
        ({"signs": "negative"}, "signs is 'negative'"),
        ({"steps": 0}, "steps is 0"),
        ({"steps": 1.5}, "steps is 1.5"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0"),
        ({"learning_rate": 1.1}, "learning_rate is 1.1"),
        ({"epsilon": -0.1}, "epsilon is -0.1"),
        ({"discount": 1.0}, "discount is 1.0"),
        ({"seed": None}, "seed is None"),
        ({"vectors": np.ones((3, 1))}, r"vectors has shape \(3, 1\)"),
        ({"vectors": np.ones((13, 1))}, r"vectors\[:, 0\] is constant"),
        ({"vectors": np.eye(13, 1), "n_options": 2}, "vectors has 1 columns; 2 are needed"),
    ],
)
def test_what_options_cannot_be_learned_from_is_refused(changed, complaint):
    with pytest.raises(hsr.InputError, match=complaint):
        learn_options(rooms_13(), **{"n_options": 1, **changed})


# Plans


def value_of_plan(mdp, options, task, mu):
    """Return E[g^(T - 1)] of a plan from each state, zero at the goal: a map counts the goal once,
    when it is entered.
    """
    M = hsr.hierarchical_sr(hsr.option_model(mdp, options, task=task), mu)
    v = M.columns(task.goal) / mdp.discount
    v[task.goal] = 0.0
    return v


def test_plans_learned_at_rate_one_are_the_planned_ones_in_a_deterministic_world():
    """Values are then exact up to rounding, so that even the ties are those of planning."""
    options, tasks = hsr.eigenoptions(rooms_13(), 4, signs="both"), hsr.goal_tasks(rooms_13())
    plans = learn_plans(rooms_13(), options, tasks, episodes=5000, learning_rate=1.0, epsilon=0.5)
    assert len(plans) == len(tasks)
    for task, mu in zip(tasks, plans, strict=True):
        planned = hsr.plan_over_options(hsr.option_model(rooms_13(), options), task)
        assert_allclose(mu, planned, rtol=0, atol=1e-15)


@pytest.mark.parametrize("shape", ["state", "action", "transition"])
def test_plans_for_rewards_at_rate_one_are_optimal(shape):
    """Rewards of both signs, an end, and options that run through penalties."""
    mdp, options = rooms_13(), hsr.eigenoptions(rooms_13(), 4, signs="both")
    rng, n = np.random.default_rng(3), rooms_13().n_states
    size = {"state": (n,), "action": (n, 4), "transition": (n, 4, n)}[shape]
    tasks = [hsr.RewardTask(mdp, rng.integers(-3, 4, size), terminal=[k]) for k in (2, 7)]
    how = {"episodes": 5000, "horizon": 60, "learning_rate": 1.0, "epsilon": 0.5}
    plans = learn_plans(mdp, options, tasks, **how)
    model = hsr.option_model(mdp, options)
    for task, mu in zip(tasks, plans, strict=True):
        value = hsr.representation.policy_value(model, mu, task)
        assert_allclose(value, hsr.optimal_value(mdp, task), rtol=1e-9, atol=1e-9)
    assert_array_equal(plans[1], learn_plans(mdp, options, tasks[1:], **how)[0])


def test_plans_of_the_four_rooms_approach_the_planned_values():
    options, tasks = hsr.eigenoptions(four_rooms_mdp()), hsr.goal_tasks(four_rooms_mdp())[::13]
    best = np.array([hsr.optimal_value(four_rooms_mdp(), task) for task in tasks])
    ratios = []
    for episodes in (200, 2000, 20_000):
        pairs = zip(
            tasks, learn_plans(four_rooms_mdp(), options, tasks, episodes=episodes), strict=True
        )
        values = np.array([value_of_plan(four_rooms_mdp(), options, *pair) for pair in pairs])
        assert (values <= best + 1e-12).all()
        ratios.append((values[best > 0] / best[best > 0]).mean())
    # Measured 0.67, 0.92 and 0.98.
    assert ratios[0] < ratios[1] < ratios[2]
    assert ratios[2] > 0.97


def test_a_task_learns_the_same_alone_in_any_order_and_on_any_number_of_threads():
    mdp = two_rooms(slip=0.2)
    options, tasks = hsr.eigenoptions(mdp, 2), hsr.goal_tasks(mdp)[:4]

    def plans_of(some, seed=3, **how):
        return np.array(learn_plans(mdp, options, some, episodes=20, seed=seed, **how))

    plans = plans_of(tasks)
    assert_array_equal(plans, plans_of(tasks[::-1], workers=1)[::-1])
    assert_array_equal(plans[2:3], plans_of(tasks[2:3]))
    assert (plans != plans_of(tasks, seed=4)).any()


def test_a_plan_is_greedy_for_the_values_that_train_learns_with_the_documented_seed():
    options, task = hsr.eigenoptions(rooms_13(), 2), hsr.GoalTask(None, 4)
    rates, how = {"learning_rate": 0.2, "epsilon": 0.3}, {"episodes": 30, "horizon": 5}
    (mu,) = learn_plans(rooms_13(), options, [task], seed=5, **rates, **how)
    seed = int(np.random.SeedSequence([5, 4]).generate_state(1, np.uint64)[0])
    agent = hsr.LinearQ("onehot", **rates)
    run = hsr.train(rooms_13(), [task], agent, options, seeds=[seed], keep_values=True, **how)
    q = run.values[0, 0].T.copy()
    q[:, 4:][~options.initiation.T] = -np.inf
    assert (mu[q < q.max(axis=1, keepdims=True) * (1.0 - 2e-9)] == 0.0).all()
    assert (mu[q == q.max(axis=1, keepdims=True)] > 0.0).all()


def test_where_nothing_was_learned_all_available_choices_tie():
    """One episode of one step, which does not reach the goal, teaches nothing."""
    options = hsr.point_options(rooms_13(), [0, 5])
    (mu,) = learn_plans(rooms_13(), options, [hsr.GoalTask(0, 12)], episodes=1, horizon=1)
    available = hsr.option_model(rooms_13(), options).available.T
    assert not available.all()
    assert_array_equal(mu, available / available.sum(axis=1, keepdims=True))


def test_a_task_with_a_start_learns_along_the_paths_from_there():
    tasks = [hsr.GoalTask(0, 3), hsr.GoalTask(4, 3)]
    far, near = learn_plans(chain(6, discount=0.9), None, tasks, learning_rate=1.0)
    assert_array_equal(far[:3], [[0.0, 1.0]] * 3)
    assert_array_equal(far[3:], 0.5)
    assert_array_equal(near[4], [1.0, 0.0])
    assert_array_equal(near[:4], 0.5)


def test_without_options_plans_are_policies_of_the_expected_sr():
    tasks = hsr.goal_tasks(rooms_13())
    plans = learn_plans(rooms_13(), None, tasks, episodes=5000, learning_rate=1.0, epsilon=0.5)
    learned, exact = (
        hsr.expected_sr(rooms_13(), tasks, **how).toarray() for how in ({"policies": plans}, {})
    )
    assert_allclose(learned, exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"options": "eigen"}, "options is str; it must be an OptionSet"),
        ({"tasks": []}, "tasks is"),
        ({"tasks": [GOOD, hsr.GoalTask(1, 1)]}, r"tasks\[1\] starts in its own goal"),
        ({"episodes": 0}, "episodes is 0"),
        ({"learning_rate": 2.0}, "learning_rate is 2.0"),
    ],
)
def test_what_plans_cannot_be_learned_from_is_refused(changed, complaint):
    given = {
        "options": hsr.eigenoptions(rooms_13(), 1),
        "tasks": hsr.goal_tasks(rooms_13()),
        **changed,
    }
    with pytest.raises(hsr.InputError, match=complaint):
        learn_plans(rooms_13(), **given)
