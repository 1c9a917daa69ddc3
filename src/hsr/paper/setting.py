"""Settings as data, which are changed by name.

A preset is a complete setting. `hsr.paper.changes` reads changes from the command line and from
TOML files. Unknown names are refused, and the message lists similar ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ValidationInfo

from hsr import InputError, OptionSpec, WorldSpec
from hsr.paper.changes import NOTHING
from hsr.paper.maps.setting import FeatureSetting, MapReading
from hsr.toolkit import Declared, Spec, declarations, defaults


class Setting(BaseModel):
    """Base of every setting: frozen, without unknown fields, and with finite numbers only."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @field_validator("*")
    @classmethod
    def _check_declared(cls, value: Any, info: ValidationInfo) -> Any:
        declared = _declared(cls, str(info.field_name))
        if declared is None:
            return value
        try:
            return declared.check(value, str(info.field_name))
        except InputError:
            known = {"known": " or ".join(map(repr, declared.allowed))}
            raise PydanticCustomError("unknown", "Input should be {known}", known) from None

    def data(self) -> dict[str, Any]:
        """Return the setting as plain data, the form in which the setting of a run is stored.

        Specifications of the library are written with the fields of `STORED_FIELDS`. A field that
        the library gets later is written only if it differs from its default. So new fields do not
        change the keys of stored runs.
        """
        plain = self.model_dump(mode="json")
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, Setting):
                plain[name] = value.data()
            elif isinstance(value, Spec):
                plain[name] = _stored(value)
        return plain


S = TypeVar("S", bound=Setting)

# Fields that the settings of many experiments have, each with its limits and description.
_MOST_WORLDS = 10_000  # every run of every world has a key in memory
WorldCount = Annotated[
    int, Field(ge=2, le=_MOST_WORLDS, description="number of worlds, which are consecutive")
]
FirstWorld = Annotated[int, Field(ge=0, le=10**9, description="number of the first world")]
SeedCount = Annotated[int, Field(ge=1, le=1000, description="number of seeds in each world")]
ControlWorlds = Annotated[
    int, Field(ge=2, le=_MOST_WORLDS, description="number of worlds of a control, at most")
]
AsControl = Annotated[bool, Field(description="whether this setting is a control")]
Intercept = Annotated[bool, Field(description="whether the fit of values has a constant")]
_OF_MAPS = (
    "n_components",
    "scale",
    "start",
    "trained_on",
    "ties",
    "stopping_state",
    "flat_policy",
)
STORED_FIELDS: dict[type[Spec], tuple[str, ...]] = {
    WorldSpec: ("layout", "discount", "slip"),
    OptionSpec: (
        "kind",
        "n_options",
        "signs",
        "policies",
        "initiation",
        "seed",
        "warm_up",
        "refresh",
        "values",
    ),
    MapReading: _OF_MAPS,
    FeatureSetting: (*_OF_MAPS, "kind", "of"),
}


def declared_in(spec: type[Spec], name: str) -> Any:
    """Return a field of a setting that is declared in a specification of the library."""
    extra: Any = {"declared": declarations(spec)[name]}
    return Field(default=defaults(spec)[name], json_schema_extra=extra)


def words_in(owner: type, name: str) -> tuple[str, ...]:
    """Return the words that a field of a setting or specification takes, plugins left out."""
    declared = _declared(owner, name)
    if declared is not None:
        return tuple(declared.words or ())
    return get_args(owner.model_fields[name].annotation)  # type: ignore[attr-defined]


def description_in(owner: type, name: str) -> str:
    """Return what a field of a setting or specification decides, in one line."""
    declared = _declared(owner, name)
    if declared is not None:
        return declared.description
    return str(owner.model_fields[name].description)  # type: ignore[attr-defined]


def changed(setting: S, changes: Mapping[str, Any]) -> S:
    """Return the setting with some fields changed, each named by its dotted path.

    The word "none" stands for no value where a field may have none.
    """
    data = setting.model_dump()
    for path, value in changes.items():
        place: Any = data
        *outer, last = path.split(".")
        for name in outer:
            place = place.get(name) if isinstance(place, dict) else None
        known = isinstance(place, dict) and last in place
        if not known or (isinstance(place[last], dict) and not isinstance(value, Mapping)):
            raise unknown_field(path, paths_of(setting))
        none = value == NOTHING and _may_be_none(type(setting), path)
        place[last] = None if none else value
    try:
        return type(setting).model_validate(data)
    except ValidationError as error:
        raise _in_words(error) from None


def paths_of(setting: Setting) -> list[str]:
    """Return the dotted paths of all fields of a setting."""
    return list(_paths(setting.model_dump(), ""))


def value_at(setting: Setting, path: str) -> Any:
    """Return the value of a field by its dotted path."""
    value: Any = setting
    for name in path.split("."):
        value = getattr(value, name)
    return value


def unknown_field(path: str, known: Sequence[str]) -> InputError:
    """Return the error for a path that no field has.

    Fields of a table of this name come first, then those with the same or a similar last name.
    """
    last = path.rpartition(".")[2]
    names = [one.rpartition(".")[2] for one in known]
    similar = [last, *get_close_matches(last, names, n=3, cutoff=0.7)]
    close = [one for one in known if one.startswith(f"{path}.")]
    close += [
        one for word in similar for one, name in zip(known, names, strict=True) if name == word
    ]
    close += get_close_matches(path, known, n=3, cutoff=0.6)
    return _no_such("setting", path, list(dict.fromkeys(close))[:4], known)


def nearest(name: str, known: Sequence[str], what: str) -> InputError:
    """Return the error for an unknown name, which lists similar names that exist."""
    return _no_such(what, name, get_close_matches(name, known, n=3, cutoff=0.4), known)


def _declared(owner: type, name: str) -> Declared | None:
    if issubclass(owner, Spec):
        return declarations(owner)[name]
    extra = owner.model_fields[name].json_schema_extra  # type: ignore[attr-defined]
    return extra["declared"] if extra else None


def _stored(spec: Spec) -> dict[str, Any]:
    """Return a specification as plain data; the name of a plugin has its version."""
    usual, always, plain = defaults(type(spec)), STORED_FIELDS.get(type(spec)), {}
    for name, declared in declarations(type(spec)).items():
        value = getattr(spec, name)
        if declared.registry is not None and value not in (declared.words or ()):
            value = declared.registry.pinned(value, name)
        if always is None or name in always or value != usual[name]:
            plain[name] = value
    return plain


def _no_such(what: str, name: str, close: Sequence[str], known: Sequence[str]) -> InputError:
    some = ", ".join(close or sorted(known)[:8])
    return InputError(f"there is no {what} {name!r:.60}; did you mean {some}?")


def _in_words(error: ValidationError) -> InputError:
    """Return the first thing that is wrong, with the path of the field."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return InputError(f"{where}.{cause}" if where else str(cause))
    message = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
    return InputError(f"{where} is {first['input']!r:.80}; {message}")


def _may_be_none(owner: type, path: str) -> bool:
    """Return whether a field may have no value."""
    first, _, rest = path.partition(".")
    if issubclass(owner, Spec):
        return defaults(owner)[first] is None
    annotation = owner.model_fields[first].annotation  # type: ignore[attr-defined]
    return _may_be_none(annotation, rest) if rest else NoneType in get_args(annotation)


def _paths(data: Mapping[str, Any], before: str) -> Iterator[str]:
    for name, value in data.items():
        if isinstance(value, dict):
            yield from _paths(value, f"{before}{name}.")
        else:
            yield f"{before}{name}"
