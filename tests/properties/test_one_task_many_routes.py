"""One task has one value, by whatever route: exact, maps, features, training and environments.

Each task is written down as a dense linear system from its definition. Then the routes of the
library are compared with it: those that compute to rounding, and those that sample to five standard
errors, which fail by accident once in 10^6.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.cases import cases

import hsr
from hsr.representation import policy_value

DISCOUNT = 0.8
LAYOUT = hsr.GridLayout(np.arange(12).reshape(3, 4) == 5)
N = LAYOUT.n_states
CLOSE = {"rtol": 1e-10, "atol": 1e-12}


def numbers(*shape):
    return np.random.default_rng(7).normal(size=shape)


TASKS = {
    "goal": lambda mdp: hsr.GoalTask(0, N - 1),
    "state": lambda mdp: hsr.RewardTask(mdp, numbers(N), terminal=[3, N - 1]),
    "state, never ends": lambda mdp: hsr.RewardTask(mdp, numbers(N), start=0),
    "state, penalties": lambda mdp: hsr.RewardTask(mdp, -np.arange(N), start=2, terminal=[0]),
    "action": lambda mdp: hsr.RewardTask(mdp, numbers(N, 4), terminal=[5]),
    "transition": lambda mdp: hsr.RewardTask(mdp, numbers(N, 4, N), start=0, terminal=[3, 7]),
}


def problem(slip, name):
    """Return the MDP, options that start everywhere but in one state, and the task."""
    mdp = hsr.grid_mdp(LAYOUT, discount=DISCOUNT, slip=slip)
    rng = np.random.default_rng(3)
    initiation = np.ones((2, N), dtype=bool)
    initiation[1, 4] = False
    policy = rng.dirichlet(np.ones(4), (2, N)) if slip else rng.integers(4, size=(2, N))
    options = hsr.OptionSet(policy, rng.uniform(0.2, 0.8, (2, N)), initiation)
    return mdp, options, TASKS[name](mdp)


def defined(mdp, task):
    """Return what a step pays (S, A, S), where the task ends (S,) and what an end is worth (S,)."""
    ends, at_end = np.zeros(N, dtype=bool), np.zeros(N)
    paid = np.zeros((N, 4, N))
    if isinstance(task, hsr.GoalTask):
        ends[task.goal] = True
        paid[:, :, task.goal] = 1.0
        return paid, ends, at_end
    ends[task.terminal] = True
    if task.per == "state":
        at_end[ends] = task.reward[ends]
        return paid + task.reward[:, None, None] + DISCOUNT * at_end, ends, at_end
    if task.per == "action":
        return paid + task.reward[:, :, None], ends, at_end
    return np.stack([R.toarray() for R in task.reward], axis=1), ends, at_end


def value_of_walk(mdp, options, task):
    """Return the value of choosing uniformly, by the chain over states and running choices."""
    P, (paid, ends, at_end) = mdp.toarray(), defined(mdp, task)
    acts, stops = np.eye(4)[:, None].repeat(N, axis=1), np.ones((4, N))
    mu = np.ones((N, 4))
    if options is not None:
        pi = options.policy if options.policy.ndim == 3 else np.eye(4)[options.policy]
        acts = np.concatenate([acts, pi])
        stops = np.concatenate([stops, options.termination])
        mu = np.hstack([mu, options.initiation.T])
    mu /= mu.sum(axis=1, keepdims=True)
    n_choices = len(acts)
    r = np.einsum("csa,sat,sat->sc", acts, P, paid)
    to = np.einsum("csa,sat->sct", acts, P)
    T = np.einsum("sct,ct,td->sctd", to, stops, mu)
    T += np.einsum("sct,ct,cd->sctd", to, 1 - stops, np.eye(n_choices))
    r[ends], T[ends], T[:, :, ends] = 0.0, 0.0, 0.0
    size = N * n_choices
    q = np.linalg.solve(np.eye(size) - DISCOUNT * T.reshape(size, size), r.ravel())
    return (mu * q.reshape(N, n_choices)).sum(axis=1) + at_end


def starts_of(task):
    return np.array([task.start]) if isinstance(task, hsr.GoalTask) else task.starts


def assert_mean(sample, expected):
    assert abs(np.mean(sample) - expected) < 5 * np.std(sample) / np.sqrt(np.size(sample))


def lived(env, choose, episodes, most=45):
    """Return the discounted sums of rewards of some episodes, over choices of any duration."""
    sums = []
    for k in range(episodes):
        state, info = env.reset(seed=5 if k == 0 else None)
        total, t, over = 0.0, 0, False
        while not over and t < most:
            state, reward, over, _, info = env.step(choose(state, info))
            total, t = total + DISCOUNT**t * reward, t + info["duration"]
        sums.append(total)
    return np.array(sums)


@pytest.mark.parametrize("slip", [0.0, 0.3])
@pytest.mark.parametrize("over", ["actions", "options"])
@cases("name", {name: name for name in TASKS})
def test_a_random_walk_is_worth_the_same_by_every_route(name, over, slip):
    mdp, options, task = problem(slip, name)
    given = options if over == "options" else None
    v = value_of_walk(mdp, given, task)
    model = hsr.option_model(mdp, given, task=task)
    assert_allclose(policy_value(model, None, task), v, **CLOSE)
    if given is None:
        assert_allclose(policy_value(mdp, None, task), v, **CLOSE)
    if getattr(task, "per", "") == "state":
        M = hsr.hierarchical_sr(model, hsr.uniform_policy(model))
        assert_allclose(M @ task.reward, v, **CLOSE)
        phi = numbers(N, N)
        psi = hsr.successor_features(model, None, phi)
        w = hsr.regress_reward(phi, np.arange(N), task.reward)
        assert_allclose(psi @ w, v, rtol=1e-8, atol=1e-8)  # phi has a condition number of 1e2
        assert_allclose(hsr.revalue(model, task, improvements=0).values[0], v, **CLOSE)
    expected = v[starts_of(task)].mean()
    agent = hsr.LinearQ(learning_rate=1e-3, epsilon=1.0)
    run = hsr.train(mdp, [task], agent, given, seeds=range(8), episodes=2500, horizon=60)
    assert_mean(run.returns, expected)
    env = hsr.GridWorld(LAYOUT, task=task, slip=slip, discount=DISCOUNT)
    env = hsr.OptionEnv(env, options, reward="discounted")
    rng, n_choices = np.random.default_rng(0), model.n_choices

    def choose(state, info):
        return rng.choice(np.flatnonzero(info["action_mask"][:n_choices]))

    assert_mean(lived(env, choose, 1000), expected)


@cases("name", {name: name for name in TASKS})
def test_the_best_policy_is_worth_the_same_by_every_route(name):
    mdp, options, task = problem(0.0, name)
    P, (paid, ends, at_end) = mdp.toarray(), defined(mdp, task)
    v, inside = np.zeros(N), ~ends
    for _ in range(300):  # value iteration; 0.8^300 is 1e-29
        q = (P * (paid + DISCOUNT * np.where(ends, 0.0, v))).sum(axis=2)
        v = np.where(ends, 0.0, q.max(axis=1))
    assert_allclose(hsr.optimal_value(mdp, task), v + at_end, **CLOSE)
    model = hsr.option_model(mdp, options)
    mu = hsr.plan_over_options(model, task, ties="random")
    assert_allclose(policy_value(model, mu, task), v + at_end, **CLOSE)
    pi = hsr.greedy_policy(mdp, task, ties="first")
    assert_allclose(policy_value(mdp, pi, task), v + at_end, **CLOSE)
    env = hsr.GridWorld(LAYOUT, task=task, discount=DISCOUNT)
    env = hsr.OptionEnv(env, options, reward="discounted")
    starts = starts_of(task)
    earned = lived(env, lambda state, info: int(pi[state].argmax()), 40, most=150)
    assert inside[starts].all()
    assert np.abs(earned[:, None] - v[starts]).min(axis=1).max() < 1e-10  # each that of a start
    agent = hsr.LinearQ(learning_rate=1.0, epsilon=0.5)  # exact where all was tried
    how = {"seeds": range(2), "episodes": 400, "horizon": 150, "evaluate": True}
    run = hsr.train(mdp, [task], agent, **how)
    assert np.abs(run.greedy_returns[..., None] - v[starts]).min(axis=-1).max() < 1e-10
