"""Bases at home in scikit-learn: pipelines, names, tables, and searches over their size by how well
they fit values.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

import hsr

MDP = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
M = hsr.successor_representation(MDP)
ROWS = M.toarray()
STATES = np.arange(MDP.n_states)
VALUES = np.stack(
    [hsr.optimal_value(MDP, hsr.GoalTask(None, goal)) for goal in (0, 40, 103)], axis=1
)
SIZES = [2, 5, 9]
FOLDS = KFold(3, shuffle=True, random_state=0)
ONCE = [(STATES, STATES)]


def r2_of(phi, v):
    """Return R2 of the least-squares fit, from the normal equations of an orthogonal basis of the
    features.
    """
    U, s, _ = np.linalg.svd(phi, full_matrices=False)
    U = U[:, s > 1e-12 * s[0]]
    return 1.0 - np.sum((v - U @ (U.T @ v)) ** 2) / np.sum((v - v.mean()) ** 2)


def search(basis, cv, rows, values):
    """Return scikit-learn's search over sizes."""
    grid = {"n_components": SIZES}
    return GridSearchCV(basis, grid, scoring=hsr.basis.value_fit_scorer, cv=cv).fit(rows, values)


def slow_search(basis, folds, values):
    """Return the score of every size and fold, by a loop over both that knows nothing of
    scikit-learn's searches.
    """
    scores = np.zeros((len(SIZES), len(folds)))
    for i, size in enumerate(SIZES):
        for j, (seen, held_out) in enumerate(folds):
            fitted = clone(basis).set_params(n_components=size).fit(ROWS[seen])
            phi = fitted.transform(ROWS[held_out])
            scores[i, j] = np.mean(
                [r2_of(phi, v) for v in values[held_out].reshape(len(held_out), -1).T]
            )
            assert_allclose(
                scores[i, j],
                np.mean(hsr.basis.value_fit_r2(phi, values[held_out].T)),
                rtol=0,
                atol=1e-9,
            )
    return scores


@pytest.mark.parametrize(
    "basis", [hsr.SVDBasis(), hsr.NMFBasis(solver="extrapolated", max_iter=100)], ids=["svd", "nmf"]
)
@pytest.mark.parametrize("values", [VALUES, VALUES[:, 1]], ids=["three tasks", "one task"])
@pytest.mark.parametrize("cv", [FOLDS, ONCE], ids=["held-out states", "all states at once"])
def test_a_search_over_sizes_agrees_with_a_slow_loop(basis, values, cv):
    quick = search(basis, cv, ROWS, values)
    folds = list(FOLDS.split(ROWS)) if cv is FOLDS else ONCE
    expected = slow_search(basis, folds, values)
    found = np.stack([quick.cv_results_[f"split{j}_test_score"] for j in range(len(folds))], axis=1)
    # Both solve the same least squares, by other algorithms.
    assert_allclose(found, expected, rtol=0, atol=1e-9)
    best = SIZES[int(expected.mean(axis=1).argmax())]
    assert quick.best_params_ == {"n_components": best}
    assert quick.best_estimator_.features_.shape == (MDP.n_states, best)


def test_all_states_at_once_are_scored_as_value_fit_r2_scores_the_basis():
    for size in SIZES:
        fitted = hsr.SVDBasis(size).fit(M)
        # rows of the map project to the features themselves, to rounding
        assert_allclose(
            hsr.basis.value_fit_scorer(fitted, ROWS, VALUES),
            hsr.basis.value_fit_r2(fitted, VALUES.T).mean(),
            atol=1e-9,
        )
    scores = slow_search(hsr.SVDBasis(), ONCE, VALUES)
    assert (np.diff(scores[:, 0]) > 0).all()  # each larger space holds the smaller one


def test_scores_of_held_out_states_are_not_those_of_the_states_that_were_seen():
    held_out = slow_search(hsr.SVDBasis(), list(FOLDS.split(ROWS)), VALUES)
    seen = slow_search(hsr.SVDBasis(), [(train, train) for train, _ in FOLDS.split(ROWS)], VALUES)
    assert np.abs(held_out - seen).min() > 1e-3


def test_a_pipeline_predicts_values_of_states_that_it_has_not_seen():
    pipeline = Pipeline([("basis", hsr.NMFBasis(8)), ("readout", LinearRegression())])
    train, test = next(FOLDS.split(ROWS))
    fitted = clone(pipeline).fit(ROWS[train], VALUES[train])
    basis = hsr.NMFBasis(8).fit(ROWS[train])
    phi, new = (
        np.column_stack([features, np.ones(len(features))])
        for features in (basis.features_, basis.transform(ROWS[test]))
    )
    weights = np.linalg.lstsq(phi, VALUES[train], rcond=None)[0]
    assert_allclose(fitted.predict(ROWS[test]), new @ weights, rtol=0, atol=1e-9)
    found = GridSearchCV(pipeline, {"basis__n_components": SIZES}, cv=FOLDS).fit(ROWS, VALUES)
    scores = [
        cross_val_score(
            clone(pipeline).set_params(basis__n_components=k), ROWS, VALUES, cv=FOLDS
        ).mean()
        for k in SIZES
    ]
    assert_allclose(found.cv_results_["mean_test_score"], scores, rtol=0, atol=1e-12)


def test_the_scorer_takes_a_pipeline_that_ends_in_a_basis():
    halved = make_pipeline(FunctionTransformer(np.sqrt), hsr.SVDBasis(5)).fit(ROWS)
    alone = hsr.SVDBasis(5).fit(np.sqrt(ROWS))
    assert_allclose(
        hsr.basis.value_fit_scorer(halved, ROWS, VALUES),
        hsr.basis.value_fit_scorer(alone, np.sqrt(ROWS), VALUES),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize(
    "basis", [hsr.SVDBasis(3), hsr.NMFBasis(3), hsr.RowBasis(), hsr.OneHotBasis()], ids=str
)
def test_features_have_names_and_come_as_tables(basis):
    pandas = pytest.importorskip("pandas")
    fitted = clone(basis).set_output(transform="pandas").fit(M)
    names = [f"{type(basis).__name__.lower()}{k}" for k in range(fitted.n_components_)]
    assert list(fitted.get_feature_names_out()) == names
    table = fitted.transform([5, 0])
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == names
    assert_array_equal(table.to_numpy(), fitted.features_[[5, 0]])
    assert isinstance(
        clone(basis).set_output(transform="pandas").fit_transform(M), pandas.DataFrame
    )
    assert hsr.basis.reconstruction_error(M, fitted) == hsr.basis.reconstruction_error(
        M, clone(basis).fit(M)
    )
    assert hsr.basis.value_fit_r2(fitted, VALUES[:, 0]) == hsr.basis.value_fit_r2(
        clone(basis).fit(M), VALUES[:, 0]
    )


def test_tables_go_through_a_search_and_a_pipeline():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(ROWS, columns=[f"to {s}" for s in STATES])
    pipeline = make_pipeline(
        hsr.SVDBasis(5).set_output(transform="pandas"), LinearRegression()
    ).fit(table, VALUES)
    assert list(pipeline[:-1].get_feature_names_out()) == [f"svdbasis{k}" for k in range(5)]
    assert list(pipeline[-1].feature_names_in_) == [f"svdbasis{k}" for k in range(5)]
    basis = hsr.SVDBasis().set_output(transform="pandas")
    found, plain = (
        search(*given).cv_results_["mean_test_score"]
        for given in (
            (basis, FOLDS, table, pandas.DataFrame(VALUES)),
            (hsr.SVDBasis(), FOLDS, ROWS, VALUES),
        )
    )
    assert_array_equal(found, plain)


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
        hsr.basis.value_fit_scorer(hsr.SVDBasis(2).fit(M), ROWS, values)
