"""The view of distances fits and predicts the horizons of the library."""

import numpy as np
import pytest

import hsr
from tests.lab.node.library import LibraryWorld, of
from tests.lab.node.page_code import assert_same, replies_of_the_page

WORLDS = {
    "a maze": of("maze 21", n=16),
    "four rooms": of("four_rooms", discount=0.95),
    "no options": of("four_rooms", kind="none"),
    "a goal": of("four_rooms", "1"),
}
STATE = 24


@pytest.fixture(scope="module")
def page():
    asked = {
        (name, matched): {"do": "distance", "world": made(), "state": STATE, "matched": matched}
        for name, made in WORLDS.items()
        for matched in (False, True)
        if not (matched and name in ("a goal", "no options"))
    }
    return replies_of_the_page(asked)


@pytest.mark.parametrize("name", WORLDS)
def test_fitted_and_predicted_horizons_are_those_of_the_library(page, name):
    reply, library = page[name, False], LibraryWorld(WORLDS[name]())
    mdp = library.mdp
    walks = {"sr": mdp, "hsr": hsr.option_model(mdp, library.options)}
    for which, walk in walks.items():
        shown = reply[which]
        found = hsr.horizon(library.map(which), mdp, states=[STATE])
        assert shown["distances"] == found.distances.tolist()
        assert_same(np.log(shown["visits"]), found.log_visits)
        assert shown["length"] == pytest.approx(found.of_states[0], rel=1e-9)
        assert np.diff(np.log(shown["line"])) == pytest.approx(
            -np.diff(found.distances) / found.of_states[0]
        )
        if name == "a goal":
            assert shown["predicted"] is None
        else:
            assert shown["predicted"] == pytest.approx(hsr.predicted_horizon(walk), rel=1e-9)


@pytest.mark.parametrize("name", ["a maze", "four rooms"])
def test_a_matched_sr_looks_as_far_as_the_hsr(page, name):
    reply, library = page[name, True], LibraryWorld(WORLDS[name]())
    mdp = hsr.grid_mdp(library.layout, discount=reply["srDiscount"])
    found = hsr.horizon(hsr.successor_representation(mdp), mdp, states=[STATE])
    assert reply["hsr"] == page[name, False]["hsr"]
    assert found.of_states[0] == pytest.approx(reply["hsr"]["length"], rel=1e-3)
    assert reply["sr"]["length"] == pytest.approx(found.of_states[0], rel=1e-6)


def test_the_prediction_for_a_random_walk_solves_its_equation(page):
    """The root of x + 1/x = 2 (1 - g (1 - q)) / (g q) is x = exp(-1 / horizon)."""
    mdp = LibraryWorld(WORLDS["a maze"]()).mdp
    g, n = mdp.discount, mdp.n_states
    q = np.mean([mdp.successors[s, a] != s for s in range(n) for a in range(4)])
    x = np.exp(-1 / page["a maze", False]["sr"]["predicted"])
    assert x + 1 / x == pytest.approx(2 * (1 - g * (1 - q)) / (g * q))
