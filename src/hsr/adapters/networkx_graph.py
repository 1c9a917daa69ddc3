"""NetworkX graphs as MDPs: nodes are states, and an action follows an edge."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.memory import check_fits
from hsr._base.validation import check_not_negative
from hsr.mdp.finite import FiniteMDP

_NAMED = 5  # how many nodes an error names
_LARGEST = float(np.finfo(np.float64).max)


def from_networkx(graph: Any, discount: float = 0.9, *, absorbing: bool = False) -> FiniteMDP:
    """Return the MDP of walking on a graph.

    Nodes are states in the order of the graph, and their names are the labels of the states. Action
    k follows the k-th edge out of a node (``graph.adj[node]``). If a node has fewer edges, the
    remaining actions stay in the node, like a move into a wall. Every action is deterministic,
    which keeps the exact algorithms fast. Edges of a directed graph lead one way. A self-loop is an
    edge. Parallel edges of a multigraph are one action, because they lead to the same node.

    Parameters
    ----------
    graph : networkx Graph, DiGraph, MultiGraph or MultiDiGraph
        The graph. Edge attributes are ignored.
    discount : float in [0, 0.99999]
        Discount per step.
    absorbing : bool
        Whether nodes without outgoing edges are allowed. Every action stays in them.

    Returns
    -------
    FiniteMDP
        A deterministic MDP with as many actions as the largest out-degree A.

    Raises
    ------
    InputError
        If `graph` is not a graph, has no nodes, or has nodes without outgoing edges while
        `absorbing` is false. The nodes are named.

    Notes
    -----
    `uniform_policy` is not the random walk on the graph, unless all nodes have the same number of
    edges. Let L be the Laplacian of outgoing edges, W the weights and D = diag(W 1).

    - `uniform_policy` gives the chain I - L / A. It waits in nodes with few edges and visits all
      nodes of an undirected graph equally often in the long run. Eigenoptions use this walk.
    - `walk_policy` gives the chain D^-1 W, the random walk on the graph. It never waits and visits
      nodes in proportion to their degree.

    See Also
    --------
    hsr.adapters.walk_policy : the random walk on the graph, weighted or not.

    Examples
    --------
    >>> import hsr, networkx
    >>> graph = networkx.path_graph(["nest", "fork", "food"])
    >>> mdp = hsr.from_networkx(graph, discount=0.5)
    >>> mdp
    FiniteMDP(n_states=3, n_actions=2, discount=0.5, deterministic)
    >>> [mdp.labels[t] for t in mdp.successors[mdp.state_of("fork")]]
    ['nest', 'food']
    >>> M = hsr.successor_representation(mdp, hsr.adapters.walk_policy(graph))
    >>> M.rows(mdp.state_of("nest")).round(3)
    array([1.167, 0.667, 0.167])
    """
    nodes, degree, arrival = _read_edges(graph)
    if not absorbing and not degree.all():
        dead = np.flatnonzero(degree == 0)
        named = ", ".join(f"{short_repr(nodes[node])}" for node in dead[:_NAMED]) + (
            ", ..." if dead.size > _NAMED else ""
        )
        raise InputError(
            f"no edge leads out of {dead.size} of {len(nodes)} nodes: {named}; "
            "remove them, or make them absorbing with absorbing=True"
        )
    successors = np.repeat(
        np.arange(len(nodes), dtype=np.int32)[:, None], _most_edges(degree), axis=1
    )
    successors[_places(degree)] = arrival
    return FiniteMDP.from_successors(successors, discount, labels=nodes)


def walk_policy(graph: Any, weight: str | None = None) -> FloatArray:
    """Return the random walk on a graph as a policy for `from_networkx(graph)`.

    Each step follows one of the edges out of the node, uniformly or in proportion to their weights.
    Parallel edges of a multigraph each count, and an undirected self-loop counts once, as in the
    adjacency matrix of NetworkX. In a node without outgoing edges all actions are equally likely,
    and all of them stay.

    Parameters
    ----------
    graph : networkx Graph, DiGraph, MultiGraph or MultiDiGraph
        The graph.
    weight : str, optional
        The edge attribute that holds the weights, which must be finite and not negative. All edges
        have the same weight by default.

    Returns
    -------
    float array of shape (S, A)
        Probability of each action in each state.

    Raises
    ------
    InputError
        If `graph` is not a graph, an edge has no valid weight, or all weights of a node are zero.

    Examples
    --------
    >>> import hsr, networkx
    >>> graph = networkx.Graph()
    >>> graph.add_weighted_edges_from([("a", "b", 3.0), ("b", "c", 1.0)])
    >>> hsr.adapters.walk_policy(graph)
    array([[1. , 0. ],
           [0.5, 0.5],
           [1. , 0. ]])
    >>> hsr.adapters.walk_policy(graph, weight="weight")[1]
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
            f"the weights of all edges out of node {short_repr(node)} are 0; "
            "the walk needs one that is positive"
        )
    return policy / total


def _read_edges(graph: Any) -> tuple[list[Hashable], IntArray, IntArray]:
    """Return (nodes, number of edges out of each node, arrivals of all edges by node)."""
    if not all(
        callable(getattr(graph, name, None))
        for name in ("adjacency", "is_directed", "is_multigraph")
    ):
        raise InputError(
            f"graph is of type {type(graph).__name__}; it must be a networkx graph "
            "(networkx.Graph(edges) makes one from a list of edges)"
        )
    nodes = list(graph)
    if not nodes:
        raise InputError("graph has no nodes; there must be at least one")
    number = {node: state for state, node in enumerate(nodes)}
    degree = np.array([len(neighbours) for _, neighbours in graph.adjacency()], dtype=np.int64)
    arrival = [number[neighbour] for _, neighbours in graph.adjacency() for neighbour in neighbours]
    return nodes, degree, np.array(arrival, dtype=np.int64)


def _most_edges(degree: IntArray) -> int:
    """Return the number of actions: the largest out-degree. Check that the table fits."""
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
    """Return the weight of every edge by node. Parallel edges add up."""
    many = graph.is_multigraph()
    read = []
    for node, neighbours in graph.adjacency():
        for neighbour, data in neighbours.items():
            parallel = data.values() if many else (data,)
            read.append(sum(_weight_of(one, weight, (node, neighbour)) for one in parallel))
    return np.array(read, dtype=np.float64)


def _weight_of(data: Any, weight: str | None, edge: tuple[Hashable, Hashable]) -> float:
    """Return the weight of one edge."""
    value = 1.0 if weight is None else data.get(weight)
    if type(value) in (int, float) and 0.0 <= value <= _LARGEST:
        return float(value)
    if value is None:
        raise InputError(
            f"edge {short_repr(edge)} has no {short_repr(weight)}; the weighted walk needs one "
            "on every edge"
        )
    return check_not_negative(value, f"{short_repr(weight)} of edge {short_repr(edge)}")
