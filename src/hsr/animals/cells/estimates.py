"""Estimates of settings and field centres, with intervals by profile likelihood."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.stats import chi2

from hsr._base.arrays import FloatArray
from hsr.animals.cells.models import SCALES
from hsr.animals.cells.scoring import Candidates, largest_weights
from hsr.animals.cells.study import Study
from hsr.animals.intervals import LEVEL
from hsr.kernels.animals import profile_weights

ONLY = "only value tried"  # the note of a setting that was given
_WEIGHTS = np.array([0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999])  # from which exact fits begin
_NEAR = 20.0  # nats from the best field within which fits are exact
_STEPS = {"discount": 0.12, "width": 0.12, "option_share": 0.6}  # on the scale of each setting
_FINE = {1: 1000, 2: 200}  # points along each axis of an interpolated profile


def estimated(
    study: Study, counts: np.ndarray, units: tuple[Hashable, ...], names: tuple[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the estimate of each setting and of both coordinates of the centre, by model and cell.

    Between the values that were tried, more are, because the likelihood of many spikes is narrower
    than the steps of the lists.

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
    arena, track = study.protocol.arena, study.track
    assert arena.places is not None
    counts, firing = counts.astype(np.float32), np.flatnonzero(counts.any(axis=1))
    policy, time = track.behaviour_without(-1, study.block), study.time.sum(axis=0)
    values = _finer(study.protocol.values)
    half = arena.spacing / 2.0  # a centre is known up to the size of a bin
    for model in study.protocol.models:
        axes = {name: np.array(values[name]) for name in model.settings if name in SCALES}
        surface = np.full([counts.shape[0], *(axis.size for axis in axes.values())], -np.inf)
        peaks = np.full((arena.mdp.n_states, counts.shape[0]), -np.inf)
        for setting, fields in model.families(arena, policy, values):
            candidates = Candidates.of([(setting, fields)], time)
            top = profile(candidates, counts)
            at = (slice(None), *(np.searchsorted(axes[name], setting[name]) for name in axes))
            surface[at] = np.maximum(surface[at], top.max(axis=1))
            np.maximum.at(peaks, candidates.relative.argmax(axis=1), top.T)
        for c in firing:
            estimates = _within(axes, surface[c]) if axes else {}
            below = peaks[:, c] - peaks[:, c].max()
            region = below >= -chi2.ppf(LEVEL, 2) / 2.0
            middle = np.average(arena.places[region], axis=0, weights=np.exp(below[region]))
            low, high = (end(arena.places[region], axis=0) for end in (np.min, np.max))
            for k, name in enumerate(names):
                estimates[f"centre_{name}"] = (middle[k], low[k] - half, high[k] + half, "")
            for quantity, (*numbers, note) in estimates.items():
                interval = dict(zip(("estimate", "low", "high"), map(float, numbers), strict=True))
                where = {"unit": units[c], "model": model.name, "quantity": quantity}
                yield {**where, **interval, "note": note}


def _finer(values: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
    """Return the values of each setting, with more between them where steps are large."""
    finer = {name: tuple(tried) for name, tried in values.items()}
    for name, step in _STEPS.items():
        scale, back = SCALES[name]
        tried = np.array(finer[name])
        numbers = np.ceil(np.diff(scale(tried)) / step).astype(int)
        between = [
            back(np.linspace(scale(low), scale(high), n + 1)[1:-1])
            for (low, high), n in zip(pairwise(tried), numbers, strict=True)
        ]
        finer[name] = tuple(np.sort(np.concatenate([tried, *between])).tolist())
    return finer


def profile(candidates: Candidates, counts: np.ndarray) -> FloatArray:
    """Return the log likelihood of each cell and candidate, maximised over weights, (C, K).

    Candidates far from the best one have the largest value on a grid of weights instead.
    """
    d = candidates.relative.T.astype(np.float32)
    values = np.stack([counts @ np.log1p(np.float32(w) * d) for w in _WEIGHTS])
    # A weight of 0 has the likelihood of a constant rate.
    top = np.maximum(values.max(axis=0), 0.0).astype(np.float64)
    near = top >= top.max(axis=1, keepdims=True) - _NEAR
    largest = largest_weights(counts.sum(axis=1, dtype=np.float64))
    begin = _WEIGHTS[values.argmax(axis=0)]
    profile_weights(counts, candidates.relative, largest, begin, near, top)
    return top


def _within(axes: Mapping[str, FloatArray], surface: FloatArray) -> dict[str, tuple[Any, ...]]:
    """Return the most likely value of each free setting, its limits, and a note.

    The profile of one setting is the maximum over the other one.

    Parameters
    ----------
    axes : mapping of str to arrays
        The values of one or two continuous settings.
    surface : float array with an axis for each setting
        The largest log likelihood at each combination of values.
    """
    varied = [name for name, values in axes.items() if values.size > 1]
    surface = surface.reshape([axes[name].size for name in varied])
    fine = {}
    for axis, name in enumerate(varied):
        scale, back = SCALES[name]
        scaled = scale(axes[name])
        points = np.linspace(scaled[0], scaled[-1], _FINE[len(varied)])
        surface, fine[name] = CubicSpline(scaled, surface, axis=axis)(points), back(points)
    found: dict[str, tuple[Any, ...]] = {}
    for name, values in axes.items():
        if name not in fine:
            found[name] = (values[0], np.nan, np.nan, ONLY)
            continue
        others = tuple(axis for axis, other in enumerate(varied) if other != name)
        found[name] = _limits(fine[name], surface.max(axis=others))
    return found


def _limits(tried: FloatArray, curve: FloatArray) -> tuple[Any, ...]:
    """Return the best value, the limits of its interval, and whether these are ends."""
    enough = np.flatnonzero(curve >= curve.max() - chi2.ppf(LEVEL, 1) / 2.0)
    best, low, high = curve.argmax(), enough[0], enough[-1]
    last = tried.size - 1
    note = ""
    if best in (0, last):
        note = f"{'largest' if best else 'smallest'} value tried"
    elif low == 0 or high == last:
        ends = ("smallest", low == 0), ("largest", high == last)
        which = " and ".join(end for end, reached in ends if reached)
        note = f"interval ends at the {which} value tried"
    return tried[best], tried[low], tried[high], note
