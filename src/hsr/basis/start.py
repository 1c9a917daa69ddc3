"""Where a non-negative factorisation starts; a local method ends where its start leads it.

``"nndsvda"`` (Boutsidis and Gallopoulos 2008) takes each singular triplet `(u, s, v)`, splits `u v'` into its positive and
negative parts, `u+ v+'` and `u- v-'`, and starts component j at the larger of the two:

    W[:, j] = sqrt(s ||u+|| ||v+||) u+ / ||u+||,      H[j] = sqrt(s ||u+|| ||v+||) v+ / ||v+||

with zeros replaced by the map's mean, so that every entry can still grow. There are no more than min(S, n_features) triplets;
the components beyond them (an over-complete basis) start at random. ``"random"`` starts every entry at
``sqrt(mean / K) |normal|``, from a seed.
"""

import numpy as np

from hsr._base.arrays import FloatArray
from hsr.basis.svd import leading_svd

NMF_STARTS = {
    "nndsvda": "the leading singular vectors, with zeros replaced by the mean of the map",
    "random": "non-negative random entries, drawn by the seed",
}
_NEGLIGIBLE = 1e-6


def random_start(
    X: FloatArray, n_components: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return W of shape (S, K) and H of shape (K, n_features) with seeded non-negative entries of
    the map's size.
    """
    n, m = X.shape
    size = np.sqrt(X.mean() / n_components)
    return size * np.abs(rng.standard_normal((n, n_components))), size * np.abs(
        rng.standard_normal((n_components, m))
    )


def nndsvda_start(
    X: FloatArray, n_components: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return W of shape (S, K) and H of shape (K, n_features) from the leading singular triplets of
    the map.
    """
    W, H = random_start(X, n_components, rng)
    n_triplets = min(n_components, *X.shape)
    U, s, Vt = leading_svd(X, n_triplets)
    for j in range(n_triplets):
        # the leading triplet of a non-negative matrix has one sign; abs only removes rounding
        u, v = (np.abs(U[:, 0]), np.abs(Vt[0])) if j == 0 else _larger_part(U[:, j], Vt[j])
        product = np.linalg.norm(u) * np.linalg.norm(v)
        size = np.sqrt(s[j] * product)
        W[:, j] = size * _unit(u)
        H[j] = size * _unit(v)
    for factor in (W[:, :n_triplets], H[:n_triplets]):
        factor[factor < _NEGLIGIBLE] = X.mean()
    return W, H


def _larger_part(u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    positive = np.maximum(u, 0.0), np.maximum(v, 0.0)
    negative = np.maximum(-u, 0.0), np.maximum(-v, 0.0)
    sizes = [np.linalg.norm(part[0]) * np.linalg.norm(part[1]) for part in (positive, negative)]
    return positive if sizes[0] > sizes[1] else negative


def _unit(vector: FloatArray) -> FloatArray:
    norm = np.linalg.norm(vector)
    return vector / norm if norm > 0.0 else vector
