"""The exact model of options, against dense inverses written from the definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.oracles.dense_options import all_kernels
from tests.oracles.random_mdps import deterministic_mdps, mdps
from tests.oracles.random_options import KINDS, ends_of, option_models, option_sets
from tests.oracles.views import check_views

import hsr

# Kernels have entries up to 1 / (1 - 0.99) = 100 and come from solves of 7 well-conditioned
# equations: 100 * 1e-13 covers both.
CLOSE = {"rtol": 1e-11, "atol": 1e-11}


def kernels_of(model):
    """Return the oracle's [(N, F)] for the choices of a model."""
    how = {"primitives": model.n_primitives > 0, "goal": ends_of(model)}
    return all_kernels(model.mdp, model.options, **how)


def check_kernels(model, expected):
    """Assert that the kernels of every choice are the pairs (N, F) expected."""
    for choice, (N, F) in enumerate(expected):
        assert_allclose(model.occupancy(choice).toarray(), N, **CLOSE)
        assert_allclose(model.stopping(choice).toarray(), F, **CLOSE)


@given(model=option_models())
def test_time_is_spent_or_discounted_at_the_stop(model):
    one, gamma = np.ones(model.mdp.n_states), model.mdp.discount
    for choice in range(model.n_choices):
        spent, left = model.occupancy(choice) @ one, model.stopping(choice) @ one
        assert_allclose((1.0 - gamma) * spent + left, one, rtol=1e-12)


@pytest.mark.parametrize("with_task", [False, True], ids=["continuing", "goal"])
@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_every_view_of_occupancy_and_stopping_is_the_dense_inverse(kind, with_task, data):
    model = data.draw(option_models(kind=kind, with_task=with_task))
    n = model.mdp.n_states
    states = data.draw(st.lists(st.integers(0, n - 1), max_size=4))
    for choice, (N, F) in enumerate(kernels_of(model)):
        occupancy, stopping = model.occupancy(choice), model.stopping(choice)
        check_views(occupancy, N, states, **CLOSE)
        if isinstance(stopping, type(occupancy)):
            check_views(stopping, F, states, **CLOSE)
        else:
            assert_allclose(stopping.toarray(), F, **CLOSE)


@given(model=option_models(kind="jump"))
def test_jump_tables_are_what_walking_each_option_step_by_step_gives(model):
    successors, gamma = model.mdp.successors, model.mdp.discount
    actions = model.options.actions
    for choice in range(model.n_choices):
        o = choice - model.n_primitives
        for s in range(model.mdp.n_states):
            u, steps = s, 0
            while steps == 0 or (
                o >= 0 and model.options.termination[o, u] == 0.0 and not model.terminal[u]
            ):
                u, steps = successors[u, choice if o < 0 else actions[o, u]], steps + 1
            assert model.tables.end[choice, s] == u
            assert model.tables.duration[choice, s] == steps
            assert model.tables.gain[choice, s] == pytest.approx(gamma**steps, rel=1e-15)


@given(data=st.data())
def test_one_option_that_never_stops_leaves_the_others_jumps(data):
    mdp = data.draw(deterministic_mdps())
    jumps = data.draw(option_sets(mdp, "jump"))
    for_ever = data.draw(st.integers(0, mdp.n_actions - 1))
    policy = np.concatenate([np.full((1, mdp.n_states), for_ever), jumps.actions])
    beta = np.concatenate([np.zeros((1, mdp.n_states)), jumps.termination])
    model = hsr.option_model(mdp, hsr.OptionSet(policy, beta))
    assert model.tables is None
    assert [c for c in range(model.n_choices) if not model.is_jump(c)] == [mdp.n_actions]
    assert model.n_choices == mdp.n_actions + 1 + len(jumps)
    check_kernels(model, kernels_of(model))


@given(model=option_models(primitives=True))
def test_primitives_come_first_are_available_everywhere_and_take_one_step(model):
    n, n_actions, gamma = model.mdp.n_states, model.mdp.n_actions, model.mdp.discount
    assert model.n_primitives == n_actions
    everywhere = np.ones((n_actions, n), dtype=bool)
    assert_array_equal(model.available, np.concatenate([everywhere, model.options.initiation]))
    for action in range(n_actions):
        assert_array_equal(model.occupancy(action).toarray(), np.eye(n))
        assert_array_equal(model.stopping(action).toarray(), gamma * model.mdp.toarray()[:, action])


@given(data=st.data())
def test_a_model_for_a_task_is_the_model_of_options_that_stop_at_its_goal(data):
    mdp = data.draw(mdps())
    options = data.draw(option_sets(mdp, "certain" if not mdp.is_deterministic else None))
    goal = data.draw(st.integers(0, mdp.n_states - 1))
    beta = options.termination.copy()
    beta[:, goal] = 1.0
    by_hand = hsr.option_model(mdp, hsr.OptionSet(options.policy, beta, options.initiation))
    by_task = hsr.option_model(mdp, options).for_task(hsr.GoalTask(None, goal))
    kernels = ((by_hand.occupancy(c), by_hand.stopping(c)) for c in range(by_hand.n_choices))
    check_kernels(by_task, ((N.toarray(), F.toarray()) for N, F in kernels))


@given(data=st.data())
def test_one_hot_rows_and_integers_are_the_same_policy(data):
    mdp = data.draw(mdps())
    options = data.draw(option_sets(mdp, "certain"))
    actions = options.policy if options.policy.ndim == 2 else options.policy.argmax(axis=2)
    one_hot, integers = (
        hsr.OptionSet(policy, options.termination, options.initiation)
        for policy in (np.eye(mdp.n_actions)[actions], actions)
    )
    assert_array_equal(one_hot.actions, integers.actions)
    models = hsr.option_model(mdp, one_hot), hsr.option_model(mdp, integers)
    for choice in range(mdp.n_actions, mdp.n_actions + len(options)):
        assert_array_equal(*(model.occupancy(choice).toarray() for model in models))


def test_a_long_corridor_is_modelled_without_a_dense_array():
    """One option runs 10^5 cells: its row holds g^k, its end is worth g^(n - 1); both by hand."""
    n = 100_000
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * n), discount=0.9999)
    stop = np.zeros((1, n))
    stop[0, -1] = 1.0
    model = hsr.option_model(mdp, hsr.OptionSet(np.ones((1, n), dtype=int), stop))
    row = model.occupancy(4).rows(0)
    assert_allclose(
        row[:-1], 0.9999 ** np.arange(n - 1), rtol=1e-9
    )  # 10^5 products, each within 1e-16
    assert row[-1] == 0.0
    assert model.stopping(4)[0, n - 1] == pytest.approx(0.9999 ** (n - 1), rel=1e-9)
