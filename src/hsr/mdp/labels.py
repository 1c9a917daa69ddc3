"""Labels of states: their names in the source that an MDP was read from.

Examples are cells of a maze, nodes of a graph, or names in a log.
"""

from collections.abc import Hashable, Iterable
from typing import Any

from hsr._base.errors import InputError, short_repr

Labels = tuple[Hashable, ...]


def read_labels(labels: Any, n_states: int) -> Labels | None:
    """Return the labels of all states as a tuple, or None if there are none.

    They must be hashable and all different.
    """
    if labels is None:
        return None
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise InputError(
            f"labels is of type {type(labels).__name__}; "
            f"it must be a list of {n_states} labels, one per state"
        )
    words = tuple(labels)
    if len(words) != n_states:
        raise InputError(f"labels has {len(words)} entries; there are {n_states} states")
    number_states(words)
    return words


def is_hashable(label: Any) -> bool:
    """Return whether a label can be looked up. A tuple that holds a list cannot."""
    try:
        hash(label)
    except TypeError:
        return False
    return True


def number_states(labels: Labels) -> dict[Hashable, int]:
    """Return the state of each label.

    `InputError` is raised if a label is not hashable or belongs to two states.
    """
    numbers: dict[Hashable, int] = {}
    for state, label in enumerate(labels):
        try:
            first = numbers.setdefault(label, state)
        except TypeError:
            raise InputError(
                f"labels[{state}] is {short_repr(label)}, which is not hashable; use a tuple or "
                "a string"
            ) from None
        if first != state:
            raise InputError(
                f"labels[{first}] and labels[{state}] are both {short_repr(label)}; "
                "labels must be all different"
            )
    return numbers
