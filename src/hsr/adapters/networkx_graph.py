"""Graphs of NetworkX as worlds: nodes are states, and an action takes one of the edges that lead
out of a node.

Nodes have different numbers of edges, an MDP has the same actions everywhere. Action k takes the
k-th edge of a node, in the graph's own order; where a node has fewer edges, the actions that are
left over stay put, as a move into a wall does on a map. So every action is certain, which keeps the
exact algorithms fast. The price is that `uniform_policy` is not the random walk on the graph,
unless all nodes have the same number of edges:

    uniform_policy :  I - L / A,   L the graph's Laplacian (out of each node), A the largest number of edges
    walk_policy    :  D^-1 W,      W the weights, D their sums: the random walk on the graph

The first waits in nodes with few edges and visits all nodes of an undirected graph equally often in
the long run; it is the walk of eigenoptions. The second never waits and visits nodes in proportion
to their edges.
"""

from collections.abc import Hashable
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr._base.validation import check_not_negative
from hsr.mdp.finite import FiniteMDP

_NAMED = 5  # how many nodes an error names
_LARGEST = float(np.finfo(np.float64).max)


def from_networkx(graph: Any, discount: float = 0.9, *, absorbing: bool = False) -> FiniteMDP:
    """Return the MDP of walking on a graph.

    Nodes are states in the graph's order, and their names are the states' labels. Action k takes
    the k-th edge out of a node (`graph.adj[node]`), or stays put where the node has no k-th edge.
    Edges of a directed graph lead one way. A self-loop is an edge. Parallel edges of a multigraph
    are one action, because they lead to the same place.

    Parameters
    ----------
    graph : networkx Graph, DiGraph, MultiGraph or MultiDiGraph
    discount : float in [0, 1)
    absorbing : bool
        Whether there may be nodes without a way out. Every action stays in them for ever.

    Raises
    ------
    InputError
        No graph, no nodes, or nodes without a way out that were not asked for; they are named.

    See Also
    --------
    walk_policy : the random walk on the graph, weighted or not.

    Examples
    --------
    >>> import hsr, networkx
    >>> graph = networkx.path_graph(["nest", "fork", "food"])
    >>> mdp = hsr.from_networkx(graph, discount=0.5)
    >>> mdp
    FiniteMDP(n_states=3, n_actions=2, discount=0.5, deterministic)
    >>> [mdp.labels[t] for t in mdp.successors[mdp.state_of("fork")]]
    ['nest', 'food']
    >>> hsr.successor_representation(mdp, hsr.walk_policy(graph)).rows(mdp.state_of("nest")).round(3)
    array([1.167, 0.667, 0.167])
    """
    nodes, degree, arrival = _read_edges(graph)
    if not absorbing and not degree.all():
        dead = np.flatnonzero(degree == 0)
        named = ", ".join(f"{nodes[node]!r:.80}" for node in dead[:_NAMED]) + (
            ", ..." if dead.size > _NAMED else ""
        )
        raise InputError(
            f"no edge leads out of {dead.size} of {len(nodes)} nodes: {named}; remove them, or make them absorbing with "
            "absorbing=True"
        )
    successors = np.repeat(
        np.arange(len(nodes), dtype=np.int32)[:, None], _most_edges(degree), axis=1
    )
    successors[_places(degree)] = arrival
    return FiniteMDP.from_successors(successors, discount, labels=nodes)


def walk_policy(graph: Any, weight: str | None = None) -> FloatArray:
    """Return the random walk on a graph as a policy of `from_networkx(graph)`, of shape (S, A).

    Each step takes one of the edges out of the node, all alike or in proportion to their weights.
    Parallel edges of a multigraph count each, and an undirected self-loop counts once, as in
    NetworkX's adjacency matrix. Where no edge leads out, all actions are alike, and all stay.

    Parameters
    ----------
    graph : networkx Graph, DiGraph, MultiGraph or MultiDiGraph
    weight : str, optional
        The edges' attribute that holds their weights: numbers, finite and not negative. All edges
        are alike by default.

    Raises
    ------
    InputError
        No graph, an edge without its weight, a weight that is no such number, or a node whose
        weights are all zero.

    Examples
    --------
    >>> import hsr, networkx
    >>> graph = networkx.Graph()
    >>> graph.add_weighted_edges_from([("a", "b", 3.0), ("b", "c", 1.0)])
    >>> hsr.walk_policy(graph)
    array([[1. , 0. ],
           [0.5, 0.5],
           [1. , 0. ]])
    >>> hsr.walk_policy(graph, weight="weight")[1]
    array([0.75, 0.25])
    """
    nodes, degree, _ = _read_edges(graph)
    policy = np.zeros((len(nodes), _most_edges(degree)))
    policy[_places(degree)] = _read_weights(graph, weight)
    policy[degree == 0] = 1.0
    total = policy.sum(axis=1, keepdims=True)
    if not total.all():
        node = nodes[int(np.argmin(total))]
        raise InputError(
            f"the weights of all edges out of node {node!r:.80} are 0; the walk needs one that is positive"
        )
    return policy / total


def _read_edges(graph: Any) -> tuple[list[Hashable], IntArray, IntArray]:
    """Return (nodes, number of edges out of each, arrivals of all edges in the order of nodes)."""
    if not all(
        callable(getattr(graph, name, None))
        for name in ("adjacency", "is_directed", "is_multigraph")
    ):
        raise InputError(
            f"graph is of type {type(graph).__name__}; it must be a networkx graph (networkx.Graph(edges) makes one from a "
            "list of edges)"
        )
    nodes = list(graph)
    if not nodes:
        raise InputError("graph has no nodes; there must be at least one")
    number = {node: state for state, node in enumerate(nodes)}
    degree = np.array([len(neighbours) for _, neighbours in graph.adjacency()], dtype=np.int64)
    arrival = [number[neighbour] for _, neighbours in graph.adjacency() for neighbour in neighbours]
    return nodes, degree, np.array(arrival, dtype=np.int64)


def _most_edges(degree: IntArray) -> int:
    n_actions = max(1, int(degree.max()))
    check_fits(
        32 * degree.size * n_actions,
        f"a table of {degree.size} states and {n_actions} actions, as many as a node has edges",
        "for the walk alone, hsr.FiniteMDP([P], discount) takes its (S, S) matrix as one action",
    )
    return n_actions


def _places(degree: IntArray) -> tuple[IntArray, IntArray]:
    """Return (state, action) of every edge: the k-th edge of a node is action k."""
    state = np.repeat(np.arange(degree.size), degree)
    return state, np.arange(state.size) - np.repeat(np.cumsum(degree) - degree, degree)


def _read_weights(graph: Any, weight: str | None) -> FloatArray:
    """Return the weight of every edge in the order of nodes; parallel edges add up."""
    many = graph.is_multigraph()
    read = []
    for node, neighbours in graph.adjacency():
        for neighbour, data in neighbours.items():
            parallel = data.values() if many else (data,)
            read.append(sum(_weight_of(one, weight, (node, neighbour)) for one in parallel))
    return np.array(read, dtype=np.float64)


def _weight_of(data: Any, weight: str | None, edge: tuple[Hashable, Hashable]) -> float:
    value = 1.0 if weight is None else data.get(weight)
    if type(value) in (int, float) and 0.0 <= value <= _LARGEST:
        return float(value)
    if value is None:
        raise InputError(
            f"edge {edge!r:.80} has no {weight!r}; the weighted walk needs one on every edge"
        )
    return check_not_negative(value, f"{weight!r} of edge {edge!r:.80}")
