"""The fields of a specification: words, numbers, texts, lists, each with its check and description.

Each function returns a dataclass field that carries its declaration in its metadata.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hsr._base.errors import InputError, short_repr
from hsr._base.registry import Registry, UnknownName
from hsr._base.validation import (
    LARGEST_INTEGER,
    check_choice,
    check_count,
    check_number,
    is_list,
)

NOTHING = "none"  # stands for None in files and on the command line
KEY = "hsr"  # of the metadata of a field
_LIMITS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


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
    kind : {"word", "number", "integer", "text", "flag", "list", "nested", "value"}
        What the field holds.
    pattern : str
        A regular expression. Words that match it as a whole are allowed besides `words`. Empty if
        there are none.
    example : str
        A word that matches `pattern`, for messages and help texts.
    optional : bool
        Whether the field may be None.
    item : Declared, optional
        What each entry of a list is.
    spec : type, optional
        The class of a nested specification.
    without : tuple of str
        Fields of the nested specification that are not settings.
    """

    description: str
    check: Callable[[Any, str], Any]
    kind: str
    words: Mapping[str, str] | None = None
    registry: Registry | None = None
    bounds: Mapping[str, float] = field(default_factory=dict)
    pattern: str = ""
    example: str = ""
    optional: bool = False
    item: "Declared | None" = None
    spec: type | None = None
    without: tuple[str, ...] = ()

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

    @property
    def takes(self) -> str:
        """What the field takes, for tables and help texts: "number, more than 0, at most 1"."""
        if self.kind == "word":
            words = ", ".join(self.allowed)
            return f"{words}, or a word like {self.pattern}" if self.pattern else words
        if self.item is not None:
            plural = self.item.kind in ("integer", "number")
            return f"list of {self.item.kind}s" if plural else "list"
        kind = {"flag": "true or false", "value": "text"}.get(self.kind, self.kind)
        limits = (
            f"{words} {self.bounds[key]:g}" for key, words in _LIMITS.items() if key in self.bounds
        )
        return ", ".join([kind, *limits]) + (f", or {NOTHING}" if self.optional else "")


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
    return declared_field(start, declared)


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
        A phrase for what else may be given instead of a name. Anything that is not a string is then
        accepted here and checked where it is used.
    """

    def check(value: Any, name: str) -> Any:
        if objects and not isinstance(value, str):
            return value
        if isinstance(value, (str, type(None))) and value in tuple(extra):
            return value
        try:
            return registry.check(value, name, extra=tuple(extra))
        except UnknownName as error:
            known = f"{error.known}; or {objects}" if objects else error.known
            raise UnknownName(name, value, known) from None

    return declared_field(default, Declared(description, check, "word", extra, registry))


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
        Bounds: greater or equal, greater, less or equal, less.
    """
    given = {"ge": ge, "gt": gt, "le": le, "lt": lt}
    bounds = {key: bound for key, bound in given.items() if bound is not None}

    def check(value: Any, name: str) -> float | None:
        if value is None is default:
            return None
        checked = check_number(value, name)
        if not within(checked, bounds):
            raise InputError(f"{name} is {short_repr(value)}; it must {in_words(bounds)}")
        return checked

    declared = Declared(description, check, "number", bounds=bounds, optional=default is None)
    return declared_field(default, declared)


def integer(
    default: int | None, description: str, *, ge: int = 1, le: int = LARGEST_INTEGER
) -> Any:
    """Return a field that holds an integer.

    Parameters
    ----------
    default : int or None
        The integer that is used if none is given. If it is None, None is allowed.
    description : str
        One line that says what the field decides.
    ge, le : int
        The smallest and the largest integer that are allowed.
    """

    def check(value: Any, name: str) -> int | None:
        return None if value is None is default else check_count(value, name, least=ge, most=le)

    bounds = {"ge": ge} if ge > -LARGEST_INTEGER else {}
    bounds |= {"le": le} if le < LARGEST_INTEGER else {}
    declared = Declared(description, check, "integer", bounds=bounds, optional=default is None)
    return declared_field(default, declared)


def value(default: Any, description: str) -> Any:
    """Return a field that holds anything; the class that has it checks it.

    For objects such as arrays or lists of tasks, which no word or number describes.
    """
    declared = Declared(description, lambda given, _: given, "value", optional=default is None)
    return declared_field(default, declared)


def text(default: str, description: str) -> Any:
    """Return a field that holds text."""

    def check(value: Any, name: str) -> str:
        if not isinstance(value, str):
            raise InputError(f"{name} is of type {type(value).__name__}; it must be text")
        return value

    return declared_field(default, Declared(description, check, "text"))


def flag(default: bool, description: str) -> Any:
    """Return a field that holds True or False."""

    def check(value: Any, name: str) -> bool:
        if not isinstance(value, (bool, np.bool_)):
            raise InputError(f"{name} is {short_repr(value)}; it must be true or false")
        return bool(value)

    return declared_field(default, Declared(description, check, "flag"))


def several(item: Any, default: Sequence[Any], *, least: int = 0) -> Any:
    """Return a field that holds a tuple; lists and arrays become tuples.

    Parameters
    ----------
    item : field
        What each entry is, as made by `number`, `integer`, `text` or `nested`.
    default : sequence
        The entries that are used if none are given.
    least : int
        The smallest number of entries.
    """
    of: Declared = item.metadata[KEY]

    def check(value: Any, name: str) -> tuple[Any, ...]:
        if not is_list(value):
            raise InputError(f"{name} is {short_repr(value)}; it must be a list")
        entries = tuple(of.check(entry, f"{name}[{i}]") for i, entry in enumerate(value))
        if len(entries) < least:
            raise InputError(f"{name} has {len(entries)} entries; it must have at least {least}")
        return entries

    return declared_field(tuple(default), Declared(of.description, check, "list", item=of))


def like(example: Any) -> Any:
    """Return a field for values of the same kind as an example, which is also its default."""
    if isinstance(example, bool):
        return flag(example, "")
    if isinstance(example, int):
        return integer(example, "", ge=-LARGEST_INTEGER)
    if isinstance(example, float):
        return number(example, "")
    if isinstance(example, str):
        return text(example, "")
    if isinstance(example, (list, tuple)) and example:
        return several(like(example[0]), example)
    return value(example, "")


def within(number: float, bounds: Mapping[str, float]) -> bool:
    """Return whether a number respects all bounds."""
    return (
        bounds.get("ge", number) <= number <= bounds.get("le", number)
        and not number <= bounds.get("gt", -float("inf"))
        and not number >= bounds.get("lt", float("inf"))
    )


def in_words(bounds: Mapping[str, float]) -> str:
    """Return bounds as the end of a sentence: "lie in (0, 1]", "not be negative".

    >>> in_words({"gt": 0, "le": 1}), in_words({"ge": 0})
    ('lie in (0, 1]', 'not be negative')
    """
    low = f"[{bounds['ge']:g}" if "ge" in bounds else f"({bounds.get('gt', -float('inf')):g}"
    high = f"{bounds['le']:g}]" if "le" in bounds else f"{bounds.get('lt', float('inf')):g})"
    return "not be negative" if (low, high) == ("[0", "inf)") else f"lie in {low}, {high}"


def declared_field(default: Any, declared: Declared) -> Any:
    """Return a dataclass field that carries its declaration in its metadata."""
    return field(default=default, metadata={KEY: declared})
