"""What is measured of maps and of their features."""

import numpy as np

from hsr._base.arrays import FloatArray, IntArray


def dispersion(M: FloatArray, room_of: IntArray) -> float:
    """Return the mean distance of rows within rooms over that between rooms, without doors."""
    rows, rooms = M[room_of >= 0], room_of[room_of >= 0]
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    same = rooms[:, None] == rooms[None]
    within = same & ~np.eye(len(rooms), dtype=bool)
    return float(apart[within].mean() / apart[~same].mean())


def own_room_fraction(M: FloatArray, room_of: IntArray) -> float:
    """Return the fraction of states nearest to the mean row of their own room, without doors."""
    means = np.stack([M[room_of == room].mean(axis=0) for room in range(room_of.max() + 1)])
    inside = room_of >= 0
    nearest = np.linalg.norm(M[inside][:, None] - means[None], axis=2).argmin(axis=1)
    return float((nearest == room_of[inside]).mean())


def overlap(features: FloatArray) -> float:
    """Return the mean cosine between the magnitudes of two components, over all pairs."""
    x = _not_zero(features)
    x = np.abs(x) / np.linalg.norm(x, axis=0)
    n = x.shape[1]
    return float((np.square(x.sum(axis=1)).sum() - n) / max(n * (n - 1), 1))


def spread(features: FloatArray, distances: FloatArray) -> float:
    """Return the expected steps between two states drawn by a component, averaged over components.

    A component draws each state with a probability proportional to its magnitude there.
    """
    p = np.abs(_not_zero(features))
    p /= p.sum(axis=0)
    return float(np.einsum("sk,st,tk->k", p, distances, p, optimize=True).mean())


def reach(features: FloatArray) -> float:
    """Return the share of states that a component covers, averaged over components.

    A component x of n states covers (sum |x|)^2 / (n sum x^2) of them: k / n if it is equally
    active in k states.
    """
    x = np.abs(_not_zero(features))
    return float((np.square(x.sum(axis=0)) / np.square(x).sum(axis=0)).mean() / len(x))


def sign_change(features: FloatArray) -> float:
    """Return the smaller extreme of a component over the larger, 0 if it has one sign; the mean."""
    x = _not_zero(features)
    smaller = np.minimum(-x.min(axis=0), x.max(axis=0))
    return float((np.maximum(smaller, 0.0) / np.abs(x).max(axis=0)).mean())


def excursions(trace: FloatArray) -> float:
    """Return how often a component rises and falls over its range on a walk; the mean.

    It is the total variation over twice the range, and 1 for a component with a single peak on a
    closed walk. Components that do not vary on the walk are left out.
    """
    extent = np.ptp(trace, axis=0)
    variation = np.abs(np.diff(trace, axis=0)).sum(axis=0)
    return float((variation[extent > 0.0] / (2.0 * extent[extent > 0.0])).mean())


def own_peaks(features: FloatArray) -> float:
    """Return the number of different states in which components peak, over that of components."""
    peaks = np.abs(_not_zero(features)).argmax(axis=0)
    return len(np.unique(peaks)) / len(peaks)


def effective_rank(values: FloatArray) -> float:
    """Return exp of the entropy of the values (n,) over their sum [roy2007].

    It is n if all are equal, and close to 1 if one dominates.
    """
    p = values[values > 0.0] / values.sum()
    return float(np.exp(-(p * np.log(p)).sum()))


def normalised(features: FloatArray) -> FloatArray:
    """Return components over their largest magnitudes; those that are zero stay zero."""
    largest = np.abs(features).max(axis=0)
    return features / np.where(largest > 0.0, largest, 1.0)


def _not_zero(features: FloatArray) -> FloatArray:
    """Return the components that are not zero everywhere; NMF may leave some unused."""
    return features[:, np.any(features != 0.0, axis=0)]
