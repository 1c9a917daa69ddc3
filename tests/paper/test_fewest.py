"""The fewest expected steps of any agent that explores, against every policy of a small maze."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hsr
from hsr.paper.transfer.fewest import fewest_expected_steps
from tests.cases import raises


def steps_of_policy(mdp, options, goal, policy, epsilon, explore_with, explore_at):
    """Return the expected steps from each state, by one solve over (state, choice that acts)."""
    n, n_actions = mdp.n_states, mdp.n_actions
    n_choices = n_actions + len(options)
    index = {(s, c): s * n_choices + c for s in range(n) for c in range(n_choices)}
    A, b = np.eye(n * n_choices), np.ones(n * n_choices)

    def begins(s, weight, best):
        """Yield the pairs with which an agent goes on in s."""
        tried = [
            c
            for c in range(n_actions if explore_with == "primitives" else n_choices)
            if c < n_actions or options.initiation[c - n_actions, s]
        ]
        yield index[s, best], weight * (1.0 - epsilon)
        for c in tried:
            yield index[s, c], weight * epsilon / len(tried)

    for (s, c), row in index.items():
        a = c if c < n_actions else options.policy[c - n_actions, s]
        t = int(mdp.successors[s, a])
        if t == goal:
            continue
        if c < n_actions or options.termination[c - n_actions, t]:
            after = begins(t, 1.0, policy[t])
        elif explore_at == "steps":
            after = begins(t, 1.0, c)
        else:
            after = [(index[t, c], 1.0)]
        for column, probability in after:
            A[row, column] -= probability
    w = np.linalg.solve(A, b)
    steps = [sum(p * w[i] for i, p in begins(s, 1.0, policy[s])) for s in range(n)]
    return np.where(np.arange(n) == goal, 0.0, steps)


@pytest.mark.parametrize("explore_with", ["choices", "primitives"])
@pytest.mark.parametrize("explore_at", ["choices", "steps"])
def test_no_policy_takes_fewer_steps_and_one_takes_as_many(explore_with, explore_at):
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....\n.###"))
    options, goal = hsr.point_options(mdp, [3]), 2
    how = {"epsilon": 0.3, "explore_with": explore_with, "explore_at": explore_at}
    fewest = fewest_expected_steps(mdp, options, hsr.GoalTask(None, goal), **how)
    choices = [
        range(1) if s == goal else [*range(4), *([4] if options.initiation[0, s] else [])]
        for s in range(mdp.n_states)
    ]
    every = []
    for policy in product(*choices):
        try:
            steps = steps_of_policy(mdp, options, goal, policy, *how.values())
        except np.linalg.LinAlgError:  # this policy never arrives
            continue
        if (steps >= 0.0).all():
            every.append(steps)
    assert len(every) > 100
    assert_allclose(fewest, np.min(every, axis=0), rtol=1e-9)


def test_an_option_that_leads_past_the_goal_stops_there():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."))
    options = hsr.point_options(mdp, [4])
    steps = fewest_expected_steps(mdp, options, hsr.GoalTask(None, 3), epsilon=0.0)
    assert_allclose(steps, [3.0, 2.0, 1.0, 0.0, 1.0])


def test_random_outcomes_are_refused():
    mdp = hsr.grid_mdp("four_rooms", slip=0.1)
    with raises("without random outcomes"):
        fewest_expected_steps(mdp, None, hsr.GoalTask(None, 3), epsilon=0.1)
