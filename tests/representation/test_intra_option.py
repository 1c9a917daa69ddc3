"""Intra-option learning of the hierarchical SR: its fixed point is the closed form for any log."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import cases, raises


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


def exact_of(mdp, options, mu, task=None):
    return hsr.hierarchical_sr(hsr.option_model(mdp, options, task=task), mu).toarray()


def drawn_mu(mdp, options, seed):
    return np.random.default_rng(seed).dirichlet(
        np.ones(mdp.n_actions + len(options)), size=mdp.n_states
    )


@pytest.mark.parametrize("goal", [None, 2], ids=["no goal", "goal"])
@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_the_fixed_point_is_the_closed_form(slip, goal):
    mdp = grid(slip)
    options, task = random_options(mdp, 0), None if goal is None else hsr.GoalTask(None, goal)
    mu = drawn_mu(mdp, options, 1)
    M = hsr.representation.learn_hsr_intra_option(
        mdp, options, mu, steps=400_000, learning_rate=1.0, decay=0.05, task=task, seed=3
    )
    assert_allclose(M, exact_of(mdp, options, mu, task), atol=0.06)


def test_without_randomness_a_step_size_of_one_finds_it_to_the_last_digits():
    mdp = grid()
    options = hsr.point_options(mdp, [0, 9])
    for seed in range(3):
        mu = drawn_mu(mdp, options, seed)
        model = hsr.option_model(mdp, options)
        mu = np.where(model.available.T, mu, 0.0)
        mu /= mu.sum(axis=1, keepdims=True)
        M = hsr.representation.learn_hsr_intra_option(
            mdp, options, mu, steps=60_000, learning_rate=1.0
        )
        assert_allclose(M, hsr.hierarchical_sr(model, mu).toarray(), atol=1e-12)


def test_options_alone_can_be_the_choices():
    mdp = grid()
    options = random_options(mdp, 4)
    mu = np.full((mdp.n_states, 3), 1 / 3)
    model = hsr.option_model(mdp, options, primitives=False)
    M = hsr.representation.learn_hsr_intra_option(
        mdp, options, mu, steps=300_000, learning_rate=1.0, decay=0.05
    )
    assert_allclose(M, hsr.hierarchical_sr(model, mu).toarray(), atol=0.06)


def test_a_lopsided_log_teaches_the_same_map():
    """The log takes one action nine times as often as the others; weights undo that."""
    mdp = grid(0.2)
    options = random_options(mdp, 2)
    mu = drawn_mu(mdp, options, 3)
    behaviour = np.full((mdp.n_states, 4), 0.1)
    behaviour[:, 1] = 0.7
    log = every_outcome(mdp, behaviour)
    log = np.random.default_rng(0).permutation(log)
    M = hsr.representation.learn_hsr_intra_option(
        mdp, options, mu, log, learning_rate=1.0, decay=0.05, passes=60
    )
    assert_allclose(M, exact_of(mdp, options, mu), atol=0.03)


def plainly(mdp, options, mu, log, alpha, decay, goal):
    """Return the map that the rule gives, written down once more without kernels."""
    n, n_actions = mdp.n_states, mdp.n_actions
    n_choices = n_actions + len(options)
    taken = np.zeros((n, n_actions))
    for s, a, _ in log:
        taken[s, a] += 1
    policy = options.policy if options.policy.ndim == 3 else np.eye(n_actions)[options.policy]
    Psi, M = np.tile(np.eye(n), (n_choices, 1, 1)), np.eye(n)
    updates = np.zeros((n_choices, n))
    for s, a, t in log:
        if s == goal:
            continue
        for c in range(n_choices):
            if c < n_actions:
                w, stops = float(c == a), 1.0
            else:
                ratio = np.divide(
                    policy[c - n_actions, s], taken[s], out=np.zeros(n_actions), where=taken[s] > 0
                )
                w = ratio[a] / ratio.max()
                stops = 1.0 if t == goal else options.termination[c - n_actions, t]
            if w == 0.0:
                continue
            target = np.eye(n)[s] + mdp.discount * (stops * M[t] + (1 - stops) * Psi[c, t])
            change = alpha * w / (1 + decay * updates[c, s]) * (target - Psi[c, s])
            updates[c, s] += 1
            Psi[c, s] = Psi[c, s] + change
            M[s] = M[s] + mu[s, c] * change
    return M


@pytest.mark.parametrize("goal", [None, 2], ids=["no goal", "goal"])
def test_a_plain_loop_gives_the_same_map(goal):
    mdp = grid(0.2)
    options, rng = random_options(mdp, 5), np.random.default_rng(0)
    mu = drawn_mu(mdp, options, 6)
    log = np.stack(
        [rng.integers(8, size=400), rng.integers(4, size=400), rng.integers(8, size=400)]
    )
    task = None if goal is None else hsr.GoalTask(None, goal)
    M = hsr.representation.learn_hsr_intra_option(
        mdp, options, mu, log.T, learning_rate=0.4, decay=0.1, task=task
    )
    assert_allclose(M, plainly(mdp, options, mu, log.T.tolist(), 0.4, 0.1, goal), atol=1e-12)


def test_labels_of_a_log_are_understood():
    steps = [("a", "on", "b"), ("b", "on", "a"), ("a", "back", "b"), ("b", "back", "a")] * 20
    mdp = hsr.from_transitions(steps, discount=0.5)
    options = hsr.point_options(mdp, [1])
    mu = hsr.options.uniform_choice(hsr.option_model(mdp, options))
    by_label = hsr.representation.learn_hsr_intra_option(mdp, options, mu, steps)
    numbers = [(mdp.state_of(s), mdp.action_labels.index(a), mdp.state_of(t)) for s, a, t in steps]
    assert_array_equal(
        by_label, hsr.representation.learn_hsr_intra_option(mdp, options, mu, numbers)
    )


def test_the_same_seed_gives_the_same_bytes():
    mdp = grid(0.2)
    options = random_options(mdp, 0)
    mu = drawn_mu(mdp, options, 1)
    first, second = (
        hsr.representation.learn_hsr_intra_option(mdp, options, mu, steps=500, seed=7)
        for _ in range(2)
    )
    assert_array_equal(first, second)


def test_what_a_log_never_tries_is_warned_of():
    mdp = grid()
    options = hsr.point_options(mdp, [0])
    mu = hsr.options.uniform_choice(hsr.option_model(mdp, options))
    log = [(1, int(options.policy[0, 1]), 0), (2, (int(options.policy[0, 2]) + 1) % 4, 2)]
    with pytest.warns(
        hsr.HSRWarning, match="1 pairs of an option and a state .* option 0 in state 2"
    ):
        hsr.representation.learn_hsr_intra_option(mdp, options, mu, log)


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
    mdp = grid()
    options = hsr.point_options(mdp, [0])
    mu = hsr.options.uniform_choice(hsr.option_model(mdp, options))
    with raises(message):
        hsr.representation.learn_hsr_intra_option(mdp, options, mu, log)
