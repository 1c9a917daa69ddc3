"""How options are found in what an agent knows; each function returns options over visited states.

A function may return fewer options than it is asked for, where too little was seen.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray
from hsr.agents.discovery.experience import Experience
from hsr.mdp.chain import MarkovChain
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.spectrum import leading_vectors
from hsr.options.eigen import STOP_TOLERANCE, eigenoptions, map_vectors
from hsr.options.graph_scores import betweenness_of, diffusion_of, graph_of, medoids, peaks
from hsr.options.option_set import OptionSet, no_options
from hsr.options.points import options_to

METHODS = {
    "eigen": "climb eigenvectors of the learned SR, the paper's heuristic",
    "covering": "climb the slowest mode of what was seen, towards its less visited end",
    "frontier": "go to the boundary of what was visited, and beyond",
    "successor": "go to landmarks, the middle of states with similar rows of the SR",
    "betweenness": "go to doors and junctions of what was seen",
    "diffusion": "go to corners and dead ends of what was seen",
}
SOURCES = {
    "graph": "the walk on the transitions seen, whatever their number",
    "map": "the SR learned by TD, which depends on how often states were visited",
}


def covering(known: Experience, n_options: int, source: str, both: bool) -> OptionSet:
    """Return options that climb the slowest modes, each towards its less visited end [machado2023].

    A vector v is turned so that sum_s n(s) (v(s) - mean v) is not positive, with the arrivals n(s)
    in each state. With `both` there is an option to each end.
    """
    world = known.world
    n_vectors = (n_options + 1) // 2 if both else n_options
    if world is None or world.n_states < 2:
        return no_options(known.states.size)
    n_vectors = min(n_vectors, world.n_states - 1)
    v = map_vectors(known.M, n_vectors) if source == "map" else slow_modes(world, n_vectors)
    v = v[:, np.ptp(v, axis=0) > STOP_TOLERANCE * np.abs(v).max(axis=0)]
    if v.shape[1] == 0:
        return no_options(known.states.size)
    v = v * np.where(known.arrivals @ (v - v.mean(axis=0)) > 0.0, -1.0, 1.0)
    n_options = min(n_options, v.shape[1] * (1 + both))
    return eigenoptions(world, n_options, signs="both" if both else "positive", vectors=v)


def slow_modes(world: FiniteMDP, n_vectors: int) -> FloatArray:
    """Return the slowest modes (V, n) of diffusion on the graph of a world, edges in both ways.

    They are eigenvectors of the Laplacian, so they do not depend on how often a transition was
    seen.
    """
    graph = graph_of(world)
    edges = ((graph + graph.T) > 0).astype(np.float64).tocsr()
    degree = edges @ np.ones(world.n_states)
    scale = max(degree.max(), 1.0)
    walk = MarkovChain(edges / scale + sparse.diags_array(1.0 - degree / scale))
    n_vectors = min(n_vectors, world.n_states - len(walk.parts))
    if n_vectors == 0:
        return np.zeros((world.n_states, 0))
    return leading_vectors(walk, n_vectors)[1]


def successor(known: Experience, n_options: int, source: str, seed: int) -> OptionSet:
    """Return options to landmarks of the SR."""
    if known.world is None:
        return no_options(0)
    if source == "map":
        rows = known.M
    else:
        gamma = known.world.discount
        rows = MarkovChain.from_policy(known.world).occupancy(gamma).toarray()
    n_options = min(n_options, np.unique(rows, axis=0).shape[0])
    return options_to(known.world, medoids(rows, n_options, seed))


def betweenness(known: Experience, n_options: int) -> OptionSet:
    """Return options to the local maxima of betweenness."""
    return _to_peaks(known, n_options, betweenness_of)


def diffusion(known: Experience, n_options: int, time: int) -> OptionSet:
    """Return options to where diffusion is slowest."""
    return _to_peaks(known, n_options, lambda graph: diffusion_of(graph, time))


def _to_peaks(
    known: Experience, n_options: int, height: Callable[[sparse.csr_array], FloatArray]
) -> OptionSet:
    if known.world is None:
        return no_options(0)
    graph = graph_of(known.world)
    targets = peaks(height(graph), graph, min(n_options, known.world.n_states))
    return options_to(known.world, targets)
