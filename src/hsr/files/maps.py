"""Predictive maps as contents of a file, and back."""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, read_only
from hsr._base.errors import InputError
from hsr._base.threads import one_thread
from hsr._base.validation import check_array
from hsr.files.contents import Contents
from hsr.representation.predictive_map import PredictiveMap


def map_contents(M: Any) -> Contents:
    """Return what a file of a map holds: all of its entries, ``visits`` (state, future_state).

    Parameters
    ----------
    M : PredictiveMap or array of shape (S, S)
        The map. A lazy map is written out, and refused if it would not fit in memory.

    Raises
    ------
    InputError
        If it is masked or not square.

    Examples
    --------
    >>> map_contents(np.eye(3)).array("visits", 2).shape
    (3, 3)
    """
    if isinstance(M, np.ma.MaskedArray):
        raise InputError(
            "the map is a masked array; a file has no masks: "
            "fill it, M.filled(0.0), or give its data, M.data"
        )
    made_for, discount = (M.made_for, M.discount) if isinstance(M, PredictiveMap) else (None, None)
    entries = (
        M.toarray() if isinstance(M, PredictiveMap) else check_array(M, (None, None), "the map")
    )
    if entries.shape[0] != entries.shape[1] or not entries.size:
        raise InputError(
            f"the map has shape {entries.shape}; "
            "it must have as many rows as columns, and at least one"
        )
    return Contents(
        "map", made_for, discount, arrays={"visits": (("state", "future_state"), entries)}
    )


def map_from(contents: Contents) -> PredictiveMap:
    """Return the map of a file, with all of its entries in memory.

    Parameters
    ----------
    contents : Contents
        What a file of a map holds.

    Examples
    --------
    >>> map_from(map_contents(np.eye(3))).rows(1)
    array([0., 1., 0.])
    """
    entries = read_only(contents.array("visits", 2))
    if entries.shape[0] != entries.shape[1]:
        raise InputError(f"it holds a map of shape {entries.shape}, which is not square")

    def apply(block: FloatArray) -> FloatArray:
        with one_thread():
            return np.asarray(entries @ block)

    def apply_transpose(block: FloatArray) -> FloatArray:
        with one_thread():
            return np.asarray(entries.T @ block)

    return PredictiveMap(
        entries.shape,
        apply,
        apply_transpose,
        entries.copy,
        made_for=contents.made_for,
        discount=contents.discount,
    )
