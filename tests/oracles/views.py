"""Every way to look at a lazy matrix, compared with the dense one."""

import numpy as np
from numpy.testing import assert_allclose


def check_views(lazy, dense, states, **close):
    """Assert that rows, columns, products and the transpose are those of the dense matrix."""
    n = len(dense)
    x = np.linspace(-1.0, 2.0, 3 * n).reshape(n, 3)
    y = x[:, 0]
    assert lazy.shape == dense.shape
    for view, expected in (
        (lazy.toarray(), dense),
        (np.asarray(lazy), dense),
        (lazy.rows(states), dense[states]),
        (lazy.rows(n - 1), dense[n - 1]),
        (lazy.columns(states), dense[:, states]),
        (lazy.columns(0), dense[:, 0]),
        (lazy @ x, dense @ x),
        (lazy @ y, dense @ y),
        (x.T @ lazy, x.T @ dense),
        (y @ lazy, y @ dense),
        (list(y) @ lazy, y @ dense),
        (lazy.T.toarray(), dense.T),
        (lazy.T.rows(states), dense.T[states]),
        (lazy.T @ x, dense.T @ x),
        (lazy.T @ y, dense.T @ y),
    ):
        assert_allclose(view, expected, **close)
