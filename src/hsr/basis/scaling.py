"""How features are scaled, which for a linear learner is part of what the features are.

A linear learner with step size `alpha` moves its value at state `s` by `alpha * ||phi(s)||^2`, so
two bases of one space that differ only in scale learn at different speeds. The four settings, for
features `Phi` of shape (S, K):

==================  ==========================================================  =========================
``scale``           features                                                    ``features_ @ components_``
==================  ==========================================================  =========================
``"none"``          as the factorisation gives them                             the reconstruction
``"max"``           each column divided by its largest absolute entry           the reconstruction
``"unit_columns"``  each column divided by its Euclidean norm                   the reconstruction
``"unit_rows"``     each row divided by its Euclidean norm                      not the reconstruction
==================  ==========================================================  =========================

For the two column settings the rows of ``components_`` are multiplied by what the columns were
divided by. A row cannot be undone in the components, so ``"unit_rows"`` leaves them alone. Columns
and rows of zeros stay zero.
"""

import numpy as np

from hsr._base.arrays import FloatArray

SCALES = {
    "none": "features as the factorisation gives them",
    "max": "each column divided by its largest absolute entry",
    "unit_columns": "each column divided by its Euclidean norm",
    "unit_rows": "each row divided by its Euclidean norm",
}


def column_scale(features: FloatArray, scale: str) -> FloatArray:
    """Return what each column is divided by, shape (K,); ones where there is nothing to divide.

    >>> column_scale(np.array([[3.0, 0.0], [-4.0, 0.0]]), "max")
    array([4., 1.])
    >>> column_scale(np.array([[3.0, 0.0], [-4.0, 0.0]]), "unit_columns")
    array([5., 1.])
    """
    if scale == "max":
        return ones_for_zeros(np.abs(features).max(axis=0))
    if scale == "unit_columns":
        return ones_for_zeros(np.linalg.norm(features, axis=0))
    return np.ones(features.shape[1])


def ones_for_zeros(sizes: FloatArray) -> FloatArray:
    """Return the sizes as divisors: zeros become ones, so that zero columns and rows stay zero."""
    return np.where(sizes == 0.0, 1.0, sizes)


def scaled(features: FloatArray, scale: str, divisors: FloatArray) -> FloatArray:
    """Return features, shape (n, K), divided by the column divisors, or by row under
    ``"unit_rows"``.

    >>> scaled(np.array([[3.0, 4.0], [0.0, 0.0]]), "unit_rows", np.ones(2))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if scale == "unit_rows":
        return features / ones_for_zeros(np.linalg.norm(features, axis=1))[:, None]
    if scale == "none":
        return features
    return features / divisors
