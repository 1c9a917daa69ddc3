"""The mazes that come with the library."""

import os
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from hsr._base.errors import InputError, short_repr
from hsr.grids.layout import GridLayout

_NAMES = ("four_rooms", "four_rooms_barriers", "loop", "corridor", "paired_bottlenecks")


def layout_names() -> tuple[str, ...]:
    """Return the names that `load_layout` knows.

    Returns
    -------
    tuple of str
        One name per maze that comes with the library.

    Examples
    --------
    >>> layout_names()
    ('four_rooms', 'four_rooms_barriers', 'loop', 'corridor', 'paired_bottlenecks')
    """
    return _NAMES


def load_layout(name: str) -> GridLayout:
    """Return one of the mazes that come with the library; the same object at every call.

    - `four_rooms`: the 13 x 13 maze of [sutton1999]. Four rooms, four doors, 104 states.
    - `four_rooms_barriers`: the same rooms with short walls inside them, which break the symmetry
      within each room.
    - `loop`: rooms and corridors around a ring. There are two paths to every place.
    - `corridor`: rooms on both sides of one long corridor.
    - `paired_bottlenecks`: rooms in a grid. Neighbours are joined by two doors.

    Each maze has a start, a goal G1, and a goal G2 farther away. Neither goal is where one of the
    first eight eigenoptions ends at discount 0.9, for either sign of its eigenvector, so that no
    single option solves a task. The paper [yu2026] names the last four mazes (Fig. S3) without
    printing them. These follow its description.

    Parameters
    ----------
    name : str
        One of `layout_names()`.

    Raises
    ------
    InputError
        If there is no maze of this name. The message suggests the nearest name.

    Examples
    --------
    >>> layout = load_layout("four_rooms")
    >>> layout.n_states, layout.cell_of(layout.start)
    (104, (1, 1))
    >>> [layout.cell_of(goal) for goal in layout.goals]
    [(3, 9), (10, 10)]
    """
    if not isinstance(name, str) or name not in _NAMES:
        nearest = get_close_matches(name if isinstance(name, str) else "", _NAMES, n=1)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
        raise InputError(
            f"layout is {short_repr(name)}; expected one of {', '.join(map(repr, _NAMES))}{hint}"
        )
    return _load(name)


def read_layout(layout: Any) -> GridLayout:
    """Return a layout that is given as an object, by name, or as the path of a text file."""
    if isinstance(layout, GridLayout):
        return layout
    is_path = isinstance(layout, os.PathLike) or (
        isinstance(layout, str)
        and layout not in _NAMES
        and (Path(layout).name != layout or "." in layout)
    )
    if is_path:
        return GridLayout.from_file(layout)
    try:
        return load_layout(layout)
    except InputError as error:
        raise InputError(
            f"{error} (or a GridLayout, or the path of a text file such as 'maze.txt')"
        ) from None


@cache
def _load(name: str) -> GridLayout:
    text = files("hsr.grids").joinpath("mazes", f"{name}.txt").read_text(encoding="utf-8")
    return GridLayout.from_text(text, name=name)
