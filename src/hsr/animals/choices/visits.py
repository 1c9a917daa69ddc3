"""From the state in each frame to the states that an animal visited one after another."""

from itertools import pairwise
from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr._base.validation import as_array, check_count
from hsr.adapters.positions.trials import read_trials


def visits(states: Any, *, trials: Any = None, shortest: int = 1) -> list[np.ndarray]:
    """Return the states that were visited one after another, a path for each trial.

    A tracked point near the border of two bins crosses it again and again, without any decision
    of the animal. With `shortest`, a visit of fewer frames from which the animal returns to the
    state where it came from does not count. Short visits on the way to another state count.

    Parameters
    ----------
    states : array of shape (frames,)
        The state in each frame, such as ``mdp.frames``. Frames with -1 have no state and split the
        path.
    trials : array, optional
        Trials, which are never joined: a label per frame, or the first frame and the last + 1 of
        each trial, of shape (trials, 2).
    shortest : int
        Fewest frames of a visit after which the animal returns.

    Returns
    -------
    list of arrays
        No state follows itself.

    Raises
    ------
    InputError
        If no frame has a state.

    Examples
    --------
    One frame in state 2 is not a visit, and three frames are:

    >>> import hsr
    >>> hsr.visits([1, 1, 2, 1, 1, 2, 2, 2, 1, 1, 3], shortest=3)
    [array([1, 2, 1, 3])]
    """
    frames = as_array(states, "states", "one state per frame")
    if frames.ndim != 1:
        raise InputError(f"states has shape {frames.shape}; it must have shape (frames,)")
    least = check_count(shortest, "shortest")
    number = np.arange(frames.size, dtype=np.float64)
    trial = read_trials(trials, number, timed=False)
    there = trial >= 0
    if frames.dtype.kind in "iuf":
        there &= frames >= 0
    cut = (there[1:] != there[:-1]) | (trial[1:] != trial[:-1])
    edges = [0, *(np.flatnonzero(cut) + 1).tolist(), frames.size]
    pieces = [frames[a:b] for a, b in pairwise(edges) if b > a and there[a]]
    if not pieces:
        raise InputError("no frame of states has a state that lies in a trial")
    return [_settled(piece, least) for piece in pieces]


def _settled(piece: np.ndarray, shortest: int) -> np.ndarray:
    """Return the visits of frames without gaps. Too short excursions become part of the visit."""
    first = np.r_[0, np.flatnonzero(piece[1:] != piece[:-1]) + 1]
    dwell = np.diff(np.r_[first, piece.size])
    kept: list[tuple[int, int]] = []  # first frame and number of frames of each visit
    for frame, n in zip(first.tolist(), dwell.tolist(), strict=True):
        kept.append((frame, n))
        while len(kept) > 2 and piece[kept[-3][0]] == piece[kept[-1][0]] and kept[-2][1] < shortest:
            together = sum(n for _, n in kept[-3:])
            kept[-3:] = [(kept[-3][0], together)]
    return piece[[frame for frame, _ in kept]]
