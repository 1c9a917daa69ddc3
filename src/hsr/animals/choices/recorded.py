"""The choices of an animal: from paths through a world to moves among possible neighbours."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import check_index, is_list
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.labels import is_hashable

_FORMS = "it must be a list of paths, each a list of the names of states"


@dataclass(frozen=True)
class Choices:
    """Moves of an animal, all paths one after another.

    Attributes
    ----------
    neighbours : int array of shape (S, K)
        The states that can follow each state, -1 where there are fewer.
    state, chosen, back : int arrays of shape (T,)
        The state before each move, the neighbour that was chosen, and the neighbour from which the
        animal came, -1 if that is not known or not possible.
    path : int array of shape (T,)
        The path that each move belongs to.
    scored : bool array of shape (T,)
        Which moves are compared. The others only tell where the animal is.
    heading : int array of shape (T,), or None
        The destination of each move among the destinations, if it is known; -1 elsewhere.
    destinations : int array of shape (G,)
        The states that may be destinations.
    """

    neighbours: IntArray
    state: IntArray
    chosen: IntArray
    back: IntArray
    path: IntArray
    scored: BoolArray
    heading: IntArray | None
    destinations: IntArray

    @property
    def begins(self) -> BoolArray:
        """Whether a path begins with each move, of shape (T,)."""
        return np.diff(self.path, prepend=-1) != 0

    @property
    def n_paths(self) -> int:
        """Number of paths."""
        return int(self.path[-1]) + 1

    @property
    def next_state(self) -> IntArray:
        """The state after each move, of shape (T,)."""
        return self.neighbours[self.state, self.chosen]

    def per_path(self, values: FloatArray) -> FloatArray:
        """Return the sum of values of moves over the moves of each path that are compared."""
        weights = np.asarray(values * self.scored, dtype=np.float64)
        return np.bincount(self.path, weights, self.n_paths).astype(np.float64)

    def part(self, moves: slice) -> "Choices":
        """Return some of the moves, which must be all moves of some paths."""
        arrays = {
            name: getattr(self, name)[moves] for name in ("state", "chosen", "back", "scored")
        }
        path = self.path[moves] - self.path[moves.start]
        heading = None if self.heading is None else self.heading[moves]
        return replace(self, path=path, heading=heading, **arrays)


def neighbours_of(mdp: FiniteMDP) -> IntArray:
    """Return the states that can follow each state, of shape (S, K), -1 where there are fewer.

    Staying is no choice.
    """
    if mdp.successors is None:
        raise InputError(
            "the moves of mdp have random outcomes, so it is not known what was chosen; "
            "hsr.from_path and hsr.from_positions make worlds with certain moves"
        )
    possible = getattr(mdp, "possible", np.ones(mdp.successors.shape, dtype=bool))
    rows = [
        np.unique(row[keep & (row != s)])
        for s, (row, keep) in enumerate(zip(mdp.successors, possible, strict=True))
    ]
    table = np.full((mdp.n_states, max(row.size for row in rows)), -1, dtype=np.int64)
    for s, row in enumerate(rows):
        table[s, : row.size] = row
    if table.shape[1] < 2:
        raise InputError("no state of mdp has two neighbours, so there is nothing to choose")
    return table


def read_paths(mdp: FiniteMDP, paths: Any) -> list[IntArray]:
    """Return paths as numbers of states, without repetitions where the animal stays."""
    if paths is None:
        given = getattr(mdp, "paths", None)
        if given is None:
            raise InputError(
                "paths is None and mdp keeps no paths; give the paths through the states of mdp"
            )
    else:
        given = [
            [state_named(mdp, name, f"paths[{k}][{i}]") for i, name in enumerate(path)]
            for k, path in enumerate(named_paths(paths, "paths"))
        ]
    read = [np.asarray(path, dtype=np.int64) for path in given]
    return [path[np.diff(path, prepend=-1) != 0] for path in read]


def named_paths(paths: Any, name: str) -> list[list[Hashable]]:
    """Return lists of names of states, whatever kinds of lists or arrays they came in."""
    outer = list(paths) if is_list(paths) else [paths]
    if not is_list(paths) or not all(is_list(path) for path in outer):
        raise InputError(f"{name} is {shown(paths)}; {_FORMS}")
    return [names_in(path, f"{name}[{k}]") for k, path in enumerate(outer)]


def names_in(names: Any, where: str) -> list[Hashable]:
    """Return a list of names of states. Arrays become numbers and lists become tuples."""
    if not is_list(names):
        raise InputError(f"{where} is {shown(names)}; it must be a list of the names of states")
    whole = names.tolist() if isinstance(names, np.ndarray) else list(names)
    plain = [
        name.item()
        if isinstance(name, np.generic)
        else tuple(name)
        if isinstance(name, list)
        else name
        for name in whole
    ]
    for i, name in enumerate(plain):
        if not is_hashable(name):
            raise InputError(f"{where}[{i}] is {shown(name)}, which cannot be the name of a state")
    return plain


def state_named(mdp: FiniteMDP, name: Any, where: str) -> int:
    """Return the number of a state, and say where the name was if there is no such state."""
    if mdp.labels is None:
        return check_index(name, mdp.n_states, where)
    try:
        return mdp.state_of(name)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def cut_paths(paths: Sequence[IntArray], piece: int | None) -> list[IntArray]:
    """Return paths cut into pieces of at most `piece` moves. Paths without a move are left out."""
    if piece is None:
        return [path for path in paths if path.size > 1]
    return [
        path[first : first + piece + 1]
        for path in paths
        for first in range(0, path.size - 1, piece)
    ]


def choices_of(
    neighbours: IntArray,
    paths: Sequence[IntArray],
    destinations: IntArray,
    *,
    min_moves: int,
    heading: Sequence[IntArray] | None = None,
) -> Choices:
    """Return the moves of paths as choices among neighbours.

    Parameters
    ----------
    neighbours : int array of shape (S, K)
        As `neighbours_of` returns them.
    paths : sequence of int arrays
        Numbers of states, with at least one move each.
    destinations : int array of shape (G,)
        The states that may be destinations.
    min_moves : int
        Moves from states with fewer neighbours are not compared.
    heading : sequence of int arrays, optional
        The destination of each move of each path, as a state; -1 where it is not known.
    """
    state = np.concatenate([path[:-1] for path in paths])
    after = np.concatenate([path[1:] for path in paths])
    before = np.concatenate([np.r_[-1, path[:-2]] for path in paths])
    number = np.repeat(np.arange(len(paths)), [path.size - 1 for path in paths])
    matches = neighbours[state] == after[:, None]
    lost = np.flatnonzero(~matches.any(axis=1))
    if lost.size:
        t = int(lost[0])
        raise InputError(
            f"path {number[t]} moves from state {state[t]} to state {after[t]}, "
            f"which are not neighbours in mdp; {lost.size} moves are of this kind"
        )
    returns = (neighbours[state] == before[:, None]) & (before >= 0)[:, None]
    scored = (neighbours >= 0).sum(axis=1)[state] >= min_moves
    goal = None
    if heading is not None:
        place = np.full(neighbours.shape[0] + 1, -1)
        place[destinations] = np.arange(destinations.size)
        goal = place[np.concatenate(heading)]
        scored &= goal >= 0
    if not scored.any():
        raise InputError(
            f"no move of paths is a choice among {min_moves} or more neighbours"
            + (" with a known destination" if heading is not None else "")
        )
    return Choices(
        neighbours,
        state,
        matches.argmax(axis=1),
        np.where(returns.any(axis=1), returns.argmax(axis=1), -1),
        number,
        scored,
        goal,
        destinations,
    )
