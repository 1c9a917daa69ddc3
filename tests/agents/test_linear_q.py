"""Linear Q-learning: step by step against a plain twin, and by hand."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.oracles.agent_worlds import (
    SETTINGS,
    UPDATES,
    WORLDS,
    check_twin,
    corridor,
    features_of,
    four_rooms,
    ride,
    slippery,
    two_rooms,
)
from tests.oracles.plain_linear_q import starts_of
from tests.oracles.random_mdps import mdps
from tests.oracles.random_options import option_sets

GRID = [
    (world, features, update)
    for world in WORLDS
    for features in ("onehot", "few", "many", "sr", "hsr")
    for update in UPDATES
    if (world, update) != ("fractional", "intra_option")  # refused: its policies are random
]


@pytest.mark.parametrize(("world", "features", "update"), GRID)
def test_every_step_is_that_of_the_plain_twin(world, features, update):
    mdp, options, tasks, horizon = WORLDS[world]()
    rows = features_of(features, mdp.n_states)
    forms = ("auto",) if features in ("sr", "hsr") else ("primal", "dual")
    map_updates = ("chosen", "passed") if features == "hsr" else ("chosen",)
    for map_update in map_updates:
        for seed in (0, 1, 2):
            settings = {**SETTINGS, "update": update, "map_update": map_update}
            if seed == 2:
                settings |= {"initial_map": "zero", "explore_with": "primitives"}
            agents = [hsr.LinearQ(rows, form=form, **settings) for form in forms]
            how = {"options": options, "agents": agents, "episodes": 4, "horizon": horizon}
            _, result = check_twin(mdp, tasks, seed, rows, settings, **how)
            assert np.abs(result.values).max() < 10.0


@pytest.mark.parametrize("world", WORLDS)
def test_the_twin_meets_what_it_is_there_to_judge(world):
    """Goals are reached and missed, and options used and ended in every way."""
    mdp, options, tasks, horizon = WORLDS[world]()
    how = {"options": options, "episodes": 4, "horizon": horizon}
    results = [check_twin(mdp, tasks, seed, "onehot", SETTINGS, **how)[1] for seed in range(3)]
    reached = np.array([result.terminated for result in results])
    assert reached.any(axis=(0, 2)).all()
    assert not reached.all()
    use = sum(result.choice_use.sum(axis=0) for result in results)
    assert (use > 0).all()
    lengths = [
        np.diff(np.append(np.flatnonzero(result.trajectory[:, 3]), len(result.trajectory)))
        for result in results
    ]
    assert max(map(max, lengths)) > 3


@pytest.mark.parametrize("world", ["four rooms", "slippery"])
@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
def test_without_options_every_step_is_that_of_the_plain_twin(world, features):
    mdp, _, tasks, horizon = WORLDS[world]()
    rows = features_of(features, mdp.n_states)
    for update in UPDATES:
        settings = {**SETTINGS, "update": update}
        check_twin(mdp, tasks, 5, rows, settings, episodes=4, horizon=horizon)


@pytest.mark.parametrize("tie_tolerance", [0.0, 0.05, 10.0])
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_ties_and_exploration_at_their_extremes_are_those_of_the_plain_twin(tie_tolerance, epsilon):
    mdp, options, tasks, horizon = slippery()
    settings = {**SETTINGS, "tie_tolerance": tie_tolerance, "epsilon": epsilon}
    how = {"options": options, "episodes": 10, "horizon": horizon}
    run, _ = check_twin(mdp, tasks, 3, "onehot", settings, **how)
    assert run.terminated.any()


@pytest.mark.parametrize("world", ["four rooms", "fractional, certain"])
@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
def test_without_discount_for_the_future_every_step_is_that_of_the_plain_twin(world, features):
    """A discount of zero: only a step into the goal is worth anything, and 0^0 = 1."""
    mdp, options, tasks, horizon = WORLDS[world]()
    blind = hsr.FiniteMDP(mdp.toarray(), discount=0.0)
    rows = features_of(features, mdp.n_states)
    for update in UPDATES:
        settings = {**SETTINGS, "update": update}
        check_twin(blind, tasks, 1, rows, settings, options=options, episodes=4, horizon=horizon)


@pytest.mark.parametrize("slip", [0.0, 0.3])
@pytest.mark.parametrize("update", UPDATES)
def test_options_that_never_stop_are_those_of_the_plain_twin(slip, update):
    """They run into a wall and stay there until the horizon, or into the goal."""
    mdp = two_rooms(slip)
    policy = np.repeat([[1], [2], [0]], mdp.n_states, axis=1)
    options = hsr.OptionSet(
        policy, np.zeros(policy.shape), np.random.default_rng(0).random(policy.shape) < 0.4
    )
    tasks = [hsr.GoalTask(0, 12), hsr.GoalTask(None, 4)]
    for features, map_update in (("onehot", "chosen"), ("hsr", "chosen"), ("hsr", "passed")):
        settings = {**SETTINGS, "update": update, "map_update": map_update}
        for seed in range(3):
            check_twin(
                mdp, tasks, seed, features, settings, options=options, episodes=8, horizon=15
            )


@st.composite
def callings(draw):
    """Return a strategy of (mdp, options, tasks, settings, seed, horizon), all small."""
    mdp = draw(mdps())
    options = draw(option_sets(mdp, draw(st.sampled_from(("certain", "fractional", "stochastic")))))
    update = draw(st.sampled_from(UPDATES if options.actions is not None else UPDATES[:3]))
    settings = {
        "update": update,
        "map_update": draw(st.sampled_from(("chosen", "passed"))),
        "explore_with": draw(st.sampled_from(("choices", "primitives"))),
        "initial_map": draw(st.sampled_from(("identity", "zero"))),
        "epsilon": draw(st.sampled_from((0.0, 0.3, 1.0))),
        "learning_rate": draw(st.sampled_from((0.05, 0.5))),
        "map_learning_rate": draw(st.sampled_from((0.1, 1.0))),
    }
    goals = [g for g in range(mdp.n_states) if starts_of(mdp, hsr.GoalTask(None, g))]
    assume(goals)
    tasks = []
    for _ in range(draw(st.integers(1, 2))):
        goal = draw(st.sampled_from(goals))
        tasks.append(
            hsr.GoalTask(
                draw(st.none() | st.sampled_from(starts_of(mdp, hsr.GoalTask(None, goal)))), goal
            )
        )
    return mdp, options, tasks, settings, draw(st.integers(0, 9)), draw(st.integers(1, 12))


@given(callings(), st.sampled_from(("onehot", "few", "sr", "hsr")))
def test_in_any_small_world_every_step_is_that_of_the_plain_twin(calling, features):
    """With options that never stop, stop at once or are never available, and absorbing states."""
    mdp, options, tasks, settings, seed, horizon = calling
    rows = features_of(features, mdp.n_states)

    def judge(result):
        assume(result.status == "ok" and np.abs(result.values).max() < 100.0)

    how = {"options": options, "judge": judge, "episodes": 4, "horizon": horizon}
    check_twin(mdp, tasks, seed, rows, settings, **how)


def test_fitted_bases_are_their_features():
    mdp, options, tasks, horizon = four_rooms()
    M = hsr.successor_representation(mdp)
    svd, rows, onehot = (
        basis.fit(M)
        for basis in (hsr.SVDBasis(12), hsr.RowBasis(scale="unit_rows"), hsr.OneHotBasis())
    )
    pairs = [(basis, basis.features_) for basis in (svd, rows, onehot)] + [(M, M.toarray())]
    for features, array in pairs:
        agents = {"given": hsr.LinearQ(features), "array": hsr.LinearQ(array)}
        how = {"seeds": [0], "episodes": 3, "horizon": horizon, "keep_values": True}
        ours, same = hsr.train(mdp, tasks, agents, options, **how).values()
        assert_array_equal(ours.steps, same.steps)
        assert_allclose(ours.values, same.values, rtol=0, atol=1e-12)
        assert ours.values.any()


# By hand. One action, so that nothing is left to chance: 0 -> 1 -> 2, and 2 is the goal.


def learn(
    mdp, tasks, features="onehot", options=None, *, episodes=1, horizon=100, seed=0, **settings
):
    """Train one seed with learning rates of one half, keeping everything."""
    settings = {"learning_rate": 0.5, "map_learning_rate": 0.5, **settings}
    keep_maps = isinstance(features, str) and features != "onehot"
    how = {"episodes": episodes, "horizon": horizon, "trajectory_of": seed, "keep_maps": keep_maps}
    agent = hsr.LinearQ(features, **settings)
    return hsr.train(mdp, tasks, agent, options, seeds=[seed], keep_values=True, **how)


@pytest.mark.parametrize(
    ("episodes", "values"),
    [
        (1, [0.0, 0.5, 0.0]),  # the goal's reward: q(1) = 1/2 (1 - 0)
        (2, [0.125, 0.75, 0.0]),  # q(0) = 1/2 (1/2 * 1/2), q(1) = 1/2 + 1/2 (1 - 1/2)
        (3, [0.25, 0.875, 0.0]),  # q(0) = 1/8 + 1/2 (1/2 * 3/4 - 1/8)
    ],
)
@pytest.mark.parametrize("form", ["auto", "primal"])
def test_a_corridor_by_hand(episodes, values, form):
    run = learn(corridor(3), [hsr.GoalTask(0, 2)], episodes=episodes, form=form)
    assert_array_equal(run.values[0, 0], [values])
    assert_array_equal(run.steps[0, 0], 2)
    assert_array_equal(run.first_visit[0], [0, 1, 2])
    assert run.goal_time[0, 0] == 2


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_features_of_length_two_by_hand(form):
    """W += 1/2 (1 - 2 W) 2 gives q = 2 W = 2, 0, 2, ...; with a quarter q = 1 at once."""

    def value(**how):
        features = np.full((2, 1), 2.0)
        run = learn(corridor(2), [hsr.GoalTask(0, 1)], features, form=form, **how)
        return run.values[0, 0, 0, 0]

    assert [value(episodes=n) for n in (1, 2, 3)] == [2.0, 0.0, 2.0]
    assert value(learning_rate=0.25) == 1.0


def test_values_that_leak_to_the_goal_by_hand():
    """States 0 and 1 share one feature: q(0) = q(1) = W, but what follows the goal is worth
    nothing, whatever W says.
    """
    run = learn(corridor(2), [hsr.GoalTask(0, 1)], np.ones((2, 1)), episodes=2)
    assert_array_equal(run.values[0, 0], [[0.75, 0.75]])  # 1/2, then 1/2 + 1/2 (1 - 1/2)


def test_live_rows_of_the_successor_representation_by_hand():
    """The first step M(0) = (1, 1/4, 0); the second M(1) = (0, 1, 1/4), and W = 1/2 M(1) by its new
    row.
    """
    mdp, task = corridor(3), [hsr.GoalTask(0, 2)]
    first = learn(mdp, task, "sr")
    assert_array_equal(first.maps[0, 0], [[1, 0.25, 0], [0, 1, 0.25], [0, 0, 1]])
    W = np.array([0, 0.5, 0.125])
    assert_array_equal(first.values[0, 0, 0], first.maps[0, 0] @ W)
    second = learn(mdp, task, "sr", episodes=2)
    M = np.array([[1, 0.375, 0.0625], [0, 1, 0.375], [0, 0, 1]])  # halfway to 1_s + 1/2 M(s')
    assert_array_equal(second.maps[0, 0], M)
    # q(1) = 17/32 by the old row of 1, q(0) = 25/128 by the new row of 0: the error is 17/64 -
    # 25/128 = 9/128.
    W = W + 0.5 * 9 / 128 * M[0]
    # The new row of 1 then sees W(1) + 3/8 W(2).
    W = W + 0.5 * (1.0 - W @ M[1]) * M[1]
    assert_allclose(second.values[0, 0, 0], M @ W, rtol=1e-15)


def test_a_map_from_zero_by_hand():
    """M(0) = 1/2 1_0; M(1) = 1/2 (1_1 + 1/2 M(2)) while M(2) is still zero; then the goal's own
    row, 1/2 1_2.
    """
    run = learn(corridor(3), [hsr.GoalTask(0, 2)], "sr", initial_map="zero")
    assert_array_equal(run.maps[0, 0], np.eye(3) / 2)
    again = learn(corridor(3), [hsr.GoalTask(0, 2)], "sr", initial_map="zero", episodes=2)
    assert_array_equal(again.maps[0, 0], [[0.75, 0.125, 0], [0, 0.75, 0.125], [0, 0, 0.75]])


def option_first(mdp, task, features="onehot", options=None, **settings):
    """Return the run of the first seed that begins with the option, with its states and choices."""
    for seed in range(50):
        run = learn(mdp, [task], features, options, seed=seed, epsilon=0.0, **settings)
        if run.trajectory.choice[0] == 1:
            return run
    raise AssertionError("no seed chose the option")


@pytest.mark.parametrize(
    ("map_update", "row_of_1"),
    [
        ("chosen", [0, 1, 0, 0]),
        ("passed", [0, 1, 0.25, 0]),
    ],  # 1_1 + 1/2 (1/2 M(2)), from where the option passed
)
def test_rows_of_the_hierarchical_map_by_hand(map_update, row_of_1):
    """0 -> 1 -> 2 by the option, 2 -> 3 by the action: M(0) = 1_0 + 1/2 (1/2 1_1 + 1/4 M(2))."""
    run = option_first(corridor(4), hsr.GoalTask(0, 3), "hsr", ride(4, to=2), map_update=map_update)
    assert_array_equal(run.trajectory.choice, [1, 1, 0])
    assert_array_equal(run.trajectory.began, [True, False, True])
    assert_array_equal(
        run.maps[0, 0], [[1, 0.25, 0.125, 0], row_of_1, [0, 0, 1, 0.25], [0, 0, 0, 1]]
    )
    assert_array_equal(run.decisions[0, 0], [2])
    assert_array_equal(run.choice_use[0, 0], [1, 1])


@pytest.mark.parametrize(
    ("update", "action", "option"),
    [
        ("chosen_and_primitives", [0, 0, 0.5, 0], [0.125, 0, 0, 0]),
        ("chosen", [0, 0, 0, 0], [0.125, 0, 0, 0]),
        ("primitives", [0, 0, 0.5, 0], [0, 0, 0, 0]),
        # The last step teaches the option in 2, which it passes, and only then is 2 worth
        # something.
        ("intra_option", [0, 0, 0.5, 0], [0, 0, 0.5, 0]),
    ],
)
def test_an_option_that_runs_into_the_goal_by_hand(update, action, option):
    """Three steps, the last pays 1: the option's return is 1/4, halfway to it is 1/8."""
    run = option_first(corridor(4), hsr.GoalTask(0, 3), options=ride(4, to=3), update=update)
    assert_array_equal(run.trajectory.choice, [1, 1, 1])
    assert_array_equal(run.values[0, 0], [action, option])
    assert run.returns[0, 0, 0] == 0.25


def test_an_option_bootstraps_from_where_it_ends_by_hand():
    """After one ride 0 -> 1 -> 2 and a step into the goal, q(2) = 1/2; the next ride is worth 1/2
    (1/4 * 1/2) = 1/16.
    """
    mdp, task, options = corridor(4), hsr.GoalTask(0, 3), ride(4, to=2)
    for seed in range(200):
        run = learn(
            mdp, [task], options=options, seed=seed, epsilon=0.0, update="chosen", episodes=2
        )
        if run.trajectory.choice.tolist() == [1, 1, 0, 1, 1, 0]:
            break
    assert_array_equal(run.trajectory.choice, [1, 1, 0, 1, 1, 0])
    assert_array_equal(run.values[0, 0], [[0, 0, 0.75, 0], [0.0625, 0, 0, 0]])


def test_an_option_of_one_step_by_intra_option_learning_by_hand():
    """It stops with chance 1/4 in state 1: the target is 1/2 (3/4 q(o, 1) + 1/4 max q), looked at
    before the update.
    """
    mdp = corridor(3)
    options = hsr.OptionSet([[0, 0, 0]], [[1.0, 0.25, 1.0]], [[True, True, False]])
    agent = {"update": "intra_option", "epsilon": 0.0}
    first = learn(mdp, [hsr.GoalTask(0, 2)], options=options, **agent)
    assert_array_equal(first.values[0, 0], [[0, 0.5, 0], [0, 0.5, 0]])
    second = learn(mdp, [hsr.GoalTask(0, 2)], options=options, episodes=2, **agent)
    assert_array_equal(
        second.values[0, 0], [[0.125, 0.75, 0], [0.125, 0.75, 0]]
    )  # both are worth 1/2 in 1
    tasks = [hsr.GoalTask(1, 2), hsr.GoalTask(0, 2)]
    only_primitives = hsr.OptionSet([[0, 0, 0]], [[1.0, 0.25, 1.0]], [[True, False, False]])
    later = learn(mdp, tasks, options=only_primitives, horizon=1, **agent)
    assert_array_equal(
        later.values[0, 1], [[0.125, 0.5, 0], [0.125, 0.5, 0]]
    )  # beta(1) < 1: it can run in 1
