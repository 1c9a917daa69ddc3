"""Scales of features. For a linear learner the scale is part of the features."""

import numpy as np

from hsr._base.arrays import FloatArray

SCALES = {
    "none": "features as the factorisation gives them",
    "max": "each column divided by its largest absolute entry",
    "unit_columns": "each column divided by its Euclidean norm",
    "unit_rows": "each row divided by its Euclidean norm",
}


def column_scale(features: FloatArray, scale: str) -> FloatArray:
    """Return what each column of the features is divided by, of shape (K,).

    A linear learner with step size `alpha` changes its value at state `s` by
    `alpha * ||phi(s)||^2`. Two bases of the same space that differ only in scale therefore learn at
    different speeds. For features `Phi` of shape (S, K):

    ==================  ========================================  ============================
    ``scale``           features                                  ``features_ @ components_``
    ==================  ========================================  ============================
    ``"none"``          as the factorisation gives them           the reconstruction
    ``"max"``           columns divided by their largest          the reconstruction
                        absolute entry
    ``"unit_columns"``  columns divided by their Euclidean norm   the reconstruction
    ``"unit_rows"``     rows divided by their Euclidean norm      not the reconstruction
    ==================  ========================================  ============================

    For ``"max"`` and ``"unit_columns"`` the rows of ``components_`` are multiplied by what the
    columns were divided by. The components cannot undo a scale of rows, so ``"unit_rows"`` does not
    change them. Columns and rows of zeros stay zero.

    Parameters
    ----------
    features : array of shape (S, K)
        Features as the factorisation gives them.
    scale : {"none", "max", "unit_columns", "unit_rows"}
        How they will be scaled.

    Returns
    -------
    ndarray of shape (K,)
        Ones unless columns are scaled, and for columns of zeros.

    Examples
    --------
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
    """Return sizes as divisors: zeros become ones, so that columns and rows of zeros stay zero."""
    return np.where(sizes == 0.0, 1.0, sizes)


def scaled(features: FloatArray, scale: str, divisors: FloatArray) -> FloatArray:
    """Return features divided by the column divisors, or by row for ``"unit_rows"``.

    Parameters
    ----------
    features : array of shape (n, K)
        Features as the factorisation gives them.
    scale : {"none", "max", "unit_columns", "unit_rows"}
        How to scale them.
    divisors : array of shape (K,)
        What `column_scale` returned for the fitted states.

    Examples
    --------
    >>> scaled(np.array([[3.0, 4.0], [0.0, 0.0]]), "unit_rows", np.ones(2))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if scale == "unit_rows":
        return features / ones_for_zeros(np.linalg.norm(features, axis=1))[:, None]
    if scale == "none":
        return features
    return features / divisors
