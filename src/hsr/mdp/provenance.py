"""Provenance: which MDP an object was made for.

Predictive maps and fitted bases carry the fingerprint of their MDP, option sets its structure
fingerprint. The attribute is called `mdp_fingerprint`. It is None for objects made by hand, which
are
accepted wherever their shape fits.
"""

import re
from typing import Any

from hsr._base.errors import InputError, short_repr

_FINGERPRINT = re.compile("[0-9a-f]{32}")
_SHOWN = 8


def read_made_for(mdp_fingerprint: Any) -> str | None:
    """Return a fingerprint or None. Anything else raises `InputError`."""
    if mdp_fingerprint is None or (
        isinstance(mdp_fingerprint, str) and _FINGERPRINT.fullmatch(mdp_fingerprint)
    ):
        return mdp_fingerprint
    raise InputError(
        f"mdp_fingerprint is {short_repr(mdp_fingerprint)}; it must be mdp.fingerprint, "
        "for options mdp.structure_fingerprint, or None"
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
    """Return the beginning of a fingerprint, which is enough to distinguish two.

    >>> short("0123456789abcdef0123456789abcdef")
    '01234567...'
    """
    return f"{fingerprint[:_SHOWN]}..."
