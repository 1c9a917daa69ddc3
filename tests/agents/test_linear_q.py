"""Linear Q-learning: step by step against a plain twin, and by hand."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import raises
from tests.oracles.agent_worlds import (
    SETTINGS,
    UPDATES,
    UPDATES_OF_RANDOM_POLICIES,
    WORLDS,
    check_twin,
    corridor,
    forms_of,
    four_rooms,
    ride,
    train_in,
)
from tests.oracles.plain_linear_q import starts_of
from tests.oracles.random_mdps import mdps
from tests.oracles.random_options import option_sets

GRID = [
    (world, features, update)
    for world in WORLDS
    for features in ("onehot", "few", "many", "sr", "hsr", "walk_sr")
    for update in UPDATES
    if (world, update) != ("fractional", "intra_option")  # refused: its policies are random
]


@pytest.mark.parametrize(("world", "features", "update"), GRID)
def test_every_step_is_that_of_the_plain_twin(world, features, update):
    place = WORLDS[world]()
    for map_update in ("chosen", "passed") if features == "hsr" else ("chosen",):
        for seed in (0, 1, 2):
            settings = {**SETTINGS, "update": update, "map_update": map_update}
            if seed == 2:
                settings |= {"initial_map": "zero", "explore_with": "primitives"}
            _, result = check_twin(place, seed, features, settings, forms=forms_of(features))
            assert np.abs(result.values).max() < 10.0


@pytest.mark.parametrize(
    ("world", "features", "update"), [cell for cell in GRID if cell[1] != "walk_sr"]
)
def test_exploring_at_every_step_is_that_of_the_plain_twin(world, features, update):
    place, interrupted = WORLDS[world](), 0
    for map_update in ("chosen", "passed") if features == "hsr" else ("chosen",):
        for seed, ties in ((3, "random"), (4, "first")):
            settings = {**SETTINGS, "update": update, "map_update": map_update, "ties": ties}
            settings |= {"explore_at": "steps", "epsilon": 0.3}
            if seed == 4:
                settings |= {"explore_with": "primitives"}
            run, result = check_twin(place, seed, features, settings, forms=forms_of(features))
            assert np.abs(result.values).max() < 10.0
            interrupted += n_interrupted(run.trajectory, place[0], place[1])
    assert interrupted > 0


def test_a_map_of_a_random_walk_becomes_the_sr_of_the_random_walk():
    """At a small rate the rows are within 10 % of the exact ones, whatever the agent does."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...\n..."), discount=0.8)
    agent = hsr.LinearQ("walk_sr", map_learning_rate=0.005, epsilon=0.0)
    how = {"seeds": range(3), "episodes": 20_000, "keep_maps": True}
    run = hsr.train(mdp, [hsr.GoalTask(0, 5)], agent, hsr.point_options(mdp, [4]), **how)
    exact = hsr.successor_representation(mdp).toarray()
    assert np.abs(run.maps[:, 0] - exact).max() < 0.1 * exact.max()


def test_a_map_of_a_random_walk_finds_no_options():
    mdp = hsr.grid_mdp("four_rooms")
    with raises("features are 'walk_sr' and options are found online"):
        hsr.train(mdp, [hsr.GoalTask(0, 5)], hsr.LinearQ("walk_sr"), hsr.OnlineOptions(), seeds=[0])


def n_interrupted(t, mdp, options):
    """Return how often an option ended inside an episode where it cannot stop."""
    new_episode = np.diff(t.task * 10_000 + t.episode) > 0
    ended = t.began[1:] & ~new_episode & (t.choice[:-1] >= mdp.n_actions)
    o, s = t.choice[:-1][ended] - mdp.n_actions, t.arrival[:-1][ended]
    return int((options.termination[o, s] == 0.0).sum())


def test_the_first_of_equally_good_choices_draws_nothing():
    """From zero values, `argmax` takes the first action until the goal has been found.

    A greedy agent without random steps is therefore the same with every seed.
    """
    world = four_rooms()
    agent = hsr.LinearQ(ties="first", epsilon=0.0)
    run = train_in(world, agent, seeds=range(4), episodes=3, trajectory_of=2, horizon=50)
    assert (run.trajectory.choice == 0).all()
    assert (run.steps == 50).all()
    first, *others = train_in(world, agent, seeds=range(4), episodes=3).steps
    assert all((other == first).all() for other in others)


@pytest.mark.parametrize("explore_at", ["choices", "steps"])
def test_how_long_an_option_runs_if_every_step_may_interrupt_it(explore_at):
    """An option that crosses nine cells is complete with probability (1 - epsilon)^8.

    That is the share of 4000 rides within 5 standard deviations. If only choices are random, all
    rides are complete.
    """
    length, epsilon = 10, 0.2
    states = np.arange(length)
    options = hsr.OptionSet(np.zeros((1, length), dtype=int), [states == 9], [states == 0])
    task, agent = hsr.GoalTask(0, 9), hsr.LinearQ(epsilon=epsilon, explore_at=explore_at)
    how = {"seeds": [0], "episodes": 8000, "trajectory_of": 0}
    t = hsr.train(corridor(length), [task], agent, options, **how).trajectory
    begins = np.flatnonzero(t.choice * t.began)
    ends = np.append(np.flatnonzero(t.began), len(t))
    length_of = ends[np.searchsorted(ends, begins, side="right")] - begins
    share = 1.0 if explore_at == "choices" else (1.0 - epsilon) ** 8
    spread = np.sqrt(share * (1.0 - share) / begins.size)
    assert begins.size > 2000
    assert abs((length_of == 9).mean() - share) <= 5 * spread


@pytest.mark.parametrize("world", WORLDS)
def test_the_twin_meets_what_it_is_there_to_judge(world):
    """Goals are reached and missed, and options used and ended in every way."""
    place = WORLDS[world]()
    results = [check_twin(place, seed, "onehot", SETTINGS)[1] for seed in range(3)]
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
    mdp, _, *rest = WORLDS[world]()
    for update in UPDATES:
        check_twin((mdp, None, *rest), 5, features, {**SETTINGS, "update": update})


@st.composite
def callings(draw):
    """Return a strategy of (world, seed, settings), all small."""
    mdp = draw(mdps())
    options = draw(option_sets(mdp, draw(st.sampled_from(("certain", "fractional", "stochastic")))))
    words = {
        "update": UPDATES if options.actions is not None else UPDATES_OF_RANDOM_POLICIES,
        "map_update": ("chosen", "passed"),
        "explore_with": ("choices", "primitives"),
        "explore_at": ("choices", "steps"),
        "ties": ("random", "first"),
        "initial_map": ("identity", "zero"),
        "epsilon": (0.0, 0.3, 1.0),
        "tie_tolerance": (0.0, 1e-12, 0.05, 10.0),
        "learning_rate": (0.05, 0.5),
        "map_learning_rate": (0.1, 1.0),
        "map_discount": (None, 0.0, 0.6),
    }
    settings = {name: draw(st.sampled_from(values)) for name, values in words.items()}
    starts = {g: starts_of(mdp, hsr.GoalTask(None, g)) for g in range(mdp.n_states)}
    goals = [goal for goal in starts if starts[goal]]
    assume(goals)
    tasks = []
    for _ in range(draw(st.integers(1, 2))):
        goal = draw(st.sampled_from(goals))
        tasks.append(hsr.GoalTask(draw(st.none() | st.sampled_from(starts[goal])), goal))
    seed = draw(st.integers(0, 9))
    return (mdp, options, tasks, draw(st.integers(1, 12))), seed, settings


@given(callings(), st.sampled_from(("onehot", "few", "sr", "hsr")))
def test_in_any_small_world_every_step_is_that_of_the_plain_twin(calling, features):
    """With options that never stop, stop at once or are never available, and absorbing states."""
    world, seed, settings = calling

    def judge(result):
        assume(result.status == "ok" and np.abs(result.values).max() < 100.0)

    check_twin(world, seed, features, settings, judge=judge)


def test_fitted_bases_are_their_features():
    world = four_rooms()
    M = hsr.successor_representation(world[0])
    bases = hsr.SVDBasis(12), hsr.RowBasis(scale="unit_rows"), hsr.OneHotBasis()
    for features, array in [(basis, basis.fit(M).features_) for basis in bases] + [
        (M, M.toarray())
    ]:
        agents = {"given": hsr.LinearQ(features), "array": hsr.LinearQ(array)}
        ours, same = train_in(world, agents, seeds=[0], episodes=3, keep_values=True).values()
        assert_array_equal(ours.steps, same.steps)
        assert_allclose(ours.values, same.values, rtol=0, atol=1e-12)
        assert ours.values.any()


# By hand. One action, so that nothing is left to chance: 0 -> 1 -> 2, and 2 is the goal.


def learn(
    length, features="onehot", options=None, *, tasks=None, episodes=1, horizon=100, seed=0, **how
):
    """Train one seed in a corridor from end to end, with rates of one half, keeping everything."""
    agent = hsr.LinearQ(features, **{"learning_rate": 0.5, "map_learning_rate": 0.5, **how})
    world = corridor(length), options, tasks or [hsr.GoalTask(0, length - 1)], horizon
    keep = {"keep_values": True, "keep_maps": isinstance(features, str) and features != "onehot"}
    return train_in(world, agent, seeds=[seed], episodes=episodes, trajectory_of=seed, **keep)


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
    run = learn(3, episodes=episodes, form=form)
    assert_array_equal(run.values[0, 0], [values])
    assert_array_equal(run.steps[0, 0], 2)
    assert_array_equal(run.first_visit[0], [0, 1, 2])
    assert run.goal_time[0, 0] == 2


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_features_of_length_two_by_hand(form):
    """W += 1/2 (1 - 2 W) 2 gives q = 2 W = 2, 0, 2, ...; with a quarter q = 1 at once."""

    def value(**how):
        return learn(2, np.full((2, 1), 2.0), form=form, **how).values[0, 0, 0, 0]

    assert [value(episodes=n) for n in (1, 2, 3)] == [2.0, 0.0, 2.0]
    assert value(learning_rate=0.25) == 1.0


def test_values_that_leak_to_the_goal_by_hand():
    """States 0 and 1 share one feature: q(0) = q(1) = W, but what follows the goal is worth
    nothing, whatever W says.
    """
    run = learn(2, np.ones((2, 1)), episodes=2)
    assert_array_equal(run.values[0, 0], [[0.75, 0.75]])  # 1/2, then 1/2 + 1/2 (1 - 1/2)


def test_live_rows_of_the_successor_representation_by_hand():
    """The first step M(0) = (1, 1/4, 0); the second M(1) = (0, 1, 1/4), and W = 1/2 M(1) by its new
    row.
    """
    first = learn(3, "sr")
    assert_array_equal(first.maps[0, 0], [[1, 0.25, 0], [0, 1, 0.25], [0, 0, 1]])
    W = np.array([0, 0.5, 0.125])
    assert_array_equal(first.values[0, 0, 0], first.maps[0, 0] @ W)
    second = learn(3, "sr", episodes=2)
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
    once, twice = (learn(3, "sr", initial_map="zero", episodes=n).maps[0, 0] for n in (1, 2))
    assert_array_equal(once, np.eye(3) / 2)
    assert_array_equal(twice, [[0.75, 0.125, 0], [0, 0.75, 0.125], [0, 0, 0.75]])


def ridden(to, choices, features="onehot", **how):
    """Return the run of the first seed that makes these choices in a corridor with a ride."""
    for seed in range(200):
        run = learn(4, features, ride(4, to=to), seed=seed, epsilon=0.0, **how)
        if run.trajectory.choice.tolist() == choices:
            return run
    raise AssertionError("no seed made these choices")


@pytest.mark.parametrize(
    ("map_update", "row_of_1"),
    [
        ("chosen", [0, 1, 0, 0]),
        ("passed", [0, 1, 0.25, 0]),
    ],  # 1_1 + 1/2 (1/2 M(2)), from where the option passed
)
def test_rows_of_the_hierarchical_map_by_hand(map_update, row_of_1):
    """0 -> 1 -> 2 by the option, 2 -> 3 by the action: M(0) = 1_0 + 1/2 (1/2 1_1 + 1/4 M(2))."""
    run = ridden(2, [1, 1, 0], "hsr", map_update=map_update)
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
        ("running", [0, 0, 0.5, 0], [0, 0, 0.5, 0]),
    ],
)
def test_an_option_that_runs_into_the_goal_by_hand(update, action, option):
    """Three steps, the last pays 1: the option's return is 1/4, halfway to it is 1/8."""
    run = ridden(3, [1, 1, 1], update=update)
    assert_array_equal(run.values[0, 0], [action, option])
    assert run.returns[0, 0, 0] == 0.25


def test_an_option_bootstraps_from_where_it_ends_by_hand():
    """After one ride 0 -> 1 -> 2 and a step into the goal, q(2) = 1/2; the next ride is worth 1/2
    (1/4 * 1/2) = 1/16.
    """
    run = ridden(2, [1, 1, 0, 1, 1, 0], update="chosen", episodes=2)
    assert_array_equal(run.values[0, 0], [[0, 0, 0.75, 0], [0.0625, 0, 0, 0]])


def test_the_running_option_learns_on_every_step_by_hand():
    """The first ride to the goal leaves q(o, 2) = 1/2, the second q(o, 1) = 1/2 (1/2 * 1/2) and
    q(o, 2) = 3/4.

    A ride that ends in 2 takes the best value there, that of the action, which is 1/2. A ride that
    passes through 2 takes its own value there, which is still 0.
    """
    run = ridden(3, [1] * 6, update="running", episodes=2)
    assert_array_equal(run.values[0, 0], [[0, 0.125, 0.75, 0]] * 2)
    run = ridden(2, [1, 1, 0, 1, 1, 0], update="running", episodes=2)
    assert_array_equal(run.values[0, 0], [[0, 0.125, 0.75, 0], [0, 0.125, 0, 0]])
    run = ridden(3, [0, 0, 0, 1, 1, 1], update="running", episodes=2)
    assert_array_equal(run.values[0, 0], [[0, 0.125, 0.75, 0], [0, 0, 0.5, 0]])


def test_an_option_that_exploration_interrupts_has_ended_there_by_hand():
    """With epsilon 1 every option ends after one step, in 1.

    Its return is that of one step, M(0) = 1_0 + 1/2 (1/2 M(1)), and the next choice is random.
    """
    for seed in range(50):
        how = {"seed": seed, "epsilon": 1.0, "explore_at": "steps", "update": "chosen"}
        run = learn(4, "hsr", ride(4, to=3), **how)
        if run.trajectory.choice[0] == 1:
            break
    assert run.trajectory.choice.tolist() == [1, 0, 0]
    assert run.trajectory.began.all()
    assert_array_equal(run.decisions, 3)
    assert_array_equal(run.maps[0, 0, 0], [1, 0.25, 0, 0])


def test_an_option_of_one_step_by_intra_option_learning_by_hand():
    """It stops with probability 1/4 in state 1.

    The target is 1/2 (3/4 q(o, 1) + 1/4 max q), read before the update.
    """

    def values(available_in_1=True, **how):
        options = hsr.OptionSet([[0, 0, 0]], [[1.0, 0.25, 1.0]], [[True, available_in_1, False]])
        return learn(3, options=options, update="intra_option", epsilon=0.0, **how).values[0, -1]

    assert_array_equal(values(), [[0, 0.5, 0]] * 2)
    assert_array_equal(values(episodes=2), [[0.125, 0.75, 0]] * 2)  # both are worth 1/2 in 1
    tasks = [hsr.GoalTask(1, 2), hsr.GoalTask(0, 2)]
    later = values(False, tasks=tasks, horizon=1)
    assert_array_equal(later, [[0.125, 0.5, 0]] * 2)  # beta(1) < 1: it can run in 1
