"""Bad input that every learner of `hsr.deep` refuses, and failed training that is reported."""

import warnings

import equinox as eqx
import jax
import numpy as np
import pytest

import hsr
import hsr.deep
from hsr.deep import DeepParts, Network, Observed, Training
from tests.cases import cases, raises
from tests.deep.mazes import corridor, every_outcome, small_layout, small_mdp, some_options

ONE = Training(n_updates=1)


def learn(name, given):
    """Call a learner with a valid log of the small maze, some arguments of which are replaced."""
    mdp = small_mdp()
    first = {
        "learn_hsr": {"options": some_options(mdp)},
        "learn_eigenvectors": {"n_vectors": 2},
        "learn_eigenoptions": {"n_options": 2},
    }
    arguments = {"steps": every_outcome(mdp, 1), "mdp": mdp, "training": ONE}
    return getattr(hsr.deep, name)(**arguments | first.get(name, {}) | given)


def observed(n_actions=3, width=2):
    """Return three transitions between observations, or ones that do not fit together."""
    xy = small_layout().xy()
    return Observed(xy[:3], np.zeros(n_actions, dtype=int), xy[1:4, :width])


LEARNERS = ("learn_sr", "learn_hsr", "learn_measure", "learn_eigenvectors", "learn_eigenoptions")


@pytest.mark.parametrize("name", LEARNERS)
@cases(
    ("given", "words"),
    {
        "no successors": (lambda: {"steps": every_outcome(small_mdp(), 1)[:, :2]}, r"\(52, 2\)"),
        "states beyond": (lambda: {"steps": every_outcome(small_mdp(), 1) + 99}, "must lie in 0"),
        "ragged": (lambda: {"observe": [[1.0], [1.0, 2.0]]}, "observe is ragged"),
        "not finite": (lambda: {"observe": np.full((13, 2), np.nan)}, r"observe\[0, 0\] is nan"),
        "few": (lambda: {"observe": np.ones((3, 2))}, "3 observations; there are 13 states"),
        "discount": (lambda: {"mdp": None}, "give a discount"),
        "other shape": (lambda: {"steps": observed(width=1)}, r"next_observations \(3, 1\)"),
        "fewer actions": (lambda: {"steps": observed(n_actions=2)}, "must be 3 integers"),
    },
)
def test_logs_that_cannot_be_read_are_refused(name, given, words):
    with raises(words):
        learn(name, given())


@pytest.mark.parametrize(
    ("learner", "count"),
    [
        ("learn_measure", "n_factors"),
        ("learn_eigenvectors", "n_vectors"),
        ("learn_eigenoptions", "n_options"),
    ],
)
def test_counts_must_be_positive(learner, count):
    with raises(f"{count} is 0"):
        learn(learner, {count: 0})
    with raises("n_components is 0"):
        DeepParts(0).fit(np.eye(2))


@cases(
    ("name", "given", "words"),
    {
        "policy": ("learn_sr", {"policy": np.ones((13, 4))}, r"mu\[0\] sums to 4"),
        "image": ("learn_sr", {"observe": np.eye(13), "network": Network("cnn")}, "needs images"),
        "one-hot image": ("learn_sr", {"network": Network("cnn")}, "one-hot.*images"),
        "no option set": ("learn_hsr", {"options": "eigen"}, "it must be an OptionSet"),
        "start": ("learn_hsr", {"mu": np.full((13, 6), 1 / 6)}, "option 0 cannot start in 0"),
        "goal": ("learn_measure", {"task": hsr.GoalTask(0, 99)}, "99"),
        "signs": ("learn_eigenoptions", {"signs": "svd"}, "signs is 'svd', which is for exact"),
        "pattern": ("learn_eigenoptions", {"signs": "+-+"}, "a pattern of 3 signs; 2 eigen"),
        "vectors": ("learn_eigenvectors", {"n_vectors": 13}, "visits 13 states, which have 12"),
    },
)
def test_arguments_that_do_not_fit_the_log_are_refused(name, given, words):
    with raises(words):
        learn(name, given)


def test_logs_without_listed_states_must_suffice_for_the_learner():
    with raises("not listed.*learn_measure"):
        learn("learn_sr", {"steps": observed()})
    with raises("the log visits 4 states"):
        learn("learn_eigenvectors", {"steps": observed(), "n_vectors": 4})
    apart = Observed(np.arange(8.0)[:, None], [0] * 8, np.arange(8.0)[:, None] + 0.5)
    with raises("no step of the log starts where"):
        learn("learn_eigenvectors", {"steps": apart})


def test_options_of_another_mdp_are_refused():
    options = hsr.eigenoptions(hsr.grid_mdp("four_rooms"), n_options=2)
    with raises("104 states; this MDP has 13"):
        learn("learn_hsr", {"options": options})
    with raises("104 states; there are 13"):
        learn("learn_hsr", {"options": options, "mdp": None, "discount": 0.9})


@cases(
    ("basis", "given", "words"),
    {
        "another start": ({"init": "svd"}, {}, "init"),
        "negative": ({}, {"M": -np.eye(6)}, r"M\[0, 0\] is"),
        "zero": ({}, {"M": np.zeros((6, 6))}, "zero everywhere"),
        "distribution": ({}, {"distribution": np.ones(6)}, "distribution"),
        "observations": ({}, {"observe": np.ones((2, 3))}, "2 observations; there are 6 states"),
    },
)
def test_maps_without_parts_are_refused(basis, given, words):
    with raises(words):
        DeepParts(**{"n_components": 2, "training": ONE, **basis}).fit(**{"M": np.eye(6)} | given)
    with raises("FiniteMDP"):
        DeepParts(2).fit(corridor())


def test_training_that_diverges_is_not_returned():
    training = Training(
        n_updates=200, optimiser="sgd", learning_rate=1.0, target_rate=1.0, batch_size=11
    )
    with raises("diverged.*use a learning rate below 1"):
        learn("learn_sr", {"training": training, "network": Network(last_scale=30.0)})


def test_dead_units_and_a_collapsed_map_are_reported():
    M = learn("learn_sr", {"training": Training(n_updates=200), "network": Network(width=64)})
    change = lambda leaf: -abs(leaf) - 1.0 if eqx.is_array(leaf) else leaf  # noqa: E731
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        dead = hsr.deep.LearnedMap(jax.tree.map(change, M.network), M.problem, M.training, M.curve)
    assert dead.dead_units == (1.0, 1.0)
    assert dead.spread == 0.0
    units, rows = (str(warning.message) for warning in seen)
    assert units.startswith("100%, 100% of the units of the hidden layers are dead")
    assert rows.startswith("the map has collapsed")
