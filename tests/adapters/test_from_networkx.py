"""Graphs as MDPs: edges in the graph's own order, and NetworkX's own random walk."""

import re
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import hsr
from tests.cases import raises


def communities():
    """Three communities of five nodes, each with four edges: two doors per community, not joined to
    each other.
    """
    graph = nx.Graph()
    for c in range(3):
        inside = [(c, i) for i in range(5)]
        graph.add_edges_from(pair for pair in combinations(inside, 2) if pair != ((c, 0), (c, 4)))
    graph.add_edges_from([((c, 4), ((c + 1) % 3, 0)) for c in range(3)])
    return graph


def towers(n_disks):
    """The states of the Tower of Hanoi (peg of each disk, smallest first) and its legal moves."""
    graph = nx.Graph()
    graph.add_nodes_from(np.ndindex(*[3] * n_disks))
    for state in list(graph):
        for disk, peg in enumerate(state):
            for other in {0, 1, 2} - {peg}:
                if peg not in state[:disk] and other not in state[:disk]:
                    graph.add_edge(state, (*state[:disk], other, *state[disk + 1 :]))
    return graph


def weighted(graph):
    rng = np.random.default_rng(1)
    for *_, data in graph.edges(data=True):
        data["weight"] = float(rng.integers(1, 10))
    return graph


GRAPHS = {
    "communities": communities,
    "towers": lambda: towers(3),
    "karate club": nx.karate_club_graph,
    "directed": lambda: nx.gn_graph(12, seed=3).to_undirected().to_directed(),
    "one way": lambda: nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 1), (0, 3), (3, 3), (3, 0)]),
    "self-loops": lambda: nx.Graph(["ab", "bc", "cc", "cd", "da", "ac"]),
    "parallel edges": lambda: nx.MultiGraph(["ab", "ab", "bc", "ca", "ab", "cc"]),
    "parallel one way": lambda: nx.MultiDiGraph(["ab", "ab", "ba", "ac", "cb"]),
}


@pytest.fixture(params=GRAPHS.values(), ids=GRAPHS)
def graph(request):
    return request.param()


def test_each_action_takes_one_edge_in_the_graphs_order_and_spare_ones_stay(graph):
    mdp = hsr.from_networkx(graph, discount=0.7)
    assert (mdp.discount, mdp.is_deterministic, mdp.labels) == (0.7, True, tuple(graph.nodes))
    assert mdp.n_actions == max(len(graph.adj[node]) for node in graph)
    for node in graph:
        led = [mdp.labels[t] for t in mdp.successors[mdp.state_of(node)]]
        ways = list(graph.adj[node])
        assert led == ways + [node] * (mdp.n_actions - len(ways))


@pytest.mark.parametrize("weight", [None, "weight"])
def test_the_walk_policy_is_the_walk_of_networkx(graph, weight):
    """PageRank that never jumps walks on the graph."""
    mdp, policy = hsr.from_networkx(graph), hsr.adapters.walk_policy(weighted(graph), weight)
    expected = np.asarray(nx.google_matrix(graph, alpha=1.0, nodelist=list(graph), weight=weight))
    walk = hsr.MarkovChain.from_policy(mdp, policy).matrix.toarray()
    np.testing.assert_allclose(walk, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", ["communities", "towers", "karate club"])
def test_the_uniform_policy_is_the_laplacians_walk(name):
    graph = GRAPHS[name]()
    mdp = hsr.from_networkx(graph)
    laplacian = nx.laplacian_matrix(graph, nodelist=list(graph), weight=None).toarray()
    walk = hsr.MarkovChain.from_policy(mdp).matrix.toarray()
    expected = np.eye(mdp.n_states) - laplacian / mdp.n_actions
    np.testing.assert_allclose(walk, expected, rtol=0, atol=1e-14)


def test_the_map_of_a_complete_graph_has_its_closed_form():
    n, gamma = 6, 0.8
    graph = nx.complete_graph(n)
    M = hsr.successor_representation(
        hsr.from_networkx(graph, gamma), hsr.adapters.walk_policy(graph)
    ).toarray()
    # (I - g (J - I) / (n - 1))^-1 = (I + g J / ((n - 1) (1 - g))) (n - 1) / (n - 1 + g)
    scale = (n - 1) / (n - 1 + gamma)
    expected = scale * (np.eye(n) + gamma / ((n - 1) * (1 - gamma)))
    np.testing.assert_allclose(M, expected, rtol=1e-13)


def test_dead_ends_are_named_and_absorbing_only_on_purpose():
    graph, nowhere = nx.DiGraph([("a", "b"), ("a", "c"), ("b", "a")]), nx.empty_graph(7)
    with raises(re.escape("no edge leads out of 1 of 3 nodes: 'c'; remove them, or make")):
        hsr.from_networkx(graph)
    with raises(re.escape("out of 7 of 7 nodes: 0, 1, 2, 3, 4, ...;")):
        hsr.from_networkx(nowhere)
    mdp = hsr.from_networkx(graph, absorbing=True)
    assert mdp.successors.tolist() == [[1, 2], [0, 1], [2, 2]]
    assert hsr.adapters.walk_policy(graph).tolist() == [[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]]
    assert hsr.from_networkx(nowhere, absorbing=True).successors.ravel().tolist() == [*range(7)]
    assert hsr.adapters.walk_policy(nowhere).tolist() == [[1.0]] * 7


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf"), "3", None, False])
def test_bad_weights_are_refused_with_their_edge(bad):
    graph = nx.path_graph(3)
    graph.edges[0, 1]["w"] = 1
    if bad is not False:  # otherwise there is none
        graph.edges[1, 2]["w"] = bad
    with raises(re.escape("edge (1, 2)")):
        hsr.adapters.walk_policy(graph, "w")


def test_a_weight_of_zero_is_an_edge_that_is_not_taken():
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, {(0, 1): np.float32(2.0), (1, 2): 0}, "w")
    with raises("all edges out of node 2 are 0"):
        hsr.adapters.walk_policy(graph, "w")
    graph.add_edge(2, 0, w=1)
    assert hsr.adapters.walk_policy(graph, "w")[1].tolist() == [1.0, 0.0]
