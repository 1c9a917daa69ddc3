"""`Ground`: a world in which choices were made, with the neighbours of its states."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.errors import InputError
from hsr.mdp.finite import FiniteMDP


@dataclass(frozen=True, eq=False)
class Ground:
    """A world in which choices were made.

    Attributes
    ----------
    name : hashable object
        The name of the world.
    neighbours : int array of shape (S, K)
        As `neighbours_of` returns them.
    cells : int array of shape (S, 2), or None
        The row and column of each state, if the world is a grid.
    places : tuple
        What identifies each state in all worlds: its cell, its label or its number.
    first : int
        The number of its first state where the states of several worlds are counted through.
    known : dict
        What has been computed for this world, by its settings.
    """

    name: Hashable
    neighbours: IntArray
    cells: IntArray | None = None
    places: tuple[Hashable, ...] = ()
    first: int = 0
    known: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def n_states(self) -> int:
        """Number of states."""
        return int(self.neighbours.shape[0])

    def remembered(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what is known under a key, made if it is not known yet."""
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]


def neighbours_of(mdp: FiniteMDP) -> IntArray:
    """Return the states that can follow each state, of shape (S, K), -1 where there are fewer.

    A state is not its own neighbour: staying does not count as a choice.
    """
    if mdp.successors is None:
        raise InputError(
            "mdp is stochastic, so it is not known which action was chosen; "
            "hsr.from_path and hsr.from_positions return deterministic MDPs"
        )
    possible = getattr(mdp, "possible", np.ones(mdp.successors.shape, dtype=bool))
    rows = [
        np.unique(row[keep & (row != s)])
        for s, (row, keep) in enumerate(zip(mdp.successors, possible, strict=True))
    ]
    columns = list(zip_longest(*rows, fillvalue=-1))
    if len(columns) < 2:
        raise InputError("no state of mdp has two neighbours, so there is no choice to compare")
    return np.ascontiguousarray(np.array(columns, dtype=np.int64).T)


def grounds_of(worlds: Mapping[Any, FiniteMDP]) -> dict[Hashable, Ground]:
    """Return the worlds as grounds, their states counted through."""
    grounds, first = {}, 0
    for name, mdp in worlds.items():
        places: Sequence[Hashable] = range(mdp.n_states)
        if mdp.cells is not None:
            places = [tuple(cell) for cell in mdp.cells.tolist()]
        elif mdp.labels is not None:
            places = mdp.labels
        neighbours = neighbours_of(mdp)
        grounds[name] = Ground(name, neighbours, mdp.cells, tuple(places), first)
        first += mdp.n_states
    return grounds


def together(grounds: Sequence[Ground]) -> tuple[IntArray, IntArray]:
    """Return the neighbours of the states of all worlds, and the numbers of their places."""
    width = max(ground.neighbours.shape[1] for ground in grounds)
    rows = [
        np.pad(
            np.where(ground.neighbours >= 0, ground.neighbours + ground.first, -1),
            ((0, 0), (0, width - ground.neighbours.shape[1])),
            constant_values=-1,
        )
        for ground in grounds
    ]
    number: dict[Hashable, int] = {}
    place = [number.setdefault(one, len(number)) for ground in grounds for one in ground.places]
    return np.concatenate(rows), np.array(place, dtype=np.int64)
