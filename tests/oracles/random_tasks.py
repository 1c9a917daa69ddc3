"""Hypothesis strategies of reward tasks of all shapes, and their definition in exact fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

import hsr
from tests.oracles.exact_values import exact_rows

_REWARDS = st.integers(-4, 4).map(lambda quarters: quarters / 4)


@st.composite
def rewards_of(draw, mdp, shapes=("state", "action", "transition")):
    """Return (reward, terminal): an array of one of the shapes, and states in which to end.

    At least one state is not terminal and pays, so that an episode can begin somewhere.
    """
    n, n_actions = mdp.n_states, mdp.n_actions
    axes = {"state": (n,), "action": (n, n_actions), "transition": (n, n_actions, n)}
    shape = axes[draw(st.sampled_from(shapes))]
    size = int(np.prod(shape))
    reward = np.array(draw(st.lists(_REWARDS, min_size=size, max_size=size))).reshape(shape)
    start = draw(st.integers(0, n - 1))
    reward[start] = 0.75
    terminal = draw(st.sets(st.integers(0, n - 1), max_size=n - 1)) - {start}
    return reward, sorted(terminal)


def reward_problem(mdp, reward, terminal):
    """Return (rows, rewards, at_end) of a reward task in fractions, by its definition.

    A reward per state is paid in the state that is left, and in a terminal state once, when it is
    entered.
    """
    rows, gamma, reward = exact_rows(mdp), Fraction(mdp.discount), np.asarray(reward)
    at_end = [Fraction(0)] * mdp.n_states
    if reward.ndim == 1:
        at_end = [
            Fraction(float(reward[s])) if s in terminal else Fraction(0)
            for s in range(mdp.n_states)
        ]
    paid, ways = [], []
    for s, actions in enumerate(rows):
        over = s in terminal
        paid.append(
            [
                Fraction(0) if over else _paid(reward, gamma, at_end, s, a, row)
                for a, row in enumerate(actions)
            ]
        )
        ways.append(
            [{} if over else {t: p for t, p in row.items() if t not in terminal} for row in actions]
        )
    return ways, paid, at_end


def _paid(reward, gamma, at_end, s, a, row):
    if reward.ndim == 1:
        return Fraction(float(reward[s])) + gamma * sum(p * at_end[t] for t, p in row.items())
    if reward.ndim == 2:
        return Fraction(float(reward[s, a]))
    return sum(p * Fraction(float(reward[s, a, t])) for t, p in row.items())


def task_ending(mdp, ends):
    """Return a task that ends in one state, in each state of a list, or no task for None."""
    if ends is None:
        return None
    if isinstance(ends, int):
        return hsr.GoalTask(None, ends)
    return hsr.RewardTask(mdp, np.ones(mdp.n_states), terminal=ends)
