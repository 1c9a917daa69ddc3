"""Known destinations: where an animal was heading for during each move."""

from typing import Any

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import is_list
from hsr.animals.choices.recorded import named_paths, names_in, state_named
from hsr.mdp.finite import FiniteMDP


def headings(paths: Any, places: Any) -> list[list[Any]]:
    """Return the destination of each move if an animal visits places in a given order.

    A path heads for the first place until it has been there, then for the second, and so on. After
    the last place nothing is known. Whether it heads for a place depends on the past only, so
    a random walk is not made to look directed.

    Parameters
    ----------
    paths : list of lists of states
        As `compare_choices` takes them.
    places : list of states
        The places in order. A place counts as visited once the path leaves its first state and
        enters the place.

    Returns
    -------
    list of lists
        For each path, the destination of each move, None after the last place.

    Examples
    --------
    >>> import hsr
    >>> hsr.headings([["home", "fork", "water", "fork", "home"]], ["water", "home"])
    [['water', 'water', 'home', 'home']]
    """
    wanted = names_in(listed(places, "places"), "places")
    result = []
    for path in named_paths(paths, "paths"):
        order, of_moves = iter(wanted), []
        place = next(order, None)
        for after in path[1:]:
            of_moves.append(place)
            if place is not None and after == place:
                place = next(order, None)
        result.append(of_moves)
    return result


def read_heading(
    mdp: FiniteMDP, paths: Any, walked: list[IntArray], heading: Any
) -> tuple[list[IntArray], list[IntArray]]:
    """Return paths with a move, and the destination of each of their moves, -1 if unknown."""
    of_paths = named_paths(heading, "heading")
    if len(of_paths) != len(walked):
        raise InputError(
            f"heading has {len(of_paths)} entries; "
            f"it must be a list with one entry for each of the {len(walked)} paths"
        )
    visited = named_paths(walked if paths is None else paths, "paths")
    kept, known = [], []
    for k, (path, whole, names) in enumerate(zip(walked, visited, of_paths, strict=True)):
        if len(names) != len(whole) - 1:
            raise InputError(
                f"heading[{k}] has {len(names)} entries; "
                f"it must have one for each of the {len(whole) - 1} moves of its path"
            )
        goals = [
            -1 if name is None else state_named(mdp, name, f"heading[{k}][{i}]")
            for i, name in enumerate(names)
            if whole[i + 1] != whole[i]
        ]
        if goals:
            kept.append(path)
            known.append(np.array(goals))
    if not known:
        raise InputError("paths have no move between different states")
    return kept, known


def listed(values: Any, name: str) -> list[Any]:
    """Return a list that is not empty."""
    if not is_list(values):
        raise InputError(f"{name} is {shown(values)}; it must be a list")
    entries = list(values)
    if not entries:
        raise InputError(f"{name} is empty")
    return entries
