"""Hypothesis strategies of small MDPs and policies, made to be awkward.

Supports are sparse, so that states are often out of reach; some states absorb; rows use quarters,
thirds and sevenths, so that some sums are exact in binary and some are not; one state and one
action are as likely as many.
"""

import numpy as np
from hypothesis import strategies as st

import hsr

DISCOUNTS = st.sampled_from((0.0, 0.25, 0.5, 0.9, 0.99))
MOST_STATES = 7
MOST_ACTIONS = 4
MOST_OUTCOMES = 3


def distributions(n):
    """Return a strategy of distributions over n things, of shape (n,), with one to three of them
    possible.
    """
    pair = st.tuples(st.integers(0, n - 1), st.integers(1, 4))
    return st.lists(pair, min_size=1, max_size=MOST_OUTCOMES).map(
        lambda pairs: _normalised(pairs, n)
    )


def _normalised(pairs, n):
    weights = np.zeros(n)
    for index, weight in pairs:
        weights[index] += weight
    return weights / weights.sum()


@st.composite
def _mdps(
    draw,
    outcomes,
    n_absorbing,
    max_states=MOST_STATES,
    max_actions=MOST_ACTIONS,
    discounts=DISCOUNTS,
):
    """Return a strategy of `hsr.FiniteMDP`; ``outcomes(n)`` are the rows, some states absorb."""
    n_states, n_actions = draw(st.integers(1, max_states)), draw(st.integers(1, max_actions))
    n_rows = n_states * n_actions
    rows = draw(st.lists(outcomes(n_states), min_size=n_rows, max_size=n_rows))
    transition = np.array(rows).reshape(n_states, n_actions, n_states)
    for state in draw(st.sets(st.integers(0, n_states - 1), max_size=n_absorbing)):
        transition[state] = np.eye(n_states)[state]
    return hsr.FiniteMDP(transition, draw(discounts))


def stochastic_mdps(**limits):
    """Return a strategy of `hsr.FiniteMDP` whose rows hold up to three outcomes; some states
    absorb. `limits` are max_states, max_actions and a strategy of discounts.
    """
    return _mdps(distributions, 2, **limits)


def deterministic_mdps(**limits):
    """Return a strategy of `hsr.FiniteMDP` in which every action has one outcome."""
    return _mdps(lambda n: st.integers(0, n - 1).map(lambda t: np.eye(n)[t]), 0, **limits)


def mdps(**limits):
    """Return a strategy of both kinds; `limits` are those of the two strategies."""
    return st.one_of(deterministic_mdps(**limits), stochastic_mdps(**limits))


def policies(mdp):
    """Return a strategy of policies of shape (S, A) for this MDP; actions are often ruled out."""
    rows = st.lists(distributions(mdp.n_actions), min_size=mdp.n_states, max_size=mdp.n_states)
    return rows.map(np.array)


def states(mdp):
    """Return a strategy of the states of this MDP."""
    return st.integers(0, mdp.n_states - 1)


def with_policy(mdps):
    """Return a strategy of pairs (mdp, policy)."""
    return mdps.flatmap(lambda mdp: st.tuples(st.just(mdp), policies(mdp)))


def with_goal(mdps):
    """Return a strategy of pairs (mdp, goal state)."""
    return mdps.flatmap(lambda mdp: st.tuples(st.just(mdp), states(mdp)))
