"""Labels and fingerprints of MDPs: what states are called, and when two MDPs are the same."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import hsr
from tests.cases import raises


def walk(slip=0.0, discount=0.9, labels=None):
    layout = hsr.GridLayout.from_text("....\n.##.\n....")
    made = hsr.grid_mdp(layout, discount, slip=slip)
    return hsr.FiniteMDP([made.transition_of(a) for a in range(4)], discount, labels)


def test_the_fingerprint_does_not_depend_on_how_the_world_was_given():
    dense, table = (
        hsr.FiniteMDP(walk().toarray(), 0.9),
        hsr.FiniteMDP.from_successors(walk().successors, 0.9),
    )
    assert dense.fingerprint == table.fingerprint == walk().fingerprint
    assert hsr.FiniteMDP(walk(0.1).toarray(), 0.9).fingerprint == walk(0.1).fingerprint


def test_discount_labels_and_rounding_do_not_make_another_world():
    assert walk(discount=0.5).fingerprint == walk().fingerprint
    assert walk(labels=list("abcdefghij")).fingerprint == walk().fingerprint
    rng = np.random.default_rng(0)
    noisy = [
        matrix * (1.0 + 1e-14 * rng.standard_normal())
        for matrix in map(walk(0.1).transition_of, range(4))
    ]
    assert hsr.FiniteMDP(noisy, 0.9).fingerprint == walk(0.1).fingerprint


@pytest.mark.parametrize("slip", [0.0, 0.1])
def test_any_other_outcome_makes_another_world(slip):
    mdp = walk(slip)
    seen = {mdp.fingerprint}
    for action in range(mdp.n_actions):
        for state in range(mdp.n_states):
            changed = mdp.toarray()
            changed[state, action] = np.roll(changed[state, action], 1)
            seen.add(hsr.FiniteMDP(changed, 0.9).fingerprint)
    assert len(seen) == 1 + mdp.n_actions * mdp.n_states
    assert walk(0.1).fingerprint != walk(0.1001).fingerprint


def test_actions_in_another_order_and_states_split_otherwise_are_other_worlds():
    table = walk().successors
    assert hsr.FiniteMDP.from_successors(table[:, ::-1], 0.9).fingerprint != walk().fingerprint
    assert hsr.FiniteMDP.from_successors(np.zeros((4, 1)), 0.9).fingerprint != (
        hsr.FiniteMDP.from_successors(np.zeros((2, 2)), 0.9).fingerprint
    )
    one, two = sparse.eye_array(2).tocsr(), sparse.csr_array([[0.5, 0.5], [0.5, 0.5]])
    assert hsr.FiniteMDP([one, two], 0.9).fingerprint != hsr.FiniteMDP([two, one], 0.9).fingerprint


def test_a_label_finds_its_state_also_after_a_round_trip():
    labels = [("cell", i) for i in range(10)]
    for mdp in (walk(labels=labels), walk(0.2, labels=labels)):
        again = pickle.loads(pickle.dumps(mdp))
        assert again.labels == tuple(labels)
        assert [again.state_of(label) for label in labels] == list(range(10))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"], "labels has 1 entries; there are 2 states"),
        (["a", "a"], r"labels\[0\] and labels\[1\] are both 'a'; labels must be all different"),
        (["a", []], r"labels\[1\] is \[\], which is not hashable"),
        ("ab", "labels is of type str; it must be a list of 2 labels"),
        (3, "labels is of type int; it must be a list of 2 labels"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels, message):
    with raises(message):
        hsr.FiniteMDP.from_successors([[1], [0]], 0.9, labels=labels)


def test_an_unknown_label_is_named():
    labelled = hsr.FiniteMDP.from_successors([[1], [0]], 0.9, labels=["nest", "food"])
    with raises("no state is labelled 'water'; labels are such as 'nest'"):
        labelled.state_of("water")
    for label in ([], ("nest", [])):
        with raises("no state is labelled"):
            labelled.state_of(label)
    with raises("this MDP has no labels"):
        walk().state_of("nest")


def turned(mdp, share):
    """Return a world in which every action does what it did with the chance `share`, else what the
    next action did.
    """
    matrices = [mdp.transition_of(a) for a in range(mdp.n_actions)]
    return hsr.FiniteMDP(
        [share * one + (1 - share) * matrices[a - 1] for a, one in enumerate(matrices)], 0.9
    )


def test_the_outline_is_the_fingerprint_of_what_is_likeliest():
    firm = walk()
    assert firm.structure_fingerprint == firm.fingerprint
    for world in (walk(0.1), walk(0.4), turned(firm, 0.6)):
        assert world.structure_fingerprint == firm.structure_fingerprint
        assert world.fingerprint != firm.fingerprint
    assert turned(firm, 0.4).structure_fingerprint != firm.structure_fingerprint
    assert (
        turned(firm, 0.4).structure_fingerprint
        == hsr.FiniteMDP(
            [firm.transition_of((a - 1) % 4) for a in range(4)], 0.9
        ).structure_fingerprint
    )


def test_of_outcomes_that_are_equally_likely_the_first_counts_however_they_were_added_up():
    halves = np.array([[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [1 / 3, 1 / 3, 1 / 3]])
    for nudge in (1e-13, 0.0, -1e-13):
        nudged = halves + nudge * np.array([[0, 1, -1], [1, 0, -1], [1, 0, -1]])
        outline = hsr.FiniteMDP(nudged[:, None, :], 0.9).structure_fingerprint
        assert outline == hsr.FiniteMDP.from_successors([[1], [0], [0]], 0.9).fingerprint


def test_a_world_that_is_certain_but_for_rounding_is_the_certain_one():
    almost = hsr.FiniteMDP(walk().toarray() * (1.0 - 2.0**-53), 0.9)
    assert not almost.is_deterministic
    assert almost.fingerprint == almost.structure_fingerprint == walk().fingerprint
