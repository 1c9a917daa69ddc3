"""Labels of states and actions as JSON, and back."""

import operator
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from hsr._base.errors import InputError, short_repr


def written_labels(labels: Iterable[Hashable], name: str) -> list[Any]:
    """Return labels as values that JSON can hold.

    Texts, numbers, booleans and None stay as they are. Tuples become lists, which are never labels.

    Parameters
    ----------
    labels : iterable
        The labels.
    name : str
        What messages call them.

    Raises
    ------
    InputError
        If a label is of another type, with its position.

    Examples
    --------
    >>> written_labels([("room", 1), "hall"], "labels")
    [['room', 1], 'hall']
    """
    return [_written(label, f"{name}[{k}]") for k, label in enumerate(labels)]


def read_labels(labels: Any) -> list[Any]:
    """Return the labels that `written_labels` wrote: lists become tuples again.

    Examples
    --------
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
        f"{name} is {short_repr(label)}; "
        "a file holds labels that are texts, finite numbers, and tuples of these"
    )


def _read(label: Any) -> Any:
    return tuple(_read(part) for part in label) if isinstance(label, list) else label
