"""MDPs counted in a log: against exact counts, against the world that wrote the log, and everything
that is refused.
"""

from collections import Counter
from functools import cache

import numpy as np
import pandas
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.mdp.finite import outcomes
from tests.cases import cases, raises


def wander(mdp, n_steps, seed=0):
    """Return the log of a random walk through a world, as three arrays of numbers."""
    indptr, arrival, cumulative = outcomes(mdp)
    rng = np.random.default_rng(seed)
    actions = rng.integers(mdp.n_actions, size=n_steps)
    states = np.zeros(n_steps + 1, dtype=int)
    for i, (action, draw) in enumerate(zip(actions, rng.random(n_steps), strict=True)):
        row = states[i] * mdp.n_actions + action
        first, last = indptr[row], indptr[row + 1]
        states[i + 1] = arrival[
            first + np.searchsorted(cumulative[first : last - 1], draw, side="right")
        ]
    return states[:-1], actions, states[1:]


@cache
def slippery():
    layout = hsr.GridLayout.from_text("....\n.##.\n....")
    return hsr.grid_mdp(layout, discount=0.9, slip=0.3)


def steps(text):
    """Return the steps of a log written as words of three letters: state, action, next state."""
    return [tuple(word) for word in text.split()]


def dynamics(mdp):
    """What an MDP does, by labels: {(state, action, next state): probability}."""
    P = mdp.toarray()
    names, actions = mdp.labels, mdp.action_labels
    return {(names[s], actions[a], names[t]): P[s, a, t] for s, a, t in np.argwhere(P > 0.0)}


def test_probabilities_are_shares_of_the_log():
    log = list(zip(*(column.tolist() for column in wander(slippery(), 4000)), strict=True))
    mdp = hsr.from_transitions(log, discount=0.6)
    triples, pairs = Counter(log), Counter((s, a) for s, a, _ in log)
    assert dynamics(mdp) == {(s, a, t): n / pairs[s, a] for (s, a, t), n in triples.items()}
    assert mdp.discount == 0.6
    for s, state in enumerate(mdp.labels):
        for a, action in enumerate(mdp.action_labels):
            assert mdp.counts[s, a] == pairs[state, action]
    assert mdp.estimated.all()


@pytest.mark.parametrize("n_steps", [2_000, 50_000])
def test_estimates_lie_as_near_to_the_truth_as_their_standard_errors_say(n_steps):
    mdp = hsr.from_transitions(zip(*wander(slippery(), n_steps, seed=2), strict=True))
    order = [mdp.state_of(s) for s in range(slippery().n_states)]
    actions = [mdp.action_labels.index(a) for a in range(4)]
    truth, found = slippery().toarray(), mdp.toarray()[np.ix_(order, actions, order)]
    visits = mdp.counts[np.ix_(order, actions)][:, :, None]
    spread = np.sqrt(truth * (1.0 - truth) / visits)
    # 5 standard deviations of a binomial share for each of the outcomes, and one count where it is
    # skewed.
    assert (np.abs(found - truth) <= 5.0 * spread + 1.0 * (spread > 0) / visits).all()
    error = np.stack([mdp.standard_error_of(a).toarray() for a in range(4)], axis=1)[
        np.ix_(order, actions, order)
    ]
    assert_allclose(error, np.sqrt(found * (1.0 - found) / visits), rtol=1e-12)
    # Of shares that are normal enough, 95 % lie within 1.96 standard errors: more than 9 of 10
    # here.
    normal = visits * truth * (1.0 - truth) > 5
    assert normal.sum() > 30
    assert (np.abs(found - truth) <= 1.96 * error)[normal].mean() > 0.9


@pytest.mark.parametrize(
    "form",
    [
        lambda s, a, t: list(zip(s.tolist(), a.tolist(), t.tolist(), strict=True)),
        lambda s, a, t: zip(s, a, t, strict=True),
        lambda s, a, t: np.stack([s, a, t], axis=1),
        lambda s, a, t: pandas.DataFrame({"s": s, "a": a, "t": t}),
        lambda s, a, t: ([x, y, z] for x, y, z in zip(s, a, t, strict=True)),
    ],
    ids=["tuples", "columns", "array", "data frame", "generator of lists"],
)
def test_all_forms_of_a_log_are_the_same(form):
    columns = wander(slippery(), 2000)
    logs = form(*columns), list(zip(*columns, strict=True))
    mdp, expected = (hsr.from_transitions(log) for log in logs)
    assert mdp.fingerprint == expected.fingerprint
    assert mdp.labels == expected.labels
    assert {type(label) for label in mdp.labels} == {int}


def test_terminal_states_absorb_and_steps_out_of_them_are_left_out():
    mdp = hsr.from_transitions(steps("agb bge ega agb bga"), terminal=["e"])
    assert dynamics(mdp) == dict(zip(steps("agb bge bga ege"), (1.0, 0.5, 0.5, 1.0), strict=True))
    assert mdp.counts[:, 0].tolist() == [2, 2, 0]
    assert mdp.estimated[:, 0].tolist() == [True, True, False]
    error = mdp.standard_error_of(0)
    assert error[1, 2] == pytest.approx(np.sqrt(0.5 * 0.5 / 2))
    assert error[0, 1] == 0.0
    assert np.isnan(error[2, 2])


def test_what_was_never_tried_stays_or_does_what_the_others_did():
    log = steps("alb alb alb ama bla bmb bra")
    stays, mixed = (
        dynamics(hsr.from_transitions(log, missing=word)) for word in ("stay", "others")
    )
    known = dict.fromkeys(log, 1.0)
    assert stays == known | {("a", "r", "a"): 1.0}
    assert mixed == known | {("a", "r", "b"): 0.75, ("a", "r", "a"): 0.25}


def test_what_was_tried_too_rarely_counts_as_not_known():
    log = steps("alb alb alb ara bla brb bla brb")
    mdp = hsr.from_transitions(log, min_visits=2, missing="others")
    assert dynamics(mdp) == {(s, a, t): 1.0 for s, a, t in log if (s, a) != ("a", "r")} | {
        ("a", "r", "b"): 0.75,
        ("a", "r", "a"): 0.25,
    }
    assert mdp.counts.tolist() == [[3, 1], [2, 2]]
    assert mdp.estimated.tolist() == [[True, False], [True, True]]
    assert np.isnan(mdp.standard_error_of(1).data[:2]).all()


NAN = float("nan")
MANY = [(("cell", i), "go", ("cell", 0)) for i in range(8)] + [(("cell", 0), "jump", ("cell", 1))]
BAD = {
    "never left": (
        steps("alb ara alc alb"),
        r"2 of 3 states were entered and never left: 'b' \(entered 2 times\), 'c' \(entered 1 "
        r"times\)\. Ways out: missing=\"stay\" .* missing=\"drop\"",
    ),
    "never tried": (
        MANY,
        r"7 of 16 pairs .* never tried: 'jump' in \('cell', 1\) \(0 times\), .*, \.\.\.\. Ways "
        r"out: missing=\"stay\" .* missing=\"others\"",
    ),
    "empty": ([], "transitions is empty; it must hold steps"),
    "mixed": (
        [("a", "b"), ("b", "l", "a")],
        r"step 1 of the log is \('b', 'l', 'a'\); it must be \(state, next state\), as before",
    ),
    "states that are lists": ([([0, 1], [1, 1])], "states must be hashable, .* list as a tuple"),
    "nan": ([("a", "b"), ("b", NAN)], "the log holds nan among its states, which equals nothing"),
    "nan in a tuple": ([(1, 1), ((NAN, 1), 1)], "the log holds .* among its states"),
    "missing in pandas": ([(1, 1), (pandas.NA, 1)], "the log holds .* leave such steps out"),
}


@cases("log, says", BAD)
def test_what_the_log_does_not_say_is_named(log, says):
    with raises(says):
        hsr.from_transitions(log)


def test_the_log_of_a_certain_world_gives_that_world():
    world = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    log = [(s, a, int(world.successors[s, a])) for s in range(world.n_states) for a in range(4)]
    mdp = hsr.from_transitions(log)
    assert mdp.is_deterministic
    order = [mdp.state_of(s) for s in range(world.n_states)]
    assert_array_equal(np.array(mdp.labels)[mdp.successors[order]], world.successors)
    assert type(hsr.EstimatedMDP.from_successors([[0]], 0.9)) is hsr.FiniteMDP


def test_states_and_actions_are_numbered_as_listed_or_as_they_appear():
    log = [("b", "go", (0, 1)), ((0, 1), "go", "b"), ((0, 1), "stay", (0, 1)), ("b", "stay", "b")]
    plain = hsr.from_transitions(log)
    assert (plain.labels, plain.action_labels) == (("b", (0, 1)), ("go", "stay"))
    assert plain.state_of((0, 1)) == 1
    states = [(0, 1), "b", 7.5]
    mdp = hsr.from_transitions(log, states=states, actions=("stay", "go"), missing="drop")
    assert (mdp.labels, mdp.action_labels) == (((0, 1), "b"), ("stay", "go"))
    with pytest.warns(hsr.HSRWarning, match="1 of 3 states were never left: 7.5 "):
        whole = hsr.from_transitions(log, states=states, missing="stay")
    assert whole.labels == tuple(states)
    assert whole.toarray()[:, 0].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    with raises("1 of 3 states were never left: 7.5 "):
        hsr.from_transitions(log, states=states)
