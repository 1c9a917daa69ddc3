"""Intra-option learning of the hierarchical SR: its fixed point is the closed form for any log."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import cases, raises
from tests.oracles.dense_options import ends_at
from tests.oracles.random_tasks import task_ending


@cache
def grid(slip=0.0):
    text = "...\n.#.\n..." if slip else "....\n.##.\n...."
    return hsr.grid_mdp(hsr.GridLayout.from_text(text), discount=0.8, slip=slip)


def random_options(mdp, seed):
    """Return two options that draw their actions and stop by chance, and one that does neither."""
    rng = np.random.default_rng(seed)
    policy = rng.dirichlet(np.ones(mdp.n_actions), size=(3, mdp.n_states))
    policy[2] = np.eye(mdp.n_actions)[rng.integers(mdp.n_actions, size=mdp.n_states)]
    stops = rng.uniform(0.2, 0.9, size=(3, mdp.n_states))
    return hsr.OptionSet(policy=policy, termination=stops)


def every_outcome(mdp, behaviour):
    """Return a log with every step as often as a behaviour and the MDP make it, times 2000.

    Its shares are the true probabilities, so that only the rule can be wrong.
    """
    steps = []
    for s in range(mdp.n_states):
        for a in range(mdp.n_actions):
            for t, p in enumerate(mdp.transition_of(a).toarray()[s]):
                steps += [(s, a, t)] * round(100 * behaviour[s, a] * p * 20)
    return np.array(steps)


def drawn_mu(mdp, options, seed):
    shape = mdp.n_actions + len(options)
    return np.random.default_rng(seed).dirichlet(np.ones(shape), size=mdp.n_states)


def learn(mdp, options, mu, log=None, **how):
    how = {"learning_rate": 1.0, "decay": 0.05, **how}
    return hsr.representation.learn_hsr_intra_option(mdp, options, mu, log, **how)


def check_closed_form(M, mdp, options, mu, atol, **how):
    """Assert that a learned map is close to the exact one."""
    model = hsr.option_model(mdp, options, **how)
    assert_allclose(M, hsr.hierarchical_sr(model, mu).toarray(), atol=atol)


@pytest.mark.parametrize("goal", [None, 2, [2, 5]], ids=["no goal", "goal", "two ends"])
@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_the_fixed_point_is_the_closed_form(slip, goal):
    mdp = grid(slip)
    options, task = random_options(mdp, 0), task_ending(mdp, goal)
    mu = drawn_mu(mdp, options, 1)
    M = learn(mdp, options, mu, steps=400_000, task=task, seed=3)
    check_closed_form(M, mdp, options, mu, 0.06, task=task)


def test_without_randomness_a_step_size_of_one_finds_it_to_the_last_digits():
    mdp = grid()
    options = hsr.point_options(mdp, [0, 9])
    for seed in range(3):
        mu = drawn_mu(mdp, options, seed)
        mu = np.where(hsr.option_model(mdp, options).available.T, mu, 0.0)
        mu /= mu.sum(axis=1, keepdims=True)
        M = learn(mdp, options, mu, steps=60_000, decay=0.0)
        check_closed_form(M, mdp, options, mu, 1e-12)


def test_options_alone_can_be_the_choices():
    mdp = grid()
    options, mu = random_options(mdp, 4), np.full((mdp.n_states, 3), 1 / 3)
    M = learn(mdp, options, mu, steps=300_000)
    check_closed_form(M, mdp, options, mu, 0.06, primitives=False)


def test_a_lopsided_log_teaches_the_same_map():
    """The log takes one action seven times as often as the others; weights undo that."""
    mdp = grid(0.2)
    options = random_options(mdp, 2)
    mu = drawn_mu(mdp, options, 3)
    behaviour = np.tile([0.1, 0.7, 0.1, 0.1], (mdp.n_states, 1))
    log = np.random.default_rng(0).permutation(every_outcome(mdp, behaviour))
    check_closed_form(learn(mdp, options, mu, log, passes=60), mdp, options, mu, 0.03)


def plainly(mdp, options, mu, log, alpha, decay, goal, first):
    """Return the map that the rule gives, written down once more without kernels."""
    n, n_actions = mdp.n_states, mdp.n_actions
    n_choices = n_actions + len(options)
    taken = np.zeros((n, n_actions))
    for s, a, _ in log:
        taken[s, a] += 1
    policy = options.policy if options.policy.ndim == 3 else np.eye(n_actions)[options.policy]
    Psi, M = np.tile(first, (n_choices, 1, 1)), first.copy()
    for s in ends_at(goal):
        M[s] = np.eye(n)[s]
    updates = np.zeros((n_choices, n))
    for s, a, t in log:
        if s in ends_at(goal):
            continue
        for c in range(n_choices):
            if c < n_actions:
                w, stops = float(c == a), 1.0
            else:
                ratio = np.divide(
                    policy[c - n_actions, s], taken[s], out=np.zeros(n_actions), where=taken[s] > 0
                )
                w = ratio[a] / ratio.max()
                stops = 1.0 if t in ends_at(goal) else options.termination[c - n_actions, t]
            if w == 0.0:
                continue
            target = np.eye(n)[s] + mdp.discount * (stops * M[t] + (1 - stops) * Psi[c, t])
            change = alpha * w / (1 + decay * updates[c, s]) * (target - Psi[c, s])
            updates[c, s] += 1
            Psi[c, s] = Psi[c, s] + change
            M[s] = M[s] + mu[s, c] * change
    return M


@pytest.mark.parametrize("goal", [None, 2, [2, 5]], ids=["no goal", "goal", "two ends"])
@pytest.mark.parametrize("initial_map", ["identity", "zero"])
def test_a_plain_loop_gives_the_same_map(goal, initial_map):
    mdp = grid(0.2)
    options = random_options(mdp, 5)
    mu = drawn_mu(mdp, options, 6)
    log = np.random.default_rng(0).integers([8, 4, 8], size=(400, 3))
    task = task_ending(mdp, goal)
    how = {"learning_rate": 0.4, "decay": 0.1, "initial_map": initial_map}
    M = learn(mdp, options, mu, log, task=task, **how)
    first = np.eye(8) if initial_map == "identity" else np.zeros((8, 8))
    plain = plainly(mdp, options, mu, log.tolist(), 0.4, 0.1, goal, first)
    assert_allclose(M, plain, atol=1e-12)


def test_labels_of_a_log_are_understood():
    steps = [("a", "on", "b"), ("b", "on", "a"), ("a", "back", "b"), ("b", "back", "a")] * 20
    mdp = hsr.from_transitions(steps, discount=0.5)
    options = hsr.point_options(mdp, [1])
    mu = hsr.uniform_policy(hsr.option_model(mdp, options))
    numbers = [(mdp.state_of(s), mdp.action_labels.index(a), mdp.state_of(t)) for s, a, t in steps]
    assert_array_equal(learn(mdp, options, mu, steps), learn(mdp, options, mu, numbers))


def test_the_same_seed_gives_the_same_bytes():
    mdp = grid(0.2)
    options = random_options(mdp, 0)
    mu = drawn_mu(mdp, options, 1)
    assert_array_equal(*(learn(mdp, options, mu, steps=500, seed=7) for _ in range(2)))


def learn_one(log):
    """Learn from a log with one option in a maze without slips."""
    options = hsr.point_options(grid(), [0])
    mu = hsr.uniform_policy(hsr.option_model(grid(), options))
    return learn(grid(), options, mu, log)


def test_what_a_log_never_tries_is_warned_of():
    policy = hsr.point_options(grid(), [0]).policy[0].tolist()
    with pytest.warns(hsr.HSRWarning, match=r"1 pairs of an option .* option 0 in state 2"):
        learn_one([(1, policy[1], 0), (2, (policy[2] + 1) % 4, 2)])


@cases(
    "log, message",
    {
        "no steps": ([], r"log has shape \(0,"),
        "pairs": ([(0, 1)], r"log has shape \(1, 2\)"),
        "an unknown state": ([(0, 0, 99)], r"log\[0\] has the next state 99; it must lie in 0..9"),
        "an unknown action": ([(0, 4, 1)], r"log\[0\] has the action 4; it must lie in 0..3"),
        "no list": (3, "log is 3; it must hold steps"),
    },
)
def test_logs_that_are_none_are_refused(log, message):
    with raises(message):
        learn_one(log)
