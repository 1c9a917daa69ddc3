"""Registries: the only lists of option kinds, representations, bases and bonuses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hsr._base import plugins
from hsr._base.errors import InputError


@dataclass(frozen=True)
class Entry:
    """One name of a registry.

    Attributes
    ----------
    name : str
        The name that users write.
    summary : str
        One line for tables, help texts and menus.
    make : callable
        The function behind the name. Each registry says how it is called.
    settings : tuple of str
        The settings that the function reads besides its fixed arguments.
    needs_options : bool
        Whether it cannot do without options.
    script : str
        A line of Python that makes the same of ``mdp``, for a name that exists in this process
        alone.
    """

    name: str
    summary: str
    make: Callable[..., Any]
    settings: tuple[str, ...] = ()
    needs_options: bool = False
    script: str = ""


class Registry(Mapping[str, Entry]):
    """Names and what they stand for, built-in entries first, then those of plugins.

    A registry is a mapping from names to entries. It holds the built-in entries in a fixed order
    and finds those of installed plugins when it is asked. Every function, command and page that
    accepts a name asks the registry, so a new entry is accepted everywhere at once.

    Parameters
    ----------
    group : str
        The group of entry points in which plugins offer functions.
    what : str
        What an entry is called in messages.
    entries : sequence of Entry
        The built-in entries in the order in which they are listed.

    Examples
    --------
    >>> import hsr
    >>> list(hsr.BASES)
    ['rows', 'svd', 'nmf', 'onehot']
    >>> hsr.BASES["svd"].settings
    ('n_components', 'scale', 'vectors')
    """

    def __init__(self, group: str, what: str, entries: Sequence[Entry]) -> None:
        self.group, self.what = group, what
        self._entries = {entry.name: entry for entry in entries}
        self._offered: dict[str, Entry] = {}

    def __iter__(self) -> Iterator[str]:
        """Yield every name, those of plugins last."""
        return iter(self.summaries())

    def __len__(self) -> int:
        return len(self.summaries())

    def __contains__(self, name: object) -> bool:
        return name in self.summaries()

    def __getitem__(self, name: str) -> Entry:
        """Return the entry of a name; the function of a plugin is imported now."""
        if isinstance(name, str) and name in self._offered:
            return self._offered[name]
        plugin = plugins.choose(self.group, unpinned(name), self.built_in, self.what)
        if plugin is None:
            return self._entries[name]
        return Entry(plugin.name, str(plugin), plugins.load(plugin))

    def __repr__(self) -> str:
        return f"Registry({', '.join(map(repr, self))})"

    @property
    def built_in(self) -> tuple[str, ...]:
        """The names of the built-in entries."""
        return tuple(self._entries)

    def summaries(self) -> dict[str, str]:
        """Return one line for every name; nothing of a plugin is imported."""
        own = {**self._entries, **self._offered}
        found = {name: entry.summary for name, entry in own.items()}
        for plugin in plugins.installed():
            if plugin.group == self.group and plugin.name not in found:
                found[plugin.name] = f"from {plugin.distribution} {plugin.version}"
        return found

    def offer(self, entry: Entry) -> None:
        """Offer a further entry, in this process alone.

        Parameters
        ----------
        entry : Entry
            What is offered. Its result is checked like that of a plugin.

        Raises
        ------
        InputError
            If the name is taken.
        """
        if entry.name in self:
            raise InputError(f"{self.what} {entry.name!r} exists already; use another name")
        self._offered[entry.name] = entry

    def withdraw(self, name: str) -> None:
        """Take back an entry that was offered."""
        del self._offered[name]

    def check(self, name: Any, argument: str, *, extra: Sequence[str | None] = ()) -> Any:
        """Return a name that the registry has; any other raises `InputError`.

        Parameters
        ----------
        name : str
            A name, or that of a plugin with its version as in ``name@distribution==version``.
        argument : str
            The argument that gives the name, for the message.
        extra : sequence of str
            Other words that the argument accepts, for the message.
        """
        if isinstance(name, str) and name in self._offered:
            return name
        if isinstance(name, str) and "@" in name:
            return self.pinned(name, argument, extra=extra)
        plugins.choose(self.group, name, (*self.built_in, *extra), argument)
        return name

    def pinned(self, name: str, argument: str, *, extra: Sequence[str | None] = ()) -> str:
        """Return a built-in name as it is and that of a plugin with distribution and version.

        Stored settings hold pinned names, so that runs of two versions of a plugin have different
        keys. Parameters are those of `check`.
        """
        words = tuple(word for word in (*self.built_in, *extra) if word is not None)
        return plugins.pinned(self.group, name, words, argument)


def unpinned(name: Any) -> Any:
    """Return a name without the version that `Registry.pinned` appends to that of a plugin."""
    return name.rpartition("@")[0] or name if isinstance(name, str) else name
