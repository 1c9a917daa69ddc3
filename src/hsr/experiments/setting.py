"""Fields that the settings of many experiments have in common, and errors about unknown names.

A setting is a `hsr._base.declaration.Spec`: `changed` there changes its fields by dotted paths.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from hsr import InputError
from hsr._base.declaration import flag, integer, no_such

_MOST_WORLDS = 10_000  # every run of every world has a key in memory


def world_count(default: int) -> Any:
    """Return the field of the number of worlds."""
    return integer(default, "number of worlds, which are consecutive", ge=2, le=_MOST_WORLDS)


def first_number(default: int = 0) -> Any:
    """Return the field of the number of the first world."""
    return integer(default, "number of the first world", ge=0, le=10**9)


def seed_count(default: int) -> Any:
    """Return the field of the number of seeds."""
    return integer(default, "number of seeds in each world", le=1000)


def control_count(default: int) -> Any:
    """Return the field of the number of worlds of a control."""
    return integer(default, "number of worlds of a control, at most", ge=2, le=_MOST_WORLDS)


def control_flag() -> Any:
    """Return the field that marks a control."""
    return flag(False, "whether this setting is a control")


def nearest(name: str, known: Sequence[str], what: str) -> InputError:
    """Return the error for an unknown name, which lists similar names that exist."""
    close = get_close_matches(name, known, n=3, cutoff=0.6)
    return no_such(what, name, close, f"there are {', '.join(known)}")
