"""What is made for an MDP records it and is refused in another; what is made by hand is not."""

import pickle
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

import hsr
from tests.cases import cases, raises

WORLDS = {
    "here": ("...#.\n.....", {"discount": 0.9}),
    "slipping": ("...#.\n.....", {"discount": 0.9, "slip": 0.1}),
    "patient": ("...#.\n.....", {"discount": 0.99}),
    "mirrored": (".#...\n.....", {"discount": 0.9}),  # as many states in another maze
}


@cache
def mdp_of(name):
    text, settings = WORLDS[name]
    return hsr.grid_mdp(hsr.GridLayout.from_text(text), **settings)


TASK = hsr.GoalTask(start=0, goal=8)
SHORT = {"episodes": 2, "horizon": 20, "seeds": [0], "workers": 1}

OPTIONS = {
    "eigenoptions": lambda mdp: hsr.eigenoptions(mdp, 2),
    "eigenoptions of given vectors": lambda mdp: hsr.eigenoptions(
        mdp, 1, vectors=np.arange(9.0)[:, None]
    ),
    "covering": lambda mdp: hsr.covering_options(mdp, 2),
    "covering everywhere": lambda mdp: hsr.covering_options(mdp, 2, initiation="everywhere"),
    "points": lambda mdp: hsr.point_options(mdp, [0, 8]),
    "random": lambda mdp: hsr.random_options(mdp, 2, seed=0),
    "learned": lambda mdp: hsr.learn_options(mdp, 1, steps=20_000, workers=1),
    "found online": lambda mdp: hsr.train(
        mdp, [TASK], hsr.LinearQ("onehot"), hsr.OnlineOptions(1, warm_up=10, refresh=90), **SHORT
    ).options_at[0][10],
}


def walking(options):
    """Return a policy over primitives and options that takes every available choice alike."""
    available = np.concatenate([np.ones((4, options.n_states)), options.initiation]).T
    return available / available.sum(axis=1, keepdims=True)


MAPS = {
    "sr": hsr.successor_representation,
    "sr of a task": lambda mdp: hsr.successor_representation(mdp, task=TASK),
    "hsr": lambda mdp: hsr.hierarchical_sr(
        hsr.option_model(mdp, points(mdp)), walking(points(mdp))
    ),
    "expected sr": lambda mdp: hsr.expected_sr(mdp, hsr.goal_tasks(mdp)),
    "expected hsr": lambda mdp: hsr.expected_hsr(mdp, points(mdp), hsr.goal_tasks(mdp)),
}
BASES = [hsr.SVDBasis(2), hsr.NMFBasis(2), hsr.RowBasis(), hsr.OneHotBasis()]


def points(mdp):
    return OPTIONS["points"](mdp)


@cases("make", OPTIONS)
@pytest.mark.parametrize("name", ["here", "slipping"])
def test_options_record_their_mdp(make, name):
    options, mdp = make(mdp_of(name)), mdp_of(name)
    assert options.mdp_fingerprint == mdp.fingerprint
    assert pickle.loads(pickle.dumps(options)).mdp_fingerprint == mdp.fingerprint


@cases("make", MAPS)
@pytest.mark.parametrize("name", ["here", "slipping", "patient"])
def test_maps_record_their_mdp_and_its_discount(make, name):
    M, mdp = make(mdp_of(name)), mdp_of(name)
    assert (M.mdp_fingerprint, M.discount) == (mdp.fingerprint, mdp.discount)


@pytest.mark.parametrize("basis", BASES, ids=str)
def test_a_basis_records_the_mdp_of_the_map_that_it_was_fitted_to(basis):
    M = hsr.successor_representation(mdp_of("here"))
    fitted = clone(basis).fit(M)
    assert fitted.mdp_fingerprint_ == mdp_of("here").fingerprint
    assert not hasattr(clone(fitted), "mdp_fingerprint_")
    assert pickle.loads(pickle.dumps(clone(basis).fit(M.toarray()))).mdp_fingerprint_ is None
    assert fitted.fit(M.toarray()).mdp_fingerprint_ is None


def test_a_table_with_a_column_of_that_name_is_no_fingerprint():
    table = pytest.importorskip("pandas").DataFrame({"mdp_fingerprint": [1.0, 2.0]})
    assert hsr.RowBasis().fit(table).mdp_fingerprint_ is None


# Every public way in which options meet an MDP.
USES = {
    "option_model": hsr.option_model,
    "expected_hsr": lambda mdp, options: hsr.expected_hsr(mdp, options, [TASK]),
    "learn_hsr": lambda mdp, options: hsr.learn_hsr(mdp, options, walking(options), steps=10),
    "learn_plans": lambda mdp, options: hsr.learn_plans(
        mdp, options, [TASK], episodes=1, horizon=10, workers=1
    ),
    "train": lambda mdp, options: hsr.train(mdp, [TASK], hsr.LinearQ("onehot"), options, **SHORT),
    "explore": lambda mdp, options: hsr.explore(
        mdp, hsr.Sarsa(), options, start=0, steps=10, seeds=[0], workers=1
    ),
}


@cases("use", USES)
@pytest.mark.parametrize("name", ["slipping", "mirrored"])
def test_options_of_another_mdp_are_refused(use, name):
    here, there = (mdp_of(mdp).fingerprint[:8] for mdp in ("here", name))
    with raises(
        rf"the options were made for another MDP \(fingerprint {here}\.\.\., this one is {there}"
        r"\.\.\.\); .* hsr.options.repair_options\(options, mdp\)"
    ):
        use(mdp_of(name), points(mdp_of("here")))


@cases("use", USES)
def test_options_of_this_mdp_and_those_made_by_hand_or_repaired_are_accepted(use):
    here, slipping, mirrored = (mdp_of(name) for name in ("here", "slipping", "mirrored"))
    ours = points(here)
    by_hand = hsr.OptionSet(ours.policy, ours.termination, ours.initiation)
    assert by_hand.mdp_fingerprint is None
    for mdp, options in (
        (here, ours),
        (mdp_of("patient"), ours),
        (slipping, hsr.options.repair_options(ours, slipping)),
        (mirrored, by_hand),
    ):
        assert use(mdp, options) is not None


FEATURES = {"a map": lambda M: M, **{str(basis): clone(basis).fit for basis in BASES}}


AGENTS = {
    "LinearQ": hsr.LinearQ,
    "GPI": lambda *args, **settings: hsr.GPI(*args, pretraining=[TASK], **settings),
}


@cases("make", FEATURES)
@cases("kind", AGENTS)
def test_features_of_another_mdp_are_refused(make, kind):
    agent = kind(make(hsr.successor_representation(mdp_of("here"))), learning_rate=0.01)
    for name in ("mirrored", "slipping"):
        here, there = (mdp_of(mdp).fingerprint[:8] for mdp in ("here", name))
        with raises(
            rf"made for another MDP \(fingerprint {here}\.\.\., this one is {there}\.\.\.\)"
        ):
            hsr.train(mdp_of(name), [TASK], agent, **SHORT)
    assert hsr.train(mdp_of("patient"), [TASK], agent, **SHORT).steps.shape == (1, 1, 2)


def test_features_go_anywhere_as_arrays():
    M = hsr.successor_representation(mdp_of("here"))
    svd = hsr.SVDBasis(2)
    for features in (M.toarray(), svd.fit(M).features_, svd.fit(M.toarray())):
        agent = hsr.LinearQ(features, learning_rate=0.01)
        assert hsr.train(mdp_of("mirrored"), [TASK], agent, **SHORT).steps.shape == (1, 1, 2)


def test_the_bellman_operator_takes_a_map_of_its_own_mdp_alone():
    options, M = points(mdp_of("mirrored")), hsr.successor_representation(mdp_of("here"))
    model = hsr.option_model(mdp_of("mirrored"), options)
    with raises("M is a map made for another MDP"):
        hsr.representation.hsr_bellman(model, walking(options), M)


@pytest.mark.parametrize("wrong", ["", "1a2b", "G" * 32, 7, hsr.FiniteMDP], ids=repr)
def test_what_is_no_fingerprint_is_refused(wrong):
    for make in (
        lambda: hsr.OptionSet([[0]], [[1]], mdp_fingerprint=wrong),
        lambda: hsr.PredictiveMap((1, 1), np.copy, np.copy, mdp_fingerprint=wrong),
    ):
        with raises("mdp_fingerprint is .*; it must be mdp.fingerprint or None"):
            make()


def test_a_transposed_map_keeps_its_fingerprint():
    M = hsr.successor_representation(mdp_of("here"))
    assert M.T.mdp_fingerprint == M.T.T.mdp_fingerprint == mdp_of("here").fingerprint
    assert hsr.SVDBasis(2).fit(M.T).mdp_fingerprint_ == mdp_of("here").fingerprint
    with raises("features is a map made for another MDP"):
        hsr.train(mdp_of("mirrored"), [TASK], hsr.LinearQ(M.T, learning_rate=0.01), **SHORT)


def test_options_do_not_climb_the_map_of_another_mdp():
    M = hsr.successor_representation(mdp_of("here"))
    with raises("vectors is a map made for another MDP"):
        hsr.eigenoptions(mdp_of("mirrored"), 1, vectors=M)
    assert len(hsr.eigenoptions(mdp_of("mirrored"), 1, vectors=M.toarray())) == 1
