"""Objects within objects: the features of an agent, the options that a run has found."""

from typing import Any

from hsr._base.errors import InputError
from hsr.files.contents import Contents

_SHARED = ("state", "future_state", "action")  # axes that a part shares with the whole


def add_part(whole: Contents, name: str, part: Contents) -> None:
    """Add the contents of one object to those of another.

    The header of the part becomes the setting `name`. Its arrays get the prefix ``name.``, and so
    do its axes, apart from states and actions.

    Parameters
    ----------
    whole : Contents
        The contents to add to. They are changed.
    name : str
        What the part is called.
    part : Contents
        The part.

    Examples
    --------
    >>> import numpy as np
    >>> whole = Contents("agent")
    >>> visits = (("state", "future_state"), np.eye(2))
    >>> add_part(whole, "features", Contents("map", arrays={"visits": visits}))
    >>> list(whole.arrays), whole.settings["features"]["kind"]
    (['features.visits'], 'map')
    """
    whole.settings[name] = {
        "kind": part.kind,
        "made_for": part.made_for,
        "discount": part.discount,
        "settings": part.settings,
    }
    for array, (dims, values) in part.arrays.items():
        own = tuple(dim if dim in _SHARED else f"{name}.{dim}" for dim in dims)
        whole.arrays[f"{name}.{array}"] = (own, values)


def read_part(whole: Contents, name: str) -> Contents:
    """Return the contents of a part, as they were before `add_part`.

    Parameters
    ----------
    whole : Contents
        What a file holds.
    name : str
        What the part is called.

    Raises
    ------
    InputError
        If there is no such part.

    Examples
    --------
    >>> whole = Contents("agent")
    >>> add_part(whole, "features", Contents("map", discount=0.5))
    >>> read_part(whole, "features").discount
    0.5
    """
    header: Any = whole.settings.get(name)
    fields = {"kind": str, "made_for": str | None, "discount": float | None, "settings": dict}
    if not isinstance(header, dict) or not all(
        isinstance(header.get(field, ...), of_type) for field, of_type in fields.items()
    ):
        raise InputError(f"it has no {name!r}")
    start = f"{name}."
    arrays = {
        array.removeprefix(start): (tuple(dim.removeprefix(start) for dim in dims), values)
        for array, (dims, values) in whole.arrays.items()
        if array.startswith(start)
    }
    return Contents(
        header["kind"], header["made_for"], header["discount"], header["settings"], arrays
    )
