"""Generalised policy improvement on random MDPs: its two theorems [barreto2017].

Let r_i be the reward of a new task and V_i its values, and d_j the largest difference of r_i and
r_j over states and actions. No task ends. Then for the greedy policy p of max_j Q_i^{p_j},

1. V_i^p >= max_j V_i^{p_j} everywhere (Theorem 1).
2. Q_i^* - Q_i^{p_j} <= (V_i^* - V_j^*) + (V_j^{p_j} - V_i^{p_j}), one step later. Each of the two
   is at most d_j / (1 - g), so Q_i^* - Q_i^p <= g min_j 2 d_j / (1 - g) (Theorem 2 with exact
   values, one discount tighter, because the reward of the first step is the same on both sides).
   For rewards per state the reward of the first state cancels in V as well, and V_i^* - V_i^p
   has the same bound.
"""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.oracles.dense_options import flattened_choices, flattened_value
from tests.oracles.random_options import option_models

import hsr
from hsr.agents.gpi import Pool

ROOM = 1e-9  # values reach 2 / (1 - 0.99) = 200, with condition numbers of about 100
PAYS = st.sampled_from([-2.0, -1.0, -0.5, 0.25, 1.0, 2.0])  # not 0: absorbing states must not end


@st.composite
def problems(draw, with_options):
    """Return (mdp, options, rewards of the pool, a new reward), per state or per action."""
    model = draw(option_models(with_task=False, primitives=True))
    mdp = model.mdp
    shape = draw(st.sampled_from([(mdp.n_states,), (mdp.n_states, mdp.n_actions)]))
    size = int(np.prod(shape))
    rewards = [
        np.array(draw(st.lists(PAYS, min_size=size, max_size=size))).reshape(shape)
        for _ in range(draw(st.integers(2, 4)))
    ]
    return mdp, model.options if with_options else None, rewards[:-1], rewards[-1]


def check_bounds(mdp, options, pool, reward):
    """Assert both theorems, with values from the chain of state and running choice."""
    model = hsr.option_model(mdp, options)
    options = model.options
    tasks = [hsr.RewardTask(mdp, r) for r in pool]
    task = hsr.RewardTask(mdp, reward)
    assert not task.terminal.size
    q = Pool(mdp, tasks, options if len(options) else None).values(task)
    greedy = np.eye(model.n_choices)[q.argmax(axis=1)]
    value = flattened_value(mdp, options, greedy, reward)
    of_choices = flattened_choices(mdp, options, greedy, reward)
    plans = [hsr.plan_over_options(model, g) for g in tasks]
    for mu in plans:
        assert (value >= flattened_value(mdp, options, mu, reward) - ROOM).all()
    best = hsr.optimal_value(mdp, task)
    everything = np.repeat(best[:, None], model.n_choices, axis=1)
    for c in range(model.n_choices):
        collected = model.occupancy(c) @ _paid(model, c, reward)
        everything[:, c] = collected + model.stopping(c) @ best
    differ = min(np.abs(reward - r).max() for r in pool)
    g = mdp.discount
    bound = 2 * g * differ / (1 - g) + ROOM
    assert (everything - of_choices <= bound)[model.available.T].all()
    if reward.ndim == 1:
        assert (best - value <= bound).all()
    return best - value


def _paid(model, c, reward):
    """Return the expected reward of a step of choice c in each state."""
    if reward.ndim == 1:
        return reward
    if c < model.n_primitives:
        return reward[:, c]
    policy = model.options.policy[c - model.n_primitives]
    if policy.ndim == 1:
        return reward[np.arange(len(reward)), policy]
    return (policy * reward).sum(axis=1)


@given(problem=problems(with_options=False))
def test_gpi_is_no_worse_than_its_pool_and_obeys_its_bound(problem):
    check_bounds(*problem)


@given(problem=problems(with_options=True))
def test_the_same_holds_over_options(problem):
    check_bounds(*problem)


@given(problem=problems(with_options=True), data=st.data())
def test_gpi_with_the_task_in_its_pool_is_optimal(problem, data):
    mdp, options, pool, reward = problem
    assume(len(pool) > 1)
    pool = [*pool[1:], reward]
    lost = check_bounds(mdp, data.draw(st.sampled_from([None, options])), pool, reward)
    assert (np.abs(lost) <= ROOM).all()
