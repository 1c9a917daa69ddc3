"""LU factors of many sparse matrices that have their entries in the same places.

The chains of all goals of an MDP have entries where some action leads. So the order of elimination
and the places of all entries of the factors are computed once, and the factors of each goal are
numbers in these places:

    I - C = (I + L) D (I + U),      (I - C)^-1 = (I + U)^-1 D^-1 (I + L)^-1.

I - C is a diagonally dominant M-matrix, so no pivoting is needed.
"""

from collections import namedtuple

import numpy as np

from hsr._base.compiled import compiled

Places = namedtuple("Places", "lower_ptr lower upper_ptr upper")
"""Where factors have entries, as compressed rows: `lower` before the diagonal, `upper` after it."""


@compiled
def places_of(indptr, indices):
    """Return the `Places` of the factors of matrices with entries in symmetric places.

    1. Rows of U: the own entries, and those that elimination of earlier rows adds.
    2. Columns of L have the places of rows of U.
    """
    n = indptr.size - 1
    # 1. Rows of U.
    upper_ptr = np.zeros(n + 1, np.int64)
    upper = np.empty(max(16, 4 * indices.size), np.int32)
    first_child = np.full(n, -1, np.int64)
    next_child = np.full(n, -1, np.int64)
    seen = np.full(n, -1, np.int64)
    for i in range(n):
        begin = end = upper_ptr[i]
        if end + n > upper.size:
            larger = np.empty(2 * upper.size + n, np.int32)
            larger[:end] = upper[:end]
            upper = larger
        seen[i] = i
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if j > i and seen[j] != i:
                seen[j] = i
                upper[end] = j
                end += 1
        child = first_child[i]
        while child >= 0:
            for e in range(upper_ptr[child], upper_ptr[child + 1]):
                j = upper[e]
                if seen[j] != i:
                    seen[j] = i
                    upper[end] = j
                    end += 1
            child = next_child[child]
        upper[begin:end] = np.sort(upper[begin:end])
        upper_ptr[i + 1] = end
        if end > begin:
            parent = upper[begin]
            next_child[i] = first_child[parent]
            first_child[parent] = i
    # 2. Rows of L.
    n_entries = upper_ptr[n]
    lower_ptr = np.zeros(n + 1, np.int64)
    for e in range(n_entries):
        lower_ptr[upper[e] + 1] += 1
    for i in range(n):
        lower_ptr[i + 1] += lower_ptr[i]
    lower = np.empty(n_entries, np.int32)
    filled = lower_ptr[:-1].copy()
    for i in range(n):
        for e in range(upper_ptr[i], upper_ptr[i + 1]):
            lower[filled[upper[e]]] = i
            filled[upper[e]] += 1
    return Places(lower_ptr, lower, upper_ptr, upper[:n_entries].copy())


@compiled
def eliminate_row(places, i, row, below, inverse, above):
    """Write row i of the factors from `row` (S,), which holds row i of I - C and is cleared.

    `below` and `above` are the entries of L and U, and `inverse` (S,) is 1 / D.
    """
    for e in range(places.lower_ptr[i], places.lower_ptr[i + 1]):
        k = places.lower[e]
        pivot = row[k]
        row[k] = 0.0
        below[e] = pivot * inverse[k]
        if pivot != 0.0:
            for f in range(places.upper_ptr[k], places.upper_ptr[k + 1]):
                row[places.upper[f]] -= pivot * above[f]
    inverse[i] = 1.0 / row[i]
    row[i] = 0.0
    for e in range(places.upper_ptr[i], places.upper_ptr[i + 1]):
        above[e] = row[places.upper[e]] * inverse[i]
        row[places.upper[e]] = 0.0


@compiled
def solve(places, below, inverse, above, x):
    """Replace x (S, k) by (I - C)^-1 x."""
    n, k = x.shape
    for i in range(n):
        for e in range(places.lower_ptr[i], places.lower_ptr[i + 1]):
            j = places.lower[e]
            for r in range(k):
                x[i, r] -= below[e] * x[j, r]
    for i in range(n - 1, -1, -1):
        for r in range(k):
            x[i, r] *= inverse[i]
        for e in range(places.upper_ptr[i], places.upper_ptr[i + 1]):
            j = places.upper[e]
            for r in range(k):
                x[i, r] -= above[e] * x[j, r]


@compiled
def solve_transpose(places, below, inverse, above, x):
    """Replace x (S, k) by (I - C')^-1 x."""
    n, k = x.shape
    for i in range(n):
        for e in range(places.upper_ptr[i], places.upper_ptr[i + 1]):
            j = places.upper[e]
            for r in range(k):
                x[j, r] -= above[e] * x[i, r]
    for i in range(n):
        for r in range(k):
            x[i, r] *= inverse[i]
    for i in range(n - 1, -1, -1):
        for e in range(places.lower_ptr[i], places.lower_ptr[i + 1]):
            j = places.lower[e]
            for r in range(k):
                x[j, r] -= below[e] * x[i, r]
