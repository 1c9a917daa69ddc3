"""A penalty for familiar states: the sum of the column of the state that is entered.

    b(s, s') = - sum_x M(x, s')

It is SPIE without squares and without its first term. The sum is a loop, so that Numba and Python
add in the same order.
"""

import numpy as np


def familiar(M: np.ndarray, s: int, arrived: int) -> float:
    """Return b(s, s')."""
    total = 0.0
    for x in range(M.shape[0]):
        total += M[x, arrived]
    return -total
