"""Linear values of choices: reading and updating them.

The value of choice c in state s is q(c, s) = W(c) . X(s), and an update with error d is
W(c) += a d X(s). `kind` says what W and X are:

    LINEAR   W (C, D) weights, X (S, D) features, which may be a map whose rows are being learned
    DUAL     W (C, S) values,  X (S, S) inner products of fixed features: W(c) += a d X(s) moves the
             values of all states at once
    TABLE    W (C, S) values,  one-hot features, whose inner products are the identity
"""

import numpy as np

from hsr._base.compiled import inlined, lean
from hsr._base.row_arithmetic import add_row, dot, four_dots
from hsr.kernels.acting import best_of

TABLE, DUAL, LINEAR = 0, 1, 2


@inlined
def value(kind, W, X, c, s):
    """Return q(c, s)."""
    if kind == LINEAR:
        return dot(W, c, X, s)
    return W[c, s]


@inlined
def learn_value(kind, W, X, c, s, alpha, delta, largest):
    """Move W(c) by alpha delta X(s), and return the size of the error delta.

    An error that is too large is not learned, so that the values of a diverged run stay finite.
    """
    size = abs(delta)
    if size < largest:
        if kind == TABLE:
            W[c, s] += alpha * delta
        else:
            add_row(W, c, X, s, alpha * delta)
    return size


@inlined
def larger(error, size):
    """Return the larger of two errors, where not-a-number is larger than any number."""
    return error if error != error or size <= error else size


@inlined
def read_values(kind, W, X, available, n, s, q):
    """Write the values of the first n choices available in s into q (C,), and return the best.

    Choices that cannot be made get the value minus infinity.
    """
    if n < q.size:
        for c in range(q.size):
            q[c] = -np.inf
    if kind == LINEAR:
        for i in range(0, n - n % 4, 4):
            a, b = available[s, i], available[s, i + 1]
            c, d = available[s, i + 2], available[s, i + 3]
            q[a], q[b], q[c], q[d] = four_dots(W, a, b, c, d, X, s)
        for i in range(n - n % 4, n):
            c = available[s, i]
            q[c] = dot(W, c, X, s)
    elif n == q.size:
        for c in range(n):
            q[c] = W[c, s]
    else:
        for i in range(n):
            q[available[s, i]] = W[available[s, i], s]
    return best_of(q)


@lean
def write_values(W, X, out):
    """Write q(c, s) of all choices and states into out (C, S), for the kind LINEAR."""
    for c in range(out.shape[0]):
        for s in range(out.shape[1]):
            out[c, s] = dot(W, c, X, s)
