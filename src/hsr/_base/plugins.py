"""Plugins: functions of other packages that hsr finds by name.

A package offers a function under a name in one of five groups of entry points, and the name then
works where a built-in one does:

    hsr.options            `make_options(kind=NAME)`, options.kind=NAME in an experiment
    hsr.representations    `make_representation(kind=NAME)`, `LinearQ(features=NAME)`
    hsr.bases              `BasisSpec(kind=NAME)`
    hsr.bonuses            `Sarsa(bonus=NAME)`
    hsr.engines            `hsr.paper.engine.run(engine=NAME)`, `hsr run --engine NAME`

Nothing is looked for before a name is used, and nothing is imported but the plugin that is asked
for. A name means one thing: one that two distributions claim, or that hsr has itself, is refused.
What is installed is read once for each ``sys.path``.
"""

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint, EntryPoints, distributions, entry_points
from typing import Any

from hsr._base.errors import InputError
from hsr._base.escaping import escape_control
from hsr._base.shown import shown

OPTIONS, REPRESENTATIONS, BASES, BONUSES, ENGINES = (
    "hsr.options",
    "hsr.representations",
    "hsr.bases",
    "hsr.bonuses",
    "hsr.engines",
)


@dataclass(frozen=True, order=True)
class Plugin:
    """A function that an installed package offers under a name.

    Attributes
    ----------
    group : str
        The group of entry points, such as ``"hsr.options"``.
    name : str
        The name that users write.
    distribution, version : str
        The installed package that offers the function.
    """

    group: str
    name: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"the plugin {self.name!r} in {self.group} (from {self.distribution} {self.version})"

    @property
    def pin(self) -> str:
        """The name with its distribution and version: what a result depends on."""
        return f"{self.name}@{self.distribution}=={self.version}"


class UnknownName(InputError):
    """A name that is neither built in nor offered by a plugin; `known` lists those that are."""

    def __init__(self, what: str, name: Any, known: str) -> None:
        super().__init__(f"{what} is {shown(name)}; it must be one of {known}")
        self.known = known


def installed() -> list[Plugin]:
    """Return every plugin that is installed, sorted by group, name, distribution and version.

    Examples
    --------
    >>> import hsr
    >>> [plugin.name for plugin in hsr.plugins() if plugin.group == "hsr.nothing"]
    []
    """
    return sorted(_found(tuple(sys.path)))


plugins = installed


def choose(group: str, name: Any, built_in: Sequence[str | None], what: str) -> Plugin | None:
    """Return the plugin that a name stands for, or None if the name is built in.

    Parameters
    ----------
    group : str
        The group of entry points to look in.
    name : str or None
        The name. None is accepted only if `built_in` contains it.
    built_in : sequence of str or None
        The names that need no plugin.
    what : str
        The argument that gives the name, for messages.

    Raises
    ------
    UnknownName
        If the name is neither built in nor offered by a plugin.
    InputError
        If several packages offer the name, or one offers a name that is built in.
    """
    if name is None and None in built_in:
        return None
    there = [plugin for plugin in installed() if plugin.group == group]
    if not isinstance(name, str):
        raise UnknownName(what, name, _known(there, built_in, ""))
    claims = [plugin for plugin in there if plugin.name == name]
    if name in built_in and claims:
        raise InputError(
            f"{what} is {name!r}, which is built in, but {claims[0]} claims the name; "
            "uninstall that distribution"
        )
    if name in built_in:
        return None
    if not claims:
        raise UnknownName(what, name, _known(there, built_in, name))
    if len(claims) > 1:
        owners = " and ".join(f"{plugin.distribution} {plugin.version}" for plugin in claims)
        raise InputError(
            f"{what} is {name!r}, a name in {group} that {owners} claim; uninstall all but one"
        )
    return claims[0]


def pinned(group: str, name: str, built_in: Sequence[str], what: str) -> str:
    """Return a built-in name as it is, and that of a plugin with its distribution and version.

    A name that already has a version, as in ``name@distribution==version``, must agree with what is
    installed. Parameters are those of `choose`.
    """
    bare, at, _ = name.rpartition("@")
    plugin = choose(group, bare if at else name, built_in, what)
    if plugin is None and not at:
        return name
    if plugin is None or (at and plugin.pin != name):
        here = "built in" if plugin is None else f"{plugin.distribution} {plugin.version}"
        raise InputError(
            f"{what} is {name!r:.120}, but here {bare!r} is {here}; "
            "results of two versions are not mixed"
        )
    return plugin.pin


def load(plugin: Plugin) -> Callable[..., Any]:
    """Import a plugin and return its function.

    Whatever the import raises becomes an `InputError` that names the plugin.
    """
    try:
        thing = _found(tuple(sys.path))[plugin].load()
    except (Exception, SystemExit) as error:  # code from elsewhere may raise anything
        raise InputError(
            f"{plugin} cannot be imported: {type(error).__name__}: {escape_control(str(error))}"
        ) from error
    if not callable(thing):
        raise InputError(f"{plugin} is of type {type(thing).__name__}; it must be a function")
    return thing


def check_call(function: Callable[..., Any], whose: str, *arguments: Any, **settings: Any) -> None:
    """Raise `InputError` if a function does not accept these arguments. It is not called.

    Parameters
    ----------
    function : callable
        The function of a plugin.
    whose : str
        What the message calls it.
    *arguments, **settings
        The arguments of the later call. Only their number and names matter.
    """
    try:
        takes = inspect.signature(function)
    except (TypeError, ValueError) as error:  # some functions written in C have no signature
        raise InputError(
            f"{whose} cannot be called: {error}; it must be a Python function"
        ) from None
    try:
        takes.bind(*arguments, **settings)
    except TypeError as error:
        raise InputError(f"{whose} cannot be called: {error}; it takes {takes}") from None


@lru_cache(maxsize=8)
def _found(path: tuple[str, ...]) -> dict[Plugin, EntryPoint]:
    """Return the entry points of all groups.

    If a distribution is on the path twice, its entry points are those that Python would import.
    """
    found = {}
    for group in (OPTIONS, REPRESENTATIONS, BASES, BONUSES, ENGINES):
        for entry in _entries(group):
            owner = entry.dist
            named = (
                ("unknown", "unknown") if owner is None else (str(owner.name), str(owner.version))
            )
            found[Plugin(group, entry.name, *named)] = entry
    return found


def _entries(group: str) -> EntryPoints:
    """Return the entry points of a group, or raise `InputError` with the package that is broken."""
    try:
        return entry_points(group=group)
    except Exception as error:  # one malformed list of entry points makes all of them unreadable
        owners = ", ".join(str(one.name) for one in distributions() if not _can_be_listed(one))
        raise InputError(
            f"plugins cannot be looked for: the entry points of {owners} cannot be read; "
            "install it again, or uninstall it"
        ) from error


def _can_be_listed(distribution: Distribution) -> bool:
    """Return whether the entry points of a distribution can be parsed."""
    try:
        len(distribution.entry_points)
    except Exception:  # whatever a parser finds wrong
        return False
    return True


def _known(there: Sequence[Plugin], built_in: Sequence[str | None], name: str) -> str:
    """Return a list of all names for a message, with the most similar one as a suggestion."""
    text = ", ".join("or None" if word is None else repr(word) for word in built_in)
    if there:
        text += "; or a plugin: " + ", ".join(
            f"{one.name!r} (from {one.distribution} {one.version})" for one in there
        )
    near = get_close_matches(
        name, [word for word in built_in if word] + [one.name for one in there], n=1
    )
    return text + (f"; did you mean {near[0]!r}?" if near else "")
