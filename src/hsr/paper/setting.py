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
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from hsr import InputError


class Setting(BaseModel):
    """Base of every setting: frozen, without unknown fields, and with finite numbers only."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def data(self) -> dict[str, Any]:
        """Return the setting as plain data, the form in which a run's setting is stored."""
        return self.model_dump(mode="json")


S = TypeVar("S", bound=Setting)


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
            f"{text!r:.80} is not a change; write it as name=value, such as agent.learning_rate=0.05"
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
