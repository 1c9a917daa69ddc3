"""Reads paths of states as steps."""

from collections.abc import Hashable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import is_list
from hsr.adapters.positions.trials import read_trials

_FORMS = "it must be a list of states, or a list of such lists"


def read_steps(path: Any, trials: Any) -> list[tuple[Hashable, Hashable]]:
    """Return the steps (state, next state) of one or several paths. None leads from one to another.

    Parameters
    ----------
    path, trials : Any
        As `from_path` takes them.
    """
    if hasattr(path, "itertuples"):  # a data frame
        path = path.to_numpy()
    if not isinstance(path, str) and not is_list(path):
        raise InputError(f"path is {shown(path)}; {_FORMS}")
    pieces = _pieces(path)
    if trials is not None:
        if len(pieces) != 1:
            raise InputError("trials and several paths cannot both be given")
        whole = pieces[0]
        trial = read_trials(trials, np.arange(len(whole), dtype=np.float64), timed=False)
        steps = [
            step
            for step, first, second in zip(pairwise(whole), trial, trial[1:], strict=False)
            if first == second >= 0
        ]
    else:
        steps = [step for piece in pieces for step in pairwise(piece)]
    if not steps:
        raise InputError("path has no step; some trial must hold at least two states")
    return steps


def _pieces(path: Any) -> list[list[Hashable]]:
    """Return the paths, each as a list of labels."""
    if isinstance(path, np.ndarray) and path.ndim == 2:
        return [_cells(path)]
    whole = path.tolist() if hasattr(path, "tolist") else list(path)
    if whole and all(isinstance(piece, (list, np.ndarray)) for piece in whole):
        return [_labels(piece) for piece in whole]
    return [_labels(whole)]


def _labels(piece: Iterable[Any]) -> list[Hashable]:
    if isinstance(piece, np.ndarray) and piece.ndim == 2:
        return _cells(piece)
    return piece.tolist() if isinstance(piece, np.ndarray) else list(piece)


def _cells(path: np.ndarray) -> list[Hashable]:
    if path.shape[1] == 1:
        return path[:, 0].tolist()
    if path.dtype.kind not in "iu":
        raise InputError(
            f"path has shape {path.shape} and type {path.dtype}, which looks like positions; "
            "hsr.from_positions(xy, bins=...) puts positions into bins"
        )
    return list(map(tuple, path.tolist()))
