"""Goals reached from maps: every path is checked against an agent that takes one step at a time."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import raises


def layout():
    return hsr.GridLayout.from_text("......\n.##.#.\n......")


@cache
def mdp():
    return hsr.grid_mdp(layout(), discount=0.9)


@cache
def model():
    targets = [0, 8, layout().n_states - 1]
    return hsr.option_model(mdp(), hsr.point_options(mdp(), targets=targets))


def walk(model, psi, start, goal, every_step):
    """Return the steps of an agent that is simulated step by step, -1 if it repeats itself."""
    options, n_primitives = model.options, model.n_primitives
    state, steps, chosen_in = start, 0, set()
    while state != goal:
        if state in chosen_in:
            return -1
        chosen_in.add(state)
        open_ = np.flatnonzero(model.available[:, state])
        choice = open_[np.argmax(psi[state, open_, goal])]
        while True:
            o = choice - n_primitives
            action = choice if o < 0 else options.policy[o, state]
            state, steps = int(model.mdp.successors[state, action]), steps + 1
            if state == goal or o < 0 or every_step or options.termination[o, state] == 1.0:
                break
    return steps


@pytest.mark.parametrize("every_step", [False, True])
@pytest.mark.parametrize("noise", [0.0, 0.05, 1.0])
def test_steps_are_those_of_an_agent_that_is_simulated(noise, every_step):
    M = hsr.hierarchical_sr(model(), hsr.uniform_policy(model()))
    psi = hsr.representation.successor_of_choices(model(), M)
    psi += noise * np.random.default_rng(0).normal(size=psi.shape)
    reach = hsr.reach_goals(model(), psi, every_step=every_step)
    n = mdp().n_states
    plain = [[walk(model(), psi, s, x, every_step) for x in range(n)] for s in range(n)]
    assert_array_equal(reach.steps, plain)
    assert_array_equal(reach.shortest[:, 3], layout().distances_from(3))
    pairs = ~np.eye(n, dtype=bool)
    assert reach.reached == (reach.steps[pairs] >= 0).mean()
    if noise == 0.05:
        assert 0.0 < reach.reached < 1.0 < reach.path_ratio


def test_optimal_values_lead_along_shortest_paths():
    tasks = hsr.goal_tasks(mdp())
    v = np.stack([hsr.optimal_value(mdp(), task) for task in tasks], axis=1)
    np.fill_diagonal(v, 2.0)  # the goal itself is best
    flat = hsr.option_model(mdp(), None)
    reach = hsr.reach_goals(flat, v[mdp().successors])
    assert reach.reached == 1.0
    assert reach.path_ratio == 1.0


def test_choices_before_a_map_are_those_of_the_walk():
    M = hsr.successor_representation(mdp()).toarray()
    psi = hsr.representation.successor_of_choices(model(), M)
    P = np.stack([mdp().transition_of(a).toarray() for a in range(4)])
    assert_allclose(psi[:, 0], np.eye(mdp().n_states) + 0.9 * P[0] @ M, atol=1e-12)
    # The option to state 0 from its neighbour takes one step.
    assert_allclose(psi[1, 4], np.eye(mdp().n_states)[1] + 0.9 * M[0], atol=1e-12)


def test_what_cannot_be_followed_is_refused():
    slipping = hsr.grid_mdp(layout(), discount=0.9, slip=0.1)
    n = mdp().n_states
    random = hsr.option_model(slipping, hsr.point_options(slipping, targets=[0]))
    with raises("needs a deterministic MDP"):
        hsr.reach_goals(random, np.zeros((n, 5, n)))
    with raises("psi"):
        hsr.reach_goals(model(), np.zeros((n, 4, n)))
    with raises("every_step is 'no'"):
        hsr.reach_goals(model(), np.zeros((n, 7, n)), every_step="no")


def test_maps_can_be_compared_in_one_call():
    rooms = hsr.grid_mdp("four_rooms", discount=0.9)
    flat, goals = hsr.option_model(rooms, None), [70, 5]
    maps = np.random.default_rng(0).normal(size=(2, rooms.n_states, rooms.n_actions, 2))
    both = hsr.reach_goals(flat, np.concatenate(list(maps), axis=2), goals=goals * 2)
    for k, psi in enumerate(maps):
        alone = hsr.reach_goals(flat, psi, goals=goals)
        assert_array_equal(both.steps[:, 2 * k : 2 * k + 2], alone.steps)
        assert_array_equal(both.shortest[:, 2 * k : 2 * k + 2], alone.shortest)
