"""Options to landmarks: successor, betweenness and diffusion options."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.options.landmarks import betweenness_of, diffusion_of, medoids, peaks
from hsr.options.points import graph_of
from tests.cases import cases, raises
from tests.oracles.random_mdps import deterministic_mdps, stochastic_mdps

KINDS = {
    "successor": hsr.successor_options,
    "betweenness": hsr.betweenness_options,
    "diffusion": hsr.diffusion_options,
}


def maze():
    return hsr.grid_mdp(hsr.random_maze(15, seed=3), discount=0.95)


def parts():
    return hsr.FiniteMDP.from_successors([[0, 1], [0, 2], [1, 2], [4, 4], [3, 3], [5, 5]], 0.9)


def corridor(n):
    return hsr.grid_mdp(hsr.GridLayout.from_text("." * n), discount=0.9)


def targets_of(options):
    assert (options.termination.sum(axis=1) == 1).all()
    return options.termination.argmax(axis=1).tolist()


@cases("make", KINDS)
def test_they_are_point_options_to_different_states(make):
    mdp = maze()
    options = make(mdp, 6)
    targets = targets_of(options)
    direct = hsr.point_options(mdp, targets)
    assert len(set(targets)) == 6
    assert options.names == direct.names
    assert_array_equal(options.policy, direct.policy)
    assert_array_equal(options.initiation, direct.initiation)


@cases("make", KINDS)
def test_an_mdp_can_have_as_many_options_as_states_and_no_more(make):
    assert sorted(targets_of(make(corridor(5), 5))) == [0, 1, 2, 3, 4]
    with raises("n_options is 6; there are only 5 different targets"):
        make(corridor(5), 6)


def test_diffusion_takes_a_limited_time():
    with raises("diffusion_time is 1000000000; it must be an integer of at most 100000"):
        hsr.diffusion_options(corridor(5), 2, diffusion_time=10**9)


@settings(max_examples=25)
@given(data=st.data())
def test_betweenness_is_that_of_networkx(data):
    mdp = data.draw(st.one_of(deterministic_mdps(), stochastic_mdps()))
    graph = nx.DiGraph(
        np.asarray(sum(mdp.transition_of(a) for a in range(mdp.n_actions)).todense())
    )
    expected = nx.betweenness_centrality(graph, normalized=False)
    found = betweenness_of(graph_of(mdp))
    assert_allclose(found, [expected[s] for s in range(mdp.n_states)], rtol=1e-11, atol=1e-11)


def test_the_middle_of_a_corridor_has_the_largest_betweenness():
    # Cell k of n lies between k cells on one side and n - 1 - k on the other: 2 k (n - 1 - k).
    n = 9
    assert_array_equal(betweenness_of(graph_of(corridor(n))), [2 * k * (8 - k) for k in range(n)])
    assert targets_of(hsr.betweenness_options(corridor(n), 3)) == [4, 3, 5]


@pytest.mark.parametrize("time", [1, 5, 40])
@cases("make", {"maze": maze, "rooms": lambda: hsr.grid_mdp("four_rooms"), "parts": parts})
def test_diffusion_is_the_sum_over_all_modes_but_the_first_of_each_part(make, time):
    graph = graph_of(make())
    A = graph.toarray()
    found = diffusion_of(graph, time)
    for part in nx.connected_components(nx.Graph(A)):
        own = np.array(sorted(part))
        if own.size == 1:
            assert found[own[0]] == 0.0
            continue
        d = A[np.ix_(own, own)].sum(axis=1)
        symmetric = np.eye(own.size) + A[np.ix_(own, own)] / np.sqrt(np.outer(d, d))
        w, u = np.linalg.eigh(symmetric / 2)
        v = u / np.sqrt(d / d.sum())[:, None]
        expected = (w[:-1] ** (2 * time) * v[:, :-1] ** 2).sum(axis=1)
        assert_allclose(found[own], expected, rtol=1e-9, atol=1e-10)


def test_diffusion_options_of_a_corridor_go_to_its_ends():
    assert sorted(targets_of(hsr.diffusion_options(corridor(21), 2))) == [0, 20]


@settings(max_examples=40)
@given(
    edges=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=25),
    height=st.lists(st.integers(0, 4), min_size=9, max_size=9),
)
def test_peaks_are_those_of_a_slow_search(edges, height):
    layout = nx.Graph()
    layout.add_nodes_from(range(9))
    layout.add_edges_from((a, b) for a, b in edges if a != b)
    by_height = sorted(range(9), key=lambda s: (-height[s], s))
    expected = []
    for s in by_height:
        around = list(layout[s])
        if all(height[x] <= height[s] for x in around) and not set(around) & set(expected):
            expected.append(s)
    expected += [s for s in by_height if s not in expected]
    graph = nx.to_scipy_sparse_array(layout, format="csr", dtype=float)
    assert peaks(np.array(height, dtype=float), graph, 7) == expected[:7]


def test_landmarks_are_the_rows_nearest_to_the_centres_of_groups():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    group = rng.integers(3, size=60)
    rows = centres[group] + rng.normal(size=(60, 2))
    expected = []
    for k in range(3):
        own = np.flatnonzero(group == k)
        middle = rows[own].mean(axis=0)
        expected.append(int(own[np.linalg.norm(rows[own] - middle, axis=1).argmin()]))
    assert medoids(rows, 3, 0) == sorted(expected)


def test_four_successor_options_are_one_in_each_of_four_rooms():
    layout = hsr.load_layout("four_rooms")
    options = hsr.successor_options(hsr.grid_mdp(layout, discount=0.95), 4)
    assert sorted(layout.room_of[targets_of(options)].tolist()) == [0, 1, 2, 3]


def test_landmarks_of_successor_options_follow_the_given_discount():
    near, far = (hsr.grid_mdp("four_rooms", discount=g) for g in (0.5, 0.99))
    direct = targets_of(hsr.successor_options(far, 6, seed=2))
    assert targets_of(hsr.successor_options(near, 6, seed=2, discount=0.99)) == direct
    assert targets_of(hsr.successor_options(near, 6, seed=2)) != direct


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_kinds_by_name(kind):
    mdp = maze()
    assert hsr.make_options(mdp, kind, 3).names == KINDS[kind](mdp, 3).names
    spec = hsr.agents.OptionSpec("diffusion", n_options=3, diffusion_time=2)
    assert spec.build(mdp).names == hsr.diffusion_options(mdp, 3, diffusion_time=2).names
