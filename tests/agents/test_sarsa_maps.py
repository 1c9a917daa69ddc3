"""SARSA's inner sums and lanes, its maps against their closed forms, options found on the way, and
both interpreters.
"""

import os
from pathlib import Path

import numba
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from hsr._base import row_arithmetic as lanes
from hsr.agents.kernel_inputs import choices_of, transitions_of
from hsr.kernels import sarsa
from hsr.kernels.records import FINISHED, PAUSED, SarsaLearner, SarsaLog, SarsaRule
from hsr.representation.td import initial_map_of
from tests._base.test_compiled import SOURCES, python
from tests.agents.sarsa_cases import (
    BONUSES,
    GOAL,
    KINDS,
    agent_of,
    case,
    check_same,
    parts,
    run_one,
    steps_of,
    world,
)
from tests.oracles.plain_sarsa import explore_plainly

# Inside: sums, rates, lanes.


def kernel_arguments(mdp, options, rule, *, steps, start=0, goal=-1, seed=0):
    """Return the arguments of one call of the kernel, from an identity map."""
    n, choices = mdp.n_states, choices_of(mdp, options)
    n_choices = choices.available.shape[1]
    sums = lanes.aligned_rows(1, n)
    sums[0, :n] = 1.0
    learner = SarsaLearner(
        np.zeros((n, n_choices)),
        initial_map_of(n, "identity"),
        sums,
        np.ones(n),
        initial_map_of(n, "identity"),
    )
    log = SarsaLog(
        np.full(n, -1),
        np.zeros(n, dtype=int),
        np.zeros(n_choices, dtype=int),
        np.zeros((0, 6), dtype=np.int32),
    )
    room = np.zeros(n_choices), np.zeros(steps + 1, dtype=np.int32)
    groups = (
        tuple(transitions_of(mdp)),
        tuple(choices),
        tuple(rule),
        (steps, start, goal),
        tuple(learner),
        tuple(log),
    )
    return learner, (np.random.default_rng(seed), *groups, np.array([0, start, 0]), 2**62, *room)


def rule_of(bonus, *, stepwise, alpha=0.1, map_alpha=0.1):
    """Return a rule at discount 0.95."""
    return SarsaRule(0.95, alpha, map_alpha, 0.1, 1e-12, bonus, 1.0, stepwise, True, False)


@pytest.mark.parametrize("goal", [-1, GOAL])
@pytest.mark.parametrize("stepwise", [True, False])
@pytest.mark.parametrize("bonus", [sarsa.NONE, sarsa.NORM, sarsa.SPIE, sarsa.SPIE_L1])
def test_sums_kept_on_the_way_are_the_map_s_own(bonus, stepwise, goal):
    """A change rounds a sum and what is added to it by at most 3 eps of their size, and a step
    makes at most 2 changes.
    """
    mdp, options = case("eigen")
    steps = 100_000
    learner, arguments = kernel_arguments(
        mdp, options, rule_of(bonus, stepwise=stepwise), steps=steps, goal=goal
    )
    assert sarsa.explore(*arguments) == FINISHED
    M, room = learner.M[:, :13], 3 * 2 * steps * np.finfo(float).eps
    assert M.min() >= 0.0
    assert np.abs(M - np.eye(13)).max() > 1.0
    exact = (M**2).sum(axis=0) if bonus == sarsa.SPIE else M.sum(axis=0)
    assert np.abs(learner.column_sums[0, :13] - exact).max() <= room * exact.max()
    assert not learner.M[:, 13:].any()
    assert not learner.column_sums[0, 13:].any()
    assert np.abs(learner.row_sums - M.sum(axis=1)).max() <= room * M.sum(axis=1).max()
    if stepwise:
        assert learner.sr.tobytes() == learner.M.tobytes()


@pytest.mark.parametrize("stepwise", [True, False])
@pytest.mark.parametrize("bonus", [sarsa.NORM, sarsa.SPIE, sarsa.SPIE_L1])
def test_a_learning_rate_of_zero_leaves_everything_as_it_was(bonus, stepwise):
    mdp, options = case("fractional")
    rule = rule_of(bonus, stepwise=stepwise, alpha=0.0, map_alpha=0.0)
    before, _ = kernel_arguments(mdp, options, rule, steps=500)
    learner, arguments = kernel_arguments(mdp, options, rule, steps=500, goal=GOAL)
    assert sarsa.explore(*arguments) == FINISHED
    for array, former in zip(learner, before, strict=True):
        assert_array_equal(array, former)


def test_a_pause_forgets_only_the_choice_that_was_carried_over():
    """Paused wherever a choice ends, the kernel makes as many steps, and every step follows from
    the one before.
    """
    mdp, options = case("fractional")
    learner, arguments = kernel_arguments(
        mdp, options, rule_of(sarsa.SPIE, stepwise=False), steps=300
    )
    trace = np.zeros((300, 6), dtype=np.int32)
    log, clock = (*arguments[6][:3], trace), arguments[7]
    for pause_at in (0, 0, 1, 50, 50, 200):
        assert sarsa.explore(*arguments[:6], log, clock, pause_at, *arguments[9:]) == PAUSED
        assert clock[0] >= pause_at
        assert pause_at > 0 or clock[0] == 0
    assert sarsa.explore(*arguments[:6], log, clock, 2**62, *arguments[9:]) == FINISHED
    assert clock[0] == 300
    assert_array_equal(trace[1:, 3], trace[:-1, 5])
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


# Against the closed forms. At epsilon = 1 the agent chooses evenly among what is available,
# whatever it has learned. With a
# constant step size a = 0.02 the map jitters about its fixed point, and leans to one side by an
# amount of first order in a: 20
# seeds give each entry's mean and standard error, of which 5 are allowed, and a tenth of a step of
# the largest entry besides.
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
    run = hsr.explore(
        mdp, hsr.Sarsa("spie", "hsr", **EVEN), options, task=task, keep_maps=True, **LONG
    )
    check_mean(run.maps, hsr.hierarchical_sr(model, mu).toarray(), run.visits)


def test_the_values_of_an_even_chooser_are_discounted_steps_to_the_goal():
    """Without a bonus q = 1 on entry, else g v, with v = (I - g P)^-1 P(:, goal) of the random walk
    that ends at the goal.
    """
    mdp = world()
    run = hsr.explore(
        mdp, hsr.Sarsa(None, "sr", **EVEN), task=hsr.GoalTask(0, GOAL), keep_values=True, **LONG
    )
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
    ("bonus", "initial_map"),
    [("spie", "identity"), ("spie", "zero"), ("norm", "identity"), (None, "zero")],
)
def test_online_options_are_those_of_the_twin(bonus, initial_map, on, signs, values):
    """After 600 steps every state has been left often, so the map's eigenvalues differ and its
    vectors are well determined.
    """
    mdp, agent = world(), agent_of(bonus, on, initial_map=initial_map)
    online = hsr.OnlineOptions(n_options=3, warm_up=600, refresh=250, signs=signs, values=values)
    run = run_one(mdp, agent, online, seed=6, steps=2500, task=hsr.GoalTask(0, GOAL))
    plain = explore_plainly(mdp, agent, online, seed=6, steps=2500, start=0, goal=GOAL)
    check_same(run, plain)
    assert_array_equal(run.found_options[0].policy, plain.found.policy)
    assert_array_equal(run.found_options[0].termination, plain.found.termination)
    early = run.trajectory.choice[:600]
    assert early.max() < 4 <= run.trajectory.choice.max()


def test_values_of_changed_options_are_kept_or_begin_anew():
    mdp, agent = world(), agent_of()
    kept, anew = (
        run_one(
            mdp,
            agent,
            hsr.OnlineOptions(n_options=3, warm_up=300, refresh=300, values=values),
            seed=6,
            steps=2000,
        )
        for values in ("keep", "reset")
    )
    assert_array_equal(steps_of(kept.trajectory)[:600], steps_of(anew.trajectory)[:600])
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
                    agent = agent_of(
                        bonus,
                        on,
                        bonus_per="step" if task else "choice",
                        norm_of="left" if task else "arrived",
                    )
                    run = run_one(mdp, agent, options, seed=1, steps=200, task=task)
                    results += [
                        steps_of(run.trajectory),
                        run.first_visit,
                        run.visits,
                        run.maps,
                        run.values,
                    ]
    online = hsr.OnlineOptions(n_options=2, warm_up=100, refresh=50)
    run = run_one(world(), agent_of(), online, seed=1, steps=300)
    return [*results, steps_of(run.trajectory), run.maps, run.values]


def test_compiled_and_plain_python_agree_to_the_last_bit(tmp_path):
    assert hasattr(sarsa.explore, "py_func"), (
        "this test compares with compiled code; unset NUMBA_DISABLE_JIT"
    )
    plain = tmp_path / "plain.npz"
    code = (
        "import numpy as np\nfrom hsr.kernels import sarsa\n"
        "from tests.agents.test_sarsa_maps import short_runs\n"
        f"assert not hasattr(sarsa.explore, 'py_func')\nnp.savez({str(plain)!r}, *short_runs())\n"
    )
    root = Path(__file__).resolve().parents[2]
    python(code, sources=f"{SOURCES}{os.pathsep}{root}", NUMBA_DISABLE_JIT="1")
    found = short_runs()
    with np.load(plain) as stored:
        expected = [stored[f"arr_{i}"] for i in range(len(stored.files))]
    assert len(found) == len(expected) == 3 * 4 * 2 * 2 * 5 + 3
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
