"""Reads a log of steps, and numbers its states and actions in the order of their appearance."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr._base.shown import shown
from hsr._base.validation import is_list
from hsr.mdp.labels import Labels, is_hashable

_POSITIONS = (
    "which look like positions and not like steps; hsr.from_positions(xy, bins=...) puts positions "
    "into bins, and hsr.from_path(path) takes a path of states"
)
_FORMS = "it must hold steps (state, action, next state), or (state, next state)"


def read_log(
    transitions: Any, states: Any = None, actions: Any = None
) -> tuple[Labels, Labels, tuple[IntArray, IntArray, IntArray]]:
    """Return the labels of states, the labels of actions, and the log as three integer arrays.

    Parameters
    ----------
    transitions : iterable
        The log, as `from_transitions` takes it.
    states, actions : iterable, optional
        All labels, in the order in which they are numbered, as `from_transitions` takes them.

    Returns
    -------
    states, actions : tuple
        The labels, as given or in the order of their appearance. Steps without actions have the
        action "walk".
    columns : tuple of three int arrays
        State, action and next state of every step, as numbers.
    """
    steps = _read_steps(transitions)
    before, after = [step[0] for step in steps], [step[-1] for step in steps]
    acted = [step[1] for step in steps] if len(steps[0]) == 3 else ["walk"] * len(steps)
    both = list(chain.from_iterable(zip(before, after, strict=True)))
    number_of_state = _number(both, steps, _read_labels(states, "states"), "states")
    number_of_action = _number(acted, steps, _read_labels(actions, "actions"), "actions")
    check_fits(
        16 * len(number_of_state) * len(number_of_action),
        "the number of visits of all states and actions",
        "use fewer actions",
    )
    columns = (
        (before, number_of_state),
        (acted, number_of_action),
        (after, number_of_state),
    )
    s, a, t = (
        np.fromiter(map(number.__getitem__, column), np.int64, len(steps))
        for column, number in columns
    )
    return _plain(number_of_state), _plain(number_of_action), (s, a, t)


def _read_labels(labels: Any, name: str) -> dict[Hashable, None] | None:
    """Return the labels that a caller lists, without their numbers, or None."""
    if labels is None:
        return None
    if not is_list(labels):
        raise InputError(f"{name} is {shown(labels)}; it must be a list of labels")
    listed = list(labels)
    wrong = [label for label in listed if not is_hashable(label) or _is_missing(label)]
    if wrong or len(set(listed)) < len(listed) or not listed:
        why = f"it holds {shown(wrong[0])}" if wrong else f"it is {shown(labels)}"
        raise InputError(f"{name} must list different labels, such as names or numbers; {why}")
    return dict.fromkeys(listed)


def _read_steps(transitions: Any) -> list[Sequence[Hashable]]:
    """Return the log as a list of pairs or of triples, after checking each step."""
    _refuse_positions(transitions)
    if hasattr(transitions, "itertuples"):  # a data frame, which iterates over its columns' names
        transitions = transitions.itertuples(index=False, name=None)
    elif isinstance(transitions, np.ndarray):
        transitions = transitions.tolist()
    if isinstance(transitions, (str, bytes)) or not isinstance(transitions, Iterable):
        raise InputError(f"transitions is of type {type(transitions).__name__}; {_FORMS}")
    steps = list(transitions)
    if not steps:
        raise InputError(f"transitions is empty; {_FORMS}")
    width = len(steps[0]) if isinstance(steps[0], (tuple, list)) and len(steps[0]) == 2 else 3
    for i, step in enumerate(steps):
        if not isinstance(step, (tuple, list)) or len(step) != width:
            asked = (
                "(state, action, next state)" if width == 3 else "(state, next state), as before"
            )
            raise InputError(f"step {i} of the log is {shown(step)}; it must be {asked}")
    return steps


def _refuse_positions(transitions: Any) -> None:
    """Raise `InputError` if a log looks like positions: two columns of fractions, or x and y."""
    if hasattr(transitions, "itertuples") and list(transitions.columns) == ["x", "y"]:
        raise InputError(f"transitions has the columns x and y, {_POSITIONS}")
    if not isinstance(transitions, np.ndarray) or transitions.ndim != 2:
        return
    if transitions.shape[1] == 2 and transitions.dtype.kind == "f":
        fractions = np.isnan(transitions) | (transitions != np.floor(transitions))
        if fractions.mean() > 0.5:
            raise InputError(
                f"transitions is an array of fractions of shape {transitions.shape}, {_POSITIONS}"
            )


def _number(
    labels: Iterable[Hashable],
    steps: list[Sequence[Hashable]],
    listed: dict[Hashable, None] | None,
    name: str,
) -> dict[Hashable, int]:
    """Return the number of each label, in the listed order or that in which they appear."""
    try:
        distinct = dict.fromkeys(labels)
    except TypeError:
        i, wrong = next(
            (i, label) for i, step in enumerate(steps) for label in step if not is_hashable(label)
        )
        raise InputError(
            f"step {i} of the log holds {shown(wrong)}, which is not hashable; "
            "use a tuple or a string"
        ) from None
    if any(map(_is_missing, distinct)):
        i, wrong = next(
            (i, label) for i, step in enumerate(steps) for label in step if _is_missing(label)
        )
        raise InputError(
            f"step {i} of the log holds {shown(wrong)}, which equals nothing; leave such steps out"
        )
    if listed is not None:
        unknown = [label for label in distinct if label not in listed]
        if unknown:
            raise InputError(
                f"the log holds {shown(unknown[0])}, which is not one of the {len(listed)} {name}"
            )
        distinct = listed
    return {label: number for number, label in enumerate(distinct)}


def _is_missing(label: Any) -> bool:
    """Return whether a label is nan, NaT or NA, or a tuple that holds one.

    Such a label does not equal itself.
    """
    if isinstance(label, tuple):
        return any(map(_is_missing, label))
    try:
        return not label == label  # noqa: SIM201 - pandas.NA says neither yes nor no
    except TypeError:
        return True


def _plain(numbers: dict[Hashable, int]) -> Labels:
    """Return labels from arrays as Python's own numbers and strings. Times stay what they are."""
    return tuple(
        label.item() if isinstance(label, np.generic) and label.dtype.kind in "biufcSU" else label
        for label in numbers
    )
