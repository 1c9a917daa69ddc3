"""Every basis passes scikit-learn's checks of transformers and keeps the promises of `Basis`."""

import pickle
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.cases import raises
from tests.strategies import assert_refused, bad_choices, bad_counts

import hsr
from hsr._base.lazy import LazyMatrix

BASES = [
    hsr.SVDBasis(),
    hsr.SVDBasis(n_components=1, scale="max"),
    hsr.SVDBasis(vectors="left"),
    hsr.NMFBasis(),
    hsr.NMFBasis(parts="norms_in_features"),
    hsr.NMFBasis(n_components=1, solver="multiplicative", tol=1e-9),
    hsr.NMFBasis(n_components=2, init="random"),
    hsr.RowBasis(),
    hsr.RowBasis(scale="unit_columns"),
    hsr.OneHotBasis(),
]
every_basis = pytest.mark.parametrize("basis", BASES, ids=str)

NO_NEW_ROWS = (
    "one-hot features of new map rows do not exist, so a two-dimensional transform is refused"
)
ONE_HOT_CANNOT = dict.fromkeys(
    (
        "check_dict_unchanged",
        "check_dtype_object",
        "check_estimators_dtypes",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_transformer_preserve_dtypes",
    ),
    NO_NEW_ROWS,
)


def expected_failed_checks(basis):
    return ONE_HOT_CANNOT if isinstance(basis, hsr.OneHotBasis) else {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(BASES, expected_failed_checks=expected_failed_checks)
def test_scikit_learn_battery(estimator, check):
    assert check(estimator) is None  # a check raises what it has to say


@every_basis
def test_maps_and_states_are_no_metadata(basis):
    assert not {"M", "states"} & set(re.findall(r"\w+", str(basis.get_metadata_routing())))


@pytest.fixture
def square():
    return np.random.default_rng(3).random((7, 7))


@every_basis
def test_states_give_rows_of_the_features(basis, square):
    fitted = clone(basis).fit(square)
    for states in (np.array([5, 0, 0, 6], dtype=np.int32), [5, 0]):
        assert_array_equal(fitted.transform(states), fitted.features_[states])
    assert fitted.transform([]).shape == (0, fitted.n_components_)
    assert fitted.features_.shape == fitted.components_.T.shape == (7, fitted.n_components_)
    assert (fitted.n_states_, fitted.n_features_in_) == (7, 7)
    for states, words in (
        ([7], r"states\[0\] is 7; it must lie in 0\.\.6"),
        ([0, -1], r"states\[1\] is -1"),
        ([0.5], "Expected 2D array"),
    ):
        with raises(words):
            fitted.transform(states)
    square[2, 4] = np.nan
    with raises(r"M\[2, 4\] is nan; every entry must be finite"):
        clone(basis).fit(square)


@every_basis
def test_a_lazy_map_gives_the_dense_maps_features(basis, square):
    lazy = LazyMatrix(square.shape, lambda x: square @ x, lambda y: square.T @ y)
    from_lazy, from_dense = clone(basis).fit(lazy), clone(basis).fit(square)
    # the lazy map is exact here, so only the last bits of the solvers may differ
    for part in ("features_", "components_"):
        assert_allclose(getattr(from_lazy, part), getattr(from_dense, part), rtol=0, atol=1e-10)


@pytest.mark.parametrize("basis", [b for b in BASES if not isinstance(b, hsr.OneHotBasis)], ids=str)
def test_rows_of_the_map_project_to_its_features(basis, square):
    fitted = clone(basis).fit(square)
    # the factorisation stops at tol 1e-5, so its W solves the least-squares problem only to about
    # that
    atol = 2e-2 if isinstance(basis, hsr.NMFBasis) else 1e-12
    assert_allclose(fitted.transform(square), fitted.features_, rtol=0, atol=atol)


@every_basis
def test_fitting_leaves_the_input_and_later_changes_alone(basis, square):
    before = square.copy()
    fitted = clone(basis).fit(square)
    features, components = fitted.features_.copy(), fitted.components_.copy()
    assert_array_equal(square, before)
    square[:] = 0.0
    assert_array_equal(fitted.components_, components)
    assert_array_equal(fitted.transform(np.arange(7)), features)
    assert_array_equal(pickle.loads(pickle.dumps(fitted)).transform([1]), fitted.transform([1]))


@pytest.mark.parametrize("kind", [hsr.SVDBasis, hsr.RowBasis])
def test_unknown_scales_are_refused_before_the_map_is_read(kind):
    scales = ["none", "max", "unit_columns", "unit_rows"]
    assert_refused(lambda **bad: kind(**bad).fit("not a map"), "scale", bad_choices(scales))


def test_wrong_numbers_of_components_are_refused():
    bad = bad_counts()
    assert_refused(lambda **bad: hsr.SVDBasis(**bad).fit("not a map"), "n_components", bad)


@every_basis
def test_a_basis_is_fitted_to_a_map_and_not_to_an_mdp_or_layout(basis):
    layout = hsr.load_layout("four_rooms")
    for wrong in (layout, hsr.grid_mdp(layout)):
        with raises(rf"M is a {type(wrong).__name__}; .*such as hsr.successor_representation"):
            clone(basis).fit(wrong)
