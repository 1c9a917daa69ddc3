"""Estimates of settings and field centres, with intervals by profile likelihood."""

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.stats import chi2

from hsr._base.arrays import FloatArray
from hsr.animals.cells.models import SCALES
from hsr.animals.cells.scoring import Candidates
from hsr.animals.cells.study import Study
from hsr.animals.intervals import LEVEL

_WEIGHTS = np.array([0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.96, 0.99])
_FINE = 400  # points of an interpolated profile


def estimated(
    study: Study, counts: np.ndarray, units: tuple[Hashable, ...], names: tuple[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the estimate of each setting and of both coordinates of the centre, by model and cell.

    Parameters
    ----------
    study : Study
        The recording and the models.
    counts : array of shape (C, S)
        Spikes of each cell in each state.
    units : tuple
        Names of the cells.
    names : (str, str)
        Names of the coordinates.
    """
    arena = study.protocol.arena
    places = arena.places
    assert places is not None
    for model in study.protocol.models:
        families = study.families(model, -1)
        candidates = Candidates.of(families, study.time.sum(axis=0))
        likelihood = profile(candidates, counts)
        centres = places[candidates.relative.argmax(axis=1)]
        free = [name for name in model.settings if name in SCALES]
        for c, unit in enumerate(units):
            if not counts[c].any():
                continue
            estimates: dict[str, tuple[float, float, float]] = {}
            for name in free:
                tried = np.array([setting[name] for setting in candidates.settings])
                values = np.unique(tried)
                best = np.array([likelihood[c, tried == value].max() for value in values])
                estimates[name] = _within(name, values, best)
            region = likelihood[c] >= likelihood[c].max() - chi2.ppf(LEVEL, 2) / 2.0
            share = np.exp(likelihood[c] - likelihood[c].max()) * region
            middle = share @ centres / share.sum()
            # A centre is known up to the size of a bin.
            half = arena.spacing / 2.0
            low, high = centres[region].min(axis=0) - half, centres[region].max(axis=0) + half
            for k, name in enumerate(names):
                estimates[f"centre_{name}"] = (middle[k], low[k], high[k])
            for quantity, numbers in estimates.items():
                interval = dict(zip(("estimate", "low", "high"), map(float, numbers), strict=True))
                yield {"unit": unit, "model": model.name, "quantity": quantity, **interval}


def profile(candidates: Candidates, counts: np.ndarray) -> FloatArray:
    """Return the log likelihood of each cell and candidate, maximised over weights, (C, K).

    It is computed on a grid of weights, and maximised by the parabola through the best three.
    """
    d = np.asarray(candidates.relative.T, dtype=np.float32)
    n = np.asarray(counts, dtype=np.float32)
    values = np.stack([n @ np.log1p(np.float32(w) * d) for w in _WEIGHTS])
    k = np.clip(values.argmax(axis=0), 1, _WEIGHTS.size - 2)
    low, middle, high = (
        np.take_along_axis(values, (k + step)[None], axis=0)[0].astype(np.float64)
        for step in (-1, 0, 1)
    )
    left, right = _WEIGHTS[k] - _WEIGHTS[k - 1], _WEIGHTS[k + 1] - _WEIGHTS[k]
    first, last = (middle - low) / left, (high - middle) / right
    curve = (last - first) / (left + right)
    slope = (first * right + last * left) / (left + right)
    bent = np.where(curve < 0.0, -(slope**2) / (4.0 * np.where(curve < 0.0, curve, -1.0)), 0.0)
    inside = values.argmax(axis=0) == k
    top = np.where(inside, middle + bent, values.max(axis=0).astype(np.float64))
    return np.maximum(top, 0.0)  # a weight of 0 has the likelihood of a constant rate


def _within(name: str, values: FloatArray, best: FloatArray) -> tuple[float, float, float]:
    """Return the value with the largest likelihood and the limits of its interval."""
    if values.size == 1:
        return values[0], np.nan, np.nan
    scale, back = SCALES[name]
    scaled = scale(values)
    fine = np.linspace(scaled[0], scaled[-1], _FINE)
    curve, tried = CubicSpline(scaled, best)(fine), back(fine)
    enough = np.flatnonzero(curve >= curve.max() - chi2.ppf(LEVEL, 1) / 2.0)
    return tried[curve.argmax()], tried[enough[0]], tried[enough[-1]]
