"""Settings as data, which are changed by name from the command line or from a TOML file.

A preset is a complete setting. A change names one field by its dotted path and gives its value in
the syntax of TOML:

    agent.learning_rate=0.05        rates=[0.01, 0.1]        options.kind=covering

Words need no quotation marks. Unknown names are refused, and the message lists similar ones.
"""

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ValidationInfo

from hsr import InputError, OptionSpec, WorldSpec
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
    """Return the setting with some fields changed, each named by its dotted path."""
    data = setting.model_dump()
    for path, value in changes.items():
        place: Any = data
        *outer, last = path.split(".")
        for name in outer:
            place = _field(place, name, path)
        _field(place, last, path)
        place[last] = value
    try:
        return type(setting).model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{where} is {first['input']!r:.80}; {first['msg'][:1].lower()}{first['msg'][1:]}"
        ) from None


def read_change(text: str) -> tuple[str, Any]:
    """Return the path and value of one change written as ``path=value``."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise InputError(
            f"{text!r:.80} is not a change; write it as name=value, "
            "such as agent.learning_rate=0.05"
        )
    return path.strip(), _read_value(value.strip())


def read_file(path: Path) -> dict[str, Any]:
    """Return the changes in a TOML file, as dotted paths and values."""
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} cannot be read as TOML: {error}") from None
    return dict(_flattened(tables, ""))


def nearest(name: str, known: Sequence[str], what: str) -> InputError:
    """Return the error for an unknown name, which lists similar names that exist."""
    close = get_close_matches(name, known, n=3, cutoff=0.4) or sorted(known)[:8]
    return InputError(f"there is no {what} {name!r:.60}; did you mean {', '.join(close)}?")


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


def _field(place: Any, name: str, path: str) -> Any:
    if not isinstance(place, dict) or name not in place:
        known = list(place) if isinstance(place, dict) else []
        raise nearest(name, known, f"setting {path!r:.60}:")
    return place[name]


def _read_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _flattened(tables: Mapping[str, Any], before: str) -> Any:
    for name, value in tables.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
