"""Maps, options and bases as labelled arrays: the same numbers under the names that training runs
use for their axes.
"""

import numpy as np
import pytest
import xarray
from numpy.testing import assert_allclose, assert_array_equal

import hsr


@pytest.fixture(scope="module")
def mdp():
    return hsr.grid_mdp(hsr.GridLayout.from_text("...#.\n....."), discount=0.9)


@pytest.fixture(scope="module")
def M(mdp):
    return hsr.successor_representation(mdp)


def test_a_map_has_its_states_fingerprint_and_discount(mdp, M):
    array = M.to_xarray()
    assert isinstance(array, xarray.DataArray)
    assert (array.dims, array.name) == (("state", "future_state"), "visits")
    assert array.attrs == {"mdp_fingerprint": mdp.fingerprint, "discount": 0.9}
    assert_array_equal(array, M.toarray())
    assert float(array.sel(state=3, future_state=7)) == M.toarray()[3, 7]


def test_some_rows_of_a_map_keep_their_states(M):
    array = M.to_xarray([7, 2])
    assert_array_equal(array.coords["state"], [7, 2])
    assert_array_equal(array.coords["future_state"], np.arange(9))
    assert_array_equal(array.sel(state=2), M.rows(2))
    with pytest.raises(hsr.InputError, match=r"states\[0\] is 9; it must lie in 0\.\.8"):
        M.to_xarray([9])


def test_rows_of_a_map_that_would_not_fit_can_still_be_had():
    huge = hsr.PredictiveMap((10**6, 10**6), np.copy, np.copy)
    assert huge.to_xarray([5]).shape == (1, 10**6)
    assert huge.to_xarray([5]).attrs == {}
    with pytest.raises(hsr.toolkit.TooLargeError):
        huge.to_xarray()


def test_axes_are_called_as_in_a_training_run(mdp, M):
    how = {"episodes": 1, "horizon": 9, "seeds": [0], "keep_maps": True, "workers": 1}
    run = hsr.train(mdp, [hsr.GoalTask(0, 8)], hsr.LinearQ("sr"), **how).to_xarray()
    assert run["maps"].dims[-2:] == M.to_xarray().dims


@pytest.mark.parametrize("random", [False, True])
def test_options_are_found_by_name(mdp, random):
    options = hsr.point_options(mdp, [0, 8])
    if random:
        policy = np.eye(4)[options.policy]
        options = hsr.OptionSet(policy, options.termination, options.initiation, options.names)
    dataset = options.to_xarray()
    for name in ("policy", "termination", "initiation"):
        array = getattr(options, name)
        assert dataset[name].dims == ("option", "state", "action")[: array.ndim]
        assert dataset[name].dtype == array.dtype
        assert_array_equal(dataset[name].sel(option="to 8"), array[1])
    assert dataset.attrs == ({} if random else {"mdp_fingerprint": mdp.fingerprint})


@pytest.mark.parametrize(
    "basis", [hsr.SVDBasis(2), hsr.NMFBasis(2), hsr.RowBasis(), hsr.OneHotBasis()], ids=str
)
def test_a_basis_gives_the_map_back_as_a_product_over_components(mdp, M, basis):
    dataset = basis.fit(M).to_xarray()
    assert dataset["features"].dims == ("state", "component")
    assert dataset["components"].dims == ("component", "future_state")
    assert_array_equal(dataset["features"], basis.features_)
    assert_array_equal(dataset["components"], basis.components_)
    assert list(dataset.coords["component"].values) == list(basis.get_feature_names_out())
    product = dataset["features"].dot(dataset["components"], dim="component")
    assert_allclose(product, basis.features_ @ basis.components_, rtol=0, atol=1e-12)
    assert dataset.attrs == {"mdp_fingerprint": mdp.fingerprint}
    assert basis.fit(M.toarray()).to_xarray().attrs == {}
