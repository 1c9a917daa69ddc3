"""Options made by the library: known facts of the four rooms, and definitions in other mazes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import cases
from tests.oracles.dense_options import ascent_values, dense_hsr
from tests.oracles.random_mdps import deterministic_mdps, mdps, stochastic_mdps
from tests.oracles.random_options import tables

pytestmark = pytest.mark.filterwarnings("ignore:the MDP has one action")
ENDS = {
    1: ([(1, 11)], [(11, 1)]),
    2: ([(1, 1)], [(11, 11)]),
    3: ([(1, 11), (11, 1)], [(1, 1), (11, 11)]),
    4: ([(6, 7)], [(1, 11)]),
    5: ([(6, 2), (7, 1), (8, 11)], [(1, 5), (11, 5)]),
    6: ([(1, 1), (1, 11)], [(5, 5)]),
    7: ([(7, 5)], [(11, 1)]),
    8: ([(1, 1), (7, 5), (11, 11)], [(5, 5), (8, 7), (11, 1)]),
}
COVERING_PAIRS = [
    ((1, 11), (11, 1)),
    ((1, 1), (11, 11)),
    ((5, 1), (5, 11)),
    ((1, 5), (7, 5)),
    ((1, 7), (11, 8)),
    ((8, 1), (8, 11)),
    ((6, 7), (9, 4)),
    ((5, 5), (8, 7)),
]


@pytest.fixture(scope="module")
def layout():
    return hsr.load_layout("four_rooms")


@pytest.fixture(scope="module")
def mdp(layout):
    return hsr.grid_mdp(layout, discount=0.9)


def ends_of(layout, option):
    """Return the cells where an option stops."""
    return [layout.cell_of(s) for s in np.flatnonzero(option.termination)]


# Eigenoptions


@pytest.mark.parametrize("number", ENDS)
def test_eigenoptions_of_both_signs_end_where_the_paper_prototype_ended(layout, mdp, number):
    options = hsr.eigenoptions(mdp, 16, signs="both")
    pair = [options[o] for o in (2 * number - 2, 2 * number - 1)]
    assert [option.name for option in pair] == [f"+v{number}", f"-v{number}"]
    assert sorted(ends_of(layout, option) for option in pair) == sorted(ENDS[number])


def test_positive_signs_take_one_option_per_vector_and_are_the_first_of_each_pair(mdp):
    one, both = hsr.eigenoptions(mdp, 8), hsr.eigenoptions(mdp, 16, signs="both")
    assert_array_equal(one.policy, both.policy[::2])
    assert_array_equal(one.termination, both.termination[::2])
    assert_array_equal(one.initiation, one.termination == 0.0)
    assert one.initiation.any(axis=1).all()
    assert one.names == tuple(f"v{k}" for k in range(1, 9))


def test_the_first_options_do_not_depend_on_how_many_are_asked_for(mdp):
    many = hsr.eigenoptions(mdp, 20)
    for k in (1, 2, 5, 7):
        few = hsr.eigenoptions(mdp, k)
        assert_array_equal(few.policy, many.policy[:k])
        assert_array_equal(few.termination, many.termination[:k])
    assert hsr.eigenoptions(mdp, 3, signs="both").names == ("+v1", "-v1", "+v2")


@pytest.mark.parametrize("signs", ["positive", "both"])
def test_the_returned_vectors_are_the_walks_eigenvectors_that_the_options_climb(mdp, signs):
    options, vectors = hsr.eigenoptions(mdp, 5, signs=signs, return_vectors=True)
    alone = hsr.eigenoptions(mdp, 5, signs=signs)
    for field in ("policy", "termination", "initiation", "names"):
        assert_array_equal(getattr(options, field), getattr(alone, field))
    M = hsr.successor_representation(mdp).toarray()
    scale = (M @ vectors / vectors).mean(axis=0)
    assert_allclose(M @ vectors, scale * vectors, atol=1e-10)
    assert_array_equal(np.abs(vectors).max(axis=0), 1.0)
    if signs == "both":
        assert_array_equal(vectors[:, 0:4:2], -vectors[:, 1:4:2])
    again = hsr.eigenoptions(mdp, 5, vectors=vectors)
    assert_array_equal(again.policy, options.policy)


def check_optimal(mdp, option, v, gamma):
    """Assert that an option climbs v optimally with free stopping, by slow value iteration."""
    q = ascent_values(mdp, v / np.abs(v).max(), gamma)
    best = q.max(axis=1)
    chosen = q[np.arange(mdp.n_states), option.policy]
    # Ties within 1e-13 (deterministic) or 1e-12 (otherwise) are broken by the first action;
    # iteration stops at 1e-15 / (1 - g).
    assert_allclose(chosen, best, rtol=0, atol=3e-12)
    decided = np.abs(best - 1e-10) > 1e-11
    assert_array_equal(option.termination[decided] == 1.0, best[decided] <= 1e-10)


@pytest.mark.parametrize("slip", [0.0, 0.3])
@pytest.mark.parametrize("name", ["four_rooms", "four_rooms_barriers", "loop"])
def test_eigenoptions_are_optimal_for_their_vectors_by_slow_value_iteration(name, slip):
    mdp = hsr.grid_mdp(hsr.load_layout(name), discount=0.9, slip=slip)
    vectors = hsr.options.map_vectors(hsr.successor_representation(mdp), 4)
    for o, option in enumerate(hsr.eigenoptions(mdp, 4, vectors=vectors)):
        check_optimal(mdp, option, vectors[:, o], 0.9)


@st.composite
def with_landscape(draw, mdps):
    """Draw an MDP of at least two states, and heights of its states that are not all the same."""
    mdp = draw(mdps.filter(lambda mdp: mdp.n_states > 1))
    heights = tables((mdp.n_states,), st.integers(-3, 3).map(float))
    return mdp, draw(heights.filter(np.ptp))


@cases("mdps", {"deterministic": deterministic_mdps(), "stochastic": stochastic_mdps()})
@given(data=st.data())
def test_any_landscape_is_climbed_optimally_by_slow_value_iteration(mdps, data):
    mdp, v = data.draw(with_landscape(mdps))
    gamma = data.draw(st.sampled_from([0.0, 0.5, 0.9]))
    options = hsr.eigenoptions(mdp, 2, signs="both", vectors=v[:, None], discount=gamma)
    check_optimal(mdp, options[0], v, gamma)
    check_optimal(mdp, options[1], -v, gamma)


@given(data=st.data())
def test_in_a_deterministic_mdp_eigenoptions_always_stop(data):
    mdp, v = data.draw(with_landscape(deterministic_mdps()))
    options = hsr.eigenoptions(mdp, 1, vectors=v[:, None], discount=0.9)
    u = np.arange(mdp.n_states)
    for _ in range(mdp.n_states):
        u = np.where(options.termination[0][u] == 1.0, u, mdp.successors[u, options.policy[0][u]])
    assert options.termination[0][u].all()


def test_vectors_of_the_exact_map_give_the_default_options(mdp):
    """The random walk on four rooms is symmetric with ten distinct leading eigenvalues, so the
    vectors are the same.
    """
    M, default = hsr.successor_representation(mdp), hsr.eigenoptions(mdp, 8)
    for given_map in (M, M.toarray()):
        given = hsr.eigenoptions(mdp, 8, vectors=hsr.options.map_vectors(given_map, 8))
        assert_array_equal(given.termination, default.termination)
        assert_array_equal(given.policy, default.policy)


def test_map_vectors_are_orthonormal_eigenvectors_in_order(mdp):
    M = hsr.successor_representation(mdp).toarray()
    V = hsr.options.map_vectors(M, 9)
    values = [9.50993, 9.42416, 8.87821, 6.09509, 5.58023, 5.46855, 5.41473, 5.21313, 5.08284]
    assert_allclose(M @ V, V * values, atol=6e-6)  # the facts have five decimals
    assert_allclose(V.T @ V, np.eye(9), atol=1e-12)


def test_vectors_are_taken_as_they_are_and_their_length_does_not_matter(mdp):
    v = hsr.options.map_vectors(hsr.successor_representation(mdp), 1)
    turned = hsr.eigenoptions(mdp, 1, vectors=-3.7e6 * v)
    assert_array_equal(turned.policy[0], hsr.eigenoptions(mdp, 2, signs="both").policy[1])
    assert turned.names == ("v1",)


def test_on_a_map_in_parts_each_option_lives_on_one_part():
    text = "#########\n#...#...#\n#...#...#\n#...#..##\n#########"
    with pytest.warns(hsr.HSRWarning, match="2 parts"):
        layout = hsr.GridLayout.from_text(text)
    mdp = hsr.grid_mdp(layout, discount=0.9)
    with pytest.warns(hsr.HSRWarning, match=r"2 parts \(of 9, 8 states\)"):
        options = hsr.eigenoptions(mdp, 6)
    for option in options:
        allowed = np.flatnonzero(option.initiation)
        homes = [part for part in layout.parts if np.isin(allowed, part).any()]
        assert len(homes) == 1
        assert np.isin(allowed, homes[0]).all()
    # Both parts have slow modes.
    assert sum(options.initiation[:, layout.parts[0]].any(axis=1)) in (2, 3, 4)


def test_on_a_square_whose_modes_are_not_unique_options_are_reproducible_and_climb_a_mode():
    side = 9
    mdp = hsr.grid_mdp(hsr.GridLayout(np.zeros((side, side), dtype=bool)), discount=0.9)
    first, second = (hsr.eigenoptions(mdp, 6, signs="both") for _ in range(2))
    assert_array_equal(first.policy, second.policy)
    assert_array_equal(first.termination, second.termination)
    # The slowest space of a square is spanned by cos along the rows and along the columns: corners
    # and sides are its peaks.
    inside = np.pad(np.ones((side - 2, side - 2), dtype=bool), 1).ravel()
    assert not first.termination[:4, inside].any()


# Covering options


def test_covering_pairs_come_in_the_published_order_with_both_directions(layout, mdp):
    options = hsr.covering_options(mdp, 16)
    pairs = [(layout.state_at(*a), layout.state_at(*b)) for a, b in COVERING_PAIRS]
    expected = [way for pair in pairs for way in (pair, pair[::-1])]
    assert options.names == tuple(f"{source} to {target}" for source, target in expected)
    for o, (source, target) in enumerate(expected):
        assert np.flatnonzero(options.termination[o]).tolist() == [target]
        assert np.flatnonzero(options.initiation[o]).tolist() == [source]


def test_covering_options_everywhere_are_point_options_to_the_same_ends(layout, mdp):
    point = hsr.covering_options(mdp, 7)
    everywhere = hsr.covering_options(mdp, 7, initiation="everywhere")
    targets = [int(name.split(" to ")[1]) for name in point.names]
    assert_array_equal(point.policy, everywhere.policy)
    assert_array_equal(everywhere.initiation, everywhere.termination == 0.0)
    assert_array_equal(everywhere.policy, hsr.point_options(mdp, targets).policy)
    assert (everywhere.initiation.sum(axis=1) == layout.n_states - 1).all()


def test_the_first_covering_pair_of_a_corridor_is_its_ends():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * 31), discount=0.9)
    assert hsr.covering_options(mdp, 2).names == ("0 to 30", "30 to 0")


# Point and random options


@settings(max_examples=60)
@given(data=st.data())
def test_point_options_take_shortest_paths_and_stop_where_there_is_none(data):
    mdp = data.draw(deterministic_mdps(discounts=st.sampled_from([0.25, 0.9, 0.99])))
    target = data.draw(st.integers(0, mdp.n_states - 1))
    (option,) = hsr.point_options(mdp, [target])
    distance = np.full(mdp.n_states, np.inf)
    distance[target] = 0
    for _ in range(mdp.n_states):
        distance = np.minimum(distance, 1 + distance[mdp.successors].min(axis=1))
    assert_array_equal(option.termination == 1.0, (distance == 0) | np.isinf(distance))
    assert_array_equal(option.initiation, option.termination == 0.0)
    for s in np.flatnonzero(option.initiation):
        assert distance[mdp.successors[s, option.policy[s]]] == distance[s] - 1
        assert option.policy[s] == np.flatnonzero(distance[mdp.successors[s]] == distance[s] - 1)[0]


@given(data=st.data())
def test_point_options_in_a_random_world_reach_as_soon_as_any_policy_can(data):
    mdp = data.draw(mdps(discounts=st.sampled_from([0.25, 0.5, 0.9])))
    target = data.draw(st.integers(0, mdp.n_states - 1))
    options = hsr.point_options(mdp, [target])
    model = hsr.option_model(mdp, options, task=hsr.GoalTask(start=None, goal=target))
    reached = model.stopping(mdp.n_actions).toarray()[:, target]
    off = np.arange(mdp.n_states) != target
    best = np.zeros(mdp.n_states)
    for _ in range(2000):  # 0.9^2000 is nothing
        best = (mdp.toarray() @ np.where(off, mdp.discount * best, 1.0)).max(axis=1)
    assert_allclose(reached[off], (mdp.discount * best)[off], rtol=1e-9, atol=1e-12)


def test_random_options_have_different_targets_drawn_by_seed(mdp):
    options = hsr.random_options(mdp, 104, seed=3)
    assert_array_equal(options.termination.sum(axis=0), 1)
    assert_array_equal(options.termination.sum(axis=1), 1)
    some, again, own = (
        hsr.random_options(mdp, 5, seed=seed).names for seed in (3, 3, np.random.default_rng(3))
    )
    assert some == again == own
    assert len({hsr.random_options(mdp, 5, seed=seed).names for seed in range(20)}) == 20


# Sizes of maps


def test_mean_squared_row_norms_are_those_of_the_readings(mdp):
    """The readings say 7.8, 2.0 and 2.0; 0.06 is their rounding (the first is 7.75 to two
    decimals).
    """
    tasks, options = hsr.goal_tasks(mdp), hsr.eigenoptions(mdp, 8)
    maps = [(7.8, hsr.successor_representation(mdp)), (2.0, hsr.expected_sr(mdp, tasks))]
    maps += [
        (2.0, hsr.expected_hsr(mdp, options, tasks, ties=ties))
        for ties in ("uniform", "options", "primitives")
    ]
    for size, M in maps:
        assert (M.toarray() ** 2).sum(axis=1).mean() == pytest.approx(size, abs=0.06)


def test_counting_stops_twice_gives_the_numbers_of_the_readings_for_one_choice_of_signs(mdp):
    """Rows 10.5 to 10.9 and columns up to 1.73 times, for mu uniform over what is available."""
    options = hsr.eigenoptions(mdp, 8, signs="-+-+-+--")
    model = hsr.option_model(mdp, options)
    mu = hsr.uniform_policy(model)
    once = dense_hsr(mdp, options, mu)
    twice = hsr.hierarchical_sr(model, mu, stopping_state="counted_twice").toarray()
    assert_allclose(twice, dense_hsr(mdp, options, mu, twice=True), rtol=1e-10)
    assert twice.sum(axis=1).min() == pytest.approx(10.5, abs=0.05)
    assert twice.sum(axis=1).max() == pytest.approx(10.9, abs=0.05)
    grown = twice.sum(axis=0) / once.sum(axis=0)
    assert grown.max() == pytest.approx(1.73, abs=0.005)
    ends = options.termination.any(axis=0)
    assert grown[ends].min() > 1.2
    assert_allclose(grown[~ends], 1.0, rtol=1e-12)


@pytest.mark.parametrize("noise", [-4e-16, 0.0, 4e-16])
def test_rounding_does_not_decide_between_two_summits_of_the_same_height(noise):
    # up and right of the corner at the bottom left are equally high, and up comes first
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..\n.."))
    heights = np.array([1.0, 0.2, 0.1, 1.0 + noise])
    options = hsr.eigenoptions(mdp, 1, vectors=heights[:, None])
    assert options.termination[0].tolist() == [1, 0, 0, 1]
    assert options.policy[0, 2] == 0


def test_rounding_does_not_decide_between_two_ways_of_the_same_worth():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...\n...\n..."))
    row, column = np.divmod(np.arange(9), 3)
    heights = (row + column) / 4.0
    for noise in (-1e-12, 1e-12):
        tilted = heights + noise * row
        (option,) = hsr.eigenoptions(mdp, 1, vectors=tilted[:, None])
        assert option.policy[[0, 1, 3, 4]].tolist() == [1, 1, 1, 1]  # right comes before down


MAKERS = {
    "eigenoptions": lambda mdp: hsr.eigenoptions(mdp, 2),
    "covering_options": lambda mdp: hsr.covering_options(mdp, 2),
    "point_options": lambda mdp: hsr.point_options(mdp, [0]),
    "random_options": lambda mdp: hsr.random_options(mdp, 2, seed=0),
    "successor_options": lambda mdp: hsr.successor_options(mdp, 2),
    "betweenness_options": lambda mdp: hsr.betweenness_options(mdp, 2),
    "diffusion_options": lambda mdp: hsr.diffusion_options(mdp, 2),
}


@cases("make", MAKERS)
def test_options_of_an_mdp_with_one_action_give_a_warning_where_they_are_made(make):
    chain = hsr.from_transitions(list(pairwise("abcdabdcab")), discount=0.9)
    with pytest.warns(hsr.HSRWarning, match="the MDP has one action") as caught:
        make(chain)
    assert [warning.filename for warning in caught] == [__file__]
