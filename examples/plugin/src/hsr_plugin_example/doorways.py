"""Options towards doorways: narrow places on many shortest paths.

The betweenness of a state v is the fraction of shortest paths through v, summed over all pairs of
other states,

    b(v) = sum_{s != v != t} n(s, t | v) / n(s, t),

where n(s, t) is the number of shortest paths from s to t and n(s, t | v) the number of those
through v. It is accumulated source by source [brandes2001]: with n the number of paths from the
source, dependencies d propagate back from the farthest states, d(v) = sum_w n(v) / n(w) (1 + d(w))
over all states w that follow v on a shortest path.
"""

import numpy as np
from scipy import sparse

import hsr


def doorways(mdp: hsr.FiniteMDP, n_options: int) -> hsr.OptionSet:
    """Return point options towards the states with the largest betweenness per neighbour.

    The smaller state comes first on ties.
    """
    if n_options > mdp.n_states:
        raise hsr.InputError(
            f"n_options is {n_options}; there are only {mdp.n_states} states to go to"
        )
    n_neighbours = np.maximum(steps_of(mdp).sum(axis=1), 1.0)
    traffic = (betweenness(mdp) / n_neighbours).round(9)  # differences from rounding are ties
    return hsr.point_options(mdp, np.argsort(-traffic, kind="stable")[:n_options].tolist())


def betweenness(mdp: hsr.FiniteMDP) -> np.ndarray:
    """Return the betweenness of every state, of shape (S,)."""
    A = steps_of(mdp)
    b = np.zeros(mdp.n_states)
    for source in range(mdp.n_states):
        paths = np.zeros(mdp.n_states)
        paths[source] = 1.0
        layers = [paths.copy()]  # number of shortest paths to the states of each distance
        while layers[-1].any():
            ahead = A.T @ layers[-1]
            ahead[paths > 0] = 0.0
            paths += ahead
            layers.append(ahead)
        dependency = np.zeros(mdp.n_states)
        for near, far in zip(layers[-2:0:-1], layers[:1:-1], strict=True):
            per_path = np.divide(1.0 + dependency, far, out=np.zeros(mdp.n_states), where=far > 0)
            dependency += near * (A @ per_path)
        b += dependency
    return b


def steps_of(mdp: hsr.FiniteMDP) -> sparse.csr_array:
    """Return the adjacency matrix: 1 if some action may lead from one state to another."""
    A = sum(
        (mdp.transition_of(action) for action in range(mdp.n_actions)),
        start=sparse.csr_array((mdp.n_states,) * 2),
    )
    A = sparse.csr_array((A > 0).astype(np.float64))
    A.setdiag(0.0)
    A.eliminate_zeros()
    return A
