"""Recorded choices: paths from tracked frames, and moves among neighbours from paths."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import as_array, check_count, check_index, is_list
from hsr.adapters.positions.path import settled
from hsr.adapters.positions.recording import read_trials
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.animals.paths import Paths
from hsr.mdp.finite import FiniteMDP

_FORMS = "it must be a list of paths, each a list of the names of states"


@dataclass(frozen=True)
class Choices:
    """Moves of an animal, all paths one after another.

    Attributes
    ----------
    neighbours : int array of shape (S, K)
        The states that can follow each state, -1 where there are fewer.
    state, chosen, back : int arrays of shape (T,)
        The state before each move, the index of the chosen neighbour, and that of the neighbour
        from which the animal came, -1 if that is not known or not possible.
    path : int array of shape (T,)
        The path that each move belongs to.
    scored : bool array of shape (T,)
        Which moves are compared. The others only determine where the animal is.
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


def number_paths(mdp: FiniteMDP, paths: Any, name: str = "paths") -> list[IntArray]:
    """Return paths as state numbers, by default those of the recording."""
    if paths is None:
        paths = getattr(mdp, "paths", None)
        if paths is None:
            raise InputError(
                f"{name} is None and mdp keeps no paths; give the paths through the states of mdp"
            )
    if isinstance(paths, Paths) and len(paths.worlds) > 1:
        raise InputError(
            f"{name} go through {len(paths.worlds)} worlds; "
            "compare those of one world: paths.where(world=...)"
        )
    if not is_list(paths) or not all(isinstance(path, str) or is_list(path) for path in paths):
        raise InputError(f"{name} is {short_repr(paths)}; {_FORMS}")
    return [read_states(mdp, path, f"{name}[{k}]") for k, path in enumerate(paths)]


def read_states(mdp: FiniteMDP, names: Any, where: str) -> IntArray:
    """Return the numbers of states that are given by name, -1 for None.

    Integers are names if the labels of `mdp` are integers, and numbers otherwise. In a recorded
    arena they are always numbers, as in ``mdp.paths``.
    """
    numbered = mdp.labels is None or isinstance(mdp, TrackedMDP)
    states = []
    for i, name in enumerate(_plain(names)):
        try:
            if name is None:
                states.append(-1)
            elif numbered and isinstance(name, (int, np.integer)):
                states.append(check_index(int(name), mdp.n_states, where))
            else:
                states.append(mdp.state_of(name))
        except InputError as error:
            raise InputError(f"{where}[{i}]: {error}") from None
    return np.array(states, dtype=np.int64)


def _plain(path: Any) -> list[Hashable]:
    """Return the names of a path. Rows of an array become tuples."""
    names = path.tolist() if hasattr(path, "tolist") else list(path)
    return [tuple(name) if isinstance(name, list) else name for name in names]


def without_stays(path: IntArray) -> IntArray:
    """Return a path without repeated states."""
    return path[np.diff(path, prepend=-1) != 0]


def cut_paths(paths: Sequence[IntArray], piece: int | None) -> list[IntArray]:
    """Return paths cut into pieces of at most `piece` moves. Paths without a move are left out."""
    return [
        path[first : first + (piece or path.size) + 1]
        for path in paths
        for first in range(0, path.size - 1, piece or path.size or 1)
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


def headings(paths: Any, places: Any) -> list[list[Any]]:
    """Return the destination of each move if an animal visits places in a given order.

    A path heads for the first place until it has visited it, then for the second, and so on. After
    the last place the destination is unknown. Destinations depend on past moves only, so a random
    walk does not look directed.

    Parameters
    ----------
    paths : list of lists of states
        As `compare_choices` takes them.
    places : list of states
        The places in order. A place counts as visited once the path leaves its first state and
        enters the place.

    Returns
    -------
    list of lists
        For each path, the destination of each move, None after the last place.

    Examples
    --------
    >>> import hsr
    >>> paths = [["home", "fork", "water", "fork", "home"]]
    >>> hsr.animals.headings(paths, ["water", "home"])
    [['water', 'water', 'home', 'home']]
    """
    result = []
    for path in paths:
        order, of_moves = iter(_plain(places)), []
        place = next(order, None)
        for after in _plain(path)[1:]:
            of_moves.append(place)
            if place is not None and after == place:
                place = next(order, None)
        result.append(of_moves)
    return result


def read_heading(
    mdp: FiniteMDP, walked: list[IntArray], heading: Any
) -> tuple[list[IntArray], list[IntArray]]:
    """Return paths with a move, and the destination of each of their moves, -1 if unknown."""
    of_paths = number_paths(mdp, heading, "heading")
    if len(of_paths) != len(walked):
        raise InputError(
            f"heading has {len(of_paths)} entries; "
            f"it must be a list with one entry for each of the {len(walked)} paths"
        )
    kept, known = [], []
    for k, (path, goals) in enumerate(zip(walked, of_paths, strict=True)):
        if goals.size != max(0, path.size - 1):
            raise InputError(
                f"heading[{k}] has {goals.size} entries; "
                f"it must have one for each of the {path.size - 1} moves of its path"
            )
        moved = np.diff(path) != 0
        if moved.any():
            kept.append(without_stays(path))
            known.append(goals[moved])
    return kept, known


def visits(states: Any, *, trials: Any = None, shortest: int = 1) -> list[np.ndarray]:
    """Return the sequence of visited states, one path per trial.

    A tracked point near the border of two bins often crosses it without any decision of the animal.
    With `shortest`, a visit of fewer frames does not count if the animal then returns to the
    previous state. Short visits between two different states count. `hsr.from_positions` applies
    the same rule to positions.

    Parameters
    ----------
    states : array of shape (frames,)
        The state in each frame, such as ``mdp.frames``. Frames with -1 have no state, and the path
        is split there.
    trials : array, optional
        Trials, which are never joined: a label per frame, or the first frame and the last + 1 of
        each trial, of shape (trials, 2).
    shortest : int
        Shortest visit, in frames, after which the animal may return to the previous state.

    Returns
    -------
    list of arrays
        Consecutive states differ.

    Raises
    ------
    InputError
        If no frame has a state.

    Examples
    --------
    One frame in state 2 is not a visit, and three frames are:

    >>> import hsr
    >>> hsr.animals.visits([1, 1, 2, 1, 1, 2, 2, 2, 1, 1, 3], shortest=3)
    [array([1, 2, 1, 3])]
    """
    frames = as_array(states, "states", "one state per frame")
    if frames.ndim != 1:
        raise InputError(f"states has shape {frames.shape}; it must have shape (frames,)")
    trial = read_trials(trials, np.arange(frames.size, dtype=np.float64), timed=False)
    there = trial >= 0
    if frames.dtype.kind in "iuf":
        there &= frames >= 0
    if not there.any():
        raise InputError("no frame of states has a state that lies in a trial")
    cut = np.diff(trial, prepend=-2) != 0
    begins = (cut | np.r_[True, ~there[:-1]])[there]
    at, _ = settled(frames[there], begins, check_count(shortest, "shortest"))
    new = begins | np.r_[True, at[1:] != at[:-1]]
    return np.split(at[new], np.flatnonzero(begins[new])[1:])
