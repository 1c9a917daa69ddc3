"""MDPs of mazes: slips, wind and closed cells, from their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import cases, raises
from tests.strategies import assert_refused, bad_choices, bad_indices, bad_probabilities


def maze():
    return hsr.GridLayout.from_text("..#.\n....\n.#..")


@pytest.mark.parametrize("slip", [0.0, 0.1, 1 / 3, 0.5, 0.75, 0.9, 0.99, 1.0])
def test_a_slip_goes_each_other_way_a_third_of_the_time(slip):
    layout = maze()
    mdp = hsr.grid_mdp(layout, discount=0.9, slip=slip)
    expected = np.zeros((layout.n_states, 4, layout.n_states))
    for s, a, b in np.ndindex(layout.n_states, 4, 4):
        expected[s, a, layout.neighbours[s, b]] += 1.0 - slip if a == b else slip / 3.0
    assert_allclose(mdp.toarray(), expected, rtol=0, atol=1e-15)
    # What cannot happen has probability zero, not a rounding error.
    assert_array_equal(mdp.toarray() > 0.0, expected > 0.0)


@pytest.mark.parametrize("slip", [0.1, 0.5, 0.75, 1.0])
def test_slips_leave_the_uniform_walk_as_it_is(slip):
    firm, slippery = (hsr.grid_mdp("four_rooms", discount=0.9, slip=x) for x in (0.0, slip))
    walk = [hsr.MarkovChain.from_policy(mdp).matrix.toarray() for mdp in (firm, slippery)]
    assert_allclose(walk[1], walk[0], rtol=0, atol=1e-15)


@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_a_wind_replaces_each_move_now_and_then_and_closed_cells_are_not_entered(slip):
    calm, windy = (
        hsr.grid_mdp(maze(), slip=slip, closed=[4], wind=wind).toarray()
        for wind in (None, ("left", 0.3))
    )
    blown = hsr.grid_mdp(maze(), closed=[4]).toarray()[:, [3]]
    assert_allclose(windy, 0.7 * calm + 0.3 * blown, rtol=0, atol=1e-15)
    assert not np.delete(calm, 4, axis=0)[:, :, 4].any()
    assert calm[4, :, [3, 5]].any(axis=1).all()


@cases(
    "call, name, bad",
    {
        "slip": (lambda **x: hsr.grid_mdp(maze(), **x), "slip", bad_probabilities()),
        "closed": (lambda closed: hsr.grid_mdp(maze(), closed=[closed]), "closed", bad_indices(10)),
        "wind": (lambda wind: hsr.grid_mdp(maze(), wind=(wind, 0.2)), "wind", bad_choices(())),
        "gust": (lambda wind: hsr.grid_mdp(maze(), wind=("up", wind)), "wind", bad_probabilities()),
    },
)
def test_bad_arguments_are_refused(call, name, bad):
    assert_refused(call, name, bad)


def test_a_wind_without_a_probability_is_refused():
    with raises("wind is 'left'; it must be a direction and a probability"):
        hsr.grid_mdp(maze(), wind="left")
