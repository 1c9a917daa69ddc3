"""Temporal-difference updates of one row of a predictive map.

    SR   (Eq. 2):  M(s) += a (1_s + g M(s') - M(s))
    HSR  (Eq. 8):  M(s) += a (sum_{k<T} g^k 1_{s_k} + g^T M(s_T) - M(s))
    goal:          M(s) += a (1_s - M(s)),   one visit, after which nothing follows

The rule of the SR is that of the HSR with T = 1.
"""

import numpy as np

from hsr._base.compiled import inlined
from hsr._base.row_arithmetic import mix_row


@inlined
def learn_row(M, path, first, n, s_T, gain, gamma, alpha):
    """Move the row of path[first] towards the visits along path[first:n] and what s_T predicts.

    gain is gamma to the length of that stretch of the path.
    """
    s = np.int64(path[first])  # for each width of integers, functions are compiled once more
    mix_row(M, s, s_T, gain, alpha)
    weight = alpha
    for k in range(first, n):
        M[s, path[k]] += weight
        weight *= gamma


@inlined
def learn_step(M, s, arrived, gamma, alpha):
    """Move row s towards one visit and what the state arrived in predicts."""
    mix_row(M, s, arrived, gamma, alpha)
    M[s, s] += alpha


@inlined
def settle_row(M, s, alpha):
    """Move the row of a terminal state towards 1_s."""
    mix_row(M, s, s, 0.0, alpha)
    M[s, s] += alpha
