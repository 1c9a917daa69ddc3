"""Settings as columns: one value per field, and only the fields that differ between runs."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hsr.paper.store import canonical

Plain = str | int | float | bool | None


def flattened(setting: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return the fields of a setting by their dotted paths.

    >>> flattened({"agent": {"epsilon": 0.1}, "goals": [1, 2]})
    {'agent.epsilon': 0.1, 'goals': [1, 2]}
    """
    found: dict[str, Any] = {}
    for name, value in setting.items():
        if isinstance(value, Mapping):
            found |= flattened(value, f"{before}{name}.")
        else:
            found[f"{before}{name}"] = value
    return found


def differing(settings: Sequence[Mapping[str, Any]]) -> dict[str, list[Plain]]:
    """Return the fields that differ between settings, each with one plain value per setting.

    Lists are written as JSON. A field that a setting does not have is None. Of fields that have the
    same last name and the same values everywhere, such as ``options.kind`` and ``drawn_for.kind``,
    the one with the shortest path stands for all.

    Parameters
    ----------
    settings : sequence of mapping
        Settings as they are stored.

    Returns
    -------
    dict of str to list
        Values by dotted path, in the order of the fields. Those of one field have one type, except
        for None.

    Examples
    --------
    >>> differing([{"rate": 0.1, "n": {"goals": [1]}}, {"rate": 0.1, "n": {"goals": [1, 2]}}])
    {'n.goals': ['[1]', '[1, 2]']}
    """
    flat = [flattened(setting) for setting in settings]
    paths = list(dict.fromkeys(path for one in flat for path in one))
    columns: dict[str, list[Plain]] = {}
    for path in sorted(paths, key=lambda path: (len(path), path)):
        values = [one.get(path) for one in flat]
        if len({canonical({"": value}) for value in values}) < 2:
            continue
        plain = _of_one_type(values)
        last = path.rpartition(".")[2]
        if not any(
            other.rpartition(".")[2] == last and columns[other] == plain for other in columns
        ):
            columns[path] = plain
    return {path: columns[path] for path in paths if path in columns}


def _of_one_type(values: Sequence[Any]) -> list[Plain]:
    """Return values of one type: bool, int, float or str; None stays None."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and len(kinds) == 2:
        return [None if value is None else float(value) for value in values]
    if len(kinds) <= 1 and not kinds & {list, dict}:
        return list(values)
    return [
        value if value is None or isinstance(value, str) else json.dumps(value) for value in values
    ]
