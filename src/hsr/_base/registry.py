"""Registries: the only lists of option kinds, representations, bases and bonuses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from hsr._base.errors import InputError, short_repr


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


class UnknownName(InputError):
    """A name that a registry does not have; `known` lists those that it has."""

    def __init__(self, what: str, name: Any, known: str) -> None:
        super().__init__(f"{what} is {short_repr(name)}; it must be one of {known}")
        self.known = known


class Registry(Mapping[str, Entry]):
    """Names and what they stand for: built-in entries in a fixed order, then those you add.

    Every function, command and page that accepts a name asks the registry, so a new entry is
    accepted everywhere at once.

    Parameters
    ----------
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

    def __init__(self, what: str, entries: Sequence[Entry]) -> None:
        self.what = what
        self._entries = {entry.name: entry for entry in entries}
        self.built_in = tuple(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, name: str) -> Entry:
        return self._entries[self.check(name, self.what)]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __repr__(self) -> str:
        return f"Registry({', '.join(map(repr, self))})"

    def summaries(self) -> dict[str, str]:
        """Return one line for every name."""
        return {name: entry.summary for name, entry in self._entries.items()}

    def add(
        self,
        name: str,
        make: Callable[..., Any],
        summary: str = "",
        *,
        settings: tuple[str, ...] = (),
        needs_options: bool = False,
        script: str = "",
    ) -> None:
        """Add an entry of your own, for this process.

        What it makes is checked like any other input. A process that is started later has to add it
        again, so put the call into the module that defines the function.

        Parameters
        ----------
        name : str
            The name under which it is used.
        make : callable
            The function behind the name. The registry's own documentation says how it is called.
        summary : str
            One line for tables, help texts and menus; by default the first line of the docstring.
        settings : tuple of str
            The settings that the function reads besides its fixed arguments.
        needs_options : bool
            Whether it cannot do without options.
        script : str
            A line of Python that makes the same of ``mdp``, for scripts that the lab writes.

        Raises
        ------
        InputError
            If the name is taken.

        Examples
        --------
        >>> import hsr
        >>> def exits(mdp, n_options):
        ...     "Go to the states with the largest numbers."
        ...     return hsr.point_options(mdp, list(range(mdp.n_states)[-n_options:]))
        >>> hsr.OPTION_KINDS.add("exits", exits)
        >>> hsr.make_options(hsr.grid_mdp("four_rooms"), "exits", n_options=2).names
        ('to 102', 'to 103')
        >>> hsr.OPTION_KINDS.remove("exits")
        """
        if name in self._entries:
            raise InputError(f"{self.what} {name!r} exists already; use another name")
        line = summary or (make.__doc__ or name).strip().splitlines()[0]
        self._entries[name] = Entry(name, line, make, settings, needs_options, script)

    def remove(self, name: str) -> None:
        """Remove an entry that was added."""
        if name in self.built_in:
            raise InputError(f"{self.what} {name!r} is built in and cannot be removed")
        del self._entries[self.check(name, self.what)]

    def check(self, name: Any, argument: str, *, extra: Sequence[str | None] = ()) -> Any:
        """Return a name that the registry has; any other raises `UnknownName`.

        Parameters
        ----------
        name : str
            A name.
        argument : str
            The argument that gives the name, for the message.
        extra : sequence of str
            Other words that the argument accepts, for the message.
        """
        if isinstance(name, str) and name in self._entries:
            return name
        words = (*self._entries, *extra)
        known = ", ".join("or None" if word is None else repr(word) for word in words)
        near = get_close_matches(name if isinstance(name, str) else "", filter(None, words), n=1)
        raise UnknownName(argument, name, known + (f"; did you mean {near[0]!r}?" if near else ""))
