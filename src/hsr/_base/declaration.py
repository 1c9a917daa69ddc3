"""Declare each setting once: its default, what it may be, and one line that says what it does.

A specification is a frozen dataclass that derives from `Spec`. Its fields are made with `word`,
`named`, `number`, `integer` and `value`. Everything else is read from these declarations: checks
with their messages, settings of experiments, requests of the lab, help texts, tables in the
documentation and the Python code that builds the object.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

from hsr._base.errors import InputError, short_repr
from hsr._base.registry import Registry, UnknownName
from hsr._base.validation import check_choice, check_count, check_number

_KEY = "hsr"


@dataclass(frozen=True)
class Declared:
    """What is known about a field besides its name and default.

    Attributes
    ----------
    description : str
        One line that says what the field decides.
    check : callable
        ``check(value, name)`` returns the value as it is used, or raises `InputError`.
    words : mapping of str to str, or None
        The allowed words and what each means. None if the field does not hold a word.
    registry : Registry, optional
        The registry in which names besides `words` are looked up.
    bounds : mapping of "ge", "gt", "le", "lt" to numbers
        The limits of a number.
    kind : {"word", "number", "integer", "value"}
        What the field holds.
    pattern : str
        A regular expression. Words that match it as a whole are allowed besides `words`. Empty if
        there are none.
    example : str
        A word that matches `pattern`, for messages and help texts.
    """

    description: str
    check: Callable[[Any, str], Any]
    kind: str
    words: Mapping[str, str] | None = None
    registry: Registry | None = None
    bounds: Mapping[str, float] = field(default_factory=dict)
    pattern: str = ""
    example: str = ""

    @property
    def allowed(self) -> dict[str, str]:
        """The words that the field takes now, each with its meaning."""
        known = {} if self.registry is None else self.registry.summaries()
        return {**known, **(self.words or {})}

    @property
    def known(self) -> str:
        """The words that the field takes now, as the end of a sentence."""
        words = ", ".join(map(repr, self.allowed))
        return f"{words}, or a pattern such as {self.example!r}" if self.pattern else words


def word(
    words: Mapping[str, str],
    description: str,
    *,
    default: str | None = None,
    pattern: str = "",
    example: str = "",
) -> Any:
    """Return a field that holds one of a few words.

    Parameters
    ----------
    words : mapping of str to str
        The allowed words, each with its meaning in one line.
    description : str
        One line that says what the field decides.
    default : str, optional
        One of the words, by default the first.
    pattern : str
        A regular expression of further words that are allowed, such as "[+-]+".
    example : str
        A word that matches the pattern, for messages.
    """

    def check(value: Any, name: str) -> str:
        if pattern and not (isinstance(value, str) and value in words):
            if isinstance(value, str) and re.fullmatch(pattern, value):
                return value
            raise InputError(f"{name} is {short_repr(value)}; it must be one of {declared.known}")
        return check_choice(value, tuple(words), name)

    start = next(iter(words)) if default is None else default
    declared = Declared(description, check, "word", words, pattern=pattern, example=example)
    return _field(start, declared)


def named(
    registry: Registry,
    default: str,
    description: str,
    *,
    extra: Mapping[str, str] = {},
    objects: str = "",
) -> Any:
    """Return a field that holds a name of a registry.

    Parameters
    ----------
    registry : Registry
        Where names are looked up.
    default : str
        The name that is used if none is given.
    description : str
        One line that says what the field decides.
    extra : mapping of str to str
        Words that the field takes besides the registry's names, each with its meaning.
    objects : str
        What else may be given instead of a name, in words. Anything that is not a string is then
        accepted here and checked where it is used.
    """

    def check(found: Any, name: str) -> Any:
        if objects and not isinstance(found, str):
            return found
        try:
            return (
                found
                if isinstance(found, (str, type(None))) and found in tuple(extra)
                else registry.check(found, name, extra=tuple(extra))
            )
        except UnknownName as error:
            known = f"{error.known}; or {objects}" if objects else error.known
            raise UnknownName(name, found, known) from None

    return _field(default, Declared(description, check, "word", extra, registry))


def number(
    default: float | None,
    description: str,
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
) -> Any:
    """Return a field that holds a finite number within bounds.

    Parameters
    ----------
    default : float or None
        The number that is used if none is given. If it is None, None is allowed.
    description : str
        One line that says what the field decides.
    ge, gt, le, lt : float, optional
        Bounds: greater or equal, greater, less or equal, less. The names are those of pydantic.
    """
    given = {"ge": ge, "gt": gt, "le": le, "lt": lt}
    bounds = {key: bound for key, bound in given.items() if bound is not None}

    def check(value: Any, name: str) -> float | None:
        if value is None is default:
            return None
        found = check_number(value, name)
        if not within(found, bounds):
            raise InputError(f"{name} is {short_repr(value)}; it must {in_words(bounds)}")
        return found

    return _field(default, Declared(description, check, "number", bounds=bounds))


def integer(default: int | None, description: str, *, ge: int = 1) -> Any:
    """Return a field that holds an integer.

    Parameters
    ----------
    default : int or None
        The integer that is used if none is given. If it is None, None is allowed.
    description : str
        One line that says what the field decides.
    ge : int
        The smallest integer that is allowed.
    """

    def check(value: Any, name: str) -> int | None:
        return None if value is None is default else check_count(value, name, least=ge)

    return _field(default, Declared(description, check, "integer", bounds={"ge": ge}))


def value(default: Any, description: str) -> Any:
    """Return a field that holds anything; the class that has it checks it.

    For objects such as arrays or lists of tasks, which no word or number describes.
    """
    return _field(default, Declared(description, lambda found, _: found, "value"))


def redeclared(spec: "type[Spec]", name: str, *, default: Any = MISSING) -> Any:
    """Return a field with the declaration of a field of another specification.

    Parameters
    ----------
    spec : type
        The specification that declares the field.
    name : str
        The name of the field there. Here it may have another name.
    default : Any, optional
        Another default. Allowed values and description stay the same.
    """
    found = next(one for one in fields(spec) if one.name == name)  # type: ignore[arg-type]
    start = found.default if default is MISSING else default
    return field(default=start, metadata=found.metadata)


class Spec:
    """Base of all specifications: frozen dataclasses whose fields are declared.

    Making one checks every field. pydantic models can hold specifications: they are read from
    dictionaries and JSON, and their JSON schema comes from the declarations.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Walk(Spec):
    ...     slip: float = number(0.0, "probability of another move", ge=0, le=1)
    >>> Walk(slip=2)
    Traceback (most recent call last):
    hsr._base.errors.InputError: slip is 2; it must lie in [0, 1]
    """

    def __post_init__(self) -> None:
        for name, declared in declarations(type(self)).items():
            checked = declared.check(getattr(self, name), name)
            object.__setattr__(self, name, checked)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from hsr._base.pydantic_schema import schema_of

        return schema_of(cls)


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
    return {one.name: one.metadata[_KEY] for one in _declared(spec)}


def defaults(spec: type) -> dict[str, Any]:
    """Return the default of every declared field of a specification, by name.

    >>> from hsr.agents import OnlineOptions
    >>> defaults(OnlineOptions)["signs"]
    'positive'
    """
    return {one.name: one.default for one in _declared(spec)}


def within(found: float, bounds: Mapping[str, float]) -> bool:
    """Return whether a number respects all bounds."""
    return (
        bounds.get("ge", found) <= found <= bounds.get("le", found)
        and not found <= bounds.get("gt", -float("inf"))
        and not found >= bounds.get("lt", float("inf"))
    )


def in_words(bounds: Mapping[str, float]) -> str:
    """Return bounds as the end of a sentence: "lie in (0, 1]", "not be negative".

    >>> in_words({"gt": 0, "le": 1}), in_words({"ge": 0})
    ('lie in (0, 1]', 'not be negative')
    """
    low = f"[{bounds['ge']:g}" if "ge" in bounds else f"({bounds.get('gt', -float('inf')):g}"
    high = f"{bounds['le']:g}]" if "le" in bounds else f"{bounds.get('lt', float('inf')):g})"
    return "not be negative" if (low, high) == ("[0", "inf)") else f"lie in {low}, {high}"


def _field(default: Any, declared: Declared) -> Any:
    """Return a dataclass field that carries its declaration in its metadata."""
    return field(default=default, metadata={_KEY: declared})


def _declared(spec: type) -> Iterator[Field[Any]]:
    """Yield the fields that have a declaration. A specification may have others."""
    return (one for one in fields(spec) if _KEY in one.metadata)
