"""How well features tell states apart: recognition in Gaussian noise, and distances."""

from typing import NamedTuple

import numpy as np

from hsr.toolkit import BoolArray, FloatArray, IntArray


class Recognised(NamedTuple):
    """Fractions of states that are recognised, of shape (level,) each.

    Parameters
    ----------
    among_all : array
        Of all states, if the nearest of all states is taken.
    among_aliases : array
        Of states that share their view with others, if the nearest state with this view is taken.
    """

    among_all: FloatArray
    among_aliases: FloatArray


def recognised(
    phi: FloatArray, views: IntArray, noise: FloatArray, draws: FloatArray
) -> Recognised:
    """Return how often the nearest features to noisy features are those of the right state.

    For x = phi(s) + sigma e with standard normal e, the nearest of all phi(t) maximises

        x . phi(t) - |phi(t)|^2 / 2 = K(s, t) - K(t, t) / 2 + sigma phi(t) . e,    K = phi phi'

    The vector phi e is normal with covariance K, and so is K^(1/2) z with standard normal z of
    length S. The result therefore depends on features only through their inner products, and noise
    costs the same for any number of features.

    Parameters
    ----------
    phi : array of shape (S, K)
        The features.
    views : int array of shape (S,)
        The view of each state.
    noise : array of shape (level,)
        Standard deviation sigma of the noise of each feature.
    draws : array of shape (draw, S)
        Standard normal numbers z. Features that are compared take the same ones.
    """
    K = phi @ phi.T
    size, vectors = np.linalg.eigh(K)
    spread = draws @ ((vectors * np.sqrt(np.maximum(size, 0.0))) @ vectors.T)
    score = K - np.diag(K) / 2.0
    same = views[:, None] == views
    masked = np.where(same, score, -np.inf)
    aliased = same.sum(axis=1) > 1
    of_noise = [
        (
            _right(score, sigma * spread).mean(),
            _right(masked[aliased], sigma * spread, np.flatnonzero(aliased)).mean(),
        )
        for sigma in noise
    ]
    return Recognised(*np.array(of_noise).T)


def _right(score: FloatArray, noise: FloatArray, states: IntArray | None = None) -> BoolArray:
    """Return for each draw and state whether its own score is the largest."""
    best = (score + noise[:, None, :]).argmax(axis=-1)
    return np.equal(best, np.arange(len(score)) if states is None else states)


def smallest_distance(phi: FloatArray, views: IntArray) -> float:
    """Return the smallest cosine distance between two states with the same view."""
    unit = phi / np.linalg.norm(phi, axis=1, keepdims=True)
    one, other = np.nonzero(np.triu(views[:, None] == views, k=1))
    return float((1.0 - np.einsum("pk,pk->p", unit[one], unit[other])).min())
