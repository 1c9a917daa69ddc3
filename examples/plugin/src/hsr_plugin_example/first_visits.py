"""The discounted chance of ever reaching each state: first visits only, where the successor
representation counts all.

A walk that reaches t goes on from there as any walk from t does, so that M[s, t] = F[s, t] M[t, t]
with M the successor representation of the uniform random walk. Hence, exactly,

    F[s, t] = E[g^T], T the first time in t from s,  =  M[s, t] / M[t, t].
"""

import numpy as np

import hsr


def first_visits(mdp: hsr.FiniteMDP, options: hsr.OptionSet | None) -> np.ndarray:
    """Return F, of shape (S, S); options do not matter to it."""
    M = hsr.successor_representation(mdp).toarray()
    return M / M.diagonal()
