"""Options to landmarks: states that stand out in the graph of states or in a predictive map."""

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_count, check_discount
from hsr.kernels.graph import betweenness
from hsr.mdp.chain import MarkovChain
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.options.option_set import OptionSet
from hsr.options.points import graph_of, options_to, warn_of_one_action

_LONGEST_TIME = 100_000  # each step costs a product with the walk; 10^9 would take days
_BLOCK = 512  # rows of the diffused walk that are held in memory at once
_STARTS = 4  # k-means keeps the best of so many
_SAME = 1e-9  # scores this close, relative to the largest, are equal


def successor_options(
    mdp: FiniteMDP, n_options: int = 8, *, seed: Seed = 0, discount: float | None = None
) -> OptionSet:
    """Return successor options, which go to landmarks of the successor representation [ramesh2019].

    States whose futures are alike have similar rows of the SR. k-means groups the rows of the SR of
    the random walk. The landmark of a group is the state whose row is nearest to its centre.
    Landmarks therefore lie in the middle of regions, where eigenoptions and covering options go to
    the ends.

    An option takes a shortest path to its landmark. In the published form it climbs the landmark's
    row of the SR, which leads to the same state.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. Its walk takes every action with the same probability.
    n_options : int
        Number of options, at most the number of states.
    seed : int or numpy.random.Generator
        Draws where k-means starts. The best of four starts is kept.
    discount : float in [0, 0.99999], optional
        Discount of the SR. The MDP's by default.

    Returns
    -------
    OptionSet
        Named by landmark, "to 12", "to 40", ..., in the order of the states.

    Raises
    ------
    InputError
        If there are fewer states than options.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> options = hsr.successor_options(hsr.grid_mdp(layout, discount=0.95), n_options=4)
    >>> [layout.cell_of(s) for s in options.termination.argmax(axis=1)]
    [(3, 3), (3, 9), (9, 3), (9, 9)]
    """
    n_options = _check_targets(mdp, n_options)
    gamma = mdp.discount if discount is None else check_discount(discount)
    rows = MarkovChain.from_policy(mdp).occupancy(gamma).toarray()
    warn_of_one_action(mdp)
    return options_to(mdp, medoids(rows, n_options, seed))


def betweenness_options(mdp: FiniteMDP, n_options: int = 8) -> OptionSet:
    """Return options to the local maxima of betweenness [simsek2009].

    The betweenness of a state is the sum, over ordered pairs of other states, of the fraction of
    shortest paths between them that pass it. It is large at doors and junctions. A local maximum is
    a state that none of its neighbours exceeds. A cell next to a door exceeds the door itself,
    because paths to its other neighbours pass it too.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. An edge leads from one state to another if some action may.
    n_options : int
        Number of options, at most the number of states. Local maxima come first, by falling
        betweenness. If there are too few, the highest of the other states follow.

    Returns
    -------
    OptionSet
        Named by target, "to 12", "to 40", ...

    Raises
    ------
    InputError
        If there are fewer states than options.

    Examples
    --------
    The cells on both sides of two doors of the four rooms:

    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> options = hsr.betweenness_options(hsr.grid_mdp(layout), n_options=4)
    >>> [layout.cell_of(s) for s in options.termination.argmax(axis=1)]
    [(3, 7), (3, 5), (6, 9), (8, 9)]
    """
    n_options = _check_targets(mdp, n_options)
    warn_of_one_action(mdp)
    graph = graph_of(mdp)
    return options_to(mdp, peaks(betweenness_of(graph), graph, n_options))


def diffusion_options(mdp: FiniteMDP, n_options: int = 8, *, diffusion_time: int = 16) -> OptionSet:
    """Return diffusion options, which go to where diffusion is slowest [bar2020].

    A lazy walk W = (I + D^-1 A) / 2 on the graph of states, in which edges count in both
    directions, comes to rest in its stationary distribution p. After t steps from s its squared
    diffusion distance from rest [coifman2006] is

        f(s) = sum_x (W^t(s, x) - p(x))^2 / p(x) = sum_{k > 1} w_k^(2t) v_k(s)^2

    with the eigenvalues w_k of W and its eigenvectors v_k, which are orthonormal under p. Options
    go to the local maxima of f, the states from which diffusion takes longest. f combines all slow
    modes, each of which an eigenoption climbs alone.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. States are neighbours if some action may lead from one to the other.
    n_options : int
        Number of options, at most the number of states. Local maxima come first, by falling f. If
        there are too few, the highest of the other states follow.
    diffusion_time : int
        The time t, at most 100,000. With a short time every corner and dead end is a local maximum.
        The longer it is, the fewer modes count.

    Returns
    -------
    OptionSet
        Named by target, "to 12", "to 40", ...

    Raises
    ------
    InputError
        If there are fewer states than options.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> options = hsr.diffusion_options(hsr.grid_mdp(layout), n_options=4)
    >>> [layout.cell_of(s) for s in options.termination.argmax(axis=1)]
    [(11, 11), (1, 1), (11, 1), (1, 11)]
    """
    n_options = _check_targets(mdp, n_options)
    time = check_count(diffusion_time, "diffusion_time", most=_LONGEST_TIME)
    warn_of_one_action(mdp)
    graph = graph_of(mdp)
    return options_to(mdp, peaks(diffusion_of(graph, time), graph, n_options))


def _check_targets(mdp: FiniteMDP, n_options: int) -> int:
    """Return the number of options. Raise `InputError` if there are fewer states than options."""
    check_mdp(mdp)
    n_options = check_count(n_options, "n_options")
    if n_options > mdp.n_states:
        raise InputError(
            f"n_options is {n_options}; there are only {mdp.n_states} different targets"
        )
    return n_options


def betweenness_of(graph: sparse.csr_array) -> FloatArray:
    """Return the betweenness of each state, of shape (S,)."""
    return np.asarray(betweenness(graph.indptr.astype(np.int64), graph.indices.astype(np.int32)))


def diffusion_of(graph: sparse.csr_array, time: int) -> FloatArray:
    """Return how far from rest each state is after `time` steps of diffusion, of shape (S,).

    The walk is lazy and takes every edge in both directions, W = (I + D^-1 A) / 2. With its
    stationary distribution p in the part of the graph that holds s,

        f(s) = sum_x (W^t(s, x) - p(x))^2 / p(x) = sum_x W^t(s, x)^2 / p(x) - 1.

    This is the squared diffusion distance between s and rest [coifman2006].
    """
    n = graph.shape[0]
    edges = ((graph + graph.T) > 0).astype(np.float64)
    degree = edges @ np.ones(n)
    alone = degree == 0.0
    walk = (
        sparse.diags_array(0.5 / np.where(alone, 1.0, degree)) @ edges
        + sparse.diags_array(np.where(alone, 1.0, 0.5))
    ).tocsr()
    n_parts, part = sparse.csgraph.connected_components(edges, directed=False)
    weight = np.where(alone, 1.0, degree)
    inverse = np.bincount(part, weight, minlength=n_parts)[part] / weight
    height = np.empty(n)
    for first in range(0, n, _BLOCK):
        rows = sparse.eye_array(n, format="csr")[first : first + _BLOCK]
        for _ in range(time):
            rows = rows @ walk
        height[first : first + _BLOCK] = rows.power(2) @ inverse - 1.0
    return np.maximum(height, 0.0)


def peaks(height: FloatArray, graph: sparse.csr_array, n_peaks: int) -> list[int]:
    """Return so many states by falling height, those that no neighbour exceeds first.

    Of two neighbours that are equally high, only the first counts as a peak. If there are too few
    peaks, the highest of the other states follow.
    """
    largest = max(float(height.max()), np.finfo(float).tiny)
    level = np.round(height / largest / _SAME)
    neighbours = (graph + graph.T).tocsr()
    neighbours.data = level[neighbours.indices]
    is_peak = level >= neighbours.max(axis=1).toarray()
    order = np.argsort(-level, kind="stable")
    chosen: dict[int, None] = {}
    hidden = np.zeros(height.size, dtype=bool)
    for s in order[is_peak[order]].tolist():
        if not hidden[s]:
            chosen[s] = None
            hidden[neighbours.indices[neighbours.indptr[s] : neighbours.indptr[s + 1]]] = True
    chosen.update(dict.fromkeys(order.tolist()))
    return list(chosen)[:n_peaks]


def medoids(rows: FloatArray, n_groups: int, seed: Seed) -> list[int]:
    """Return the row nearest to the centre of each group that k-means finds, in their order.

    Parameters
    ----------
    rows : array of shape (N, D)
        What is grouped. There must be at least `n_groups` different rows.
    n_groups : int
        Number of groups.
    seed : int or numpy.random.Generator
        Draws where k-means starts.
    """
    from sklearn.cluster import KMeans  # it takes longer to import than all of hsr

    drawn = int(generator_from(seed).integers(2**31))
    with threadpool_limits(limits=1):  # also OpenMP, which adds in any order
        groups = KMeans(n_groups, n_init=_STARTS, random_state=drawn).fit(rows)
        distance = groups.transform(rows)
    members: IntArray = groups.labels_
    scale = _SAME * max(float(distance.max()), 1.0)
    chosen = []
    for k in range(n_groups):
        own = np.flatnonzero(members == k)
        chosen.append(int(own[np.argmax(distance[own, k] <= distance[own, k].min() + scale)]))
    return sorted(chosen)
