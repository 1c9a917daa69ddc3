"""Labels and fingerprints of MDPs."""

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


def test_the_fingerprint_does_not_depend_on_the_form_of_the_transitions():
    for slip in (0.0, 0.1):
        dense = hsr.FiniteMDP(walk(slip).toarray(), 0.9)
        assert dense.fingerprint == walk(slip).fingerprint
    table = hsr.FiniteMDP.from_successors(walk().successors, 0.9)
    assert table.fingerprint == walk().fingerprint


def test_discount_labels_and_rounding_do_not_change_the_fingerprint():
    assert walk(discount=0.5).fingerprint == walk().fingerprint
    assert walk(labels=list("abcdefghij")).fingerprint == walk().fingerprint
    rng = np.random.default_rng(0)
    noisy = [
        matrix * (1.0 + 1e-14 * rng.standard_normal())
        for matrix in map(walk(0.1).transition_of, range(4))
    ]
    assert hsr.FiniteMDP(noisy, 0.9).fingerprint == walk(0.1).fingerprint


@pytest.mark.parametrize("slip", [0.0, 0.1])
def test_any_other_outcome_changes_the_fingerprint(slip):
    mdp = walk(slip)
    seen = {mdp.fingerprint}
    for action in range(mdp.n_actions):
        for state in range(mdp.n_states):
            changed = mdp.toarray()
            changed[state, action] = np.roll(changed[state, action], 1)
            seen.add(hsr.FiniteMDP(changed, 0.9).fingerprint)
    assert len(seen) == 1 + mdp.n_actions * mdp.n_states
    assert walk(0.1).fingerprint != walk(0.1001).fingerprint


def test_other_orders_of_actions_and_other_shapes_change_the_fingerprint():
    table = walk().successors
    stay, mix = sparse.eye_array(2).tocsr(), sparse.csr_array([[0.5, 0.5], [0.5, 0.5]])
    for first, second in (
        (walk(), hsr.FiniteMDP.from_successors(table[:, ::-1], 0.9)),
        (hsr.FiniteMDP([stay, mix], 0.9), hsr.FiniteMDP([mix, stay], 0.9)),
        [hsr.FiniteMDP.from_successors(np.zeros(shape), 0.9) for shape in ((4, 1), (2, 2))],
    ):
        assert first.fingerprint != second.fingerprint


def test_a_label_finds_its_state_also_after_a_round_trip():
    labels = [("cell", i) for i in range(10)]
    for mdp in (walk(labels=labels), walk(0.2, labels=labels)):
        again = pickle.loads(pickle.dumps(mdp))
        assert again.labels == tuple(labels)
        assert [again.state_of(label) for label in labels] == list(range(10))


@pytest.mark.parametrize("labels", [["a"], ["a", "a"], ["a", []], "ab", 3], ids=repr)
def test_labels_that_do_not_fit_are_refused(labels):
    with raises(r"labels has 1|labels\[0\] and|labels\[1\] is|labels is of type"):
        hsr.FiniteMDP.from_successors([[1], [0]], 0.9, labels=labels)


def test_an_unknown_label_is_named():
    labelled = hsr.FiniteMDP.from_successors([[1], [0]], 0.9, labels=["nest", "food"])
    for label in ("water", [], ("nest", [])):
        with raises("no state is labelled .*; labels are such as 'nest'"):
            labelled.state_of(label)
    with raises("this MDP has no labels"):
        walk().state_of("nest")


def test_an_mdp_that_is_deterministic_but_for_rounding_has_the_same_fingerprint():
    almost = hsr.FiniteMDP(walk().toarray() * (1.0 - 2.0**-53), 0.9)
    assert not almost.is_deterministic
    assert almost.fingerprint == walk().fingerprint
