"""Starts of a non-negative factorisation, which decide the local minimum that it finds."""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_array
from hsr.basis.compression import CompressedMap
from hsr.basis.svd import leading_svd

_NEGLIGIBLE = 1e-6
_EQUAL = 1e-9


def random_start(
    X: FloatArray | CompressedMap, n_components: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return factors with random entries, ``sqrt(mean / K) |normal|``.

    Parameters
    ----------
    X : CompressedMap or array of shape (S, n_features)
        The map, not negative.
    n_components : int
        Number of components K.
    rng : numpy.random.Generator
        Draws the entries.

    Returns
    -------
    W : ndarray of shape (S, K)
    H : ndarray of shape (K, n_features)
    """
    n, m = X.shape
    size = np.sqrt(X.mean() / n_components)
    return size * np.abs(rng.standard_normal((n, n_components))), size * np.abs(
        rng.standard_normal((n_components, m))
    )


def nndsvda_start(
    X: FloatArray | CompressedMap, n_components: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return factors made of the leading singular vectors of the map [boutsidis2008].

    For each singular triplet (u, s, v), split u v' into its positive part u+ v+' and its negative
    part u- v-'. Component j starts at the larger of the two. For the positive part,

        W[:, j] = sqrt(s ||u+|| ||v+||) u+ / ||u+||,      H[j] = sqrt(s ||u+|| ||v+||) v+ / ||v+||.

    Zeros are replaced by the mean of the map, so that every entry can still grow. There are at most
    min(S, n_features) triplets. The further components of an over-complete basis start at random.

    Parameters
    ----------
    X : CompressedMap or array of shape (S, n_features)
        The map, not negative.
    n_components : int
        Number of components K.
    rng : numpy.random.Generator
        Draws the entries of over-complete components.

    Returns
    -------
    W : ndarray of shape (S, K)
    H : ndarray of shape (K, n_features)
    """
    W, H = random_start(X, n_components, rng)
    n_triplets = min(n_components, *X.shape)
    U, s, Vt = leading_svd(X, n_triplets)
    for j in range(n_triplets):
        # The leading triplet of a non-negative matrix has one sign. abs only removes rounding.
        u, v = (np.abs(U[:, 0]), np.abs(Vt[0])) if j == 0 else _larger_part(U[:, j], Vt[j])
        product = np.linalg.norm(u) * np.linalg.norm(v)
        size = np.sqrt(s[j] * product)
        W[:, j] = size * _unit(u)
        H[j] = size * _unit(v)
    for factor in (W[:, :n_triplets], H[:n_triplets]):
        factor[factor < _NEGLIGIBLE] = X.mean()
    return W, H


def read_start(
    shape: tuple[int, int], k: int, W: Any, H: Any
) -> tuple[FloatArray, FloatArray] | None:
    """Return the start that the caller gave, or None if neither factor is given.

    Parameters
    ----------
    shape : tuple of two ints
        (S, n_features).
    k : int
        Number of components K.
    W : array of shape (S, K), or None
        First factor.
    H : array of shape (K, n_features), or None
        Second factor.

    Raises
    ------
    InputError
        If only one factor is given, has another shape or a negative entry.
    """
    if (W is None) != (H is None):
        raise InputError(
            "only one of W and H is given; a start needs both, "
            "W of shape (S, K) and H of (K, n_features)"
        )
    if W is None:
        return None
    W, H = check_array(W, (shape[0], k), "W"), check_array(H, (k, shape[1]), "H")
    for factor, name in ((W, "W"), (H, "H")):
        if factor.min() < 0.0:
            raise InputError(
                f"{name} has an entry {factor.min():.6g}; a start must not be negative"
            )
    return W, H


def _larger_part(u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    positive = np.maximum(u, 0.0), np.maximum(v, 0.0)
    negative = np.maximum(-u, 0.0), np.maximum(-v, 0.0)
    sizes = [np.linalg.norm(part[0]) * np.linalg.norm(part[1]) for part in (positive, negative)]
    # equal parts, as in symmetric mazes, must not be told apart by rounding
    return positive if sizes[0] >= sizes[1] * (1.0 - _EQUAL) else negative


def _unit(vector: FloatArray) -> FloatArray:
    norm = np.linalg.norm(vector)
    return vector / norm if norm > 0.0 else vector
