"""Goals so far that values nearly vanish, and the largest discount, where values hardly differ."""

from decimal import Context, Decimal, localcontext

import numpy as np
import pytest

import hsr
from tests.cases import raises

TOO_SMALL = "is so far from the goal that its value is below 1e-280"
WIDE = Context(prec=40, Emin=-(10**9), Emax=10**9)


def exact_plan(model, goal):
    """Return the values of all choices (S, C) and of the states in decimals of any size.

    The values of states and of running options are iterated together, until they settle.
    """
    n, g = model.mdp.n_states, Decimal(model.mdp.discount)
    chains = [
        [{int(t): Decimal(float(P[s, t])) for t in P[[s]].indices} for s in range(n)]
        for P in map(model.chain_of, range(model.n_choices))
    ]
    beta = np.ones((model.n_choices, n))
    for c in range(model.n_primitives, model.n_choices):
        beta[c] = model.options.termination[c - model.n_primitives]
    beta = [[Decimal(b) for b in row] for row in beta.tolist()]
    v = [Decimal(0)] * n
    q = [[Decimal(0)] * n for _ in chains]
    with localcontext(WIDE):
        while True:
            q = [
                [
                    sum(
                        p * (1 if t == goal else g * (stop[t] * v[t] + (1 - stop[t]) * old[t]))
                        for t, p in moves.items()
                    )
                    for moves in chain
                ]
                for chain, stop, old in zip(chains, beta, q, strict=True)
            ]
            new = [
                max(q[c][s] for c in range(model.n_choices) if model.available[c, s])
                for s in range(n)
            ]
            new[goal] = Decimal(0)
            if all(abs(a - b) <= b * Decimal("1e-30") for a, b in zip(v, new, strict=True)):
                return q, v
            v = new


def exact_best(model, goal):
    """Return the choices within a factor of 1e-9 of the best, of shape (S, C)."""
    with localcontext(WIDE):
        q, v = exact_plan(model, goal)
        least = [y * Decimal("0.999999999") for y in v]
        best = np.array([[x >= y for x, y in zip(row, least, strict=True)] for row in q]).T
    best[goal] = True
    return best & model.available.T


def some_world(seed, n=14, discount=1e-30):
    """Return a ring of states with random moves to near states, and a trap."""
    rng = np.random.default_rng(seed)
    transition = np.zeros((n, 3, n))
    for s in range(n):
        for a in range(3):
            ahead = (s + rng.integers(-2, 3, size=3)) % n
            transition[s, a, ahead] += rng.dirichlet(np.ones(3))[: ahead.size]
            transition[s, a] /= transition[s, a].sum()
    transition[n - 1] = np.eye(n)[n - 1]
    return hsr.FiniteMDP(transition, discount)


@pytest.mark.parametrize("seed", range(4))
def test_policies_towards_small_values_are_exact(seed):
    mdp = some_world(seed)
    exact = exact_best(hsr.option_model(mdp, None), 3)
    task = hsr.GoalTask(None, 3)
    np.testing.assert_array_equal(hsr.greedy_policy(mdp, task) > 0, exact)
    np.testing.assert_array_equal(hsr.point_options(mdp, [3]).policy[0], exact.argmax(axis=1))


def test_small_values_are_rounded_to_zero_and_refused_where_they_would_be_compared():
    mdp = hsr.grid_mdp("four_rooms", discount=1e-25, slip=0.2)
    _, v = exact_plan(hsr.option_model(mdp, None), 0)
    exact = np.array([float(x) for x in v])
    assert (exact == 0.0).sum() > 20
    task = hsr.GoalTask(None, 0)
    np.testing.assert_allclose(hsr.optimal_value(mdp, task), exact, rtol=1e-13, atol=1e-300)
    for compare in (hsr.greedy_policy, lambda mdp, task: hsr.point_options(mdp, [task.goal])):
        with raises(TOO_SMALL):
            compare(mdp, task)


def test_a_long_corridor_leads_one_way_however_it_slips():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * 2500), discount=0.9, slip=0.3)
    assert (hsr.point_options(mdp, [0]).policy[0, 1:] == 3).all()
    assert (hsr.point_options(mdp, [2499]).policy[0, :-1] == 1).all()


def options_of(mdp, seed):
    """Return options that go to states or wander, and stop where chance has it."""
    rng = np.random.default_rng(seed)
    n, n_actions = mdp.n_states, mdp.n_actions
    policy = rng.dirichlet(np.ones(n_actions) * 0.2, size=(3, n))
    termination = rng.choice([0.0, 0.25, 1.0], size=(3, n), p=[0.6, 0.2, 0.2])
    initiation = rng.random((3, n)) < 0.6
    initiation[0] = True
    return hsr.OptionSet(policy, termination, initiation)


@pytest.mark.parametrize("primitives", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_plans_over_options_towards_small_values_are_exact_or_refused(seed, primitives):
    mdp, task = some_world(seed), hsr.GoalTask(None, 3)
    options = options_of(mdp, seed)
    model = hsr.option_model(mdp, options, primitives=primitives)
    plan = hsr.plan_over_options(model, task) > 0
    np.testing.assert_array_equal(plan, exact_best(model, 3))
    tiny = hsr.option_model(some_world(seed, discount=1e-120), options, primitives=primitives)
    with raises(TOO_SMALL):
        hsr.plan_over_options(tiny, task)


def test_states_from_which_options_miss_the_goal_are_not_refused():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...."), discount=0.9, slip=0.2)
    to_the_right = hsr.OptionSet([[1, 1, 1, 1]], [[0, 0, 0, 1]])
    nowhere = hsr.OptionSet([[0, 0, 0, 0]], [[1, 1, 1, 1]])
    for options, goal in ((to_the_right, 3), (nowhere, 0)):
        model = hsr.option_model(mdp, options, primitives=False)
        np.testing.assert_array_equal(hsr.plan_over_options(model, hsr.GoalTask(None, goal)), 1.0)


@pytest.mark.parametrize("discount", [0.9, 0.99999])
def test_plans_at_every_discount_that_is_allowed_waste_no_step(discount):
    mdp = hsr.grid_mdp("four_rooms", discount=discount, slip=0.2)
    task = hsr.GoalTask(0, 103)
    policy = hsr.greedy_policy(mdp, task)
    P = np.einsum("sa,sat->st", policy, mdp.toarray())[:103, :103]
    moves = np.linalg.solve(np.eye(103) - P, np.ones(103))
    # The fewest expected moves, by value iteration without discount. Values that tie within a
    # factor of 1e-9 differ by less than 1e-9 / (1 - g) = 1e-4 of a move.
    fewest = np.zeros(104)
    for _ in range(400):
        fewest = 1.0 + (mdp.toarray() @ fewest).min(axis=1)
        fewest[103] = 0.0
    if discount > 0.9:
        np.testing.assert_allclose(moves, fewest[:103], rtol=1e-5)
    model = hsr.option_model(mdp, hsr.point_options(mdp, [25, 40]))
    chosen = hsr.plan_over_options(model, task, ties="primitives")[:, :4]
    rows = chosen.sum(axis=1) > 0
    assert rows.sum() > 80
    np.testing.assert_array_equal(chosen[rows] > 0, (policy > 0)[rows])


def test_eigenoptions_at_the_largest_discount_climb_without_detours():
    mdp = hsr.grid_mdp("four_rooms", discount=0.99999, slip=0.2)
    options, vectors = hsr.eigenoptions(mdp, 3, return_vectors=True)
    P, states = mdp.toarray(), np.arange(mdp.n_states)
    for option, v in zip(options, vectors.T, strict=True):
        runs = option.initiation
        below = v.max() - v  # what each step costs, in units of 1 - discount
        least = np.zeros(mdp.n_states)
        for _ in range(600):
            least = np.where(runs, (P @ (below + least)).min(axis=1), 0.0)
        own = P[states, option.policy] * runs[:, None]
        cost = np.linalg.solve(np.eye(mdp.n_states) - own * runs, own @ below)
        np.testing.assert_allclose(cost[runs], least[runs], rtol=1e-3)
