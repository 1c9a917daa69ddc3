"""Maps in logarithms and the contrastive SR, against the exact logarithms of visits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
import hsr.deep
from hsr.deep import Network, Training
from hsr.deep.contrastive import last_of_paths
from hsr.deep.experience import read_experience
from tests.cases import raises

MDP = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.7)
OPTIONS = hsr.point_options(MDP, targets=[0, 5])
STEPS = hsr.deep.random_steps(MDP, 20_000, seed=0)
TRAINING = Training(n_updates=1500, target_rate=0.2, n_reports=1)
HOW = {"world": MDP, "network": Network(width=64), "training": TRAINING}


def exact(options):
    model = hsr.option_model(MDP, options)
    M = hsr.hierarchical_sr(model, hsr.uniform_choice(model))
    return hsr.successor_of_choices(model, M)


@pytest.fixture(scope="module")
def contrastive():
    return hsr.deep.learn_contrastive_sr(STEPS, **HOW)


@pytest.mark.parametrize("options", [None, OPTIONS], ids=["SR", "HSR"])
def test_logarithms_of_visits_are_those_of_the_closed_form(options):
    if options is None:
        M = hsr.deep.learn_sr(STEPS, scale="log", **HOW)
    else:
        M = hsr.deep.learn_hsr(STEPS, options, scale="log", **HOW)
    wanted = np.log(exact(options))
    assert_allclose(np.log(M.of_choices()), wanted, atol=0.1)
    assert M.curve[-1].error < 0.1


def test_the_contrastive_logit_is_the_log_ratio_of_densities(contrastive):
    error = np.log(contrastive.of_choices()) - np.log(exact(None))
    seen = exact(None) > 0.02  # visits that a log of this length holds often enough
    assert np.abs(error[seen]).max() < 0.35
    assert abs(error[seen].mean()) < 0.05
    assert contrastive.curve[-1].error < 0.1


def test_pairs_never_cross_from_one_path_to_the_next():
    log = np.array([(0, 1, 1), (1, 1, 2), (4, 3, 3), (3, 3, 2), (2, 3, 1)])
    experience = read_experience(log, None, MDP)
    assert_array_equal(last_of_paths(experience), [1, 1, 4, 4, 4])


def test_negative_features_have_no_logarithm():
    features = np.linspace(-1.0, 1.0, 12).reshape(6, 2)
    with raises("a feature is -1; with scale='log' none may be negative"):
        hsr.deep.learn_sr(STEPS, features=features, scale="log", **HOW)
    with raises("scale is 'cubic'"):
        hsr.deep.learn_sr(STEPS, scale="cubic", **HOW)


def test_the_classifier_needs_listed_states():
    log = hsr.deep.Observed(np.zeros((3, 2)), np.zeros(3, dtype=int), np.ones((3, 2)))
    with raises("the states are not listed"):
        hsr.deep.learn_contrastive_sr(log, discount=0.9)
