"""A basis is fitted to a map, and says so to whoever gives it the world itself."""

import pytest

import hsr

LAYOUT = hsr.load_layout("four_rooms")


@pytest.mark.parametrize(
    "basis", [hsr.NMFBasis(4), hsr.SVDBasis(4), hsr.RowBasis(), hsr.OneHotBasis()]
)
@pytest.mark.parametrize("world", [LAYOUT, hsr.grid_mdp(LAYOUT)])
def test_a_basis_is_fitted_to_a_map_and_not_to_a_world(basis, world):
    message = rf"M is a {type(world).__name__}; .*such as hsr.successor_representation\(mdp\)"
    with pytest.raises(hsr.InputError, match=message):
        basis.fit(world)
