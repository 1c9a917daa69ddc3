"""Learning by temporal differences: against the closed forms, and step by step against the printed
update rules.
"""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.oracles.agent_worlds import two_rooms
from tests.oracles.dense_options import learn_hsr_plainly, learn_sr_plainly
from tests.oracles.random_tasks import task_ending


def fractional_options(mdp):
    """Return three options: deterministic, with random stopping, and with a random policy, too."""
    rng = np.random.default_rng(4)
    policy = rng.dirichlet(np.ones(mdp.n_actions), size=(3, mdp.n_states))
    policy[0] = np.eye(mdp.n_actions)[1]
    beta = rng.uniform(0.2, 0.9, size=(3, mdp.n_states))
    beta[0] = rng.random(mdp.n_states) < 0.5
    beta[0, mdp.transition_of(1).diagonal() > 0.5] = 1.0  # where moving right only bumps
    return hsr.OptionSet(policy, beta)


def random_mu(model, seed=0):
    """Return a random policy over the available choices."""
    shape = (model.mdp.n_states, model.n_choices)
    weights = np.random.default_rng(seed).uniform(size=shape) * model.available.T
    return weights / weights.sum(axis=1, keepdims=True)


def case(kind, slip, with_goal, primitives):
    """Return (mdp, options, model, mu, task) of one setting."""
    mdp = two_rooms(slip)
    options = hsr.eigenoptions(mdp, 4, signs="both") if kind == "eigen" else fractional_options(mdp)
    if kind == "eigen" and not primitives:
        options = hsr.OptionSet(options.policy, options.termination)
    task = task_ending(mdp, {True: mdp.n_states - 1, False: None}.get(with_goal, with_goal))
    model = hsr.option_model(mdp, options, primitives=primitives, task=task)
    return mdp, options, model, random_mu(model), task


CASES = [
    ("eigen", 0.0, False, True),
    ("eigen", 0.0, True, True),
    ("eigen", 0.2, True, False),
    ("fractional", 0.0, False, False),
    ("fractional", 0.2, False, True),
    ("fractional", 0.2, True, True),
    ("fractional", 0.2, (0, 3), True),
]


# The update rules, step by step. Both sides do the same sums in another order, a few hundred times:
# 1e-12.


@pytest.mark.parametrize("slip", [0.0, 0.2])
@pytest.mark.parametrize("goal", [None, 4, [0, 3]], ids=["endless", "goal", "two ends"])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_learn_sr_is_equation_2_along_the_same_random_stream(slip, goal, decay):
    mdp = two_rooms(slip)
    pi = np.random.default_rng(1).dirichlet(np.ones(4), size=mdp.n_states)
    pi[0] = [0, 1, 0, 0]
    task = task_ending(mdp, goal)
    learned = hsr.learn_sr(mdp, pi, steps=2500, learning_rate=0.2, decay=decay, task=task, seed=11)
    plain = learn_sr_plainly(
        mdp, pi, np.random.default_rng(11), steps=2500, learning_rate=0.2, decay=decay, goal=goal
    )
    assert_allclose(learned, plain, rtol=0, atol=1e-12)
    assert np.abs(learned - np.eye(mdp.n_states)).max() > 0.5


@pytest.mark.parametrize(("kind", "slip", "with_goal", "primitives"), CASES)
@pytest.mark.parametrize("steps", [1, 7, 2500])
def test_learn_hsr_is_equation_8_along_the_same_random_stream(
    kind, slip, with_goal, primitives, steps
):
    mdp, options, model, mu, task = case(kind, slip, with_goal, primitives)
    learned = hsr.learn_hsr(
        mdp, options, mu, steps=steps, learning_rate=0.2, decay=0.05, task=task, seed=12
    )
    plain = learn_hsr_plainly(
        mdp, options, mu, np.random.default_rng(12), steps=steps, learning_rate=0.2, decay=0.05,
        primitives=primitives, goal=np.flatnonzero(model.terminal),
    )  # fmt: skip
    assert_allclose(learned, plain, rtol=0, atol=1e-12)
    if steps == 2500:
        assert np.abs(learned - np.eye(mdp.n_states)).max() > 0.3


@pytest.mark.parametrize("goal", [None, 4, [0, 3]], ids=["endless", "goal", "two ends"])
@pytest.mark.parametrize("d", [1, 3, 11])
def test_features_take_the_place_of_single_states_in_both_rules(goal, d):
    mdp, options, _, mu, _ = case("fractional", 0.2, goal is not None, True)
    phi = np.random.default_rng(d).normal(size=(mdp.n_states, d))
    task = task_ending(mdp, goal)
    how = {"steps": 2500, "learning_rate": 0.2, "decay": 0.05}
    given, plainly = {**how, "task": task, "seed": 13}, {**how, "goal": goal, "features": phi}
    pi, rng = hsr.uniform_policy(mdp), np.random.default_rng
    for learned, plain in (
        (hsr.learn_sr(mdp, features=phi, **given), learn_sr_plainly(mdp, pi, rng(13), **plainly)),
        (
            hsr.learn_hsr(mdp, options, mu, features=phi, **given),
            learn_hsr_plainly(mdp, options, mu, rng(13), **plainly),
        ),
    ):
        assert learned.shape == phi.shape
        assert_allclose(learned, plain, rtol=0, atol=1e-12)
        assert np.abs(learned - phi).max() > 0.5


def test_one_hot_features_give_the_bytes_of_the_map():
    mdp, options, _, mu, task = case("fractional", 0.2, True, True)
    how = {"steps": 5000, "learning_rate": 0.2, "task": task, "seed": 3}
    for learn in (partial(hsr.learn_sr, mdp), partial(hsr.learn_hsr, mdp, options, mu)):
        for initial_map in ("identity", "zero"):
            M = learn(initial_map=initial_map, **how)
            psi = learn(initial_map=initial_map, features=np.eye(mdp.n_states), **how)
            assert_array_equal(psi, M)


# Convergence. With decay 1 a row is the average of its samples, so errors fall at least like
# steps^-(1 - discount) and, for the
# parameters here, about like 1 / sqrt(steps): a hundred times the steps must divide the mean error
# by at least 4.


def check_error_falls(learn, exact, **how):
    """Assert that the error of a learned map falls with steps and is small in the end, over three
    seeds.
    """
    how = {"learning_rate": 1.0, "decay": 0.1, **how}
    early, late = (
        np.mean([np.abs(learn(steps=n, seed=seed, **how) - exact).mean() for seed in range(3)])
        for n in (20_000, 2_000_000)
    )
    assert late < early / 4.0
    # The spread over seeds is itself below 0.2 of the error; the map's own scale is its mean entry.
    assert late < 0.02 * exact.mean()


@pytest.mark.parametrize("with_goal", [False, True], ids=["continuing", "goal"])
@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_learn_sr_converges_to_the_closed_form(slip, with_goal):
    mdp = two_rooms(slip)
    pi = np.random.default_rng(1).dirichlet(np.ones(4), size=mdp.n_states)
    task = hsr.GoalTask(start=None, goal=4) if with_goal else None
    exact = hsr.successor_representation(mdp, pi, task=task).toarray()
    check_error_falls(partial(hsr.learn_sr, mdp, pi), exact, task=task)


@pytest.mark.parametrize(("kind", "slip", "with_goal", "primitives"), CASES)
def test_learn_hsr_converges_to_the_closed_form(kind, slip, with_goal, primitives):
    mdp, options, model, mu, task = case(kind, slip, with_goal, primitives)
    exact = hsr.hierarchical_sr(model, mu).toarray()
    check_error_falls(partial(hsr.learn_hsr, mdp, options, mu), exact, task=task)


@pytest.mark.parametrize("with_goal", [False, True], ids=["continuing", "goal"])
def test_learned_successor_features_lie_within_their_standard_error_of_the_exact_ones(with_goal):
    """20 independent runs; 5 standard errors of their mean, plus a bias below 0.01."""
    mdp, options, model, mu, task = case("fractional", 0.2, with_goal, True)
    phi = np.random.default_rng(0).uniform(-1.0, 1.0, size=(mdp.n_states, 3))
    how = {"steps": 50_000, "learning_rate": 1.0, "decay": 0.1, "initial_map": "zero"}
    how |= {"task": task, "features": phi}
    for learn, exact in (
        (partial(hsr.learn_sr, mdp), hsr.successor_features(mdp, None, phi, task=task)),
        (partial(hsr.learn_hsr, mdp, options, mu), hsr.successor_features(model, mu, phi)),
    ):
        runs = [learn(seed=seed, **how) for seed in range(20)]
        error = np.std(runs, axis=0, ddof=1) / np.sqrt(20)
        assert (np.abs(np.mean(runs, axis=0) - exact.toarray()) < 5.0 * error + 0.01).all()
        assert error.max() < 0.05


def test_learned_entries_lie_within_their_standard_error_of_the_closed_form():
    """40 independent runs give the mean of each entry and its standard error; 5 of them, plus a
    bias below 0.005.
    """
    mdp, options, model, mu, _ = case("fractional", 0.2, False, True)
    exact = hsr.hierarchical_sr(model, mu).toarray()
    runs = [
        hsr.learn_hsr(mdp, options, mu, steps=50_000, learning_rate=1.0, decay=0.1, seed=seed)
        for seed in range(40)
    ]
    error = np.std(runs, axis=0, ddof=1) / np.sqrt(40)
    assert (np.abs(np.mean(runs, axis=0) - exact) < 5.0 * error + 0.005).all()
    assert error.max() < 0.02


def test_an_option_that_never_stops_does_not_keep_the_rest_from_being_learned():
    """It runs into a wall and stays there: its visits are a geometric series, known once what
    follows weighs nothing.
    """
    mdp = two_rooms()
    options = hsr.OptionSet(np.full((1, mdp.n_states), 1), np.zeros((1, mdp.n_states)))
    model = hsr.option_model(mdp, options)
    mu = np.full((mdp.n_states, 5), 0.2)
    exact = hsr.hierarchical_sr(model, mu).toarray()
    learned = hsr.learn_hsr(mdp, options, mu, steps=2_000_000, learning_rate=1.0, decay=0.1, seed=0)
    error = float(np.abs(learned - exact).mean())
    assert error < 0.1 * float(exact.mean())


def test_where_nothing_is_left_to_chance_the_learned_map_becomes_exact():
    """A greedy plan in a deterministic MDP has no sampling noise, so a constant step size
    converges geometrically.
    """
    mdp, task = two_rooms(), hsr.GoalTask(start=None, goal=0)
    options, how = hsr.eigenoptions(mdp, 2), {"steps": 100_000, "learning_rate": 0.5, "seed": 0}
    model = hsr.option_model(mdp, options, task=task)
    mu = hsr.plan_over_options(model, task, ties="random", seed=2)
    pi = hsr.greedy_policy(mdp, task, ties="first")
    for learned, exact in (
        (hsr.learn_hsr(mdp, options, mu, task=task, **how), hsr.hierarchical_sr(model, mu)),
        (hsr.learn_sr(mdp, pi, task=task, **how), hsr.successor_representation(mdp, pi, task=task)),
    ):
        assert_allclose(learned, exact.toarray(), rtol=0, atol=1e-12)


def test_the_fixed_point_of_the_goal_row_is_the_goal_alone_whatever_the_start():
    mdp = two_rooms()
    task = hsr.GoalTask(start=None, goal=3)
    for initial_map in ("identity", "zero"):
        M = hsr.learn_sr(
            mdp, steps=20_000, learning_rate=0.1, initial_map=initial_map, task=task, seed=0
        )
        assert_allclose(M[3], np.eye(mdp.n_states)[3], atol=1e-12)
    assert_array_equal(hsr.learn_sr(mdp, steps=0, initial_map="zero"), 0.0)
    assert_array_equal(hsr.learn_sr(mdp, steps=0), np.eye(mdp.n_states))


def test_rows_of_a_map_learned_from_zero_never_sum_to_more_than_the_whole_time():
    """Each update is an average of the old row and of a target whose sum is at most 1 / (1 - g)."""
    mdp, options, _, mu, _ = case("fractional", 0.2, False, True)
    for steps in (10, 1000, 100_000):
        M = hsr.learn_hsr(
            mdp, options, mu, steps=steps, learning_rate=0.3, initial_map="zero", seed=steps
        )
        assert M.min() >= 0.0
        assert M.sum(axis=1).max() <= 1.0 / (1.0 - 0.8) + 1e-12


@pytest.mark.filterwarnings("ignore:.*2 parts")
def test_parts_of_a_map_are_all_visited():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..#.."), discount=0.5)
    learned = hsr.learn_sr(mdp, steps=200_000, learning_rate=1.0, decay=0.1, seed=0)
    assert_allclose(learned, hsr.successor_representation(mdp).toarray(), atol=0.01)


@pytest.mark.parametrize("kind", ["sr", "hsr"])
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(kind):
    mdp, options, _, mu, _ = case("fractional", 0.2, False, True)
    learn = partial(hsr.learn_sr, mdp) if kind == "sr" else partial(hsr.learn_hsr, mdp, options, mu)
    rng = np.random.default_rng(3)
    # A generator is used up, not copied.
    first, same, own, after, other = (
        learn(steps=500, seed=s).tobytes() for s in (3, 3, rng, rng, 4)
    )
    assert first == same == own
    assert len({first, after, other}) == 3
