"""NetworkX graphs as MDPs: nodes are states, and an action follows an edge."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_not_negative
from hsr.mdp.finite import FiniteMDP

_NAMED = 5  # how many nodes an error names


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
    nodes, degree, state, action, arrival = _read_edges(graph)
    dead = np.flatnonzero(degree == 0)
    if dead.size and not absorbing:
        named = ", ".join(short_repr(nodes[node]) for node in dead[:_NAMED])
        named += ", ..." if dead.size > _NAMED else ""
        raise InputError(
            f"no edge leads out of {dead.size} of {len(nodes)} nodes: {named}; "
            "remove them, or make them absorbing with absorbing=True"
        )
    n_actions = max(1, int(degree.max()))
    successors = np.tile(np.arange(len(nodes), dtype=np.int32)[:, None], n_actions)
    successors[state, action] = arrival
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
    nodes, degree, state, action, _ = _read_edges(graph)
    policy = np.zeros((len(nodes), max(1, int(degree.max()))))
    policy[state, action] = [
        sum(_weight_of(data, weight, (node, neighbour)) for data in parallel)
        for node, neighbours in graph.adjacency()
        for neighbour, parallel in _parallel(graph, neighbours)
    ]
    policy[degree == 0] = 1.0
    total = policy.sum(axis=1, keepdims=True)
    if not total.all():
        node = nodes[int(np.argmin(total))]
        raise InputError(
            f"the weights of all edges out of node {short_repr(node)} are 0; "
            "the walk needs one that is positive"
        )
    return policy / total


def _read_edges(graph: Any) -> tuple[list[Hashable], IntArray, IntArray, IntArray, IntArray]:
    """Return nodes, their out-degrees, and state, action and arrival of every edge by node.

    The k-th edge of a node is action k.
    """
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
    edges = [
        (state, action, number[neighbour])
        for state, (_, neighbours) in enumerate(graph.adjacency())
        for action, neighbour in enumerate(neighbours)
    ]
    state, action, arrival = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    return nodes, np.bincount(state, minlength=len(nodes)), state, action, arrival


def _parallel(graph: Any, neighbours: Any) -> Iterator[tuple[Hashable, Iterable[Any]]]:
    """Yield each neighbour of a node with the attributes of all edges that lead to it."""
    for neighbour, data in neighbours.items():
        yield neighbour, data.values() if graph.is_multigraph() else (data,)


def _weight_of(data: Any, weight: str | None, edge: tuple[Hashable, Hashable]) -> float:
    """Return the weight of one edge."""
    value = 1.0 if weight is None else data.get(weight)
    if value is None:
        raise InputError(
            f"edge {short_repr(edge)} has no {short_repr(weight)}; the weighted walk needs one "
            "on every edge"
        )
    return check_not_negative(value, f"{short_repr(weight)} of edge {short_repr(edge)}")
