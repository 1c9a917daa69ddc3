"""Partly learned maps against the equations of a sweep, written out for dense arrays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.representation.sweeps import swept_columns
from tests.cases import raises
from tests.oracles.views import check_views


def swept(model, mu, k):
    """Return the map after k sweeps, with every visit of every choice kept."""
    n, g = model.mdp.n_states, model.mdp.discount
    ended = np.isin(np.arange(n), [] if model.task is None else model.task.terminal)
    psi, M = np.zeros((model.n_choices, n, n)), np.zeros((n, n))
    for _ in range(k):
        new = np.empty_like(psi)
        for c in range(model.n_choices):
            o = c - model.n_primitives
            beta = np.ones(n) if o < 0 else model.options.termination[o] + ended
            beta = np.minimum(beta, 1.0)
            new[c] = np.eye(n) + g * model.chain_of(c).toarray() @ (
                (1.0 - beta)[:, None] * psi[c] + beta[:, None] * M
            )
        psi, M = new, np.einsum("sc,csx->sx", mu, new)
        M[ended] = np.eye(n)[ended]
    return M


@pytest.fixture(scope="module")
def random_model():
    """Options that draw actions and stop by chance, in a world that slips."""
    rng = np.random.default_rng(0)
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....\n.##.\n...."), discount=0.8, slip=0.3)
    policy = rng.dirichlet(np.ones(4), size=(3, mdp.n_states))
    stops = rng.uniform(size=(3, mdp.n_states))
    model = hsr.option_model(mdp, hsr.OptionSet(policy=policy, termination=stops))
    return model, rng.dirichlet(np.ones(7), size=mdp.n_states)


@pytest.mark.parametrize("k", [1, 2, 5, 30])
def test_sweeps_are_those_of_the_equations(random_model, k):
    model, mu = random_model
    M = hsr.bellman_sweeps(model, mu, sweeps=k)
    expected = swept(model, mu, k)
    check_views(M, expected, [3, 0], rtol=1e-7, atol=1e-14)


def test_many_sweeps_end_in_the_closed_forms(random_model):
    model, mu = random_model
    exact = hsr.hierarchical_sr(model, mu).toarray()
    assert_allclose(hsr.bellman_sweeps(model, mu, sweeps=10**9).toarray(), exact)
    policy = np.random.default_rng(1).dirichlet(np.ones(4), size=model.mdp.n_states)
    flat = hsr.successor_representation(model.mdp, policy).toarray()
    assert_allclose(hsr.bellman_sweeps(model.mdp, policy, sweeps=10**9).toarray(), flat)


def test_a_sweep_moves_knowledge_by_one_step_along_options_too():
    layout = hsr.GridLayout.from_text("." * 30)
    mdp = hsr.grid_mdp(layout, discount=0.95)
    model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[0, 29]))
    d = np.abs(np.subtract.outer(np.arange(30), np.arange(30)))
    for k in (1, 4, 20):
        for world in (mdp, model):
            assert_array_equal(hsr.bellman_sweeps(world, sweeps=k).toarray() > 0, d < k)


def test_far_entries_and_small_inputs_keep_their_precision():
    """On a way to the right, M[s, t] is g^(t - s); powers of 1/2 are exact."""
    n, right = 200, 1
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * n), discount=0.5)
    policy = np.eye(4)[np.full(n, right)]
    policy[-1] = np.eye(4)[0]  # up, and stay
    M = hsr.bellman_sweeps(mdp, policy, sweeps=10**6)
    column = 0.5 ** np.arange(n - 1.0, -1.0, -1.0)
    assert_allclose(M.columns(n - 1), 2.0 * column, rtol=1e-15)
    assert_array_equal(M.rows(0)[:-1], column[:0:-1])
    (both,) = swept_columns(mdp, [n - 1], policy, sweeps=[10**3], discounts=[0.5, 0.25])
    assert_allclose(both[0, :, 0], 2.0 * column, rtol=1e-15)
    assert_allclose(both[1, :, 0], column**2 * 4.0 / 3.0, rtol=1e-15)
    x = np.random.default_rng(0).standard_normal(n)
    for W in (M, M.T):
        assert_allclose(W @ (1e-16 * x), 1e-16 * (W @ x), rtol=1e-13)


@pytest.mark.parametrize("k", [1, 2, 5, 30])
def test_sweeps_end_where_a_task_ends(random_model, k):
    model, mu = random_model
    task = hsr.RewardTask(model.mdp, np.ones(model.mdp.n_states), terminal=[2, 7])
    ended = model.for_task(task)
    M = hsr.bellman_sweeps(ended, mu, sweeps=k)
    check_views(M, swept(ended, mu, k), [3, 2], rtol=1e-7, atol=1e-14)
    many = hsr.bellman_sweeps(ended, mu, sweeps=10**9).toarray()
    assert_allclose(many, hsr.hierarchical_sr(ended, mu).toarray())


def test_noise_has_the_asked_precision_and_is_the_same_however_it_is_read():
    mdp = hsr.grid_mdp("four_rooms", discount=0.95)
    M = hsr.successor_representation(mdp)
    exact = M.toarray()
    noisy = M.with_noise(0.2, seed=7)
    entries = noisy.toarray()
    error = (entries - exact) / exact.diagonal().mean()
    n = error.size
    assert abs(error.mean()) < 4 * 0.2 / np.sqrt(n)
    assert abs(error.std() / 0.2 - 1.0) < 4 / np.sqrt(2 * n)
    check_views(noisy, entries, [5, 3], rtol=1e-7)
    assert_array_equal(M.with_noise(0.2, seed=7).toarray(), entries)
    assert np.abs(M.with_noise(0.2, seed=8).toarray() - entries).max() > 0
    assert_array_equal(M.with_noise(0.0, seed=7).toarray(), exact)
    with raises("sigma is -1"):
        M.with_noise(-1.0, seed=0)


def test_noise_costs_goals_and_goals_can_be_chosen():
    layout = hsr.random_maze(21, seed=0)
    mdp = hsr.grid_mdp(layout, discount=0.9)
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=8))
    M = hsr.hierarchical_sr(model, hsr.uniform_policy(model))
    goals = [40, 7, 100]
    reached = []
    for sigma in (0.0, 1e-6, 1e-2):
        noisy = M.with_noise(sigma, seed=0)
        every = hsr.reach_goals(model, hsr.representation.successor_of_choices(model, noisy))
        some = hsr.reach_goals(
            model, hsr.representation.successor_of_choices(model, noisy, goals=goals), goals=goals
        )
        assert_array_equal(some.steps, every.steps[:, goals])
        assert_array_equal(some.shortest, every.shortest[:, goals])
        reached.append(every.reached)
    assert reached[0] > 0.95
    assert reached[0] >= reached[1] > reached[2] > 0.0


def test_one_pass_gives_the_columns_of_every_discount(random_model):
    model, mu = random_model
    mdp, goals = model.mdp, [3, 0, 3]
    found = swept_columns(model, goals, mu, sweeps=[1, 7, 30], discounts=[0.8, 0.0, 1.0])
    for of_sweeps, k in zip(found, (1, 7, 30), strict=True):
        assert_allclose(of_sweeps[0], swept(model, mu, k)[:, goals], atol=1e-12)
        assert_array_equal(of_sweeps[1], np.eye(mdp.n_states)[:, goals])
    # Without discount, every start has been somewhere at each of the steps.
    every = swept_columns(model, range(mdp.n_states), mu, sweeps=[30], discounts=[1.0])[0, 0]
    assert_allclose(every.sum(axis=1), 30.0)
