"""Declare each setting once: its default, its allowed values and one line of explanation.

A specification is a frozen dataclass that derives from `Spec`. Its fields are made with `word`,
`named`, `number`, `integer`, `text`, `flag`, `several`, `nested` and `value`. Everything else is
derived from these declarations: checks with their messages, settings of experiments, changes by
dotted path, help texts, and tables in the documentation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple, Self, TypeVar

from hsr._base.errors import InputError, short_repr
from hsr._base.fields import (
    KEY,
    NOTHING,
    Declared,
    declared_field,
    flag,
    integer,
    named,
    number,
    several,
    text,
    value,
    word,
)

__all__ = [
    "NOTHING",
    "Declared",
    "FieldFacts",
    "Spec",
    "changed",
    "declarations",
    "defaults",
    "fields_of",
    "flag",
    "integer",
    "named",
    "nested",
    "no_such",
    "number",
    "paths_of",
    "several",
    "text",
    "unknown_field",
    "value",
    "value_at",
    "word",
]

_SYNONYMS = {"gamma": "discount", "alpha": "learning_rate", "lr": "learning_rate"}


@dataclass(frozen=True, eq=False)
class Spec:
    """Base of all specifications: frozen dataclasses whose fields are declared.

    Making one checks every field. Two are equal if their fields are.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Walk(Spec):
    ...     slip: float = number(0.0, "probability of another move", ge=0, le=1)
    >>> Walk(slip=2)
    Traceback (most recent call last):
    hsr._base.errors.InputError: slip is 2; it must lie in [0, 1]
    >>> Walk(slip=0.5).data(), Walk.from_data({"slip": 1})
    ({'slip': 0.5}, Walk(slip=1.0))
    """

    def __post_init__(self) -> None:
        for name, declared in declarations(type(self)).items():
            value = getattr(self, name)
            checked = declared.check(value, name)
            if checked is not value:
                object.__setattr__(self, name, checked)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _compared(self) == _compared(other)

    def __hash__(self) -> int:
        return hash(_compared(self))

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the specification that `data` describes; fields that are missing have defaults.

        Raises
        ------
        InputError
            If a field does not exist or a value is not allowed. The message begins with the dotted
            path of the field.
        """
        _refuse_unknown(cls, data)
        return cls(**data)

    def data(self) -> dict[str, Any]:
        """Return the specification as values that JSON can hold: lists instead of tuples."""
        return {
            name: _plain(getattr(self, name), declared)
            for name, declared in declarations(type(self)).items()
        }


def nested(default: "Spec", description: str = "", *, without: Sequence[str] = ()) -> Any:
    """Return a field that holds another specification.

    A mapping is accepted as well: its values replace those of the default.

    Parameters
    ----------
    default : Spec
        The specification that is used if none is given.
    description : str
        One line that says what the field decides.
    without : sequence of str
        Fields that are not settings here, because something else decides them. They always have the
        values of the default.
    """
    kind = type(default)

    def check(value: Any, name: str) -> Spec:
        if isinstance(value, kind):
            return value
        if not isinstance(value, Mapping):
            raise InputError(f"{name} is {short_repr(value)}; it must be a {kind.__name__}")
        try:
            _refuse_unknown(kind, value, without)
            return replace(default, **value)
        except InputError as error:
            raise _located(error, name, kind) from None

    declared = Declared(description, check, "nested", spec=kind, without=tuple(without))
    return declared_field(default, declared)


class FieldFacts(NamedTuple):
    """One field of a specification: its value, what it takes, and what it decides."""

    value: Any
    takes: str
    description: str


def fields_of(spec: Spec) -> dict[str, FieldFacts]:
    """Return every field of a specification by its dotted path, with those of nested ones.

    Examples
    --------
    >>> from hsr.paper.transfer import TransferSetting
    >>> fields_of(TransferSetting())["agent.learning_rate"].takes
    'number, more than 0, at most 1'
    """
    return {
        path: FieldFacts(value_at(spec, path), declared.takes, declared.description)
        for path, declared in _leaves(type(spec)).items()
    }


def paths_of(spec: Spec) -> list[str]:
    """Return the dotted paths of all fields of a specification."""
    return list(_leaves(type(spec)))


def value_at(spec: Spec, path: str) -> Any:
    """Return the value of a field by its dotted path."""
    value: Any = spec
    for name in path.split("."):
        value = getattr(value, name)
    return value


S = TypeVar("S", bound=Spec)


def changed(spec: S, changes: Mapping[str, Any]) -> S:
    """Return a specification with other values in some fields, each named by its dotted path.

    The word "none" stands for None where a field may be None.

    Raises
    ------
    InputError
        If there is no such field or a value is not allowed. The message begins with the path.

    Examples
    --------
    >>> from hsr.paper.transfer import TransferSetting
    >>> changed(TransferSetting(), {"agent.epsilon": 0.2}).agent.epsilon
    0.2
    """
    known = _leaves(type(spec))
    values: dict[str, Any] = {}
    groups: dict[str, dict[str, Any]] = {}
    for path, given in changes.items():
        if path not in known:
            raise unknown_field(path, list(known))
        group, dot, rest = path.partition(".")
        if dot:
            groups.setdefault(group, {})[rest] = given
        else:
            values[path] = None if given == NOTHING and known[path].optional else given
    for group, some in groups.items():
        inner = getattr(spec, group)
        try:
            values[group] = changed(inner, some)
        except InputError as error:
            raise _located(error, group, type(inner)) from None
    return replace(spec, **values) if values else spec


def unknown_field(path: str, known: Sequence[str]) -> InputError:
    """Return the error for a path that no field has.

    Fields of a group of this name come first, then those with the same or a similar last name.
    """
    last = path.rpartition(".")[2]
    names = [known_path.rpartition(".")[2] for known_path in known]
    similar = [_SYNONYMS.get(last, last), *get_close_matches(last, names, n=3, cutoff=0.7)]
    close = [field_path for field_path in known if field_path.startswith(f"{path}.")]
    close += [
        field_path
        for word in similar
        for field_path, name in zip(known, names, strict=True)
        if name == word
    ]
    close += get_close_matches(path, known, n=3, cutoff=0.6)
    return no_such("setting", path, close, "`hsr list EXPERIMENT` prints all settings")


def no_such(what: str, name: str, close: Sequence[str], otherwise: str) -> InputError:
    """Return the error for an unknown name, with similar ones or with another hint."""
    some = ", ".join(list(dict.fromkeys(close))[:4])
    return InputError(
        f"there is no {what} {name!r:.60}; {f'did you mean {some}?' if some else otherwise}"
    )


def declarations(spec: type) -> dict[str, Declared]:
    """Return the declaration of every field of a specification, by name.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Walk(Spec):
    ...     slip: float = number(0.0, "probability of another move", ge=0, le=1)
    >>> declarations(Walk)["slip"].description
    'probability of another move'
    """
    return _declarations(spec)


def defaults(spec: type) -> dict[str, Any]:
    """Return the default of every declared field of a specification, by name.

    >>> from hsr.agents import OnlineOptions
    >>> defaults(OnlineOptions)["signs"]
    'positive'
    """
    own = {field.name: field.default for field in fields(spec)}
    return {name: own[name] for name in declarations(spec)}


@cache
def _declarations(spec: type) -> dict[str, Declared]:
    """Return the declarations in the order of arguments."""
    declared = [field for field in fields(spec) if KEY in field.metadata]
    declared.sort(key=lambda field: bool(field.kw_only))
    return {field.name: field.metadata[KEY] for field in declared}


def _leaves(spec: type) -> dict[str, Declared]:
    """Return the declaration of every field by its dotted path, with those of nested ones."""
    leaves: dict[str, Declared] = {}
    for name, declared in declarations(spec).items():
        if declared.spec is None:
            leaves[name] = declared
        else:
            inner = _leaves(declared.spec).items()
            hidden = declared.without
            leaves |= {f"{name}.{path}": leaf for path, leaf in inner if path not in hidden}
    return leaves


def _refuse_unknown(spec: type, data: Mapping[str, Any], without: Sequence[str] = ()) -> None:
    known = [name for name in declarations(spec) if name not in without]
    for name in data:
        if name not in known:
            raise unknown_field(str(name), known)


def _located(error: InputError, name: str, spec: type) -> InputError:
    """Return an error about a nested specification, with the name of the field that holds it."""
    field_first = re.match(r"\w*", str(error))[0] in declarations(spec)  # type: ignore[index]
    return InputError(f"{name}{'.' if field_first else ': '}{error}")


def _plain(value: Any, declared: Declared) -> Any:
    """Return a value of a field as JSON can hold it."""
    if isinstance(value, Spec):
        data = value.data()
        return {name: data[name] for name in data if name not in declared.without}
    if isinstance(value, (list, tuple)):
        return [_plain(entry, declared.item or declared) for entry in value]
    return value


def _compared(spec: Any) -> tuple[Any, ...]:
    """Return by what specifications are compared: their fields, objects such as arrays by id."""
    values = (getattr(spec, field.name) for field in fields(spec))
    simple = (str, int, float, tuple, Spec, type(None))
    return tuple(value if isinstance(value, simple) else id(value) for value in values)
