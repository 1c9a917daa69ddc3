"""The discounted probability of ever reaching each state.

It counts first visits only, while the successor representation counts all visits. A walk that
reaches t continues from there like any walk from t, so M[s, t] = F[s, t] M[t, t], where M is the
successor representation of the uniform random walk. Therefore, exactly,

    F[s, t] = E[g^T] = M[s, t] / M[t, t], where T is the time of the first visit to t from s.
"""

import numpy as np

import hsr


def first_visits(mdp: hsr.FiniteMDP, options: hsr.OptionSet | None) -> np.ndarray:
    """Return F, of shape (S, S). It does not depend on options."""
    M = hsr.successor_representation(mdp).toarray()
    return M / M.diagonal()
