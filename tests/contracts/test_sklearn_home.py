"""Bases in pipelines, tables and searches of scikit-learn, scored by their fit of values."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

import hsr

STATES = np.arange(104)
SIZES = [2, 5, 9]
FOLDS = KFold(3, shuffle=True, random_state=0)
ONCE = [(STATES, STATES)]


@cache
def mdp():
    return hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)


@cache
def walk():
    return hsr.successor_representation(mdp())


@cache
def rows():
    return walk().toarray()


@cache
def values_of_goals():
    tasks = [hsr.GoalTask(None, goal) for goal in (0, 40, 103)]
    return np.stack([hsr.optimal_value(mdp(), task) for task in tasks], axis=1)


def r2_of(phi, v):
    """Return R2 of the least-squares fit, from the normal equations of an orthogonal basis of the
    features.
    """
    U, s, _ = np.linalg.svd(phi, full_matrices=False)
    U = U[:, s > 1e-12 * s[0]]
    return 1.0 - np.sum((v - U @ (U.T @ v)) ** 2) / np.sum((v - v.mean()) ** 2)


def search(basis, cv, map_rows, values):
    """Return scikit-learn's search over sizes."""
    grid, scorer = {"n_components": SIZES}, hsr.basis.value_fit_scorer
    return GridSearchCV(basis, grid, scoring=scorer, cv=cv).fit(map_rows, values)


def slow_search(basis, folds, values):
    """Return the score of every size and fold, by a loop over both that knows nothing of
    scikit-learn's searches.
    """
    scores = np.zeros((len(SIZES), len(folds)))
    for i, size in enumerate(SIZES):
        for j, (seen, held_out) in enumerate(folds):
            fitted = clone(basis).set_params(n_components=size).fit(rows()[seen])
            phi, v = fitted.transform(rows()[held_out]), values[held_out].T
            scores[i, j] = np.mean([r2_of(phi, task) for task in np.atleast_2d(v)])
            ours = np.mean(hsr.basis.value_fit_r2(phi, v))
            assert_allclose(scores[i, j], ours, rtol=0, atol=1e-9)
    return scores


@pytest.mark.parametrize(
    "basis", [hsr.SVDBasis(), hsr.NMFBasis(solver="extrapolated", max_iter=100)], ids=["svd", "nmf"]
)
@pytest.mark.parametrize("which", [[0, 1, 2], 1], ids=["three tasks", "one task"])
@pytest.mark.parametrize("cv", [FOLDS, ONCE], ids=["held-out states", "all states at once"])
def test_a_search_over_sizes_agrees_with_a_slow_loop(basis, which, cv):
    values = values_of_goals()[:, which]
    quick = search(basis, cv, rows(), values)
    folds = list(FOLDS.split(rows())) if cv is FOLDS else ONCE
    expected = slow_search(basis, folds, values)
    scores = np.stack(
        [quick.cv_results_[f"split{j}_test_score"] for j in range(len(folds))], axis=1
    )
    # Both solve the same least squares, by other algorithms.
    assert_allclose(scores, expected, rtol=0, atol=1e-9)
    best = SIZES[int(expected.mean(axis=1).argmax())]
    assert quick.best_params_ == {"n_components": best}
    assert quick.best_estimator_.features_.shape == (104, best)


def test_all_states_at_once_are_scored_as_value_fit_r2_scores_the_basis():
    for size in SIZES:
        fitted = hsr.SVDBasis(size).fit(walk())
        score = hsr.basis.value_fit_scorer(fitted, rows(), values_of_goals())
        # rows of the map project to the features themselves, to rounding
        assert_allclose(
            score, hsr.basis.value_fit_r2(fitted, values_of_goals().T).mean(), atol=1e-9
        )
        pipeline = make_pipeline(FunctionTransformer(), hsr.SVDBasis(size)).fit(rows())
        of_pipeline = hsr.basis.value_fit_scorer(pipeline, rows(), values_of_goals())
        assert_allclose(of_pipeline, score, atol=1e-9)
    scores = slow_search(hsr.SVDBasis(), ONCE, values_of_goals())
    assert (np.diff(scores[:, 0]) > 0).all()  # each larger space holds the smaller one


def test_a_pipeline_predicts_values_of_states_that_it_has_not_seen():
    pipeline = Pipeline([("basis", hsr.NMFBasis(8)), ("readout", LinearRegression())])
    train, test = next(FOLDS.split(rows()))
    fitted = clone(pipeline).fit(rows()[train], values_of_goals()[train])
    basis = hsr.NMFBasis(8).fit(rows()[train])
    phi, new = (
        np.column_stack([features, np.ones(len(features))])
        for features in (basis.features_, basis.transform(rows()[test]))
    )
    weights = np.linalg.lstsq(phi, values_of_goals()[train], rcond=None)[0]
    assert_allclose(fitted.predict(rows()[test]), new @ weights, rtol=0, atol=1e-9)
    both = rows(), values_of_goals()
    found = GridSearchCV(pipeline, {"basis__n_components": SIZES}, cv=FOLDS).fit(*both)
    for size, score in zip(SIZES, found.cv_results_["mean_test_score"], strict=True):
        alone = clone(pipeline).set_params(basis__n_components=size)
        assert_allclose(score, cross_val_score(alone, *both, cv=FOLDS).mean(), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "basis", [hsr.SVDBasis(3), hsr.NMFBasis(3), hsr.RowBasis(), hsr.OneHotBasis()], ids=str
)
def test_features_have_names_and_come_as_tables(basis):
    pandas = pytest.importorskip("pandas")
    plain, asked = clone(basis).fit(walk()), clone(basis).set_output(transform="pandas")
    assert isinstance(clone(asked).fit_transform(walk()), pandas.DataFrame)
    fitted = asked.fit(walk())
    names = [f"{type(basis).__name__.lower()}{k}" for k in range(fitted.n_components_)]
    assert list(fitted.get_feature_names_out()) == names
    expected = pandas.DataFrame(plain.features_[[5, 0]], columns=names)
    pandas.testing.assert_frame_equal(fitted.transform([5, 0]), expected, check_exact=True)
    for measure in (
        lambda basis: hsr.basis.reconstruction_error(walk(), basis),
        lambda basis: hsr.basis.value_fit_r2(basis, values_of_goals()[:, 0]),
    ):
        assert measure(fitted) == measure(plain)


def test_tables_go_through_a_search_and_a_pipeline():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(rows(), columns=[f"to {s}" for s in STATES])
    values = pandas.DataFrame(values_of_goals())
    basis = hsr.SVDBasis(5).set_output(transform="pandas")
    pipeline = make_pipeline(basis, LinearRegression()).fit(table, values)
    names = [f"svdbasis{k}" for k in range(5)]
    assert list(pipeline[:-1].get_feature_names_out()) == names
    assert list(pipeline[-1].feature_names_in_) == names
    of_tables = search(basis, FOLDS, table, values)
    of_arrays = search(hsr.SVDBasis(), FOLDS, rows(), values_of_goals())
    assert_array_equal(*(one.cv_results_["mean_test_score"] for one in (of_tables, of_arrays)))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (None, "values is None; give the values of the states as y"),
        (["a"] * 104, "values cannot be read as numbers"),
        (np.ones(104), "values is 1 at every state; R2 is not defined"),
        (np.ones(3), r"values has shape \(3,\); it must have shape \(104,\)"),
    ],
)
def test_bad_values_are_named(values, words):
    with pytest.raises(hsr.InputError, match=words):
        hsr.basis.value_fit_scorer(hsr.SVDBasis(2).fit(walk()), rows(), values)
