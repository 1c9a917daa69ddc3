"""Labels as JSON: texts, numbers, truth values and None as they are, and tuples as lists, which no
label can be.
"""

import operator
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from hsr._base.errors import InputError


def written_labels(labels: Iterable[Hashable], name: str) -> list[Any]:
    """Return labels as JSON has them, or raise `InputError` naming the first that it cannot have.

    >>> written_labels([("room", 1), "hall"], "labels")
    [['room', 1], 'hall']
    """
    return [_written(label, f"{name}[{k}]") for k, label in enumerate(labels)]


def read_labels(labels: Any) -> list[Any]:
    """Return the labels that were written.

    >>> read_labels([["room", 1], "hall"])
    [('room', 1), 'hall']
    """
    return [_read(label) for label in labels]


def _written(label: Any, name: str) -> Any:
    if label is None or isinstance(label, bool | int | str):
        return label
    if isinstance(label, np.bool_):
        return bool(label)
    if isinstance(label, np.integer):
        return operator.index(label)
    if isinstance(label, float | np.floating) and np.isfinite(label):
        return float(label)
    if isinstance(label, tuple):
        return [_written(part, name) for part in label]
    raise InputError(
        f"{name} is {label!r:.80}; a file holds labels that are texts, finite numbers, and tuples of these"
    )


def _read(label: Any) -> Any:
    return tuple(_read(part) for part in label) if isinstance(label, list) else label
