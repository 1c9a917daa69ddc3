"""Settings as data, which are changed by name.

A preset is a complete setting. `changed` returns it with other values in some fields, each named by
its dotted path. `fields_of` says what every field holds, takes and decides: this is read from
pydantic's JSON schema of the setting. `hsr.paper.changes` reads changes from the command line and
from TOML files.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from hsr import InputError
from hsr._base.declaration import Spec, declarations, defaults

NOTHING = "none"  # stands for no value, which TOML does not have
_KINDS = {"boolean": "true or false", "string": "text", "integer": "integer", "number": "number"}
_LIMITS = {
    "minimum": "at least",
    "exclusiveMinimum": "more than",
    "maximum": "at most",
    "exclusiveMaximum": "less than",
}
_SYNONYMS = {"gamma": "discount", "alpha": "learning_rate", "lr": "learning_rate"}


class Setting(BaseModel):
    """Base of every setting: frozen, without unknown fields, and with finite numbers only."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def data(self) -> dict[str, Any]:
        """Return the setting as plain data, the form in which the setting of a run is stored."""
        return self.model_dump(mode="json")


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


def declared_in(spec: type[Spec], name: str) -> Any:
    """Return a field of a setting that is declared in a specification of the library."""
    declared = declarations(spec)[name]

    def check(value: Any) -> Any:
        try:
            return declared.check(value, name)
        except InputError:
            known = {"known": declared.known}
            raise PydanticCustomError("unknown", "Input should be {known}", known) from None

    words: Any = {"enum": list(declared.allowed)} if declared.kind == "word" else {}
    info = Field(
        default=defaults(spec)[name],
        description=declared.description,
        json_schema_extra=words,
        **dict[str, Any](declared.bounds),
    )
    info.metadata = [*info.metadata, AfterValidator(check)]
    return info


class FieldFacts(NamedTuple):
    """One field of a setting: its value, what it takes, and what it decides, both in words."""

    value: Any
    takes: str
    description: str


def fields_of(setting: Setting) -> dict[str, FieldFacts]:
    """Return every field of a setting by its dotted path.

    Examples
    --------
    >>> from hsr.paper.transfer import TransferSetting
    >>> fields_of(TransferSetting())["agent.learning_rate"].takes
    'number, more than 0, at most 1'
    """
    return {
        path: FieldFacts(value_at(setting, path), _takes(one), one.get("description", ""))
        for path, one in _schema(type(setting)).items()
    }


def changed(setting: S, changes: Mapping[str, Any]) -> S:
    """Return the setting with some fields changed, each named by its dotted path.

    The word "none" stands for no value where a field may have none.
    """
    data, known = setting.model_dump(), _schema(type(setting))
    for path, value in changes.items():
        if path not in known:
            raise unknown_field(path, list(known))
        *groups, last = path.split(".")
        place = data
        for name in groups:
            place = place[name]
        may_be_none = {"type": "null"} in known[path].get("anyOf", ())
        place[last] = None if value == NOTHING and may_be_none else value
    try:
        return type(setting).model_validate(data)
    except ValidationError as error:
        raise _in_words(error) from None


def paths_of(setting: Setting) -> list[str]:
    """Return the dotted paths of all fields of a setting."""
    return list(_schema(type(setting)))


def value_at(setting: Setting, path: str) -> Any:
    """Return the value of a field by its dotted path."""
    value: Any = setting
    for name in path.split("."):
        value = getattr(value, name)
    return value


def unknown_field(path: str, known: Sequence[str]) -> InputError:
    """Return the error for a path that no field has.

    Fields of a group of this name come first, then those with the same or a similar last name.
    """
    last = path.rpartition(".")[2]
    names = [one.rpartition(".")[2] for one in known]
    similar = [_SYNONYMS.get(last, last), *get_close_matches(last, names, n=3, cutoff=0.7)]
    close = [one for one in known if one.startswith(f"{path}.")]
    close += [one for x in similar for one, name in zip(known, names, strict=True) if name == x]
    close += get_close_matches(path, known, n=3, cutoff=0.6)
    return _no_such("setting", path, close, "`hsr list EXPERIMENT` prints all settings")


def nearest(name: str, known: Sequence[str], what: str) -> InputError:
    """Return the error for an unknown name, which lists similar names that exist."""
    close = get_close_matches(name, known, n=3, cutoff=0.6)
    return _no_such(what, name, close, f"there are {', '.join(known)}")


def _no_such(what: str, name: str, close: Sequence[str], otherwise: str) -> InputError:
    some = ", ".join(list(dict.fromkeys(close))[:4])
    return InputError(
        f"there is no {what} {name!r:.60}; {f'did you mean {some}?' if some else otherwise}"
    )


def _in_words(error: ValidationError) -> InputError:
    """Return the first thing that is wrong, with the path of the field."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return InputError(f"{where}.{cause}" if where else str(cause))
    message = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
    return InputError(f"{where} is {first['input']!r:.80}; {message}")


@cache
def _schema(kind: type[Setting]) -> dict[str, dict[str, Any]]:
    """Return the JSON schema of each field by its dotted path."""
    whole = kind.model_json_schema()
    return dict(_leaves(whole, whole.get("$defs", {}), ""))


def _leaves(
    one: dict[str, Any], shared: Mapping[str, Any], before: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, found in one["properties"].items():
        group = shared[found["$ref"].rpartition("/")[2]] if "$ref" in found else found
        if "properties" in group:
            yield from _leaves(group, shared, f"{before}{name}.")
        else:
            yield f"{before}{name}", group | found


def _takes(one: Mapping[str, Any]) -> str:
    """Return what a field takes, in words."""
    if "anyOf" in one:
        return ", or ".join(map(_takes, one["anyOf"]))
    if "enum" in one or "const" in one:
        return ", ".join(map(str, one.get("enum", [one.get("const")])))
    if "pattern" in one:
        return f"a word like {one['pattern']}"
    kind = one.get("type", "string")
    if kind == "null":
        return NOTHING
    if kind == "array":
        of = one.get("items", {}).get("type")
        return f"list of {_KINDS[of]}s" if of in ("integer", "number") else "list"
    limits = (f"{words} {one[key]:g}" for key, words in _LIMITS.items() if key in one)
    return ", ".join([_KINDS[kind], *limits])
