"""Where maps learned online go when the policy stands still: closed forms, and which of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hsr
from tests.oracles import dense_options
from tests.oracles.agent_worlds import (
    certain,
    fractional,
    two_rooms,
)

# Where the maps go when the policy stands still: epsilon = 1 chooses evenly among what is
# available. A constant rate b leaves
# noise of about sqrt(b) and a bias of order b; 20 seeds give each entry's mean and its standard
# error: 6 of those, plus a bias.


def even_mu(mdp, options):
    """Return the policy over choices that is uniform over what is available, of shape (S, C)."""
    able = np.concatenate(
        [np.ones((mdp.n_actions, mdp.n_states), dtype=bool), options.initiation]
    ).T
    return able / able.sum(axis=1, keepdims=True)


def running_shares(mdp, options, mu, task):
    """Return nu[s, c], the share of steps from s in which choice c is running, of shape (S, C).

    From the chain of pairs (state, running choice) without discount, ended at the goal; every other
    state starts alike if the task has no start of its own. Where no step is ever made nu is mu.
    """
    n, C, A = mdp.n_states, mu.shape[1], mdp.n_actions
    transition, pi = mdp.toarray(), dense_options.action_probabilities(mdp, options)
    beta = np.concatenate([np.ones((A, n)), dense_options.termination(options)])
    chains = [transition[:, a] for a in range(A)] + [
        dense_options.option_chain(transition, pi[o]) for o in range(len(options))
    ]
    T = np.zeros((n, C, n, C))
    for c, P in enumerate(chains):
        T[:, c] += (P * beta[c])[:, :, None] * mu
        T[:, c, :, c] += P * (1.0 - beta[c])
    T[task.goal], T[:, :, task.goal] = 0.0, 0.0
    first = np.ones(n) if task.start is None else np.eye(n)[task.start]
    first[task.goal] = 0.0
    made = np.linalg.solve(
        np.eye(n * C) - T.reshape(n * C, -1).T, (first[:, None] * mu).ravel()
    ).reshape(n, C)
    total = made.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, made / np.where(total > 0.0, total, 1.0), mu)


def check_mean_map(runs, exact):
    """Assert that the seeds' mean map is the exact one, within 6 standard errors and a bias."""
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    assert (np.abs(runs.mean(axis=0) - exact) < 6.0 * error + 0.01).all()
    assert error.max() < 0.05


def learned_maps(mdp, options, task, features, map_update="chosen", *, rate=0.02):
    """Return the maps of 20 seeds after 30 / rate episodes of even choices, of shape (20, S, S).

    Every state is left about 0.5 times per episode or more, so that its row has forgotten the
    identity: exp(-15) < 1e-6.
    """
    agent = hsr.LinearQ(
        features, epsilon=1.0, map_learning_rate=rate, map_update=map_update, learning_rate=1e-6
    )
    how = {"seeds": range(20), "episodes": int(30 / rate), "horizon": 100_000, "keep_maps": True}
    run = hsr.train(mdp, [task], agent, options, **how)
    assert run.terminated.all()
    return run.maps[:, 0]


# The slippery rooms are left to chance in every way, and a long path passes a state many times: a
# smaller rate.
FIXED_POINTS = {
    "eigenoptions": (*certain()[:2], hsr.GoalTask(None, 12), 0.02),
    "one start": (*certain()[:2], hsr.GoalTask(0, 12), 0.02),
    "fractional": (*fractional()[:2], hsr.GoalTask(None, 12), 0.005),
}


@pytest.mark.parametrize("case", FIXED_POINTS)
def test_the_hierarchical_map_approaches_its_closed_form(case):
    mdp, options, task, rate = FIXED_POINTS[case]
    exact = hsr.hierarchical_sr(
        hsr.option_model(mdp, options, task=task), even_mu(mdp, options)
    ).toarray()
    check_mean_map(learned_maps(mdp, options, task, "hsr", rate=rate), exact)


@pytest.mark.parametrize("case", FIXED_POINTS)
def test_updating_every_state_passed_approaches_another_map(case):
    """Its rows mix what was running when a state was left, not what is chosen there: mu becomes nu,
    the share of each choice.

    An option passes states in which it would seldom be chosen, or could not be; so the fixed point
    is not the map of mu, and it depends on where episodes start.
    """
    mdp, options, task, rate = FIXED_POINTS[case]
    mu = even_mu(mdp, options)
    nu = running_shares(mdp, options, mu, task)
    assert_allclose(nu.sum(axis=1), 1.0, rtol=1e-12)
    of_mu, of_nu = (
        dense_options.dense_hsr(mdp, options, weights, goal=task.goal) for weights in (mu, nu)
    )
    learned = learned_maps(mdp, options, task, "hsr", "passed", rate=rate)
    check_mean_map(learned, of_nu)
    assert np.abs(of_mu - of_nu).max() > 0.05
    assert np.abs(learned.mean(axis=0) - of_mu).max() > 0.7 * np.abs(of_mu - of_nu).max()


def test_the_two_fixed_points_in_a_corridor_of_four_cells():
    """An option from cell 0 passes cell 1, where it cannot be chosen: nu is 1/5 there for each of
    five, mu 1/4 for four.

    Row 1 of the map of mu solves x_1 = 1_1 + 1/8 (x_0 + 2 x_1 + x_2): two of four moves bump. With
    nu it is x_1 = 1_1 + 1/10 (x_0 + 2 x_1 + x_2) + 1/10 x_2, the option's share too leading on to
    2.
    """
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...."), discount=0.5)
    options = hsr.OptionSet([[1, 1, 1, 1]], [[0, 0, 1, 1]], [[True, False, False, False]])
    task = hsr.GoalTask(0, 3)
    mu = even_mu(mdp, options)
    nu = running_shares(mdp, options, mu, task)
    assert_allclose(nu, [[0.2] * 5, [0.2] * 5, [0.25] * 4 + [0.0], [0.25] * 4 + [0.0]], atol=1e-12)
    unit = np.eye(4)
    solved = []
    for to_0, stay, to_2 in ((1 / 8, 1 / 4, 1 / 8), (1 / 10, 1 / 5, 1 / 5)):
        system = unit.copy()
        system[0, :3] -= [
            3 / 10,
            1 / 10,
            1 / 20,
        ]  # three of five choices bump, one steps, one rides two cells
        system[1, :3] -= [to_0, stay, to_2]
        system[2, 1:] -= [1 / 8, 1 / 4, 1 / 8]
        visits = unit.copy()
        visits[0, 1] = 1 / 10  # the ride's second cell
        solved.append(np.linalg.solve(system, visits))
    of_mu, of_nu = (dense_options.dense_hsr(mdp, options, weights, goal=3) for weights in (mu, nu))
    assert_allclose(of_mu, solved[0], rtol=0, atol=1e-14)
    assert_allclose(of_nu, solved[1], rtol=0, atol=1e-14)
    assert np.abs(of_mu - of_nu).max() > 0.1
    for how, exact in (("chosen", of_mu), ("passed", of_nu)):
        check_mean_map(learned_maps(mdp, options, task, "hsr", how, rate=0.005), exact)


@pytest.mark.parametrize("case", FIXED_POINTS)
def test_the_successor_representation_approaches_that_of_the_actions_taken(case):
    """Each step counts whatever is running, so the policy is pi(a | s) = sum_c nu(c | s) pi_c(a |
    s).
    """
    mdp, options, task, rate = FIXED_POINTS[case]
    A = mdp.n_actions
    nu = running_shares(mdp, options, even_mu(mdp, options), task)
    pi = nu[:, :A] + np.einsum(
        "so,osa->sa", nu[:, A:], dense_options.action_probabilities(mdp, options)
    )
    exact = hsr.successor_representation(mdp, pi, task=task).toarray()
    check_mean_map(learned_maps(mdp, options, task, "sr", rate=rate), exact)


@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_without_options_the_map_approaches_that_of_the_random_walk(slip):
    mdp, task = two_rooms(slip), hsr.GoalTask(None, 12)
    exact = hsr.successor_representation(mdp, task=task).toarray()
    check_mean_map(learned_maps(mdp, None, task, "sr"), exact)
