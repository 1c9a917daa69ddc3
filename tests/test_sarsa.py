"""SARSA with a bonus: decision by decision against a plain twin, by hand, and against the closed forms of its maps."""

import os
from pathlib import Path

import numba
import numpy as np
import pytest

import hsr
from hsr._base import lanes
from hsr.agents.tables import choices_of, world_of
from hsr.kernels import sarsa
from hsr.representation.td import initial_map_of
from tests.oracles.plain_sarsa import explore_plainly
from tests.test_compiled import SOURCES, python

ROOMS = "#######\n#..#..#\n#.....#\n#..#..#\n#######"
BONUSES = [None, "norm", "spie", "spie_l1"]
KINDS = ["none", "eigen", "fractional"]
GOAL = 12


def world(slip=0.0, discount=0.9):
    """Return a small world of two rooms and a door, 13 states."""
    return hsr.grid_mdp(hsr.GridLayout.from_text(ROOMS), discount=discount, slip=slip)


def fractional_options(mdp):
    """Return three options: one certain, one that stops by chance, one whose policy is random too; not all everywhere."""
    rng = np.random.default_rng(4)
    policy = rng.dirichlet(np.ones(mdp.n_actions), size=(3, mdp.n_states))
    policy[0] = np.eye(mdp.n_actions)[1]
    beta = rng.uniform(0.1, 0.9, size=(3, mdp.n_states))
    beta[0] = rng.random(mdp.n_states) < 0.5
    beta[1, ::3] = 0.0
    return hsr.OptionSet(policy, beta, rng.random((3, mdp.n_states)) < 0.7)


def case(kind):
    """Return (mdp, options) of one setting."""
    mdp = world(slip=0.2 if kind == "fractional" else 0.0)
    return mdp, {
        "none": lambda _: None,
        "eigen": lambda m: hsr.eigenoptions(m, 4, signs="both"),
        "fractional": fractional_options,
    }[kind](mdp)


def agent_of(bonus="spie", on="hsr", **how):
    """Return an agent that learns fast enough for a short run to matter."""
    return hsr.Sarsa(bonus, on, **{"learning_rate": 0.1, "map_learning_rate": 0.15, "epsilon": 0.2, **how})


def run_one(mdp, agent, options=None, *, seed=0, **how):
    """Return the run of one seed with everything kept."""
    return hsr.explore(mdp, agent, options, seeds=[seed], trajectory_of=seed, keep_maps=True, keep_values=True, **how)


def steps_of(trajectory):
    """Return the rows of a trajectory as the twin writes them."""
    columns = ("episode", "choice", "began", "state", "action", "arrival")
    return np.stack([getattr(trajectory, name).astype(int) for name in columns], axis=1)


def check_same(run, plain):
    """Assert that run and twin took the same steps; what they learned is the same sums in another order, a thousand times."""
    np.testing.assert_array_equal(steps_of(run.trajectory), plain.trace)
    np.testing.assert_array_equal(run.first_visit[0], plain.first_visit)
    np.testing.assert_array_equal(run.visits[0], plain.visits)
    np.testing.assert_array_equal(run.choice_use[0], plain.use)
    np.testing.assert_allclose(run.values[0].T, plain.Q, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(run.maps[0], plain.map, rtol=1e-10, atol=1e-12)


def parts(run):
    """Return the bytes of every array of a run, in order."""
    arrays = (run.first_visit, run.visits, run.goal_time, run.goals, run.decisions, run.choice_use, run.diverged_at)
    kept = [array for array in (run.maps, run.values) if array is not None]
    return [array.tobytes() for array in (*arrays, *kept)]


# Against the twin.


@pytest.mark.parametrize("goal", [None, GOAL], ids=["free", "goal"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("on", ["sr", "hsr"])
@pytest.mark.parametrize("bonus", BONUSES)
@pytest.mark.parametrize("bonus_per", ["step", "choice"])
def test_every_decision_is_that_of_the_twin(bonus, on, kind, goal, bonus_per):
    mdp, options = case(kind)
    agent = agent_of(bonus, on, bonus_per=bonus_per, bonus_weight=0.1)
    task = None if goal is None else hsr.GoalTask(start=8, goal=goal)
    run = run_one(mdp, agent, options, seed=3, steps=1500, task=task, start=8)
    plain = explore_plainly(mdp, agent, options, seed=3, steps=1500, start=8, goal=goal)
    check_same(run, plain)
    assert run.coverage[0, -1] > 0.5
    if goal is not None and (bonus, kind) != ("norm", "eigen"):  # who is paid for every step may prefer not to arrive
        assert run.goals[0] > 1
    if kind != "none":
        assert run.choice_use[0, mdp.n_actions :].min() > 0


@pytest.mark.parametrize(
    "how",
    [
        {"bonus": "norm", "norm_of": "left"},
        {"bonus": "norm", "norm_of": "left", "on": "sr", "bonus_per": "choice"},
        {"initial_map": "zero"},
        {"initial_map": "zero", "on": "sr", "bonus": "spie_l1"},
        {"epsilon": 0.0},
        {"epsilon": 1.0},
        {"learning_rate": 1.0, "map_learning_rate": 1.0},
        {"tie_tolerance": 0.5},
        {"bonus_weight": 0.0},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["eigen", "fractional"])
def test_every_reading_is_that_of_the_twin(kind, how):
    mdp, options = case(kind)
    agent = agent_of(**how)
    run = run_one(mdp, agent, options, seed=8, steps=1000, task=hsr.GoalTask(0, GOAL))
    check_same(run, explore_plainly(mdp, agent, options, seed=8, steps=1000, start=0, goal=GOAL))


@pytest.mark.parametrize("steps", [1, 2, 3, 17])
@pytest.mark.parametrize("on", ["sr", "hsr"])
def test_a_choice_that_the_budget_cuts_off_ends_there(steps, on):
    """Options that never stop: all but the first few steps belong to one choice, which the last step ends."""
    mdp = world(slip=0.2)
    options = hsr.OptionSet(np.full((1, 13), 1), np.zeros((1, 13)))
    agent = agent_of(on=on, epsilon=1.0)
    for seed in range(10):
        run = run_one(mdp, agent, options, seed=seed, steps=steps, start=0)
        check_same(run, explore_plainly(mdp, agent, options, seed=seed, steps=steps, start=0))
        assert run.visits.sum() == steps


def test_a_long_run_stays_with_the_twin_in_the_four_rooms():
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.99)
    for options, on in ((None, "sr"), (hsr.eigenoptions(mdp, 8), "hsr")):
        agent = hsr.Sarsa("spie", on)
        run = run_one(mdp, agent, options, seed=5, steps=10_000, start=0)
        check_same(run, explore_plainly(mdp, agent, options, seed=5, steps=10_000, start=0))


@pytest.mark.parametrize("with_goal", [False, True])
def test_a_start_that_is_not_given_is_drawn_first(with_goal):
    """From all states; with a goal, from those that can reach it, other than itself. State 3 is a trap."""
    mdp = hsr.FiniteMDP.from_successors([[1, 3], [2, 0], [2, 1], [3, 3]], discount=0.9)
    starts = [0, 1] if with_goal else [0, 1, 2, 3]
    task = hsr.GoalTask(None, 2) if with_goal else None
    seen = set()
    for seed in range(20):
        run = run_one(mdp, agent_of(), seed=seed, steps=50, task=task)
        check_same(run, explore_plainly(mdp, agent_of(), seed=seed, steps=50, starts=starts, goal=2 if with_goal else None))
        seen.add(int(np.flatnonzero(run.first_visit[0] == 0)[0]))
    assert seen == set(starts)


# By hand.


def test_one_state_is_left_and_met_again():
    """The row's sum obeys m += a (1 + g m - m), the bonus is 1 / m, and nothing is new to SPIE: M^2 - M^2 = 0."""
    mdp = hsr.FiniteMDP.from_successors([[0]], discount=0.5)
    m, value = 1.0, 0.0
    for _ in range(4):
        m += 0.25 * (1.0 + 0.5 * m - m)
        value += 0.5 * (1.0 / m + 0.5 * value - value)
    how = {"learning_rate": 0.5, "map_learning_rate": 0.25}
    for on in ("sr", "hsr"):
        run = run_one(mdp, hsr.Sarsa("norm", on, **how), steps=4)
        np.testing.assert_allclose([run.maps[0, 0, 0], run.values[0, 0, 0]], [m, value], rtol=1e-15)
        run = run_one(mdp, hsr.Sarsa("spie", on, **how), steps=4)
        np.testing.assert_allclose([run.maps[0, 0, 0], run.values[0, 0, 0]], [m, 0.0], rtol=1e-15)
    assert (run.first_visit, run.visits, run.decisions) == ([[0]], [[4]], [4])
    np.testing.assert_array_equal(run.coverage, 1.0)


def test_two_states_in_turn():
    """0 -> 1 -> 0 with g = a = 1/2 from the identity, all numbers exact.

    Step 1: M(0) = (1, 1/4);  b = M(0,1)^2 - M(0,1)^2 - M(1,1)^2 = -1;       Q(0) = 1/2 (-1 + 0)
    Step 2: M(1) = (1/4, 17/16);  b = -M(0,0)^2 = -1;                        Q(1) = 1/2 (-1 + 1/2 Q(0)) = -5/8
    Step 3: M(0) = (1, 1/4) / 2 + (1/2, 0) + (1/16, 17/64);  b = -(17/16)^2;  Q(0) = Q(0) / 2 + 1/2 (b + 1/2 Q(1))
    """
    mdp = hsr.FiniteMDP.from_successors([[1], [0]], discount=0.5)
    for on in ("sr", "hsr"):
        agent = hsr.Sarsa("spie", on, learning_rate=0.5, map_learning_rate=0.5)
        run = run_one(mdp, agent, steps=2, start=0)
        assert run.maps[0].tolist() == [[1.0, 0.25], [0.25, 17 / 16]]
        assert run.values[0].tolist() == [[-0.5, -0.625]]
        run = run_one(mdp, agent, steps=3, start=0)
        assert run.maps[0, 0].tolist() == [1.0625, 25 / 64]
        assert run.values[0].tolist() == [[-0.25 + 0.5 * (-((17 / 16) ** 2) - 0.3125), -0.625]]
        l1 = run_one(mdp, hsr.Sarsa("spie_l1", on, learning_rate=0.5, map_learning_rate=0.5), steps=2, start=0)
        assert l1.values[0].tolist() == [[-0.5, -0.625]]  # the sums are M(1,1) = M(0,0) = 1 as well
        norm = run_one(mdp, hsr.Sarsa("norm", on, learning_rate=0.5, map_learning_rate=0.5), steps=1, start=0)
        left = run_one(mdp, hsr.Sarsa("norm", on, norm_of="left", learning_rate=0.5, map_learning_rate=0.5), steps=1, start=0)
        assert (norm.values[0, 0, 0], left.values[0, 0, 0]) == (0.5, 0.5 / 1.25)


def test_a_goal_next_door_pays_one_and_leads_back():
    """Without a bonus Q = 1 - (1 - a)^n; the goal's row goes to a single visit, M(1) = 1 - (1 - a)^n from zero."""
    mdp = hsr.FiniteMDP.from_successors([[1], [0]], discount=0.5)
    agent = hsr.Sarsa(None, "hsr", learning_rate=0.5, map_learning_rate=0.5, initial_map="zero")
    run = run_one(mdp, agent, steps=3, task=hsr.GoalTask(0, 1))
    assert run.values[0].tolist() == [[1 - 0.5**3, 0.0]]
    assert run.maps[0].tolist() == [[0.875, 0.125 + 0.125], [0.0, 0.875]]
    assert steps_of(run.trajectory).tolist() == [[k, 0, 1, 0, 0, 1] for k in range(3)]
    assert (run.goals, run.goal_time, run.visits.tolist()) == ([3], [1], [[0, 3]])


def test_an_option_is_one_choice_with_the_bonuses_of_its_steps():
    """0 -> 1 -> 2 (stays), one option that goes all the way, taken once: R = b(0,1) + g b(1,2), g = 1/2.

    On the HSR, M(0) = 1/2 (1, 0, 0) + 1/2 ((1, 1/2, 0) + 1/4 (0, 0, 1)) and b(0,1) = -1, b(1,2) = M(1,2)^2 - 1 - (1/8)^2.
    On the SR, M(0) = (1, 1/4, 0), then b(0,1) = -1, and M(1) = (0, 1, 1/4), then b(1,2) = -1.
    """
    mdp = hsr.FiniteMDP.from_successors([[1], [2], [2]], discount=0.5)
    options = hsr.OptionSet([[0, 0, 0]], [[0, 0, 1]])
    how = {"learning_rate": 1.0, "map_learning_rate": 0.5, "epsilon": 1.0}
    seed = next(k for k in range(50) if run_one(mdp, hsr.Sarsa(**how), options, seed=k, steps=2, start=0).choice_use[0, 1] == 1)

    def value(**more):
        run = run_one(mdp, hsr.Sarsa(**how, **more), options, seed=seed, steps=2, start=0)
        assert steps_of(run.trajectory)[:, 1:3].tolist() == [[1, 1], [1, 0]]
        return run.values[0, 1, 0]

    assert value(on="hsr") == -1.0 + 0.5 * (0.0 - 1.0 - 1 / 64)
    assert value(on="sr") == -1.0 + 0.5 * -1.0
    assert value(on="hsr", bonus_per="choice") == -1.0
    assert value(on="sr", bonus_per="choice") == 0.0 - 1.0 - 1 / 16
    assert value(on="hsr", bonus="norm", bonus_per="choice") == 1.0
    assert value(on="hsr", bonus="norm", norm_of="left") == 1 / 1.375 + 0.5
    assert value(on="hsr", bonus=None) == 0.0


# What must not matter.


@pytest.mark.parametrize("bonus", BONUSES)
@pytest.mark.parametrize("on", ["sr", "hsr"])
def test_options_that_are_never_available_change_nothing(bonus, on):
    mdp = world(slip=0.1)
    absent = hsr.OptionSet(np.zeros((3, 13), dtype=int), np.zeros((3, 13)), np.zeros((3, 13), dtype=bool))
    without, with_absent = (run_one(mdp, agent_of(bonus, on), o, seed=2, steps=3000, start=0) for o in (None, absent))
    np.testing.assert_array_equal(steps_of(without.trajectory), steps_of(with_absent.trajectory))
    assert without.maps.tobytes() == with_absent.maps.tobytes()
    assert without.values.tobytes() == with_absent.values[:, :4].tobytes()
    assert not with_absent.values[:, 4:].any()


@pytest.mark.parametrize("bonus", BONUSES)
def test_without_options_both_maps_are_the_same(bonus):
    mdp = world(slip=0.1)
    one, two = (run_one(mdp, agent_of(bonus, on), seed=2, steps=3000, task=hsr.GoalTask(0, GOAL)) for on in ("sr", "hsr"))
    assert parts(one) == parts(two)


@pytest.mark.parametrize("bonus", BONUSES)
def test_what_is_kept_does_not_change_what_is_done(bonus):
    mdp, options = case("eigen")
    kept = run_one(mdp, agent_of(bonus), options, steps=2000)
    bare = hsr.explore(mdp, agent_of(bonus), options, seeds=[0], steps=2000)
    assert parts(kept)[:-2] == parts(bare)
    assert (bare.maps, bare.values, bare.trajectory) == (None, None, None)


@pytest.mark.parametrize("options", ["none", "eigen", "online"])
def test_workers_order_and_company_of_seeds_do_not_matter(options):
    mdp = world()
    chosen = {
        "none": None, "eigen": hsr.eigenoptions(mdp, 4), "online": hsr.OnlineOptions(n_options=2, warm_up=300, refresh=300),
    }[options]  # fmt: skip
    how = {"steps": 2000, "keep_maps": True, "keep_values": True}

    def bytes_by_seed(seeds, **more):
        run = hsr.explore(mdp, agent_of(), chosen, seeds=seeds, **how, **more)
        arrays = (run.first_visit, run.visits, run.choice_use, run.maps, run.values)
        return {seed: [array[i].tobytes() for array in arrays] for i, seed in enumerate(run.seeds)}

    one = bytes_by_seed([0, 1, 2, 3, 4], workers=1)
    assert one == bytes_by_seed([0, 1, 2, 3, 4], workers=2)
    assert one == bytes_by_seed([3, 1, 4, 0, 2], workers=2)
    assert one[3] == bytes_by_seed([3])[3]
    assert one[3] != one[4]


def test_mirrored_worlds_are_explored_alike():
    """States renamed by a permutation, the start with them: the same run under other names."""
    mdp, rng = world(), np.random.default_rng(0)
    name = rng.permutation(13)
    table = np.empty_like(mdp.successors)
    table[name] = name[mdp.successors]
    other = hsr.FiniteMDP.from_successors(table, discount=mdp.discount)
    one = run_one(mdp, agent_of("norm"), seed=1, steps=2000, start=0)
    two = run_one(other, agent_of("norm"), seed=1, steps=2000, start=int(name[0]))
    np.testing.assert_array_equal(one.first_visit[0], two.first_visit[0, name])
    assert one.values[0].tobytes() == two.values[0][:, name].tobytes()


# Inside: sums, rates, lanes.


def kernel_arguments(mdp, options, rule, *, steps, start=0, goal=-1, seed=0):
    """Return the arguments of one call of the kernel, from an identity map."""
    n, choices = mdp.n_states, choices_of(mdp, options)
    n_choices = choices.listing.shape[1]
    sums = lanes.aligned_rows(1, n)
    sums[0, :n] = 1.0
    learner = sarsa.Learner(
        np.zeros((n, n_choices)), initial_map_of(n, "identity"), sums, np.ones(n), initial_map_of(n, "identity")
    )
    log = sarsa.Log(np.full(n, -1), np.zeros(n, dtype=int), np.zeros(n_choices, dtype=int), np.zeros((0, 6), dtype=np.int32))
    room = np.zeros(n_choices), np.zeros(steps + 1, dtype=np.int32)
    choices = (choices.listing, choices.count, choices.certain, choices.action, choices.policy, choices.beta)
    groups = tuple(world_of(mdp)), choices, tuple(rule), (steps, start, goal), tuple(learner), tuple(log)
    return learner, (np.random.default_rng(seed), *groups, np.array([0, start, 0]), 2**62, *room)


def rule_of(bonus, *, stepwise, alpha=0.1, map_alpha=0.1):
    """Return a rule at discount 0.95."""
    return sarsa.Rule(0.95, alpha, map_alpha, 0.1, 1e-12, bonus, 1.0, stepwise, True, False)


@pytest.mark.parametrize("goal", [-1, GOAL])
@pytest.mark.parametrize("stepwise", [True, False])
@pytest.mark.parametrize("bonus", [sarsa.NONE, sarsa.NORM, sarsa.SPIE, sarsa.SPIE_L1])
def test_sums_kept_on_the_way_are_the_map_s_own(bonus, stepwise, goal):
    """A change rounds a sum and what is added to it by at most 3 eps of their size, and a step makes at most 2 changes."""
    mdp, options = case("eigen")
    steps = 100_000
    learner, arguments = kernel_arguments(mdp, options, rule_of(bonus, stepwise=stepwise), steps=steps, goal=goal)
    assert sarsa.explore(*arguments) == sarsa.FINISHED
    M, room = learner.M[:, :13], 3 * 2 * steps * np.finfo(float).eps
    assert M.min() >= 0.0
    assert np.abs(M - np.eye(13)).max() > 1.0
    exact = (M**2).sum(axis=0) if bonus == sarsa.SPIE else M.sum(axis=0)
    assert np.abs(learner.sums[0, :13] - exact).max() <= room * exact.max()
    assert not learner.M[:, 13:].any()
    assert not learner.sums[0, 13:].any()
    assert np.abs(learner.mass - M.sum(axis=1)).max() <= room * M.sum(axis=1).max()
    if stepwise:
        assert learner.sr.tobytes() == learner.M.tobytes()


@pytest.mark.parametrize("stepwise", [True, False])
@pytest.mark.parametrize("bonus", [sarsa.NORM, sarsa.SPIE, sarsa.SPIE_L1])
def test_a_learning_rate_of_zero_leaves_everything_as_it_was(bonus, stepwise):
    mdp, options = case("fractional")
    rule = rule_of(bonus, stepwise=stepwise, alpha=0.0, map_alpha=0.0)
    before, _ = kernel_arguments(mdp, options, rule, steps=500)
    learner, arguments = kernel_arguments(mdp, options, rule, steps=500, goal=GOAL)
    assert sarsa.explore(*arguments) == sarsa.FINISHED
    for array, former in zip(learner, before, strict=True):
        np.testing.assert_array_equal(array, former)


def test_a_pause_forgets_only_the_choice_that_was_carried_over():
    """Paused wherever a choice ends, the kernel makes as many steps, and every step follows from the one before."""
    mdp, options = case("fractional")
    learner, arguments = kernel_arguments(mdp, options, rule_of(sarsa.SPIE, stepwise=False), steps=300)
    trace = np.zeros((300, 6), dtype=np.int32)
    log, clock = (*arguments[6][:3], trace), arguments[7]
    for pause_at in (0, 0, 1, 50, 50, 200):
        assert sarsa.explore(*arguments[:6], log, clock, pause_at, *arguments[9:]) == sarsa.PAUSED
        assert clock[0] >= pause_at
        assert pause_at > 0 or clock[0] == 0
    assert sarsa.explore(*arguments[:6], log, clock, 2**62, *arguments[9:]) == sarsa.FINISHED
    assert clock[0] == 300
    np.testing.assert_array_equal(trace[1:, 3], trace[:-1, 5])
    assert trace[:, 2].sum() == log[2].sum()
    assert np.isfinite(learner.Q).all()


@numba.njit
def mix_measured_row(X, i, j, g, a, Y, squares):
    lanes.mix_measured_row(X, i, j, g, a, Y, squares)


@pytest.mark.parametrize("squares", [True, False])
@pytest.mark.parametrize("length", [8, 16, 24, 104, 112])
def test_a_measured_row_has_the_bits_of_its_definition(length, squares):
    for seed in range(5):
        rng = np.random.default_rng([length, seed])
        X = rng.standard_normal((7, length)) * 10.0 ** rng.integers(-12, 13, (7, length))
        Y = rng.standard_normal((1, length)) * 10.0 ** rng.integers(-12, 13, (1, length))
        for i, j, g, a in [(0, 1, 0.9, 0.1), (6, 6, 0.0, 0.3), (2, 2, 0.9, 1.0), (3, 5, 0.5, 0.0)]:
            ours, sums, plain, plain_sums = X.copy(), Y.copy(), X.copy(), Y.copy()
            mix_measured_row(ours, i, j, g, a, sums, squares)
            lanes._plain_mix_measured_row(plain, i, j, g, a, plain_sums, squares)
            new = X[i] + a * (g * X[j] - X[i])
            change = new * new - X[i] * X[i] if squares else new - X[i]
            assert ours.tobytes() == plain.tobytes()
            assert sums.tobytes() == plain_sums.tobytes() == (Y + change).tobytes()
            assert ours[i].tobytes() == new.tobytes()
            assert np.delete(ours, i, axis=0).tobytes() == np.delete(X, i, axis=0).tobytes()


# Against the closed forms. At epsilon = 1 the agent chooses evenly among what is available, whatever it has learned. With a
# constant step size a = 0.02 the map jitters about its fixed point, and leans to one side by an amount of first order in a: 20
# seeds give each entry's mean and standard error, of which 5 are allowed, and a tenth of a step of the largest entry besides.
# Every state is met more than 700 times, and 0.98^700 < 1e-6 is left of the map it began with.

EVEN = {"epsilon": 1.0, "map_learning_rate": 0.02, "learning_rate": 0.02}
LONG = {"seeds": range(20), "steps": 1_000_000, "start": 0}


def check_mean(learned, exact, visits):
    """Assert that the mean over seeds of what was learned is the closed form."""
    error = learned.std(axis=0, ddof=1) / np.sqrt(len(learned))
    assert visits.min() > 700
    assert (np.abs(learned.mean(axis=0) - exact) < 5.0 * error + 0.1 * 0.02 * exact.max()).all()
    assert error.max() < 0.02 * exact.max()


@pytest.mark.parametrize("goal", [None, GOAL], ids=["free", "goal"])
@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_the_sr_of_an_even_chooser_is_that_of_the_random_walk(slip, goal):
    mdp = world(slip)
    task = None if goal is None else hsr.GoalTask(0, goal)
    run = hsr.explore(mdp, hsr.Sarsa("spie", "sr", **EVEN), task=task, keep_maps=True, **LONG)
    check_mean(run.maps, hsr.successor_representation(mdp, task=task).toarray(), run.visits)


@pytest.mark.parametrize("goal", [None, GOAL], ids=["free", "goal"])
@pytest.mark.parametrize("kind", ["eigen", "fractional"])
def test_the_hsr_of_an_even_chooser_is_the_closed_form(kind, goal):
    mdp, options = case(kind)
    task = None if goal is None else hsr.GoalTask(0, goal)
    model = hsr.option_model(mdp, options, task=task)
    mu = model.available.T / model.available.sum(axis=0)[:, None]
    run = hsr.explore(mdp, hsr.Sarsa("spie", "hsr", **EVEN), options, task=task, keep_maps=True, **LONG)
    check_mean(run.maps, hsr.hierarchical_sr(model, mu).toarray(), run.visits)


def test_the_values_of_an_even_chooser_are_discounted_steps_to_the_goal():
    """Without a bonus q = 1 on entry, else g v, with v = (I - g P)^-1 P(:, goal) of the random walk that ends at the goal."""
    mdp = world()
    run = hsr.explore(mdp, hsr.Sarsa(None, "sr", **EVEN), task=hsr.GoalTask(0, GOAL), keep_values=True, **LONG)
    P = mdp.toarray().mean(axis=1)
    P[GOAL] = 0.0
    v = np.linalg.solve(np.eye(13) - 0.9 * P, P[:, GOAL])
    q = np.where(mdp.successors == GOAL, 1.0, 0.9 * v[mdp.successors])
    q[GOAL] = 0.0
    check_mean(run.values, q.T, run.visits)


# Options that are found on the way.


@pytest.mark.parametrize("values", ["keep", "reset"])
@pytest.mark.parametrize("signs", ["positive", "both"])
@pytest.mark.parametrize("on", ["sr", "hsr"])
@pytest.mark.parametrize(
    ("bonus", "initial_map"), [("spie", "identity"), ("spie", "zero"), ("norm", "identity"), (None, "zero")]
)
def test_online_options_are_those_of_the_twin(bonus, initial_map, on, signs, values):
    """After 600 steps every state has been left often, so the map's eigenvalues differ and its vectors are well determined."""
    mdp, agent = world(), agent_of(bonus, on, initial_map=initial_map)
    online = hsr.OnlineOptions(n_options=3, warm_up=600, refresh=250, signs=signs, values=values)
    run = run_one(mdp, agent, online, seed=6, steps=2500, task=hsr.GoalTask(0, GOAL))
    plain = explore_plainly(mdp, agent, online, seed=6, steps=2500, start=0, goal=GOAL)
    check_same(run, plain)
    np.testing.assert_array_equal(run.found_options[0].policy, plain.found.policy)
    np.testing.assert_array_equal(run.found_options[0].termination, plain.found.termination)
    early = run.trajectory.choice[:600]
    assert early.max() < 4 <= run.trajectory.choice.max()


def test_values_of_changed_options_are_kept_or_begin_anew():
    mdp, agent = world(), agent_of()
    kept, anew = (
        run_one(mdp, agent, hsr.OnlineOptions(n_options=3, warm_up=300, refresh=300, values=values), seed=6, steps=2000)
        for values in ("keep", "reset")
    )
    np.testing.assert_array_equal(steps_of(kept.trajectory)[:600], steps_of(anew.trajectory)[:600])
    assert kept.values.tobytes() != anew.values.tobytes()


@pytest.mark.parametrize("on", ["sr", "hsr"])
def test_a_warm_up_that_outlasts_the_run_finds_nothing(on):
    mdp = world()
    online = hsr.OnlineOptions(n_options=2, warm_up=500, refresh=100)
    run = run_one(mdp, agent_of(on=on), online, steps=500, start=0)
    assert run.found_options == (None,)
    assert not run.choice_use[0, 4:].any()
    flat = run_one(mdp, agent_of(on=on), steps=500, start=0)
    assert run.maps.tobytes() == flat.maps.tobytes()
    assert run.values[:, :4].tobytes() == flat.values.tobytes()


def test_options_can_be_there_from_the_first_step_and_come_out_the_same_every_time():
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    online = hsr.OnlineOptions(n_options=8, warm_up=0, refresh=700)
    one, two = (run_one(mdp, agent_of(), online, seed=4, steps=5000) for _ in range(2))
    assert one.trajectory.choice[:50].max() >= 4
    assert parts(one) == parts(two)
    assert one.found_options[0].policy.tobytes() == two.found_options[0].policy.tobytes()
    assert one.status == ["ok"]


# Compiled and plain.


def short_runs():
    """Return the arrays of short runs that pass every branch of the kernel."""
    results = []
    for kind in KINDS:
        mdp, options = case(kind)
        for bonus in BONUSES:
            for on in ("sr", "hsr"):
                for task in (None, hsr.GoalTask(0, GOAL)):
                    agent = agent_of(bonus, on, bonus_per="step" if task else "choice", norm_of="left" if task else "arrived")
                    run = run_one(mdp, agent, options, seed=1, steps=200, task=task)
                    results += [steps_of(run.trajectory), run.first_visit, run.visits, run.maps, run.values]
    online = hsr.OnlineOptions(n_options=2, warm_up=100, refresh=50)
    run = run_one(world(), agent_of(), online, seed=1, steps=300)
    return [*results, steps_of(run.trajectory), run.maps, run.values]


def test_compiled_and_plain_python_agree_to_the_last_bit(tmp_path):
    assert hasattr(sarsa.explore, "py_func"), "this test compares with compiled code; unset NUMBA_DISABLE_JIT"
    plain = tmp_path / "plain.npz"
    code = (
        "import numpy as np\nfrom hsr.kernels import sarsa\nfrom tests.test_sarsa import short_runs\n"
        f"assert not hasattr(sarsa.explore, 'py_func')\nnp.savez({str(plain)!r}, *short_runs())\n"
    )
    root = Path(__file__).resolve().parents[1]
    python(code, sources=f"{SOURCES}{os.pathsep}{root}", NUMBA_DISABLE_JIT="1")
    found = short_runs()
    with np.load(plain) as stored:
        expected = [stored[f"arr_{i}"] for i in range(len(stored.files))]
    assert len(found) == len(expected) == 3 * 4 * 2 * 2 * 5 + 3
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
