"""`from_path` against chains that are counted one by one, and logs that leave something out."""

from itertools import pairwise

import networkx
import numpy as np
import pandas as pd
import pytest

import hsr
from tests.cases import cases, raises


def chain_of(mdp):
    """Return the Markov chain of the behaviour that was seen."""
    P = np.zeros((mdp.n_states, mdp.n_states))
    for action, share in enumerate(mdp.behaviour().T):
        P += share[:, None] * mdp.transition_of(action).toarray()
    return P


def counted(steps, labels):
    """Return the fractions of steps from each label to each other."""
    P = np.zeros((len(labels), len(labels)))
    for before, after in steps:
        P[labels.index(before), labels.index(after)] += 1
    return P / P.sum(axis=1, keepdims=True)


def test_the_behaviour_is_the_chain_of_the_path():
    path = np.random.default_rng(0).integers(6, size=400).tolist()
    mdp = hsr.from_path([*path, path[0]])
    assert mdp.is_deterministic
    assert mdp.counts.sum() == 400
    np.testing.assert_allclose(
        chain_of(mdp), counted(pairwise([*path, path[0]]), list(mdp.labels)), atol=1e-12
    )
    assert (mdp.possible == (mdp.counts > 0)).all()


def test_actions_lead_to_followers_in_the_order_of_their_labels():
    mdp = hsr.from_path("abcabda")
    a, b, c, d = range(4)
    assert mdp.labels == ("a", "b", "c", "d")
    assert mdp.successors.tolist() == [[b, a], [c, d], [a, c], [a, d]]  # what is left over stays
    assert mdp.action_labels == ("follower 0", "follower 1")


SEVERAL = {
    "list of paths": {"path": [list("abc"), list("cab"), list("bca")]},
    "trials by entry": {"path": "abccabbca", "trials": [[0, 3], [3, 6], [6, 9]]},
    "trials by label": {"path": "abccabbca", "trials": [0, 0, 0, 1, 1, 1, 2, 2, 2]},
    "arrays": {"path": [np.array(list("abc")), np.array(list("cab")), np.array(list("bca"))]},
}


@cases("asked", SEVERAL)
def test_paths_and_trials_are_never_joined(asked):
    mdp = hsr.from_path(**asked)
    assert mdp.counts.sum() == 6
    steps = [*pairwise("abc"), *pairwise("cab"), *pairwise("bca")]
    np.testing.assert_allclose(chain_of(mdp), counted(steps, list(mdp.labels)), atol=1e-12)


FORMS = {
    "array of cells": np.array([[0, 0], [0, 1], [1, 1], [0, 1], [0, 0]]),
    "list of cells": [(0, 0), (0, 1), (1, 1), (0, 1), (0, 0)],
    "data frame": pd.DataFrame({"row": [0, 0, 1, 0, 0], "column": [0, 1, 1, 1, 0]}),
}


@cases("path", FORMS)
def test_cells_are_labels(path):
    assert hsr.from_path(path).labels == ((0, 0), (0, 1), (1, 1))


def test_drop_keeps_the_largest_recurrent_part():
    rng = np.random.default_rng(5)
    for _ in range(20):
        path = rng.integers(12, size=14).tolist()
        parts = networkx.strongly_connected_components(networkx.DiGraph(pairwise(path)))
        largest = max(map(len, parts))
        if largest == 1:
            continue
        mdp = hsr.from_path(path, missing="drop")
        graph = networkx.DiGraph(pairwise(path)).subgraph(mdp.labels)
        assert networkx.is_strongly_connected(graph)
        assert mdp.n_states == largest
        assert mdp.counts.sum() == sum(
            a in mdp.labels and b in mdp.labels for a, b in pairwise(path)
        )
        log = hsr.from_transitions(list(pairwise(path)), missing="drop")
        assert log.labels == mdp.labels


def test_a_state_that_absorbs_by_accident_is_named():
    with raises("1 of 3 states were entered and never left: 'glitch' .entered 1 times"):
        hsr.from_path(["a", "b", "a", "glitch"])
    with pytest.warns(hsr.HSRWarning, match=r"'glitch' \(entered 1 times\); they absorb") as caught:
        mdp = hsr.from_path(["a", "b", "a", "glitch"], missing="stay")
    assert caught[0].filename == __file__
    assert (mdp.successors[mdp.state_of("glitch")] == mdp.state_of("glitch")).all()
    with pytest.warns(hsr.HSRWarning, match="terminal="):
        hsr.from_transitions([("a", "go", "b"), ("b", "go", "c")], missing="stay")
    assert hsr.from_path(["a", "b", "a", "glitch"], missing="drop").labels == ("a", "b")


XY = np.random.default_rng(0).normal(size=(30, 2))
BAD = {
    "positions": (lambda: hsr.from_path(XY), "hsr.from_positions"),
    "positions as a log": (lambda: hsr.from_transitions(XY), "hsr.from_positions"),
    "a frame as a log": (
        lambda: hsr.from_transitions(pd.DataFrame(XY, columns=["x", "y"])),
        "has the columns x and y.*hsr.from_positions",
    ),
    "trials of paths": (
        lambda: hsr.from_path([["a", "b"], ["b", "a"]], trials=[0, 1]),
        "cannot both be given",
    ),
    "nothing recurs": (lambda: hsr.from_path("abc", missing="drop"), "nothing in it is recurrent"),
}


@cases("make, words", BAD)
def test_bad_input_is_refused(make, words):
    with raises(words):
        make()
