"""Linear Q-learning: step by step against a plain twin, by hand, by identities, and at its fixed points."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hsr
from hsr.agents.gpi import Pool
from hsr.agents.online import changed
from tests.oracles import dense_options
from tests.oracles.plain_linear_q import Rule, changed_options, gpi_table, starts_of, train_plainly
from tests.oracles.random_mdps import mdps
from tests.oracles.random_options import option_sets

ROOMS = "#######\n#..#..#\n#.....#\n#..#..#\n#######"
UPDATES = ("chosen_and_primitives", "chosen", "primitives", "intra_option")
FOUR_ROOMS = hsr.load_layout("four_rooms")


# Worlds. Each is (mdp, options, two tasks, horizon); horizons are short enough to cut off some episodes and not others.


def four_rooms():
    """Return the four rooms with eight eigenoptions, from the corner to G1 and then to G2."""
    mdp = hsr.grid_mdp(FOUR_ROOMS, discount=0.9)
    return mdp, hsr.eigenoptions(mdp), [hsr.GoalTask(FOUR_ROOMS.start, goal) for goal in FOUR_ROOMS.goals], 200


def two_rooms(slip=0.0, discount=0.8):
    """Return two small rooms with a door between them, 13 states."""
    return hsr.grid_mdp(hsr.GridLayout.from_text(ROOMS), discount=discount, slip=slip)


def certain():
    """Return two rooms where nothing is left to chance, so that an option is a jump; the horizon cuts some of them off."""
    mdp = two_rooms()
    return mdp, hsr.eigenoptions(mdp, 4, signs="both"), [hsr.GoalTask(0, 11), hsr.GoalTask(None, 2)], 40


def slippery():
    """Return two rooms where moves slip, with eigenoptions of both signs; the first task starts anywhere."""
    mdp = two_rooms(slip=0.2)
    return mdp, hsr.eigenoptions(mdp, 4, signs="both"), [hsr.GoalTask(None, 12), hsr.GoalTask(11, 0)], 40


def fractional(random_policies=True):
    """Return two slippery rooms with options that stop by chance and are not available everywhere; some act at random too."""
    mdp, rng = two_rooms(slip=0.2), np.random.default_rng(4)
    policy = rng.dirichlet(np.ones(4), size=(4, mdp.n_states))
    certain = np.eye(4)[rng.integers(0, 4, (4, mdp.n_states))]
    policy[0], policy[1, ::2] = certain[0], certain[1, ::2]
    beta = rng.uniform(0.1, 0.9, size=(4, mdp.n_states))
    beta[0] = rng.random(mdp.n_states) < 0.5
    beta[2, ::3], beta[3, 1::3] = 1.0, 0.0
    initiation = rng.random((4, mdp.n_states)) < 0.6
    options = hsr.OptionSet(policy if random_policies else certain, beta, initiation)
    return mdp, options, [hsr.GoalTask(3, 12), hsr.GoalTask(None, 2)], 40


WORLDS = {
    "four rooms": four_rooms,
    "certain": certain,
    "slippery": slippery,
    "fractional": fractional,
    "fractional, certain": lambda: fractional(random_policies=False),
}


def features_of(word, n_states):
    """Return features by name: a word that `LinearQ` knows, or an array of more, or fewer, features than states."""
    if word not in ("few", "many"):
        return word
    rng = np.random.default_rng(7)
    Phi = rng.standard_normal((n_states, 5 if word == "few" else n_states + 3))
    return Phi / np.linalg.norm(Phi, axis=1, keepdims=True)


def steps_of(trajectory):
    """Return a trajectory as rows (task, episode, choice, began, state, action, arrival)."""
    t = trajectory
    return np.stack([t.task, t.episode, t.choice, t.began, t.state, t.action, t.arrival], axis=1)


def check_twin(mdp, tasks, seed, agent, result, *, options, episodes, horizon, keep_maps):
    """Assert that `train` did what the twin did: the same steps, the same counts, values and maps within 1e-9.

    Both do the same sums in another order a few hundred times, with features of length about 1, so that errors of 1e-16 grow to
    at most about 1e-13; 1e-9 leaves room for other processors and none for another rule.
    """
    how = {"seeds": [seed], "episodes": episodes, "horizon": horizon, "keep_values": True, "keep_maps": keep_maps, "workers": 1}
    run = hsr.train(mdp, tasks, agent, options, trajectory_of=seed, **how)
    np.testing.assert_array_equal(steps_of(run.trajectory), result.trajectory)
    unseen = hsr.train(mdp, tasks, agent, options, **how)  # steps that nobody asks for may be taken several at once
    for name in ("steps", "decisions", "terminated", "coverage", "choice_use", "first_visit", "values", "maps"):
        if getattr(run, name) is not None:
            assert getattr(unseen, name).tobytes() == getattr(run, name).tobytes(), name
    for name in ("steps", "decisions", "terminated", "choice_use", "goal_time", "first_visit"):
        np.testing.assert_array_equal(getattr(run, name)[0], getattr(result, name), err_msg=name)
    np.testing.assert_allclose(run.coverage[0], result.coverage / mdp.n_states, rtol=1e-15)
    np.testing.assert_array_equal(run.returns[0], np.where(result.terminated, mdp.discount ** (result.steps - 1.0), 0.0))
    np.testing.assert_allclose(run.values[0], result.values, rtol=0, atol=1e-9)
    if keep_maps:
        maps = result.sr if result.hsr[0] is None else result.hsr
        np.testing.assert_allclose(run.maps[0], maps, rtol=0, atol=1e-9)
    return run


SETTINGS = {"learning_rate": 0.1, "epsilon": 0.2, "map_learning_rate": 0.2}  # live rows grow long: faster values may blow up
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
    live = features in ("sr", "hsr")
    forms = ("auto",) if live else ("primal", "dual")
    map_updates = ("chosen", "passed") if features == "hsr" else ("chosen",)
    for map_update in map_updates:
        for seed in (0, 1, 2):
            settings = {**SETTINGS, "update": update, "map_update": map_update}
            if seed == 2:
                settings["initial_map"] = "zero"
            result = train_plainly(mdp, tasks, seed, Rule(rows, **settings), options=options, episodes=4, horizon=horizon)
            assert np.abs(result.values).max() < 10.0
            for form in forms:
                check_twin(
                    mdp, tasks, seed, hsr.LinearQ(rows, form=form, **settings), result,
                    options=options, episodes=4, horizon=horizon, keep_maps=live,
                )  # fmt: skip


@pytest.mark.parametrize("world", WORLDS)
def test_the_twin_meets_what_it_is_there_to_judge(world):
    """Goals reached and missed, options used and ended in every way: a comparison over less would say less."""
    mdp, options, tasks, horizon = WORLDS[world]()
    results = [
        train_plainly(mdp, tasks, seed, Rule(**SETTINGS), options=options, episodes=4, horizon=horizon) for seed in range(3)
    ]
    reached = np.array([result.terminated for result in results])
    assert reached.any(axis=(0, 2)).all()
    assert not reached.all()
    use = sum(result.choice_use.sum(axis=0) for result in results)
    assert (use > 0).all()
    lengths = [np.diff(np.append(np.flatnonzero(result.trajectory[:, 3]), len(result.trajectory))) for result in results]
    assert max(map(max, lengths)) > 3


@pytest.mark.parametrize("world", ["four rooms", "slippery"])
@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
def test_without_options_every_step_is_that_of_the_plain_twin(world, features):
    mdp, _, tasks, horizon = WORLDS[world]()
    rows = features_of(features, mdp.n_states)
    for update in UPDATES:
        result = train_plainly(mdp, tasks, 5, Rule(rows, update=update, **SETTINGS), episodes=4, horizon=horizon)
        agent = hsr.LinearQ(rows, update=update, **SETTINGS)
        check_twin(mdp, tasks, 5, agent, result, options=None, episodes=4, horizon=horizon, keep_maps=features in ("sr", "hsr"))


@pytest.mark.parametrize("tie_tolerance", [0.0, 0.05, 10.0])
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_ties_and_exploration_at_their_extremes_are_those_of_the_plain_twin(tie_tolerance, epsilon):
    mdp, options, tasks, horizon = slippery()
    settings = {**SETTINGS, "tie_tolerance": tie_tolerance, "epsilon": epsilon}
    result = train_plainly(mdp, tasks, 3, Rule(**settings), options=options, episodes=10, horizon=horizon)
    run = check_twin(
        mdp, tasks, 3, hsr.LinearQ(**settings), result, options=options, episodes=10, horizon=horizon, keep_maps=False
    )
    assert run.terminated.any()


@pytest.mark.parametrize("world", ["four rooms", "fractional, certain"])
@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
def test_without_discount_for_the_future_every_step_is_that_of_the_plain_twin(world, features):
    """A discount of zero: only a step into the goal is worth anything, and 0^0 = 1."""
    mdp, options, tasks, horizon = WORLDS[world]()
    blind = hsr.FiniteMDP(mdp.toarray(), discount=0.0)
    rows = features_of(features, mdp.n_states)
    for update in UPDATES:
        result = train_plainly(
            blind, tasks, 1, Rule(rows, update=update, **SETTINGS), options=options, episodes=4, horizon=horizon
        )
        agent = hsr.LinearQ(rows, update=update, **SETTINGS)
        check_twin(
            blind, tasks, 1, agent, result, options=options, episodes=4, horizon=horizon, keep_maps=features in ("sr", "hsr")
        )


@pytest.mark.parametrize("slip", [0.0, 0.3])
@pytest.mark.parametrize("update", UPDATES)
def test_options_that_never_stop_are_those_of_the_plain_twin(slip, update):
    """They run into a wall and stay there until the horizon, or into the goal; a state is passed again and again."""
    mdp = two_rooms(slip)
    policy = np.repeat([[1], [2], [0]], mdp.n_states, axis=1)
    options = hsr.OptionSet(policy, np.zeros(policy.shape), np.random.default_rng(0).random(policy.shape) < 0.4)
    tasks = [hsr.GoalTask(0, 12), hsr.GoalTask(None, 4)]
    for features, map_update in (("onehot", "chosen"), ("hsr", "chosen"), ("hsr", "passed")):
        settings = {**SETTINGS, "update": update, "map_update": map_update}
        for seed in range(3):
            result = train_plainly(mdp, tasks, seed, Rule(features, **settings), options=options, episodes=8, horizon=15)
            agent = hsr.LinearQ(features, **settings)
            check_twin(mdp, tasks, seed, agent, result, options=options, episodes=8, horizon=15, keep_maps=features == "hsr")


@st.composite
def callings(draw):
    """Return a strategy of (mdp, options, tasks, settings, seed, horizon): any small world, any options, any rule."""
    mdp = draw(mdps())
    options = draw(option_sets(mdp, draw(st.sampled_from(("certain", "fractional", "stochastic")))))
    update = draw(st.sampled_from(UPDATES if options.actions is not None else UPDATES[:3]))
    settings = {
        "update": update,
        "map_update": draw(st.sampled_from(("chosen", "passed"))),
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
        tasks.append(hsr.GoalTask(draw(st.none() | st.sampled_from(starts_of(mdp, hsr.GoalTask(None, goal)))), goal))
    return mdp, options, tasks, settings, draw(st.integers(0, 9)), draw(st.integers(1, 12))


@given(callings(), st.sampled_from(("onehot", "few", "sr", "hsr")))
def test_in_any_small_world_every_step_is_that_of_the_plain_twin(calling, features):
    """Options that never stop, stop at once or are nowhere available; states that absorb; discounts from 0 to 0.99."""
    mdp, options, tasks, settings, seed, horizon = calling
    rows = features_of(features, mdp.n_states)
    result = train_plainly(mdp, tasks, seed, Rule(rows, **settings), options=options, episodes=4, horizon=horizon)
    assume(result.status == "ok" and np.abs(result.values).max() < 100.0)
    agent = hsr.LinearQ(rows, **settings)
    check_twin(
        mdp, tasks, seed, agent, result, options=options, episodes=4, horizon=horizon, keep_maps=features in ("sr", "hsr")
    )


def test_fitted_bases_are_their_features():
    mdp, options, tasks, horizon = four_rooms()
    M = hsr.successor_representation(mdp)
    for basis in (hsr.SVDBasis(n_components=12), hsr.RowBasis(scale="unit_rows"), hsr.OneHotBasis()):
        basis.fit(M)
        ours = hsr.train(mdp, tasks, hsr.LinearQ(basis), options, seeds=[0], episodes=3, horizon=horizon, keep_values=True)
        same = hsr.train(
            mdp, tasks, hsr.LinearQ(basis.features_), options, seeds=[0], episodes=3, horizon=horizon, keep_values=True
        )
        np.testing.assert_array_equal(ours.steps, same.steps)
        np.testing.assert_allclose(ours.values, same.values, rtol=0, atol=1e-12)
        assert ours.values.any()
    lazy = hsr.train(mdp, tasks, hsr.LinearQ(M), options, seeds=[0], episodes=3, horizon=horizon)
    rows = hsr.train(mdp, tasks, hsr.LinearQ(M.toarray()), options, seeds=[0], episodes=3, horizon=horizon)
    np.testing.assert_array_equal(lazy.steps, rows.steps)


# By hand. One action, so that nothing is left to chance: 0 -> 1 -> 2, and 2 is the goal.


def corridor(length, discount=0.5):
    """Return a one-way street: state i leads to i + 1, the last stays."""
    return hsr.FiniteMDP.from_successors([[min(i + 1, length - 1)] for i in range(length)], discount)


def learn(mdp, tasks, features="onehot", options=None, *, episodes=1, horizon=100, seed=0, **settings):
    """Train one seed with learning rates of one half, keeping everything."""
    settings = {"learning_rate": 0.5, "map_learning_rate": 0.5, **settings}
    return hsr.train(
        mdp, tasks, hsr.LinearQ(features, **settings), options, seeds=[seed], episodes=episodes, horizon=horizon,
        keep_values=True, keep_maps=isinstance(features, str) and features != "onehot", trajectory_of=seed,
    )  # fmt: skip


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
    np.testing.assert_array_equal(run.values[0, 0], [values])
    np.testing.assert_array_equal(run.steps[0, 0], 2)
    np.testing.assert_array_equal(run.first_visit[0], [0, 1, 2])
    assert run.goal_time[0, 0] == 2


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_features_of_length_two_by_hand(form):
    """W += 1/2 (1 - 2 W) 2 gives q = 2 W = 2, 0, 2, ...; with a quarter q = 1 at once: the step size is a |X|^2."""
    mdp, task = corridor(2), [hsr.GoalTask(0, 1)]
    values = [learn(mdp, task, np.full((2, 1), 2.0), episodes=n, form=form).values[0, 0, 0, 0] for n in (1, 2, 3)]
    assert values == [2.0, 0.0, 2.0]
    assert learn(mdp, task, np.full((2, 1), 2.0), learning_rate=0.25, form=form).values[0, 0, 0, 0] == 1.0


def test_values_that_leak_to_the_goal_by_hand():
    """States 0 and 1 share one feature: q(0) = q(1) = W, but what follows the goal is worth nothing, whatever W says."""
    run = learn(corridor(2), [hsr.GoalTask(0, 1)], np.ones((2, 1)), episodes=2)
    np.testing.assert_array_equal(run.values[0, 0], [[0.75, 0.75]])  # 1/2, then 1/2 + 1/2 (1 - 1/2)


def test_live_rows_of_the_successor_representation_by_hand():
    """The first step M(0) = (1, 1/4, 0); the second M(1) = (0, 1, 1/4), and W = 1/2 M(1) by its new row."""
    mdp, task = corridor(3), [hsr.GoalTask(0, 2)]
    first = learn(mdp, task, "sr")
    np.testing.assert_array_equal(first.maps[0, 0], [[1, 0.25, 0], [0, 1, 0.25], [0, 0, 1]])
    W = np.array([0, 0.5, 0.125])
    np.testing.assert_array_equal(first.values[0, 0, 0], first.maps[0, 0] @ W)
    second = learn(mdp, task, "sr", episodes=2)
    M = np.array([[1, 0.375, 0.0625], [0, 1, 0.375], [0, 0, 1]])  # halfway to 1_s + 1/2 M(s')
    np.testing.assert_array_equal(second.maps[0, 0], M)
    # q(1) = 17/32 by the old row of 1, q(0) = 25/128 by the new row of 0: the error is 17/64 - 25/128 = 9/128.
    W = W + 0.5 * 9 / 128 * M[0]
    # The new row of 1 then sees W(1) + 3/8 W(2).
    W = W + 0.5 * (1.0 - W @ M[1]) * M[1]
    np.testing.assert_allclose(second.values[0, 0, 0], M @ W, rtol=1e-15)


def test_a_map_from_zero_by_hand():
    """M(0) = 1/2 1_0; M(1) = 1/2 (1_1 + 1/2 M(2)) while M(2) is still zero; then the goal's own row, 1/2 1_2."""
    run = learn(corridor(3), [hsr.GoalTask(0, 2)], "sr", initial_map="zero")
    np.testing.assert_array_equal(run.maps[0, 0], np.eye(3) / 2)
    again = learn(corridor(3), [hsr.GoalTask(0, 2)], "sr", initial_map="zero", episodes=2)
    np.testing.assert_array_equal(again.maps[0, 0], [[0.75, 0.125, 0], [0, 0.75, 0.125], [0, 0, 0.75]])


def option_first(mdp, task, features="onehot", options=None, **settings):
    """Return the run of the first seed that begins with the option, with its states and choices."""
    for seed in range(50):
        run = learn(mdp, [task], features, options, seed=seed, epsilon=0.0, **settings)
        if run.trajectory.choice[0] == 1:
            return run
    raise AssertionError("no seed chose the option")


def ride(length, to):
    """Return one option of a corridor: from 0 on until state `to`."""
    states = np.arange(length)
    return hsr.OptionSet(np.zeros((1, length), dtype=int), [states >= to], [states == 0])


@pytest.mark.parametrize(
    ("map_update", "row_of_1"),
    [("chosen", [0, 1, 0, 0]), ("passed", [0, 1, 0.25, 0])],  # 1_1 + 1/2 (1/2 M(2)), from where the option passed
)
def test_rows_of_the_hierarchical_map_by_hand(map_update, row_of_1):
    """0 -> 1 -> 2 by the option, 2 -> 3 by the action: M(0) = 1_0 + 1/2 (1/2 1_1 + 1/4 M(2))."""
    run = option_first(corridor(4), hsr.GoalTask(0, 3), "hsr", ride(4, to=2), map_update=map_update)
    np.testing.assert_array_equal(run.trajectory.choice, [1, 1, 0])
    np.testing.assert_array_equal(run.trajectory.began, [True, False, True])
    np.testing.assert_array_equal(run.maps[0, 0], [[1, 0.25, 0.125, 0], row_of_1, [0, 0, 1, 0.25], [0, 0, 0, 1]])
    np.testing.assert_array_equal(run.decisions[0, 0], [2])
    np.testing.assert_array_equal(run.choice_use[0, 0], [1, 1])


@pytest.mark.parametrize(
    ("update", "action", "option"),
    [
        ("chosen_and_primitives", [0, 0, 0.5, 0], [0.125, 0, 0, 0]),
        ("chosen", [0, 0, 0, 0], [0.125, 0, 0, 0]),
        ("primitives", [0, 0, 0.5, 0], [0, 0, 0, 0]),
        # The last step teaches the option in 2, which it passes, and only then is 2 worth something.
        ("intra_option", [0, 0, 0.5, 0], [0, 0, 0.5, 0]),
    ],
)
def test_an_option_that_runs_into_the_goal_by_hand(update, action, option):
    """Three steps, the last pays 1: the option's return is 1/4, halfway to it is 1/8."""
    run = option_first(corridor(4), hsr.GoalTask(0, 3), options=ride(4, to=3), update=update)
    np.testing.assert_array_equal(run.trajectory.choice, [1, 1, 1])
    np.testing.assert_array_equal(run.values[0, 0], [action, option])
    assert run.returns[0, 0, 0] == 0.25


def test_an_option_bootstraps_from_where_it_ends_by_hand():
    """After one ride 0 -> 1 -> 2 and a step into the goal, q(2) = 1/2; the next ride is worth 1/2 (1/4 * 1/2) = 1/16."""
    mdp, task, options = corridor(4), hsr.GoalTask(0, 3), ride(4, to=2)
    for seed in range(200):
        run = learn(mdp, [task], options=options, seed=seed, epsilon=0.0, update="chosen", episodes=2)
        if run.trajectory.choice.tolist() == [1, 1, 0, 1, 1, 0]:
            break
    np.testing.assert_array_equal(run.trajectory.choice, [1, 1, 0, 1, 1, 0])
    np.testing.assert_array_equal(run.values[0, 0], [[0, 0, 0.75, 0], [0.0625, 0, 0, 0]])


def test_an_option_of_one_step_by_intra_option_learning_by_hand():
    """It stops with chance 1/4 in state 1: the target is 1/2 (3/4 q(o, 1) + 1/4 max q), looked at before the update."""
    mdp = corridor(3)
    options = hsr.OptionSet([[0, 0, 0]], [[1.0, 0.25, 1.0]], [[True, True, False]])
    agent = {"update": "intra_option", "epsilon": 0.0}
    first = learn(mdp, [hsr.GoalTask(0, 2)], options=options, **agent)
    np.testing.assert_array_equal(first.values[0, 0], [[0, 0.5, 0], [0, 0.5, 0]])
    second = learn(mdp, [hsr.GoalTask(0, 2)], options=options, episodes=2, **agent)
    np.testing.assert_array_equal(second.values[0, 0], [[0.125, 0.75, 0], [0.125, 0.75, 0]])  # both are worth 1/2 in 1
    tasks = [hsr.GoalTask(1, 2), hsr.GoalTask(0, 2)]
    only_primitives = hsr.OptionSet([[0, 0, 0]], [[1.0, 0.25, 1.0]], [[True, False, False]])
    later = learn(mdp, tasks, options=only_primitives, horizon=1, **agent)
    np.testing.assert_array_equal(later.values[0, 1], [[0.125, 0.5, 0], [0.125, 0.5, 0]])  # beta(1) < 1: it can run in 1


# Identities.


def check_same_steps(mdp, tasks, one, other, **how):
    """Assert that two agents take the same steps over ten seeds, two tasks and fifty episodes, and return the first's run."""
    how = {"seeds": range(10), "episodes": 50, "horizon": 1000, "keep_values": True, **how}
    runs = hsr.train(mdp, tasks, {"one": one, "other": other}, **how)
    np.testing.assert_array_equal(runs["one"].steps, runs["other"].steps)
    np.testing.assert_array_equal(runs["one"].choice_use, runs["other"].choice_use)
    # Values reach 1 and take tens of thousands of updates, each with a rounding error of at most 1e-15.
    np.testing.assert_allclose(runs["one"].values, runs["other"].values, rtol=0, atol=1e-9)
    assert runs["one"].terminated.mean() > 0.3
    return runs["one"]


def full_rank_matrices():
    """Return two matrices of full rank over the four rooms: the walk's successor representation, and noise."""
    mdp = four_rooms()[0]
    return {
        "walk": hsr.successor_representation(mdp).toarray(),
        "noise": np.random.default_rng(3).standard_normal((mdp.n_states, mdp.n_states)) / 10.0,
    }


@pytest.mark.parametrize("form", ["primal", "dual"])
@pytest.mark.parametrize("matrix", ["walk", "noise"])
def test_orthonormal_features_of_full_rank_are_one_hot(matrix, form):
    """Q-learning sees features only through inner products, and U U' = I."""
    mdp, options, tasks, _ = four_rooms()
    U, s, _ = np.linalg.svd(full_rank_matrices()[matrix])
    assert s[-1] > 1e-4
    check_same_steps(mdp, tasks, hsr.LinearQ(learning_rate=0.1), hsr.LinearQ(U, learning_rate=0.1, form=form), options=options)


@pytest.mark.parametrize("form", ["primal", "dual"])
@pytest.mark.parametrize("matrix", ["walk", "noise"])
def test_scaled_singular_vectors_of_full_rank_are_the_rows(matrix, form):
    """M = U diag(s) V', so M M' = (U diag(s)) (U diag(s))'."""
    mdp, options, tasks, _ = four_rooms()
    M = full_rank_matrices()[matrix]
    U, s, _ = np.linalg.svd(M)
    one, other = (hsr.LinearQ(Phi, learning_rate=0.05, form=form) for Phi in (M, U * s))
    check_same_steps(mdp, tasks, one, other, options=options)


@pytest.mark.parametrize("update", UPDATES)
def test_the_dual_form_decides_as_the_primal_form(update):
    mdp, options, tasks, _ = four_rooms()
    Phi = features_of("few", mdp.n_states)
    one, other = (hsr.LinearQ(Phi, learning_rate=0.1, update=update, form=form) for form in ("primal", "dual"))
    runs = hsr.train(mdp, tasks, {"one": one, "other": other}, options, seeds=range(10), episodes=20, horizon=300)
    np.testing.assert_array_equal(runs["one"].steps, runs["other"].steps)
    np.testing.assert_array_equal(runs["one"].choice_use, runs["other"].choice_use)


@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
def test_options_that_are_never_available_are_no_options(features):
    mdp, options, tasks, _ = four_rooms()
    agent = hsr.LinearQ(features_of(features, mdp.n_states), learning_rate=0.1)
    how = {"seeds": range(4), "episodes": 20, "horizon": 500, "keep_values": True, "keep_maps": features in ("sr", "hsr")}
    alone = hsr.train(mdp, tasks, agent, None, trajectory_of=3, **how)
    nowhere = hsr.OptionSet(options.policy, options.termination, np.zeros_like(options.initiation))
    empty = hsr.OptionSet(np.zeros((0, mdp.n_states), dtype=int), np.zeros((0, mdp.n_states)))
    for none in (nowhere, empty):
        run = hsr.train(mdp, tasks, agent, none, trajectory_of=3, **how)
        for name in ("steps", "decisions", "terminated", "coverage", "first_visit"):
            assert getattr(run, name).tobytes() == getattr(alone, name).tobytes()
        assert run.values[:, :, :4].tobytes() == alone.values.tobytes()
        assert not run.values[:, :, 4:].any()
        assert run.choice_use[:, :, :4].tobytes() == alone.choice_use.tobytes()
        assert steps_of(run.trajectory).tobytes() == steps_of(alone.trajectory).tobytes()
        if run.maps is not None:
            assert run.maps.tobytes() == alone.maps.tobytes()


def test_without_options_and_with_one_step_the_two_maps_are_one():
    """With primitive actions alone every choice lasts one step, and Eq. 8 is Eq. 2."""
    mdp, _, tasks, _ = four_rooms()
    sr, hierarchical, passed = (
        hsr.train(
            mdp, tasks, hsr.LinearQ(word, learning_rate=0.1, map_update=how), seeds=range(3), episodes=20, keep_maps=True,
            keep_values=True,
        )
        for word, how in (("sr", "chosen"), ("hsr", "chosen"), ("hsr", "passed"))
    )  # fmt: skip
    for run in (hierarchical, passed):
        assert run.maps.tobytes() == sr.maps.tobytes()
        assert run.values.tobytes() == sr.values.tobytes()


def test_where_there_is_one_action_every_map_is_the_successor_representation():
    """However steps are bundled into choices, the same states follow: nothing is left to chance, so maps become exact."""
    mdp = corridor(6, discount=0.9)
    options = hsr.OptionSet(np.zeros((2, 6), dtype=int), [[0, 0, 1, 0, 1, 1], [0, 0, 0, 0, 1, 1]])
    task = hsr.GoalTask(0, 5)
    exact = hsr.successor_representation(mdp, task=task).toarray()
    for word, how in (("sr", "chosen"), ("hsr", "chosen"), ("hsr", "passed")):
        agent = hsr.LinearQ(word, epsilon=1.0, map_learning_rate=0.5, map_update=how)
        run = hsr.train(mdp, [task], agent, options, seeds=range(3), episodes=2000, keep_maps=True)
        np.testing.assert_allclose(run.maps[:, 0], np.broadcast_to(exact, (3, 6, 6)), rtol=0, atol=1e-13)


# Optimal behaviour.


@pytest.mark.parametrize("with_options", [False, True])
@pytest.mark.parametrize("update", ["chosen_and_primitives", "intra_option"])
def test_long_training_ends_in_shortest_paths(with_options, update):
    """Ten steps to G1, then eighteen to G2.

    With learning rate 1 in a certain world a value becomes its target at once: a number 0.9^k of a path that exists. So none
    exceeds the optimum once those of the former task have faded, and where all was tried often enough it is the optimum.
    Half of all choices are random, and 3000 episodes visit each pair near the start's shortest paths hundreds of times.
    """
    mdp, options, tasks, _ = four_rooms()
    agent = hsr.LinearQ(learning_rate=1.0, epsilon=0.5, update=update)
    run = hsr.train(
        mdp, tasks, agent, options if with_options else None, seeds=range(10), episodes=3000, evaluate=True, keep_values=True
    )
    np.testing.assert_array_equal(run.greedy_steps, np.broadcast_to([10, 18], (10, 2)))
    best = run.values[:, 0, :, FOUR_ROOMS.start].max(axis=1)
    np.testing.assert_allclose(best, 0.9**9, rtol=1e-12)


def test_the_evaluation_leaves_no_trace():
    """Nothing is learned in it and it has chances of its own, so that the run goes on as if it had not been."""
    mdp, options, tasks, horizon = four_rooms()
    for features in ("onehot", "few", "sr", "hsr"):
        agent = hsr.LinearQ(features_of(features, mdp.n_states), learning_rate=0.2)
        keep = {"keep_values": True, "keep_maps": features in ("sr", "hsr")}
        how = {"seeds": range(3), "episodes": 6, "horizon": horizon, **keep}
        without, with_it = (hsr.train(mdp, tasks, agent, options, evaluate=evaluate, **how) for evaluate in (False, True))
        assert without.greedy_steps is None
        assert ((with_it.greedy_steps >= 10) & (with_it.greedy_steps <= horizon)).all()
        for name in ("steps", "decisions", "terminated", "coverage", "first_visit", "choice_use", "values", "maps"):
            one, other = getattr(without, name), getattr(with_it, name)
            assert (one is None and other is None) or one.tobytes() == other.tobytes()


def test_with_learning_rate_zero_nothing_moves():
    """The kernel itself, called as `train` calls it; the front door refuses a rate of zero."""
    from hsr.agents import plan as plans
    from hsr.agents import seed_run
    from hsr.agents.tables import world_of
    from hsr.kernels.linear_q import FINISHED
    from hsr.kernels.records import Log

    mdp, options, tasks, horizon = four_rooms()
    rng = np.random.default_rng(0)
    for features in ("onehot", "few", "sr", "hsr"):
        frame = plans.Frame(mdp, world_of(mdp), tuple(tasks), options, (0,), 5, horizon, False, False, False, None)
        plan = plans.make_plan(frame, hsr.LinearQ(features_of(features, mdp.n_states), map_update="passed"))
        seed = seed_run._begin(plan, 0)
        learner = seed.learner
        learner.W[:, : mdp.n_states] = rng.standard_normal(learner.W[:, : mdp.n_states].shape)
        before = [array.copy() for array in (learner.W, learner.X, learner.sr, learner.hsr)]
        counts = [np.zeros(5, dtype=kind) for kind in (np.int64, np.int64, bool, np.int64)]
        log = Log(*counts, np.zeros(12, dtype=np.int64), np.full(mdp.n_states, -1), np.zeros((0, 6), dtype=np.int32))
        still = plan.rule._replace(alpha=0.0, map_alpha=0.0)
        status = seed_run._learn(seed, seed.rng, still, 0, learner, log, seed.clock, 2**62, False)
        assert status == FINISHED
        assert log.steps.min() > 0
        for was, array in zip(before, (learner.W, learner.X, learner.sr, learner.hsr), strict=True):
            assert was.tobytes() == array.tobytes()


# Where the maps go when the policy stands still: epsilon = 1 chooses evenly among what is available. A constant rate b leaves
# noise of about sqrt(b) and a bias of order b; 20 seeds give each entry's mean and its standard error: 6 of those, plus a bias.


def even_mu(mdp, options):
    """Return the policy over choices that is uniform over what is available, of shape (S, C)."""
    able = np.concatenate([np.ones((mdp.n_actions, mdp.n_states), dtype=bool), options.initiation]).T
    return able / able.sum(axis=1, keepdims=True)


def running_shares(mdp, options, mu, task):
    """Return nu[s, c], the share of steps from s in which choice c is running, of shape (S, C).

    From the chain of pairs (state, running choice) without discount, ended at the goal; every other state starts alike if the
    task has no start of its own. Where no step is ever made nu is mu.
    """
    n, C, A = mdp.n_states, mu.shape[1], mdp.n_actions
    transition, pi = mdp.toarray(), dense_options.action_probabilities(mdp, options)
    beta = np.concatenate([np.ones((A, n)), dense_options.termination(options)])
    chains = [transition[:, a] for a in range(A)] + [dense_options.option_chain(transition, pi[o]) for o in range(len(options))]
    T = np.zeros((n, C, n, C))
    for c, P in enumerate(chains):
        T[:, c] += (P * beta[c])[:, :, None] * mu
        T[:, c, :, c] += P * (1.0 - beta[c])
    T[task.goal], T[:, :, task.goal] = 0.0, 0.0
    first = np.ones(n) if task.start is None else np.eye(n)[task.start]
    first[task.goal] = 0.0
    made = np.linalg.solve(np.eye(n * C) - T.reshape(n * C, -1).T, (first[:, None] * mu).ravel()).reshape(n, C)
    total = made.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, made / np.where(total > 0.0, total, 1.0), mu)


def check_mean_map(runs, exact, *, bias):
    """Assert that the seeds' mean map is the exact one, within 6 standard errors of each entry and the bias."""
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    assert (np.abs(runs.mean(axis=0) - exact) < 6.0 * error + bias).all()
    assert error.max() < 0.05


def learned_maps(mdp, options, task, features, map_update="chosen", *, rate=0.02):
    """Return the maps of 20 seeds after 30 / rate episodes of even choices, of shape (20, S, S).

    Every state is left about 0.5 times per episode or more, so that its row has forgotten the identity: exp(-15) < 1e-6.
    """
    agent = hsr.LinearQ(features, epsilon=1.0, map_learning_rate=rate, map_update=map_update, learning_rate=1e-6)
    run = hsr.train(mdp, [task], agent, options, seeds=range(20), episodes=int(30 / rate), horizon=100_000, keep_maps=True)
    assert run.terminated.all()
    return run.maps[:, 0]


# The slippery rooms are left to chance in every way, and a long path passes a state many times: a smaller rate.
FIXED_POINTS = {
    "eigenoptions": (two_rooms(), hsr.eigenoptions(two_rooms(), 4, signs="both"), hsr.GoalTask(None, 12), 0.02),
    "one start": (two_rooms(), hsr.eigenoptions(two_rooms(), 4, signs="both"), hsr.GoalTask(0, 12), 0.02),
    "fractional": (*fractional()[:2], hsr.GoalTask(None, 12), 0.005),
}


@pytest.mark.parametrize("case", FIXED_POINTS)
def test_the_hierarchical_map_approaches_its_closed_form(case):
    mdp, options, task, rate = FIXED_POINTS[case]
    exact = hsr.hierarchical_sr(hsr.option_model(mdp, options, task=task), even_mu(mdp, options)).toarray()
    check_mean_map(learned_maps(mdp, options, task, "hsr", rate=rate), exact, bias=0.01)


@pytest.mark.parametrize("case", FIXED_POINTS)
def test_updating_every_state_passed_approaches_another_map(case):
    """Its rows mix what was running when a state was left, not what is chosen there: mu becomes nu, the share of each choice.

    An option passes states in which it would seldom be chosen, or could not be; so the fixed point is not the map of mu, and it
    depends on where episodes start.
    """
    mdp, options, task, rate = FIXED_POINTS[case]
    mu = even_mu(mdp, options)
    nu = running_shares(mdp, options, mu, task)
    np.testing.assert_allclose(nu.sum(axis=1), 1.0, rtol=1e-12)
    of_mu, of_nu = (dense_options.dense_hsr(mdp, options, weights, goal=task.goal) for weights in (mu, nu))
    learned = learned_maps(mdp, options, task, "hsr", "passed", rate=rate)
    check_mean_map(learned, of_nu, bias=0.01)
    assert np.abs(of_mu - of_nu).max() > 0.05
    assert np.abs(learned.mean(axis=0) - of_mu).max() > 0.7 * np.abs(of_mu - of_nu).max()


def test_the_two_fixed_points_in_a_corridor_of_four_cells():
    """An option from cell 0 passes cell 1, where it cannot be chosen: nu is 1/5 there for each of five, mu 1/4 for four.

    Row 1 of the map of mu solves x_1 = 1_1 + 1/8 (x_0 + 2 x_1 + x_2): two of four moves bump. With nu it is
    x_1 = 1_1 + 1/10 (x_0 + 2 x_1 + x_2) + 1/10 x_2, the option's share too leading on to 2.
    """
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...."), discount=0.5)
    options = hsr.OptionSet([[1, 1, 1, 1]], [[0, 0, 1, 1]], [[True, False, False, False]])
    task = hsr.GoalTask(0, 3)
    mu = even_mu(mdp, options)
    nu = running_shares(mdp, options, mu, task)
    np.testing.assert_allclose(nu, [[0.2] * 5, [0.2] * 5, [0.25] * 4 + [0.0], [0.25] * 4 + [0.0]], atol=1e-12)
    unit = np.eye(4)
    solved = []
    for to_0, stay, to_2 in ((1 / 8, 1 / 4, 1 / 8), (1 / 10, 1 / 5, 1 / 5)):
        system = unit.copy()
        system[0, :3] -= [3 / 10, 1 / 10, 1 / 20]  # three of five choices bump, one steps, one rides two cells
        system[1, :3] -= [to_0, stay, to_2]
        system[2, 1:] -= [1 / 8, 1 / 4, 1 / 8]
        visits = unit.copy()
        visits[0, 1] = 1 / 10  # the ride's second cell
        solved.append(np.linalg.solve(system, visits))
    of_mu, of_nu = (dense_options.dense_hsr(mdp, options, weights, goal=3) for weights in (mu, nu))
    np.testing.assert_allclose(of_mu, solved[0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(of_nu, solved[1], rtol=0, atol=1e-14)
    assert np.abs(of_mu - of_nu).max() > 0.1
    for how, exact in (("chosen", of_mu), ("passed", of_nu)):
        check_mean_map(learned_maps(mdp, options, task, "hsr", how, rate=0.005), exact, bias=0.01)


@pytest.mark.parametrize("case", FIXED_POINTS)
def test_the_successor_representation_approaches_that_of_the_actions_taken(case):
    """Each step counts whatever is running, so the policy is pi(a | s) = sum_c nu(c | s) pi_c(a | s)."""
    mdp, options, task, rate = FIXED_POINTS[case]
    A = mdp.n_actions
    nu = running_shares(mdp, options, even_mu(mdp, options), task)
    pi = nu[:, :A] + np.einsum("so,osa->sa", nu[:, A:], dense_options.action_probabilities(mdp, options))
    exact = hsr.successor_representation(mdp, pi, task=task).toarray()
    check_mean_map(learned_maps(mdp, options, task, "sr", rate=rate), exact, bias=0.01)


@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_without_options_the_map_approaches_that_of_the_random_walk(slip):
    mdp, task = two_rooms(slip), hsr.GoalTask(None, 12)
    check_mean_map(learned_maps(mdp, None, task, "sr"), hsr.successor_representation(mdp, task=task).toarray(), bias=0.01)


# Options found on the way.


@pytest.mark.parametrize("signs", ["positive", "both"])
def test_options_of_the_exact_map_are_the_eigenoptions(signs):
    mdp = four_rooms()[0]
    found = hsr.OnlineOptions(8, signs=signs).discover(mdp, hsr.successor_representation(mdp).toarray())
    exact = hsr.eigenoptions(mdp, 8, signs=signs)
    np.testing.assert_array_equal(found.termination, exact.termination)
    np.testing.assert_array_equal(found.initiation, exact.initiation)
    np.testing.assert_array_equal(found.policy[exact.initiation], exact.policy[exact.initiation])


@pytest.mark.parametrize(
    ("warm_up", "refresh", "times"),
    [(100, 50, {0: 100, 99: 100, 100: 150, 149: 150, 150: 200, 1234: 1250}), (0, 7, {0: 7, 6: 7, 7: 14, 20: 21})],
)
def test_refreshes_keep_to_their_calendar(warm_up, refresh, times):
    """A refresh that came late does not move the next: they stay at warm_up + k refresh."""
    online = hsr.OnlineOptions(2, warm_up=warm_up, refresh=refresh)
    assert {steps: online.next_refresh(steps) for steps in times if steps >= warm_up} == {
        steps: due for steps, due in times.items() if steps >= warm_up
    }


ONLINE = [
    (features, values, update, map_update)
    for features in ("onehot", "few", "sr", "hsr")
    for values in ("keep", "reset")
    for update, map_update in (("chosen_and_primitives", "chosen"), ("chosen", "passed"), ("intra_option", "chosen"))
]


@pytest.mark.parametrize(("features", "values", "update", "map_update"), ONLINE)
def test_options_found_on_the_way_are_those_of_the_plain_twin(features, values, update, map_update):
    mdp, rows = two_rooms(slip=0.1), features_of(features, 13)
    tasks = [hsr.GoalTask(0, 12), hsr.GoalTask(None, 2)]
    online = hsr.OnlineOptions(3, warm_up=150, refresh=40, values=values)
    settings = {**SETTINGS, "update": update, "map_update": map_update}
    for seed in (0, 1):
        result = train_plainly(mdp, tasks, seed, Rule(rows, **settings), online=online, episodes=12, horizon=40)
        run = check_twin(
            mdp, tasks, seed, hsr.LinearQ(rows, **settings), result, options=online, episodes=12, horizon=40, keep_maps=True
        )
        assert len(result.options) >= 3
        assert result.choice_use[:, 4:].sum() > 0
        found, last = run.found_options[0], result.options[-1]
        np.testing.assert_array_equal(found.policy, last.policy)
        np.testing.assert_array_equal(found.termination, last.termination)


def test_before_the_warm_up_is_over_there_are_no_options():
    mdp, _, tasks, _ = four_rooms()
    how = {"seeds": range(3), "episodes": 3, "horizon": 300, "trajectory_of": 2}
    online = hsr.OnlineOptions(8, warm_up=10**9)
    run = hsr.train(mdp, tasks, hsr.LinearQ("hsr"), online, **how)
    alone = hsr.train(mdp, tasks, hsr.LinearQ("hsr"), **how)
    assert run.steps.tobytes() == alone.steps.tobytes()
    assert run.found_options == (None, None, None)
    late = hsr.train(mdp, tasks, hsr.LinearQ("hsr"), hsr.OnlineOptions(8, warm_up=250), **how).trajectory
    assert late.choice[:250].max() < 4 <= late.choice[250:].max()


@pytest.mark.parametrize("values", ["keep", "reset"])
def test_values_of_options_are_kept_or_begin_anew(values):
    """The second set comes in the last episode: since then each choice moved one value, of those kept or of those reset."""
    mdp = two_rooms(slip=0.1)
    task = [hsr.GoalTask(0, 12)]
    agent = hsr.LinearQ(update="chosen", learning_rate=0.3, epsilon=0.5, map_learning_rate=0.2)
    online = hsr.OnlineOptions(3, warm_up=100, refresh=3000, values=values)
    how = {"seeds": [1], "horizon": 60, "keep_values": True}
    n = int(np.searchsorted(hsr.train(mdp, task, agent, online, episodes=300, **how).steps[0, 0].cumsum(), 3100))
    before, after = (hsr.train(mdp, task, agent, online, episodes=episodes, **how) for episodes in (n, n + 1))
    different = changed(before.found_options[0], after.found_options[0])
    old, new = (run.values[0, 0, 4:][different] for run in (before, after))
    assert different.any()
    assert old.any(axis=1).all()
    learned_since = after.decisions[0, 0, -1]
    if values == "keep":
        assert (new != old).sum() <= learned_since < (old != 0.0).sum()
    else:
        assert (new != 0.0).sum() <= learned_since < (old != 0.0).sum()


def test_an_option_counts_as_changed_by_what_it_does_where_it_runs():
    policy, stop = np.array([[1, 1, 1], [0, 0, 0]]), np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    old = hsr.OptionSet(policy, stop, stop == 0.0)
    never_done, done = policy.copy(), policy.copy()
    never_done[0, 2] = 3  # where the option has stopped and cannot be chosen
    done[1, 2] = 3
    earlier = stop.copy()
    earlier[1, 1] = 1.0
    for new, expected in [
        (old, [False, False]),
        (hsr.OptionSet(never_done, stop, stop == 0.0), [False, False]),
        (hsr.OptionSet(done, stop, stop == 0.0), [False, True]),
        (hsr.OptionSet(policy, earlier, stop == 0.0), [False, True]),
        (hsr.OptionSet(policy, stop, np.array([[True, False, False], [False, True, True]])), [True, False]),
    ]:
        assert changed(old, new).tolist() == changed_options(old, new).tolist() == expected
    assert changed(None, old).tolist() == [True, True]


# Generalised policy improvement.


def dense_pool(mdp, tasks):
    """Return the map of each task's optimal policy, ended at its goal: (I - g diag(1 - 1_goal) P)^-1."""
    maps = []
    for task in tasks:
        P = dense_options.option_chain(mdp.toarray(), hsr.greedy_policy(mdp, task))
        P[task.goal] = 0.0
        maps.append(np.linalg.inv(np.eye(mdp.n_states) - mdp.discount * P))
    return maps


@pytest.mark.parametrize("world", [four_rooms, slippery])
@pytest.mark.parametrize("goals", ["every", "some"])
def test_the_pool_evaluates_its_policies_on_any_reward(world, goals):
    mdp = world()[0]
    tasks = hsr.every_goal(mdp)[:: 1 if goals == "every" else 5]
    rng = np.random.default_rng(0)
    maps = dense_pool(mdp, tasks)
    for reward in (np.eye(mdp.n_states)[3], rng.standard_normal(mdp.n_states)):
        by_hand = np.max([np.einsum("sat,t->sa", mdp.toarray(), M @ reward) for M in maps], axis=0)
        np.testing.assert_allclose(Pool(mdp, tasks).action_values(reward), by_hand, rtol=0, atol=1e-12)
        np.testing.assert_allclose(gpi_table(mdp, maps, reward), by_hand, rtol=0, atol=1e-12)


@pytest.mark.parametrize("world", [four_rooms, slippery, fractional])
@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
@pytest.mark.parametrize("reward", ["found", "regressed"])
def test_every_step_of_gpi_is_that_of_the_plain_twin(world, features, reward):
    mdp, options, tasks, horizon = world()
    rows = features_of(features, mdp.n_states)
    pretraining = hsr.every_goal(mdp)[::4]
    pool = dense_pool(mdp, pretraining)
    for seed in (0, 1):
        for form in ("auto",) if features in ("sr", "hsr") else ("primal", "dual"):
            how = {"options": options, "episodes": 6, "horizon": horizon}
            settings = {**SETTINGS, "tie_tolerance": 0.15 if seed else 1e-12}  # of the largest magnitude, for the pool's values
            result = train_plainly(mdp, tasks, seed, Rule(rows, **settings), pool=pool, reward=reward, **how)
            agent = hsr.GPI(rows, pretraining=pretraining, reward=reward, form=form, **settings)
            check_twin(mdp, tasks, seed, agent, result, keep_maps=features in ("sr", "hsr"), **how)


GPI_ONLINE = hsr.OnlineOptions(3, warm_up=60, refresh=20, values="reset")


def gpi_with_online_options(features, seed, episodes):
    """Return (run, result) of the library and of the twin, compared."""
    mdp, pretraining = two_rooms(), hsr.every_goal(two_rooms())[::3]
    tasks, pool = [hsr.GoalTask(0, 12), hsr.GoalTask(None, 2)], dense_pool(mdp, pretraining)
    how = {"episodes": episodes, "horizon": 40}
    result = train_plainly(mdp, tasks, seed, Rule(features, **SETTINGS), online=GPI_ONLINE, pool=pool, **how)
    agent = hsr.GPI(features, pretraining=pretraining, **SETTINGS)
    return check_twin(mdp, tasks, seed, agent, result, options=GPI_ONLINE, keep_maps=True, **how), result


@pytest.mark.parametrize("features", ["onehot", "hsr"])
def test_gpi_and_options_found_on_the_way_go_together_as_in_the_plain_twin(features):
    """Options go on being found, for the values that go on being learned."""
    for seed in range(3):
        run, result = gpi_with_online_options(features, seed, 6)
        assert run.terminated.any()
        assert len(result.options) > 3


@pytest.mark.parametrize("features", ["onehot", "hsr"])
def test_gpi_makes_no_options_when_there_is_nothing_left_to_choose(features):
    """The last options found are those of the last choice, as for an agent without a pool."""
    for seed in (2, 3):
        run, result = gpi_with_online_options(features, seed, 4)
        np.testing.assert_array_equal(run.found_options[0].policy, result.options[-1].policy)
        np.testing.assert_array_equal(run.found_options[0].termination, result.options[-1].termination)


@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
@pytest.mark.parametrize("with_options", [False, True])
def test_after_the_goal_was_found_gpi_with_the_right_policy_is_optimal(features, with_options):
    """The pool holds each goal's own optimal policy, whose value no policy exceeds."""
    mdp, options, tasks, _ = four_rooms()
    agent = hsr.GPI(features_of(features, mdp.n_states), pretraining=hsr.every_goal(mdp), epsilon=0.0)
    for task, shortest in zip(tasks, (10, 18), strict=True):
        run = hsr.train(
            mdp, [task], agent, options if with_options else None, seeds=range(10), episodes=12, horizon=2000, evaluate=True
        )
        for i in range(10):
            found = np.flatnonzero(run.terminated[i, 0])[0]
            assert found < 6
            np.testing.assert_array_equal(run.steps[i, 0, found + 1 :], shortest)
            assert run.greedy_steps[i, 0] == shortest
            assert run.goal_time[i, 0] == run.steps[i, 0, : found + 1].sum()


def test_gpi_forgets_the_reward_when_the_task_changes():
    """Without exploration its own values keep leading it to the first goal, unless it went on acting by what it found there."""
    mdp, options, tasks, _ = four_rooms()
    agent = hsr.GPI(pretraining=hsr.every_goal(mdp), epsilon=0.1, learning_rate=0.5)
    run = hsr.train(mdp, tasks, agent, options, seeds=range(10), episodes=12, horizon=2000, trajectory_of=0)
    assert run.terminated.all(axis=2).any(axis=0).all()
    first_of_task = [np.flatnonzero(run.trajectory.task == k)[0] for k in (0, 1)]
    chosen = [run.trajectory.choice[first : first + run.goal_time[0, k]] for k, first in enumerate(first_of_task)]
    later = [run.trajectory.choice[first + run.goal_time[0, k] : last] for (k, first), last in
             zip(enumerate(first_of_task), (first_of_task[1], len(run.trajectory)), strict=True)]  # fmt: skip
    assert all(choices.max() >= 4 for choices in chosen)  # options too, until the goal is found
    assert all(choices.max() < 4 for choices in later)


def test_features_matter_only_until_the_goal_is_found():
    """In the first task values are all zero before, and are not looked at after: any features give the same steps."""
    mdp, options, tasks, _ = four_rooms()
    agents = {
        word: hsr.GPI(features_of(word, mdp.n_states), pretraining=hsr.every_goal(mdp)[::3], learning_rate=0.1)
        for word in ("onehot", "few", "many", "sr", "hsr")
    }
    runs = hsr.train(mdp, tasks, agents, options, seeds=range(5), episodes=15, horizon=1000)
    assert runs["onehot"].terminated[:, 0].any(axis=1).all()
    for run in runs.values():
        np.testing.assert_array_equal(run.steps[:, 0], runs["onehot"].steps[:, 0])
    assert len({run.steps[:, 1].tobytes() for run in runs.values()}) == len(runs)


def test_a_reward_regressed_from_shared_features_differs_from_one_that_was_found():
    """One-hot features see the goal alone; features that other states share spread it, and the agent follows the spread."""
    mdp, options, tasks, _ = four_rooms()
    how = {"pretraining": hsr.every_goal(mdp), "epsilon": 0.1, "learning_rate": 0.1}
    few = features_of("few", mdp.n_states)
    agents = {
        (name, reward): hsr.GPI(Phi, reward=reward, **how)
        for name, Phi in (("onehot", "onehot"), ("few", few))
        for reward in ("found", "regressed")
    }
    runs = hsr.train(mdp, tasks, agents, options, seeds=range(5), episodes=15, horizon=500)
    np.testing.assert_array_equal(runs["onehot", "found"].steps, runs["onehot", "regressed"].steps)
    assert (runs["few", "found"].steps[:, 0] == runs["onehot", "found"].steps[:, 0]).all()
    assert (runs["few", "regressed"].steps != runs["few", "found"].steps).any()
