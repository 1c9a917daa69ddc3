"""What is made for one MDP bears its mark and is refused in another; what is made by hand fits
where its shape does.
"""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import hsr
from tests.cases import cases, raises

LAYOUT = hsr.GridLayout.from_text("...#.\n.....")
HERE = hsr.grid_mdp(LAYOUT, discount=0.9)
SLIPPING = hsr.grid_mdp(LAYOUT, discount=0.9, slip=0.1)
PATIENT = hsr.grid_mdp(LAYOUT, discount=0.99)
MIRRORED = hsr.grid_mdp(
    hsr.GridLayout.from_text(".#...\n....."), discount=0.9
)  # as many states, another world
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
        mdp, [TASK], hsr.LinearQ("onehot"), hsr.OnlineOptions(1, warm_up=10, refresh=10), **SHORT
    ).found_options[0],
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
@pytest.mark.parametrize("mdp", [HERE, SLIPPING], ids=["certain", "slipping"])
def test_options_bear_the_mark_of_their_mdp_and_keep_it(make, mdp):
    options = make(mdp)
    assert options.mdp_fingerprint == mdp.structure_fingerprint
    assert pickle.loads(pickle.dumps(options)).mdp_fingerprint == mdp.structure_fingerprint


@cases("make", MAPS)
@pytest.mark.parametrize("mdp", [HERE, SLIPPING, PATIENT], ids=["certain", "slipping", "patient"])
def test_maps_bear_the_mark_and_the_discount_of_their_mdp(make, mdp):
    M = make(mdp)
    assert (M.mdp_fingerprint, M.discount) == (mdp.fingerprint, mdp.discount)


@pytest.mark.parametrize("basis", BASES, ids=str)
def test_a_basis_takes_the_mark_of_the_map_that_it_was_fitted_to(basis):
    M = hsr.successor_representation(HERE)
    fitted = clone(basis).fit(M)
    assert fitted.mdp_fingerprint_ == HERE.fingerprint
    assert not hasattr(clone(fitted), "mdp_fingerprint_")
    assert pickle.loads(pickle.dumps(clone(basis).fit(M.toarray()))).mdp_fingerprint_ is None
    assert fitted.fit(M.toarray()).mdp_fingerprint_ is None


def test_a_table_with_a_column_of_that_name_is_no_mark():
    pandas = pytest.importorskip("pandas")
    assert (
        hsr.RowBasis().fit(pandas.DataFrame({"mdp_fingerprint": [1.0, 2.0]})).mdp_fingerprint_
        is None
    )


def uses_of_options(mdp, options):
    """Return every public way in which options meet an MDP."""
    return {
        "option_model": lambda: hsr.option_model(mdp, options),
        "expected_hsr": lambda: hsr.expected_hsr(mdp, options, [TASK]),
        "learn_hsr": lambda: hsr.learn_hsr(mdp, options, walking(options), steps=10),
        "learn_plans": lambda: hsr.learn_plans(
            mdp, options, [TASK], episodes=1, horizon=10, workers=1
        ),
        "train": lambda: hsr.train(mdp, [TASK], hsr.LinearQ("onehot"), options, **SHORT),
        "explore": lambda: hsr.explore(
            mdp, hsr.Sarsa(), options, start=0, steps=10, seeds=[0], workers=1
        ),
    }


USES = list(uses_of_options(HERE, points(HERE)))


@pytest.mark.parametrize("use", USES)
def test_options_of_another_mdp_are_refused_wherever_options_go(use):
    with pytest.raises(hsr.InputError) as caught:
        uses_of_options(MIRRORED, points(HERE))[use]()
    assert str(caught.value) == (
        f"the options were made for another MDP (fingerprint {HERE.fingerprint[:8]}..., "
        f"this one is {MIRRORED.fingerprint[:8]}...); make them for this one, or, to use them "
        "here on purpose, build OptionSet(policy, termination, initiation) by hand"
    )


@pytest.mark.parametrize("use", USES)
def test_options_go_where_the_world_is_the_same_or_they_were_made_by_hand(use):
    ours = points(HERE)
    by_hand = hsr.OptionSet(ours.policy, ours.termination, ours.initiation)
    assert by_hand.mdp_fingerprint is None
    for mdp, options in (
        (HERE, ours),
        (PATIENT, ours),
        (SLIPPING, ours),
        (HERE, points(SLIPPING)),
        (MIRRORED, by_hand),
    ):
        assert uses_of_options(mdp, options)[use]() is not None


FEATURES = {"a map": lambda M: M, **{str(basis): clone(basis).fit for basis in BASES}}


AGENTS = {
    "LinearQ": hsr.LinearQ,
    "GPI": lambda *args, **settings: hsr.GPI(*args, pretraining=[TASK], **settings),
}


@cases("make", FEATURES)
@cases("kind", AGENTS)
def test_features_of_another_mdp_are_refused(make, kind):
    agent = kind(make(hsr.successor_representation(HERE)), learning_rate=0.01)
    both = (
        rf"\(fingerprint {HERE.fingerprint[:8]}\.\.\., this one is "
        rf"{MIRRORED.fingerprint[:8]}\.\.\.\)"
    )
    words = f"features is a .* made for another MDP {both}; make it for this one"
    with raises(words):
        hsr.train(MIRRORED, [TASK], agent, **SHORT)
    with raises("made for another MDP"):
        hsr.train(SLIPPING, [TASK], agent, **SHORT)
    assert hsr.train(PATIENT, [TASK], agent, **SHORT).steps.shape == (1, 1, 2)


def test_features_go_anywhere_as_arrays():
    M = hsr.successor_representation(HERE)
    for features in (
        M.toarray(),
        hsr.SVDBasis(2).fit(M).features_,
        hsr.SVDBasis(2).fit(M.toarray()),
    ):
        run = hsr.train(MIRRORED, [TASK], hsr.LinearQ(features, learning_rate=0.01), **SHORT)
        assert run.steps.shape == (1, 1, 2)


def test_the_bellman_operator_takes_a_map_of_its_own_mdp_alone():
    options, M = points(MIRRORED), hsr.successor_representation(HERE)
    model = hsr.option_model(MIRRORED, options)
    with raises("M is a map made for another MDP"):
        hsr.representation.hsr_bellman(model, walking(options), M)
    own = hsr.hierarchical_sr(model, walking(options))
    np.testing.assert_allclose(
        hsr.representation.hsr_bellman(model, walking(options), own),
        own.toarray(),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("wrong", ["", "1a2b", "G" * 32, 7, HERE], ids=repr)
def test_what_is_no_fingerprint_is_refused_as_a_mark(wrong):
    words = (
        r"mdp_fingerprint is .*; it must be mdp.fingerprint, for options mdp.structure_fingerprint"
    )
    with raises(words):
        hsr.OptionSet([[0]], [[1]], mdp_fingerprint=wrong)
    with raises(words):
        hsr.PredictiveMap((1, 1), np.copy, np.copy, mdp_fingerprint=wrong)


def test_a_map_turned_round_keeps_its_mark():
    M = hsr.successor_representation(HERE)
    assert M.T.mdp_fingerprint == M.T.T.mdp_fingerprint == HERE.fingerprint
    assert hsr.SVDBasis(2).fit(M.T).mdp_fingerprint_ == HERE.fingerprint
    with raises("features is a map made for another MDP"):
        hsr.train(MIRRORED, [TASK], hsr.LinearQ(M.T, learning_rate=0.01), **SHORT)


def test_options_do_not_climb_the_map_of_another_world():
    M = hsr.successor_representation(HERE)
    with raises("vectors is a map made for another MDP"):
        hsr.eigenoptions(MIRRORED, 1, vectors=M)
    assert len(hsr.eigenoptions(MIRRORED, 1, vectors=M.toarray())) == 1
