"""Fingerprints of MDPs, so that options, maps and bases of one MDP are refused in another.

A fingerprint is 32 hexadecimal digits that agree if every action has the same outcomes with the
same probabilities. It depends on the transition probabilities, rounded to nine decimals, and on
nothing else: not on the discount and not on labels. Rounding makes it independent of the order in
which probabilities were added up.

Options, predictive maps, bases and reward tasks record the fingerprint of their MDP as
`mdp_fingerprint`. It is None for objects made by hand, which are accepted wherever their shape
fits.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import Int32Array
from hsr._base.errors import InputError, short_repr

_DECIMALS = 9
_DIGITS = 32
_SHOWN = 8


def fingerprint_of_table(successors: Int32Array) -> str:
    """Return the fingerprint of a deterministic MDP from its successors, of shape (S, A)."""
    return _digest("successors", successors.shape, [successors.astype("<i4")])


def fingerprint_of_matrices(matrices: Iterable[sparse.csr_array]) -> str:
    """Return the fingerprint of an MDP from one canonical matrix of shape (S, S) per action.

    An MDP that is deterministic to nine decimals has the fingerprint of its table.
    """
    rounded = [_rounded(matrix) for matrix in matrices]
    if all(
        (np.diff(matrix.indptr) == 1).all() and (matrix.data == 1.0).all() for matrix in rounded
    ):
        return fingerprint_of_table(np.stack([matrix.indices for matrix in rounded], axis=1))
    parts = [
        part
        for matrix in rounded
        for part in (
            matrix.indptr.astype("<i8"),
            matrix.indices.astype("<i4"),
            matrix.data.astype("<f8"),
        )
    ]
    return _digest("matrices", (rounded[0].shape[0], len(rounded)), parts)


def _rounded(matrix: sparse.csr_array) -> sparse.csr_array:
    rounded = matrix.copy()
    rounded.data = np.round(matrix.data, _DECIMALS)
    rounded.eliminate_zeros()
    return rounded


def _digest(kind: str, shape: tuple[int, ...], parts: Iterable[np.ndarray]) -> str:
    digest = hashlib.sha256(f"{kind} {shape}".encode())
    for part in parts:
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()[:_DIGITS]


def read_fingerprint(mdp_fingerprint: Any) -> str | None:
    """Return a fingerprint or None. Anything else raises `InputError`."""
    if mdp_fingerprint is None or (
        isinstance(mdp_fingerprint, str) and re.fullmatch(f"[0-9a-f]{{{_DIGITS}}}", mdp_fingerprint)
    ):
        return mdp_fingerprint
    raise InputError(
        f"mdp_fingerprint is {short_repr(mdp_fingerprint)}; it must be mdp.fingerprint or None"
    )


def check_made_for(here: str, mdp_fingerprint: str | None, what: str, instead: str) -> None:
    """Raise `InputError` if an object was made for another MDP.

    Parameters
    ----------
    here : str
        The fingerprint of the MDP at hand.
    mdp_fingerprint : str or None
        The fingerprint that the object carries.
    what : str
        What was made, for the message, such as "the options were made".
    instead : str
        What to do about it, for the message.
    """
    if mdp_fingerprint is not None and mdp_fingerprint != here:
        raise InputError(
            f"{what} for another MDP (fingerprint {short(mdp_fingerprint)}, "
            f"this one is {short(here)}); {instead}"
        )


def short(fingerprint: str) -> str:
    """Return the first digits of a fingerprint, which are enough to distinguish two.

    >>> short("0123456789abcdef0123456789abcdef")
    '01234567...'
    """
    return f"{fingerprint[:_SHOWN]}..."
