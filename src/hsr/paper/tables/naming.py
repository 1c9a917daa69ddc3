"""The names of the conditions that stored runs belong to, such as "HSR rows"."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from hsr import InputError
from hsr.paper import catalogue
from hsr.paper.experiment import Experiment
from hsr.paper.setting import Setting, changed
from hsr.paper.store import canonical
from hsr.paper.tables.settings import flattened
from hsr.toolkit import Spec, defaults

_NEAREST = 4  # how many conditions are tried before a run is called a changed one of the first


def names_of(experiment: str, settings: Iterable[Mapping[str, Any]]) -> list[str | None]:
    """Return the name of the condition of each setting.

    A run may belong to any preset or control, with any fields changed. The setting of the
    experiment that would run it is built from the nearest condition that is known, and the name is
    that of the condition in it. A run that no setting gives is named after the nearest condition
    and the fields in which it differs. None stands for runs of an experiment that is not in the
    catalogue.

    Parameters
    ----------
    experiment : str
        Name of the experiment.
    settings : iterable of mapping
        Settings of runs, as they are stored.
    """
    if experiment not in catalogue.all_names():
        return [None for _ in settings]
    known = _known(experiment)
    exact = {one.text: one.name for one in reversed(known)}
    return [exact.get(canonical(one)) or _changed_name(experiment, one) for one in settings]


def name_of(condition: Any) -> str:
    """Return the name of a condition; a key of several parts begins with the agent."""
    return condition if isinstance(condition, str) else str(condition[0])


@cache
def usual_fields(experiment: str) -> dict[str, Any]:
    """Return the defaults of the fields that settings of runs leave out, by their dotted paths."""
    if experiment not in catalogue.all_names():
        return {}
    one = catalogue.find(experiment)
    condition = next(iter(one.conditions(next(iter(one.presets.values()))).values()))
    return {
        f"{name}.{field}": value
        for name in type(condition).model_fields
        if isinstance(spec := getattr(condition, name), Spec)
        for field, value in defaults(type(spec)).items()
    }


class _Known(NamedTuple):
    name: str
    setting: Setting
    fields: dict[str, Any]
    text: bytes


@cache
def _known(experiment: str) -> list[_Known]:
    """Return the conditions of all presets and their controls."""
    one = catalogue.find(experiment)
    return [
        found
        for preset in one.presets.values()
        for setting in one.with_controls(preset).values()
        for found in _conditions(one, setting)
    ]


def _conditions(experiment: Experiment, setting: Setting) -> Iterator[_Known]:
    for key, condition in experiment.conditions(setting).items():
        data = condition.data()
        yield _Known(name_of(key), setting, flattened(data), canonical(data))


def _changed_name(experiment: str, stored: Mapping[str, Any]) -> str:
    fields, text = flattened(stored), canonical(stored)
    by_distance = sorted(_known(experiment), key=lambda one: len(_differences(one.fields, fields)))
    for known in by_distance[:_NEAREST]:
        setting = _changed(known.setting, _differences(known.fields, fields))
        for one in () if setting is None else _conditions(catalogue.find(experiment), setting):
            if one.text == text:
                return one.name
    nearest = by_distance[0]
    words = (f"{path}={value}" for path, value in _differences(nearest.fields, fields).items())
    return f"{nearest.name} with {', '.join(words)}"


def _differences(known: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that differ from those of a known condition, with their values."""
    return {
        path: value for path, value in fields.items() if path not in known or known[path] != value
    }


def _changed(setting: Setting, differences: Mapping[str, Any]) -> Setting | None:
    """Return the setting with the changes that it has fields for, or None if one is refused."""
    fields = flattened(setting.model_dump())
    changes = {}
    for path, value in differences.items():
        of_maps = path.replace("features.", "maps.", 1)
        changes.update({one: value for one in (path, of_maps) if one in fields})
    try:
        return changed(setting, changes)
    except InputError:
        return None
