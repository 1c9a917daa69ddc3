"""The hierarchical map, against its Bellman equation, a chain that knows no kernels, rollouts, and
itself relabelled.
"""

import hashlib
import textwrap
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests._base.test_compiled import python
from tests.oracles.dense_options import (
    bellman_parts,
    dense_hsr,
    flattened_occupancy,
    rollout_interval,
)
from tests.oracles.random_mdps import mdps, policies
from tests.oracles.random_options import ends_of, goals, models_with_mu, mus, option_sets
from tests.oracles.views import check_views

import hsr
from hsr.representation import hsr_bellman

# Entries reach 1 / (1 - 0.99) = 100 with condition numbers of about 100: 1e-10 leaves two digits of
# room.
CLOSE = {"rtol": 1e-10, "atol": 1e-10}
KINDS = [
    ("jump", False),
    ("jump", True),
    ("certain", False),
    ("fractional", True),
    ("stochastic", False),
    ("stochastic", True),
]


def how(model):
    """Return the oracle's keywords for a model."""
    return {"primitives": model.n_primitives > 0, "goal": ends_of(model)}


@given(pair=models_with_mu())
def test_map_is_the_occupancy_of_the_chain_of_state_and_running_choice(pair):
    model, mu = pair
    expected = flattened_occupancy(model.mdp, model.options, mu, **how(model))
    assert_allclose(hsr.hierarchical_sr(model, mu).toarray(), expected, **CLOSE)


@pytest.mark.parametrize("twice", [False, True])
@given(data=st.data())
def test_map_is_the_fixed_point_of_the_bellman_operator_which_is_b_plus_g_m(twice, data):
    model, mu = data.draw(models_with_mu())
    counted = {"stopping_state": "counted_twice" if twice else "counted_once"}
    M = hsr.hierarchical_sr(model, mu, **counted).toarray()
    B, G = bellman_parts(model.mdp, model.options, mu, twice=twice, **how(model))
    any_matrix = np.sin(np.arange(M.size)).reshape(M.shape)
    for X, expected in ((M, M), (any_matrix, B + G @ any_matrix)):
        assert_allclose(hsr_bellman(model, mu, X, **counted), expected, **CLOSE)


@given(pair=models_with_mu(), seed=st.integers(0, 2**32 - 1))
def test_bellman_operator_contracts_by_the_discount_in_the_maximum_norm(pair, seed):
    model, mu = pair
    n = model.mdp.n_states
    X, Y = np.random.default_rng(seed).normal(size=(2, n, n))
    after = hsr_bellman(model, mu, X) - hsr_bellman(model, mu, Y)
    # Rounding in B + G M, where B reaches 100: 100 * 2^-52 * 10.
    assert np.abs(after).max() <= model.mdp.discount * np.abs(X - Y).max() + 1e-12


@given(pair=models_with_mu(with_task=False))
def test_rows_without_a_task_sum_to_the_whole_discounted_time(pair):
    model, mu = pair
    total = hsr.hierarchical_sr(model, mu) @ np.ones(model.mdp.n_states)
    assert_allclose(total, 1.0 / (1.0 - model.mdp.discount), rtol=1e-10)


@pytest.mark.parametrize("with_task", [False, True], ids=["continuing", "goal"])
@given(data=st.data())
def test_with_primitives_alone_the_map_is_the_successor_representation(with_task, data):
    mdp = data.draw(mdps())
    pi = data.draw(policies(mdp))
    options = data.draw(option_sets(mdp, None if mdp.is_deterministic else "stochastic"))
    task = hsr.GoalTask(None, data.draw(st.integers(0, mdp.n_states - 1))) if with_task else None
    mu = np.concatenate([pi, np.zeros((mdp.n_states, len(options)))], axis=1)
    P = np.einsum("sa,sat->st", pi, mdp.toarray())
    if with_task:
        P[task.goal] = 0.0
    expected = np.linalg.inv(np.eye(mdp.n_states) - mdp.discount * P)
    model = hsr.option_model(mdp, options, task=task)
    for M in (hsr.hierarchical_sr(model, mu), hsr.successor_representation(mdp, pi, task=task)):
        assert_allclose(M.toarray(), expected, **CLOSE)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize(("kind", "with_task"), KINDS)
@given(data=st.data())
def test_every_view_of_the_map_is_the_dense_solution_of_its_bellman_equation(
    kind, with_task, twice, data
):
    model, mu = data.draw(models_with_mu(kind=kind, with_task=with_task))
    dense = dense_hsr(model.mdp, model.options, mu, twice=twice, **how(model))
    states = data.draw(st.lists(st.integers(0, model.mdp.n_states - 1), max_size=4))
    counted = "counted_twice" if twice else "counted_once"
    check_views(hsr.hierarchical_sr(model, mu, stopping_state=counted), dense, states, **CLOSE)


@given(data=st.data())
def test_relabelling_the_states_permutes_the_map(data):
    model, mu = data.draw(models_with_mu(with_task=True, of_tasks=goals))
    mdp, options = model.mdp, model.options
    order = np.array(data.draw(st.permutations(range(mdp.n_states))))  # new label of each old state
    old = np.argsort(order)
    relabelled = hsr.FiniteMDP(mdp.toarray()[old][:, :, old], mdp.discount)
    moved = hsr.OptionSet(
        options.policy[:, old], options.termination[:, old], options.initiation[:, old]
    )
    task = hsr.GoalTask(None, int(order[model.task.goal]))
    other = hsr.option_model(relabelled, moved, primitives=model.n_primitives > 0, task=task)
    expected = hsr.hierarchical_sr(model, mu).toarray()[old][:, old]
    assert_allclose(hsr.hierarchical_sr(other, mu[old]).toarray(), expected, **CLOSE)


@given(data=st.data())
def test_at_discount_zero_only_the_present_counts(data):
    mdp = data.draw(mdps(discounts=st.just(0.0)))
    options = data.draw(option_sets(mdp, None if mdp.is_deterministic else "fractional"))
    model = hsr.option_model(mdp, options)
    M = hsr.hierarchical_sr(model, data.draw(mus(model)))
    assert_array_equal(M.toarray(), np.eye(mdp.n_states))
    assert_array_equal(M @ np.eye(mdp.n_states), np.eye(mdp.n_states))


@pytest.mark.parametrize("ties", ["uniform", "options", "primitives", "random"])
@given(data=st.data())
def test_towards_a_goal_the_goal_counts_once_and_nothing_follows(ties, data):
    model, _ = data.draw(models_with_mu(with_task=True, of_tasks=goals))
    goal = model.task.goal
    M = hsr.hierarchical_sr(model, hsr.plan_over_options(model, model.task, ties=ties)).toarray()
    assert_array_equal(M[goal], np.eye(model.mdp.n_states)[goal])
    # Visits to the goal are discounted chances of arriving, so never above 1.
    assert (M[:, goal] <= 1.0 + 1e-12).all()
    v = hsr.optimal_value(model.mdp, model.task)
    off = np.arange(model.mdp.n_states) != goal
    if model.n_primitives:
        assert_allclose(M[off, goal], model.mdp.discount * v[off], **CLOSE)


@pytest.mark.parametrize(
    "name", ["four_rooms", "four_rooms_barriers", "loop", "paired_bottlenecks"]
)
@pytest.mark.parametrize("ties", ["uniform", "options", "random"])
def test_on_shortest_paths_the_goal_is_worth_the_discount_to_the_distance(name, ties):
    layout = hsr.load_layout(name)
    mdp = hsr.grid_mdp(layout, discount=0.9)
    task = hsr.GoalTask(None, layout.n_states // 3)
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, 8), task=task)
    M = hsr.hierarchical_sr(model, hsr.plan_over_options(model, task, ties=ties))
    assert_allclose(M.columns(task.goal), 0.9 ** layout.distances_from(task.goal), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.*2 parts")
def test_from_where_the_goal_cannot_be_reached_the_walk_goes_on_for_ever():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...#.."), discount=0.9)
    options, task = hsr.eigenoptions(mdp, 3), hsr.GoalTask(None, 0)
    model = hsr.option_model(mdp, options, task=task)
    mu = hsr.plan_over_options(model, task)
    M = hsr.hierarchical_sr(model, mu).toarray()
    assert_allclose(M, dense_hsr(mdp, options, mu, goal=0), **CLOSE)
    assert_allclose(M[3:].sum(axis=1), 10.0, rtol=1e-12)
    assert_array_equal(M[3:, :3], 0.0)


def test_a_cyclic_greedy_plan_without_a_goal_is_a_geometric_series():
    """Two options carry the walker to and fro between the ends of a row of three: 0, 1, 2, 1, 0, 1,
    ...
    """
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.5)
    options = hsr.OptionSet([[1, 1, 1], [3, 3, 3]], [[0, 0, 1], [1, 0, 0]])
    model = hsr.option_model(mdp, options, primitives=False)
    mu = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    M = hsr.hierarchical_sr(model, mu).toarray()
    period = 1.0 / (1.0 - 0.5**4)
    assert_allclose(M[0], [period, (0.5 + 0.125) * period, 0.25 * period], rtol=1e-15)
    assert_allclose(M[2], M[0][::-1], rtol=1e-15)
    assert_allclose(M[1], np.eye(3)[1] + 0.5 * M[2], rtol=1e-15)


@pytest.mark.parametrize("goal", [None, 5], ids=["continuing", "goal"])
def test_map_lies_within_the_interval_of_simulated_rollouts(goal):
    """Values of three rewards from two starts: 12 intervals of 99.9 % (z = 3.29); the seed makes
    the outcome certain.
    """
    rng = np.random.default_rng(7)
    mdp = hsr.FiniteMDP(rng.dirichlet(np.full(6, 0.4), size=(6, 2)), discount=0.8)
    policy, stop = rng.dirichlet(np.ones(2), size=(2, 6)), rng.uniform(0.1, 0.6, size=(2, 6))
    options = hsr.OptionSet(policy, stop)
    model = hsr.option_model(mdp, options, task=None if goal is None else hsr.GoalTask(None, goal))
    mu = rng.dirichlet(np.ones(4), size=6)
    M = hsr.hierarchical_sr(model, mu).toarray()
    # The tail after 60 steps is below 0.8^60 / 0.2 = 8e-6, a hundredth of the interval.
    sampling = {"samples": 400, "z": 3.29, "goal": goal, "horizon": 60}
    for start, reward in product((0, 3), rng.uniform(size=(3, 6))):
        low, high = rollout_interval(mdp, options, mu, start, reward, rng, **sampling)
        assert low < M[start] @ reward < high
        assert high - low < 0.2 * M[start] @ reward


@pytest.mark.parametrize("discount", [0.9, 0.5])
@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_a_map_stays_as_it_was_when_the_policy_it_was_made_from_is_overwritten(discount, slip):
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=discount, slip=slip)
    task = hsr.GoalTask(None, 50)
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, 4), task=task)
    mu = hsr.plan_over_options(model, task)
    M = hsr.hierarchical_sr(model, mu)
    before, row = M.toarray(), M.rows(0)
    mu[:] = np.eye(model.n_choices)[0]
    assert_array_equal(M.rows(0), row)
    assert_array_equal(M.toarray(), before)


DIGESTS = textwrap.dedent(
    """
    import hashlib, numpy as np, hsr
    def digest(array):
        array = np.ascontiguousarray(array)
        head = repr((array.shape, array.dtype.str)).encode()
        return hashlib.sha256(head + array.tobytes()).hexdigest()[:16]
    layout = hsr.GridLayout.from_text("#######\\n#..#..#\\n#.....#\\n#..#..#\\n#######")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, 4, signs="both")
    task = hsr.GoalTask(start=0, goal=layout.n_states - 1)
    model = hsr.option_model(mdp, options, task=task)
    tables = model.tables
    for table in (tables.move, tables.end, tables.duration, tables.gain, tables.order):
        print(digest(table))
    covering = hsr.covering_options(mdp, 4)
    print(digest(options.policy), digest(options.termination), digest(covering.policy))
    for ties in ("uniform", "random"):
        mu = hsr.plan_over_options(model, task, ties=ties, seed=3)
        print(digest(mu))
        for stopping_state in ("counted_once", "counted_twice"):
            M = hsr.hierarchical_sr(model, mu, stopping_state=stopping_state)
            product = M @ np.arange(layout.n_states)
            print(digest(M.toarray()), digest(M.rows([0, 3])), digest(product))
    mu = hsr.plan_over_options(hsr.option_model(mdp, options), task)
    print(digest(hsr.hierarchical_sr(hsr.option_model(mdp, options), mu).rows([0, 3])))
    slip = hsr.grid_mdp(layout, discount=0.9, slip=0.2)
    for world, goal in ((mdp, None), (mdp, task), (slip, None), (slip, task)):
        how = {"steps": 300, "learning_rate": 0.1, "decay": 0.1, "task": goal, "seed": 1}
        print(digest(hsr.learn_sr(world, **how)))
        adapted = hsr.options.repair_options(options, world)
        print(digest(hsr.learn_hsr(world, adapted, mu, **how)))
        how["features"] = np.arange(3.0 * layout.n_states).reshape(-1, 3) / 7.0
        print(digest(hsr.learn_sr(world, **how)))
        print(digest(hsr.learn_hsr(world, adapted, mu, **how)))
    """
)


def test_compiled_and_plain_python_give_the_same_bytes():
    compiled, plain = (python(DIGESTS, NUMBA_DISABLE_JIT=off).split() for off in ("0", "1"))
    assert len(compiled) > 20
    assert compiled == plain
    assert hashlib.sha256(b"").hexdigest()[:16] not in compiled
