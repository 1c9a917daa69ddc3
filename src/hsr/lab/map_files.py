"""Maps from files, such as learned ones, offered by the lab beside the exact ones."""

from pathlib import Path

import hsr
from hsr import InputError
from hsr.toolkit import Entry


def offer_map(path: Path) -> str:
    """Offer the map of a file as a representation, and return its name.

    It can be chosen in the menu of maps wherever the maze, its discount and its slip are those that
    the map was made for. Elsewhere the lab says that they are not.

    Parameters
    ----------
    path : Path
        A file that `hsr.save` wrote.

    Raises
    ------
    InputError
        If the file holds anything but a map, or its name is taken.
    """
    M = hsr.load(path)
    if not isinstance(M, hsr.PredictiveMap):
        raise InputError(f"{path} holds {type(M).__name__}; the lab shows files of maps")

    def the_map(mdp: hsr.FiniteMDP, options: hsr.OptionSet | None) -> hsr.PredictiveMap:
        if M.discount not in (None, mdp.discount):
            raise InputError(
                f"the map in {path.name} has the discount {M.discount:g}; "
                f"this world has {mdp.discount:g}"
            )
        return M

    script = f"hsr.load({str(path)!r}, mdp)"
    entry = Entry(path.stem, f"the map in {path.name}", the_map, script=script)
    hsr.REPRESENTATIONS.offer(entry)
    return entry.name
