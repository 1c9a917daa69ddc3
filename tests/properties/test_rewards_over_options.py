"""Values and plans for any task over actions and options, against the flattened chain over pairs of
a state and the choice that is running there.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.cases import raises
from tests.oracles.dense_options import flattened_value
from tests.oracles.random_mdps import mdps, policies, stochastic_mdps
from tests.oracles.random_options import (
    KINDS,
    ends_of,
    goals,
    models_with_mu,
    option_models,
    reward_tasks,
    tasks,
)

import hsr
from hsr.options.planning import choice_values
from hsr.representation import policy_value

# Values reach 1 / (1 - 0.99) = 100, with condition numbers of about 100.
CLOSE = {"rtol": 1e-10, "atol": 1e-10}
TIES = ["uniform", "options", "primitives", "random"]


def rewards_of(mdp, task):
    """Return the rewards of a task as the array by which it was defined."""
    if isinstance(task, hsr.RewardTask):
        if task.per != "transition":
            return task.reward
        return np.stack([R.toarray() for R in task.reward], axis=1)
    entering = np.zeros((mdp.n_states, mdp.n_actions, mdp.n_states))
    entering[:, :, task.goal] = 1.0
    return entering


def flat(model, mu, task):
    """Return the oracle's values of a policy."""
    how = {"primitives": model.n_primitives > 0, "goal": ends_of(model.for_task(task))}
    return flattened_value(model.mdp, model.options, mu, rewards_of(model.mdp, task), **how)


def as_transitions(mdp, goal):
    """Return a goal written as a reward per transition."""
    return hsr.RewardTask(mdp, rewards_of(mdp, hsr.GoalTask(None, goal)), terminal=[goal])


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_the_value_of_a_policy_is_that_of_the_chain_of_state_and_running_choice(kind, data):
    model, mu = data.draw(models_with_mu(kind=kind))
    task = model.task or data.draw(tasks(model.mdp))
    assert_allclose(policy_value(model, mu, task), flat(model, mu, task), **CLOSE)


@given(data=st.data())
def test_with_rewards_per_state_values_are_the_product_of_the_map(data):
    model, mu = data.draw(models_with_mu(of_tasks=reward_tasks, with_task=True))
    task = model.task
    if task.per != "state":
        task = hsr.RewardTask(model.mdp, np.ones(model.mdp.n_states), terminal=task.terminal)
    M = hsr.hierarchical_sr(model, mu)
    assert_allclose(policy_value(model, mu, task), M @ task.reward, **CLOSE)


@given(data=st.data())
def test_the_value_of_a_policy_over_actions_solves_the_bellman_equation(data):
    mdp = data.draw(mdps())
    pi, task = data.draw(policies(mdp)), data.draw(tasks(mdp))
    v = policy_value(mdp, pi, task)
    reward, P = rewards_of(mdp, task), mdp.toarray()
    ends = [task.goal] if isinstance(task, hsr.GoalTask) else task.terminal
    after = v.copy()
    if reward.ndim == 1:
        expected = reward + mdp.discount * np.einsum("sa,sat,t->s", pi, P, after)
        expected[ends] = reward[ends]
    else:
        paid = reward[:, :, None] if reward.ndim == 2 else reward
        after[ends] = 0.0
        expected = np.einsum("sa,sat,sat->s", pi, P, paid + mdp.discount * after)
        expected[ends] = 0.0
    assert_allclose(v, expected, **CLOSE)
    if reward.ndim == 1:
        M = hsr.successor_representation(mdp, pi, task=task)
        assert_allclose(v, M @ reward, **CLOSE)


@given(data=st.data(), ties=st.sampled_from(["uniform", "first", "random"]))
def test_a_greedy_policy_is_worth_the_optimal_value(data, ties):
    mdp = data.draw(mdps())
    task = data.draw(tasks(mdp))
    pi = hsr.greedy_policy(mdp, task, ties=ties, seed=3)
    # Ties are cut at 1e-9, of each value for a goal, and else of the largest; 0.99 adds them up.
    close = {"rtol": 1e-7, "atol": 1e-15} if isinstance(task, hsr.GoalTask) else {"atol": 1e-6}
    assert_allclose(policy_value(mdp, pi, task), hsr.optimal_value(mdp, task), **close)


@pytest.mark.parametrize("ties", TIES)
@given(data=st.data())
def test_no_deviation_in_one_state_improves_a_plan(ties, data):
    model = data.draw(option_models())
    task = model.task or data.draw(tasks(model.mdp))
    mu = hsr.plan_over_options(model, task, ties=ties, seed=3)
    assert_array_equal(mu[~model.available.T], 0.0)
    assert_allclose(mu.sum(axis=1), 1.0, rtol=1e-15)
    v = flat(model, mu, task)
    slack = 1e-7 * max(1.0, np.abs(v).max())  # ties are within 1e-9 of the largest value
    for s, c in np.argwhere(model.available.T):
        other = mu.copy()
        other[s] = np.eye(model.n_choices)[c]
        assert (flat(model, other, task) <= v + slack).all()


@pytest.mark.parametrize("primitives", [True, False])
@settings(max_examples=150)  # small cases: few of them have policies that are improved twice
@given(data=st.data())
def test_a_plan_is_the_best_of_every_deterministic_policy_over_choices(primitives, data):
    worlds = mdps(max_states=3, max_actions=2, discounts=st.sampled_from((0.5, 0.9)))
    how = {"kind": "stochastic", "primitives": primitives, "of_tasks": reward_tasks}
    model = data.draw(option_models(worlds, **how))
    task = model.task or data.draw(reward_tasks(model.mdp))
    allowed = [np.flatnonzero(row) for row in model.available.T]
    every = [
        flat(model, np.eye(model.n_choices)[list(chosen)], task) for chosen in product(*allowed)
    ]
    best = np.max(every, axis=0)
    assert_allclose(flat(model, hsr.plan_over_options(model, task), task), best, atol=1e-7)
    inside = ~model.for_task(task).terminal
    q = np.where(model.available.T, choice_values(model, task), -np.inf)
    assert_allclose(q.max(axis=1)[inside], best[inside], **CLOSE)


@given(data=st.data())
def test_with_primitive_actions_a_plan_is_worth_the_optimal_value(data):
    model = data.draw(option_models(primitives=True))
    task = model.task or data.draw(tasks(model.mdp))
    v = hsr.optimal_value(model.mdp, task)
    ended = model.for_task(task).terminal
    q = np.where(model.available.T, choice_values(model, task), -np.inf)
    assert_allclose(q.max(axis=1)[~ended], v[~ended], **CLOSE)
    assert_array_equal(choice_values(model, task)[ended], 0.0)
    assert_allclose(policy_value(model, hsr.plan_over_options(model, task), task), v, atol=1e-6)


@given(data=st.data())
def test_a_goal_written_as_rewards_gives_the_same_model_map_and_values(data):
    model, mu = data.draw(models_with_mu(with_task=True, of_tasks=goals))
    mdp, goal = model.mdp, model.task
    try:
        task = as_transitions(mdp, goal.goal)
    except hsr.InputError:  # all other states absorb
        return
    if task.terminal.tolist() != [goal.goal]:  # other absorbing states end the task, too
        return
    assert model.for_task(task) is model
    other = hsr.option_model(mdp, model.options, primitives=model.n_primitives > 0, task=task)
    maps = [hsr.hierarchical_sr(some, mu).toarray() for some in (model, other)]
    assert_array_equal(*maps)
    assert_array_equal(policy_value(model, mu, goal), policy_value(other, mu, task))
    values = [choice_values(model, some) for some in (goal, task)]
    assert_allclose(*values, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("slip", [0.0, 0.2])
@pytest.mark.parametrize("primitives", [True, False])
def test_a_goal_written_as_rewards_has_the_same_plan_and_expected_maps(slip, primitives):
    mdp = hsr.grid_mdp("four_rooms", discount=0.9, slip=slip)
    options = hsr.point_options(mdp, targets=[0, 40, 103])
    if not primitives:
        options = hsr.OptionSet(options.policy, options.termination)
    model = hsr.option_model(mdp, options, primitives=primitives)
    goal, written = hsr.GoalTask(None, 40), as_transitions(mdp, 40)
    for ties in TIES:
        plans = [hsr.plan_over_options(model, task, ties=ties) for task in (goal, written)]
        assert_array_equal(*plans)
    lists = [hsr.GoalTask(None, 40), hsr.GoalTask(None, 7)], [written, as_transitions(mdp, 7)]
    for how in ("ends", "continues"):
        maps = [
            hsr.expected_hsr(mdp, options, some, primitives=primitives, goal=how) for some in lists
        ]
        assert_allclose(*(M.toarray() for M in maps), rtol=1e-12, atol=1e-12)
        maps = [hsr.expected_sr(mdp, some, goal=how).toarray() for some in lists]
        assert_allclose(*maps, rtol=1e-12, atol=1e-12)


@given(data=st.data())
def test_expected_maps_are_the_mean_over_mixed_tasks(data):
    model = data.draw(option_models(with_task=False))
    mdp = model.mdp
    some = [data.draw(goals(mdp)), data.draw(reward_tasks(mdp)), data.draw(reward_tasks(mdp))]
    maps = []
    for task in some:
        of_task = model.for_task(task)
        maps.append(hsr.hierarchical_sr(of_task, hsr.plan_over_options(of_task, task)).toarray())
    primitives = model.n_primitives > 0
    mean = hsr.expected_hsr(mdp, model.options, some, primitives=primitives)
    assert_allclose(mean.toarray(), np.mean(maps, axis=0), rtol=1e-12, atol=1e-12)


def test_maps_end_in_every_terminal_state():
    """Right, then past two terminal states of a corridor: only the first one is ever visited."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.5)
    task = hsr.RewardTask(mdp, [0, 0, 0, 1, 0, 2], terminal=[3, 5])
    model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[5]), primitives=True, task=task)
    assert repr(model) == (
        "OptionModel(4 primitive actions and 1 option over 6 states, 2 terminal states)"
    )
    mu = hsr.plan_over_options(model, task, ties="options")
    M = hsr.hierarchical_sr(model, mu)
    assert repr(M) == "PredictiveMap(hierarchical SR of 6 states, discount 0.5, 2 terminal states)"
    assert_array_equal(M.rows(0), [1, 0.5, 0.25, 0.125, 0, 0])
    assert_array_equal(M.rows(3), np.eye(6)[3])
    assert_array_equal(M @ task.reward, [0.125, 0.25, 0.5, 1.0, 1.0, 2.0])
    assert_array_equal(policy_value(model, mu, task), M @ task.reward)


def test_options_alone_are_planned_by_improving_the_uniform_policy():
    """Six cells in a ring, and options that take one step to the right or to the left.

    Going right for ever is best: it pays 10 at every sixth step, and costs 1 otherwise. A step to
    the left costs 20.
    """
    ring = np.arange(6)
    mdp = hsr.FiniteMDP.from_successors(np.stack([(ring + 1) % 6, (ring - 1) % 6], axis=1), 0.9)
    options = hsr.OptionSet([[0] * 6, [1] * 6], np.ones((2, 6)))
    model = hsr.option_model(mdp, options, primitives=False)
    task = hsr.RewardTask(mdp, [[-1.0, -20.0]] * 5 + [[10.0, -20.0]])
    best = [
        sum(0.9**k * (10.0 if (s + k) % 6 == 5 else -1.0) for k in range(600)) for s in range(6)
    ]
    assert_allclose(choice_values(model, task).max(axis=1), best, rtol=1e-12)
    assert_array_equal(hsr.plan_over_options(model, task)[:, 0], 1.0)
    assert_allclose(policy_value(model, np.eye(2)[[0] * 6], task), best, rtol=1e-12)


def test_a_model_of_another_end_is_refused():
    mdp = hsr.grid_mdp("four_rooms")
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, 2), task=hsr.GoalTask(None, 5))
    field = hsr.reward_tasks(mdp, 1, kind="smooth", seed=0)[0]
    message = r"made for another task \(goal 5\) than this one \(never ends\)"
    for call in (hsr.plan_over_options, choice_values):
        with raises(message):
            call(model, field)
    with raises(message):
        policy_value(model, None, field)
    other = hsr.grid_mdp("four_rooms", slip=0.1)
    with raises("made for another MDP"):
        policy_value(other, None, field)


@given(data=st.data())
def test_policy_iteration_over_options_ends_at_discounts_near_one(data):
    worlds = stochastic_mdps(discounts=st.just(0.99999))
    model = data.draw(option_models(worlds, primitives=False, of_tasks=reward_tasks))
    task = model.task or data.draw(reward_tasks(model.mdp))
    q = np.where(model.available.T, choice_values(model, task), -np.inf)
    v = policy_value(model, hsr.plan_over_options(model, task, ties="random"), task)
    inside = ~model.for_task(task).terminal
    # Ties are 1e-9 of values up to 1e5, and their loss adds up over 1e5 steps.
    assert_allclose(v[inside], q.max(axis=1)[inside], rtol=1e-3, atol=10.0)


@pytest.mark.parametrize("penalty", [-1.0, -1e6, -1e9, -1e12])
@pytest.mark.parametrize("terminal", [[28], [28, 50]])
def test_a_large_penalty_that_can_be_avoided_hides_nothing(penalty, terminal):
    """The shortest way to a goal avoids state 50, so that its reward does not matter."""
    mdp = hsr.grid_mdp("four_rooms", discount=0.95)
    reward = np.zeros(104)
    reward[[28, 50]] = 1.0, penalty
    task = hsr.RewardTask(mdp, reward, start=0, terminal=terminal)
    best = 0.95 * hsr.optimal_value(mdp, hsr.GoalTask(0, 28))[0]
    assert hsr.optimal_value(mdp, task)[0] == pytest.approx(best, rel=1e-12)
    for ties in ("uniform", "first", "random"):
        v = policy_value(mdp, hsr.greedy_policy(mdp, task, ties=ties), task)
        assert v[0] == pytest.approx(best, rel=1e-12)
    options = hsr.point_options(mdp, targets=[0, 10, 28, 60, 103])
    everywhere = hsr.OptionSet(options.policy, options.termination)
    for primitives in (True, False):
        model = hsr.option_model(mdp, everywhere, primitives=primitives)
        v = policy_value(model, hsr.plan_over_options(model, task), task)
        assert v[0] == pytest.approx(best, rel=1e-12)
    stages = hsr.revalue(hsr.successor_representation(mdp), task, improvements=20)
    assert_allclose(stages.achieved[-2:, 0], best, rtol=1e-12)
