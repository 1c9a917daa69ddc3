"""Hypothesis strategies of option sets over a given MDP, and of policies over what is available.

Policies may be certain (as integers or as one-hot rows) or random; termination may be 0 or 1,
fractional, or both in one set; options may never stop, stop everywhere, and be available nowhere.
"""

import numpy as np
from hypothesis import strategies as st

import hsr
from tests.oracles.random_mdps import deterministic_mdps, distributions, mdps
from tests.oracles.random_tasks import rewards_of

MOST_OPTIONS = 4
KINDS = ("jump", "certain", "fractional", "stochastic")
BINARY = (0.0, 1.0)
FRACTIONS = (0.0, 0.25, 1 / 3, 0.9, 1.0)


def tables(shape, entries):
    """Return a strategy of arrays of this shape with entries from a strategy."""
    size = int(np.prod(shape))
    return st.lists(entries, min_size=size, max_size=size).map(
        lambda values: np.array(values).reshape(shape)
    )


@st.composite
def option_sets(draw, mdp, kind=None, initiation=None):
    """Return a strategy of `hsr.OptionSet`.

    kind: "jump" (certain policies, termination 0 or 1 with at least one stop), "certain" (certain
    policies, any binary termination, so that some never stop), "fractional" (certain policies),
    "stochastic"; by default any of them.
    """
    kind = kind or draw(st.sampled_from(KINDS))
    n_options, n_states = draw(st.integers(1, MOST_OPTIONS)), mdp.n_states
    shape = (n_options, n_states)
    entries = st.sampled_from(BINARY if kind in ("jump", "certain") else FRACTIONS)
    beta = draw(tables(shape, entries))
    if kind == "stochastic":
        size = n_options * n_states
        rows = draw(st.lists(distributions(mdp.n_actions), min_size=size, max_size=size))
        policy = np.array(rows).reshape(*shape, mdp.n_actions)
    else:
        policy = draw(tables(shape, st.integers(0, mdp.n_actions - 1)))
        if kind == "jump":
            beta = _stop_loops(mdp, policy, beta)
        if draw(st.booleans()):
            policy = np.eye(mdp.n_actions)[policy]
    if initiation is None:
        initiation = draw(st.none() | tables(shape, st.booleans()))
    return hsr.OptionSet(policy=policy, termination=beta, initiation=initiation)


def _stop_loops(mdp, policy, beta):
    """Return a termination in which every path of a deterministic MDP stops: a path that comes
    round stops there.
    """
    beta = beta.copy()
    for o in range(len(policy)):
        for s in range(mdp.n_states):
            seen, u = set(), s
            while u not in seen:
                seen.add(u)
                u = mdp.successors[u, policy[o, u]]
                if beta[o, u] == 1.0:
                    break
            else:
                beta[o, u] = 1.0
    return beta


@st.composite
def mus(draw, model):
    """Return a strategy of policies over the available choices, of shape (S, C); states without any
    choice are not allowed.
    """
    rows = []
    for s in range(model.mdp.n_states):
        allowed = np.flatnonzero(model.available[:, s])
        row = np.zeros(model.n_choices)
        row[allowed] = draw(distributions(allowed.size))
        rows.append(row)
    return np.array(rows)


def ends_of(model):
    """Return the states in which the task of a model ends, None without a task."""
    if model.task is None:
        return None
    of_goal = isinstance(model.task, hsr.GoalTask)
    return [model.task.goal] if of_goal else model.task.terminal.tolist()


@st.composite
def reward_tasks(draw, mdp):
    """Return a strategy of `hsr.RewardTask` with rewards of all shapes and both signs."""
    reward, terminal = draw(rewards_of(mdp))
    return hsr.RewardTask(mdp, reward, terminal=terminal)


def goals(mdp):
    """Return a strategy of `hsr.GoalTask`."""
    return st.integers(0, mdp.n_states - 1).map(lambda goal: hsr.GoalTask(None, goal))


def tasks(mdp):
    """Return a strategy of tasks of both kinds."""
    return goals(mdp) | reward_tasks(mdp)


@st.composite
def option_models(draw, worlds=None, kind=None, with_task=None, primitives=None, of_tasks=tasks):
    """Return a strategy of `hsr.OptionModel` in which every state has a choice.

    of_tasks: function of the MDP that returns the strategy of its task, if there is one.
    """
    if worlds is None:
        worlds = deterministic_mdps() if kind == "jump" else mdps()
    mdp = draw(worlds)
    kind = kind or draw(st.sampled_from(KINDS if mdp.is_deterministic else KINDS[1:]))
    primitives = draw(st.booleans()) if primitives is None else primitives
    options = draw(option_sets(mdp, kind))
    if not primitives and not options.initiation.any(axis=0).all():
        widened = options.initiation.copy()
        widened[0] |= ~options.initiation.any(axis=0)
        options = hsr.OptionSet(options.policy, options.termination, widened)
    with_task = draw(st.booleans()) if with_task is None else with_task
    task = draw(of_tasks(mdp)) if with_task else None
    return hsr.option_model(mdp, options, primitives=primitives, task=task)


@st.composite
def models_with_mu(draw, **how):
    """Return a strategy of pairs (model, mu)."""
    model = draw(option_models(**how))
    return model, draw(mus(model))
