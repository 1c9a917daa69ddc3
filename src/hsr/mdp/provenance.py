"""The mark of a world on what was made for it, and the one check that asks for it.

A mark is the fingerprint of an MDP on predictive maps and fitted bases, its structure fingerprint on option sets
(`hsr.mdp.fingerprint`). They carry it as `made_for`, or None where they were made by hand: what has
no mark fits wherever its shape does.
"""

import re
from typing import Any

from hsr._base.errors import InputError

_FINGERPRINT = re.compile("[0-9a-f]{32}")
_SHOWN = 8


def read_made_for(made_for: Any) -> str | None:
    """Return a fingerprint, or None; anything else raises `InputError`."""
    if made_for is None or (isinstance(made_for, str) and _FINGERPRINT.fullmatch(made_for)):
        return made_for
    raise InputError(
        f"made_for is {made_for!r:.80}; it must be mdp.fingerprint, "
        "for options mdp.structure_fingerprint, or None"
    )


def check_made_for(here: str, made_for: str | None, what: str, instead: str) -> None:
    """Raise `InputError` when `what` bears another mark than that of the MDP `here`; `instead` says
    what to do about it.
    """
    if made_for is not None and made_for != here:
        raise InputError(
            f"{what} for another MDP (fingerprint {short(made_for)}, this one is {short(here)}); {instead}"
        )


def short(fingerprint: str) -> str:
    """Return the beginning of a fingerprint, enough to tell two apart.

    >>> short("0123456789abcdef0123456789abcdef")
    '01234567...'
    """
    return f"{fingerprint[:_SHOWN]}..."
