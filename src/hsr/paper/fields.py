"""The fields of a setting by their dotted paths: value, what is allowed, and what they decide."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from hsr.paper.setting import Setting
from hsr.toolkit import Declared, Spec, declarations, defaults

_KINDS = {bool: "true or false", int: "integer", float: "number", str: "text"}
_ITEMS = {int: "integers", float: "numbers", str: "words"}
_BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


@dataclass(frozen=True)
class FieldFacts:
    """What is known about one field of a setting.

    Parameters
    ----------
    value : object
        Its value in the setting.
    kind : str
        What it holds, in words, with its limits.
    description : str
        What it decides, in one line.
    words : mapping of str to str
        The words that it takes, each with its meaning or an empty text.
    optional : bool
        Whether it may have no value.
    """

    value: Any
    kind: str
    description: str
    words: Mapping[str, str] = field(default_factory=dict)
    optional: bool = False

    @property
    def allowed(self) -> str:
        """What the field takes, in one line."""
        words = ", ".join(self.words) or self.kind
        return f"{words}, or none" if self.optional else words


def fields_of(setting: Setting) -> dict[str, FieldFacts]:
    """Return every field of a setting, by its dotted path."""
    return dict(_walk(setting, ""))


def _walk(setting: Setting, before: str) -> Iterator[tuple[str, FieldFacts]]:
    for name, info in type(setting).model_fields.items():
        value, path = getattr(setting, name), f"{before}{name}"
        extra: Any = info.json_schema_extra
        if isinstance(value, Setting):
            yield from _walk(value, f"{path}.")
        elif isinstance(value, Spec):
            usual = defaults(type(value))
            for inner, declared in declarations(type(value)).items():
                own = getattr(value, inner)
                yield f"{path}.{inner}", _declared(own, declared, usual[inner])
        elif isinstance(extra, dict) and isinstance(found := extra.get("declared"), Declared):
            yield path, _declared(value, found, info.default)
        else:
            yield path, _plain(value, info)


def _declared(value: Any, declared: Declared, usual: Any) -> FieldFacts:
    words = declared.allowed
    if declared.pattern:
        words = {**words, declared.example: "or another pattern like this one"}
    kind = "text" if declared.kind == "value" else declared.kind
    return FieldFacts(
        value, _with_limits(kind, declared.bounds), declared.description, words, usual is None
    )


def _plain(value: Any, info: FieldInfo) -> FieldFacts:
    annotation, optional = info.annotation, False
    if get_origin(annotation) in (Union, UnionType):
        optional = NoneType in get_args(annotation)
        annotation = next(one for one in get_args(annotation) if one is not NoneType)
    words = get_args(annotation) if get_origin(annotation) is Literal else ()
    limits = {
        name: getattr(one, name) for one in info.metadata for name in _BOUNDS if hasattr(one, name)
    }
    return FieldFacts(
        value,
        _with_limits(_kind(annotation), limits),
        info.description or "",
        dict.fromkeys(words, ""),
        optional,
    )


def _kind(annotation: Any) -> str:
    if get_origin(annotation) is tuple:
        item = get_args(annotation)[0]
        inner = get_args(item)[0] if get_origin(item) is Annotated else item
        return f"list of {_ITEMS.get(inner, 'tables')}"
    return _KINDS.get(annotation, "word")


def _with_limits(kind: str, limits: Mapping[str, float]) -> str:
    """Return what a field holds with its limits.

    >>> _with_limits("number", {"gt": 0, "le": 1})
    'number, more than 0, at most 1'
    """
    return ", ".join([kind, *(f"{_BOUNDS[key]} {bound:g}" for key, bound in limits.items())])
