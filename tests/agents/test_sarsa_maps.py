"""SARSA's inner sums, its maps against closed forms, online options, and both interpreters."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from hsr._base import row_arithmetic as lanes
from hsr.agents.tables import NO_COUNTS, tables_of
from hsr.kernels import sarsa
from hsr.kernels.records import FINISHED, PAUSED, SARSA_PAUSE_AT, SarsaRule, SarsaState
from hsr.representation.td import initial_map_of
from tests.agents.plain_python import compiled_and_plain
from tests.agents.sarsa_cases import (
    BONUSES,
    GOAL,
    KINDS,
    agent_of,
    case,
    check_twin,
    parts,
    run_one,
    steps_of,
    world,
)
from tests.oracles.agent_worlds import check_history

# Inside: sums, rates, lanes.


def kernel_arguments(mdp, options, rule, *, steps, goal=-1, trace=0):
    """Return the state and all arguments of one call of the kernel, from an identity map."""
    n, tables = mdp.n_states, tables_of(mdp, options)._replace(seen=NO_COUNTS)
    n_choices = tables.available.shape[1]
    sums = lanes.aligned_rows(1, n)
    sums[0, :n] = 1.0
    never = 2**62
    state = SarsaState(
        Q=np.zeros((n, n_choices)),
        M=initial_map_of(n, "identity"),
        column_sums=sums,
        row_sums=np.ones(n),
        sr=initial_map_of(n, "identity"),
        q=np.zeros(n_choices),
        path=np.zeros(steps + 1, dtype=np.int32),
        sums=np.zeros(3),
        clock=np.array([0, 0, 0, -1, -1, 0, never, never]),
        first_visit=np.full(n, -1),
        visits=np.zeros(n, dtype=int),
        choice_use=np.zeros(n_choices, dtype=int),
        trace=np.zeros((trace, 6), dtype=np.int32),
    )
    records = tables, rule._replace(steps=steps, start=0, goal=goal), state
    no_bonus_of_others = None
    return state, (np.random.default_rng(0), *map(tuple, records), no_bonus_of_others)


def rule_of(bonus, *, stepwise, alpha=0.1, map_alpha=0.1):
    """Return a rule at discount 0.95."""
    return SarsaRule(0.95, alpha, map_alpha, 0.1, 1e-12, bonus, 1.0, stepwise, True, False)


@pytest.mark.parametrize("goal", [-1, GOAL])
@pytest.mark.parametrize("stepwise", [True, False])
@pytest.mark.parametrize("bonus", [sarsa.NONE, sarsa.NORM, sarsa.SPIE, sarsa.SPIE_L1])
def test_sums_kept_online_are_those_of_the_map(bonus, stepwise, goal):
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


def test_pauses_change_nothing():
    """Paused wherever a choice ends, the kernel takes the same steps as without a pause."""
    mdp, options = case("fractional")
    runs = []
    for pauses in ((), (0, 0, 1, 50, 50, 200)):
        learner, arguments = kernel_arguments(
            mdp, options, rule_of(sarsa.SPIE, stepwise=False), steps=300, trace=300
        )
        clock, trace = learner.clock, learner.trace
        for pause_at in pauses:
            clock[SARSA_PAUSE_AT] = pause_at
            assert sarsa.explore(*arguments) == PAUSED
            assert clock[0] >= pause_at
            assert pause_at > 0 or clock[0] == 0
        clock[SARSA_PAUSE_AT] = 2**62
        assert sarsa.explore(*arguments) == FINISHED
        assert clock[0] == 300
        assert_array_equal(trace[1:, 3], trace[:-1, 5])
        assert trace[:, 2].sum() == learner.choice_use.sum()
        assert np.isfinite(learner.Q).all()
        runs.append((*learner[:5], *learner[9:]))
    for once, paused in zip(*runs, strict=True):
        assert once.tobytes() == paused.tobytes()


# Against the closed forms. At epsilon = 1 the agent chooses evenly among what is available,
# whatever it has learned. With a
# constant step size a = 0.02 the map jitters about its fixed point, and leans to one side by an
# amount of first order in a: 20
# seeds give each entry's mean and standard error, of which 5 are allowed, and a tenth of a step of
# the largest entry besides.
# Every state is met more than 700 times, and 0.98^700 < 1e-6 is left of the map it began with.


def explore_evenly(mdp, bonus, on, options=None, **how):
    """Return a long run of 20 seeds that choose evenly."""
    agent = hsr.Sarsa(bonus, on, epsilon=1.0, map_learning_rate=0.02, learning_rate=0.02)
    return hsr.explore(mdp, agent, options, seeds=range(20), steps=1_000_000, start=0, **how)


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
    run = explore_evenly(mdp, "spie", "sr", task=task, keep_maps=True)
    check_mean(run.maps, hsr.successor_representation(mdp, task=task).toarray(), run.visits)


@pytest.mark.parametrize("goal", [None, GOAL], ids=["free", "goal"])
@pytest.mark.parametrize("kind", ["eigen", "fractional"])
def test_the_hsr_of_an_even_chooser_is_the_closed_form(kind, goal):
    mdp, options = case(kind)
    task = None if goal is None else hsr.GoalTask(0, goal)
    model = hsr.option_model(mdp, options, task=task)
    mu = model.available.T / model.available.sum(axis=0)[:, None]
    run = explore_evenly(mdp, "spie", "hsr", options, task=task, keep_maps=True)
    check_mean(run.maps, hsr.hierarchical_sr(model, mu).toarray(), run.visits)


def test_the_values_of_an_even_chooser_are_discounted_steps_to_the_goal():
    """Without a bonus q = 1 on entry, else g v, with v = (I - g P)^-1 P(:, goal) of the random walk
    that ends at the goal.
    """
    mdp = world()
    run = explore_evenly(mdp, None, "sr", task=hsr.GoalTask(0, GOAL), keep_values=True)
    P = mdp.toarray().mean(axis=1)
    P[GOAL] = 0.0
    v = np.linalg.solve(np.eye(13) - 0.9 * P, P[:, GOAL])
    q = np.where(mdp.successors == GOAL, 1.0, 0.9 * v[mdp.successors])
    q[GOAL] = 0.0
    check_mean(run.values, q.T, run.visits)


# Online options.


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
    task = hsr.GoalTask(0, GOAL)
    run, plain = check_twin(mdp, agent, online, seed=6, steps=2500, task=task)
    check_history(run.options_at[0], plain.options_at)
    assert len(run.options_at[0]) == 8
    early = run.trajectory.choice[:600]
    assert early.max() < 4 <= run.trajectory.choice.max()


def test_values_of_changed_options_are_kept_or_reset():
    how = {"n_options": 3, "warm_up": 300, "refresh": 300}
    kept, reset = (
        run_one(world(), agent_of(), hsr.OnlineOptions(values=word, **how), seed=6, steps=2000)
        for word in ("keep", "reset")
    )
    assert_array_equal(steps_of(kept.trajectory)[:600], steps_of(reset.trajectory)[:600])
    assert kept.values.tobytes() != reset.values.tobytes()


@pytest.mark.parametrize("on", ["sr", "hsr"])
def test_a_warm_up_that_outlasts_the_run_finds_nothing(on):
    online = hsr.OnlineOptions(n_options=2, warm_up=500, refresh=100)
    run, flat = (
        run_one(world(), agent_of(on=on), options, steps=500, start=0) for options in (online, None)
    )
    assert run.options_at == ({},)
    assert not run.choice_use[0, 4:].any()
    assert run.maps.tobytes() == flat.maps.tobytes()
    assert run.values[:, :4].tobytes() == flat.values.tobytes()


def test_options_can_be_there_from_the_first_step_and_come_out_the_same_every_time():
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    online = hsr.OnlineOptions(n_options=8, warm_up=0, refresh=700)
    one, two = (run_one(mdp, agent_of(), online, seed=4, steps=5000) for _ in range(2))
    assert one.trajectory.choice[:50].max() >= 4
    assert parts(one) == parts(two)
    check_history(one.options_at[0], two.options_at[0])
    assert one.status == ["ok"]


# Compiled and plain.


def short_runs():
    """Return the arrays of short runs that pass every branch of the kernel, by number."""
    results = []
    tasks = [(None, "choice", "arrived"), (hsr.GoalTask(0, GOAL), "step", "left")]
    for kind, bonus, on, (task, per, norm_of) in product(KINDS, BONUSES, ("sr", "hsr"), tasks):
        mdp, options = case(kind)
        agent = agent_of(bonus, on, bonus_per=per, norm_of=norm_of)
        run = run_one(mdp, agent, options, seed=1, steps=200, task=task)
        results += [steps_of(run.trajectory), run.first_visit, run.visits, run.maps, run.values]
    online = hsr.OnlineOptions(n_options=2, warm_up=100, refresh=50)
    run = run_one(world(), agent_of(), online, seed=1, steps=300)
    results += [steps_of(run.trajectory), run.maps, run.values]
    return {str(i): array for i, array in enumerate(results)}


def test_compiled_and_plain_python_agree_to_the_last_bit(tmp_path):
    compiled, plain = compiled_and_plain(short_runs, sarsa.explore, tmp_path)
    assert len(compiled) == len(plain) == 3 * 4 * 2 * 2 * 5 + 3
    for name, array in compiled.items():
        assert array.dtype == plain[name].dtype
        assert array.tobytes() == plain[name].tobytes()
