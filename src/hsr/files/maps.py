"""Predictive maps as contents of a file, and back."""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, read_only
from hsr._base.errors import InputError
from hsr._base.threads import one_thread
from hsr._base.validation import check_array
from hsr.files.contents import Contents
from hsr.representation.predictive_map import PredictiveMap


def to_contents(M: Any) -> Contents:
    """Return what a file of a map holds: all of its entries, ``visits`` (state, future state).

    Parameters
    ----------
    M : PredictiveMap or array of shape (S, S)
        The map. A lazy map is written out, and refused if it would not fit in memory.

    Examples
    --------
    >>> to_contents(np.eye(3)).arrays["visits"].shape
    (3, 3)
    """
    mdp_fingerprint, discount = (
        (M.mdp_fingerprint, M.discount) if isinstance(M, PredictiveMap) else (None, None)
    )
    entries = (
        M.toarray() if isinstance(M, PredictiveMap) else check_array(M, (None, None), "the map")
    )
    if entries.shape[0] != entries.shape[1] or not entries.size:
        raise InputError(
            f"the map has shape {entries.shape}; "
            "it must have as many rows as columns, and at least one"
        )
    return Contents(
        "map", mdp_fingerprint, discount, arrays={"visits": entries}, n_states=len(entries)
    )


def from_contents(contents: Contents) -> PredictiveMap:
    """Return the map of a file, with all of its entries in memory.

    Examples
    --------
    >>> from_contents(to_contents(np.eye(3))).rows(1)
    array([0., 1., 0.])
    """
    entries = read_only(contents.arrays["visits"])

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
        mdp_fingerprint=contents.mdp_fingerprint,
        discount=contents.discount,
    )
