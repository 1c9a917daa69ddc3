"""Options towards doorways: narrow places that many shortest paths pass, those of most betweenness
for each neighbour.

The betweenness of a state v is the share of shortest paths that pass it, summed over all pairs of
other states,

    b(v) = sum_{s != v != t} n(s, t | v) / n(s, t),

with n(s, t) the number of shortest paths from s to t and n(s, t | v) of those through v. It is
added up source by source: with n the number of paths from the source, shares flow back from the
farthest states, d(v) = sum_w n(v) / n(w) (1 + d(w)) over those states w that are one step behind v
(Brandes 2001).
"""

import numpy as np
from scipy import sparse

import hsr


def doorways(mdp: hsr.FiniteMDP, n_options: int) -> hsr.OptionSet:
    """Return point options towards the states of most betweenness for each neighbour; the smaller
    state first on ties.
    """
    if n_options > mdp.n_states:
        raise hsr.InputError(
            f"n_options is {n_options}; there are only {mdp.n_states} states to go to"
        )
    n_neighbours = np.maximum(steps_of(mdp).sum(axis=1), 1.0)
    traffic = (betweenness(mdp) / n_neighbours).round(9)  # what differs by rounding is a tie
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
        share = np.zeros(mdp.n_states)
        for near, far in zip(layers[-2:0:-1], layers[:1:-1], strict=True):
            per_path = np.divide(1.0 + share, far, out=np.zeros(mdp.n_states), where=far > 0)
            share += near * (A @ per_path)
        b += share
    return b


def steps_of(mdp: hsr.FiniteMDP) -> sparse.csr_array:
    """Return the graph of single steps, without loops: 1 where some action may lead from one state
    to another.
    """
    A = sum(
        (mdp.transition_of(action) for action in range(mdp.n_actions)),
        start=sparse.csr_array((mdp.n_states,) * 2),
    )
    A = sparse.csr_array((A > 0).astype(np.float64))
    A.setdiag(0.0)
    A.eliminate_zeros()
    return A
