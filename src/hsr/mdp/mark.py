"""The mark of a world on what was made for it, and the one check that asks for it.

A mark is the fingerprint of an MDP (`hsr.mdp.fingerprint`). Option sets, predictive maps and fitted bases carry it as
`made_for`, or None where they were made by hand: what has no mark fits wherever its shape does.
"""

import re
from typing import Any

from hsr._base.errors import InputError
from hsr.mdp.finite import FiniteMDP

_FINGERPRINT = re.compile("[0-9a-f]{32}")
_SHOWN = 8


def read_mark(made_for: Any) -> str | None:
    """Return a fingerprint, or None; anything else raises `InputError`."""
    if made_for is None or (isinstance(made_for, str) and _FINGERPRINT.fullmatch(made_for)):
        return made_for
    raise InputError(f"made_for is {made_for!r:.80}; it must be the fingerprint of an MDP, mdp.fingerprint, or None")


def check_mark(mdp: FiniteMDP, made_for: str | None, what: str, instead: str) -> None:
    """Raise `InputError` when `what` bears the mark of another MDP; `instead` says what to do about it."""
    if made_for is not None and made_for != mdp.fingerprint:
        raise InputError(
            f"{what} for another MDP (fingerprint {short(made_for)}, this one is {short(mdp.fingerprint)}); {instead}"
        )


def short(fingerprint: str) -> str:
    """Return the beginning of a fingerprint, enough to tell two apart.

    >>> short("0123456789abcdef0123456789abcdef")
    '01234567...'
    """
    return f"{fingerprint[:_SHOWN]}..."
