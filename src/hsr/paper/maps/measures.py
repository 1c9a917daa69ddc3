"""Measures of a map and of features by which the claims about maps are judged."""

import numpy as np

from hsr.toolkit import FloatArray, IntArray


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


def reach(U: FloatArray) -> FloatArray:
    """Return the fraction of states with at least a tenth of each vector's largest magnitude."""
    found: FloatArray = np.mean(np.abs(U) > 0.1 * np.abs(U).max(axis=0), axis=0)
    return found


def sign_change(U: FloatArray) -> FloatArray:
    """Return the smaller extreme of each vector over the larger, negative if it has one sign."""
    low, high = -U.min(axis=0), U.max(axis=0)
    found: FloatArray = np.minimum(low, high) / np.abs(U).max(axis=0)
    return found
