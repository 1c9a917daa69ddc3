"""Recorded choices: paths from tracked frames, and moves among neighbours from paths."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import as_array, check_count, check_index, is_list
from hsr.adapters.positions.path import settled
from hsr.adapters.positions.recording import read_trials
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.animals.choices.grounds import Ground
from hsr.animals.paths import Paths
from hsr.mdp.finite import FiniteMDP

_FORMS = "it must be a list of paths, each a list of the names of states"


@dataclass(frozen=True)
class Choices:
    """Moves of an animal, all paths one after another.

    The states of several worlds are counted through.

    Attributes
    ----------
    neighbours : int array of shape (S, K)
        The states that can follow each state, -1 where there are fewer.
    state, chosen, back : int arrays of shape (T,)
        The state before each move, the index of the chosen neighbour, and that of the neighbour
        from which the animal came, -1 if that is not known or not possible.
    path : int array of shape (T,)
        The path that each move belongs to.
    allowed : bool array of shape (T, K)
        The neighbours among which each move is a choice. Of other moves, all neighbours.
    scored : bool array of shape (T,)
        Which moves are compared. The others only determine where the animal is.
    heading : int array of shape (T,), or None
        The destination of each move among the destinations, if it is known; -1 elsewhere.
    destinations : int array of shape (G,)
        The states that may be destinations.
    grounds : tuple of Ground
        The worlds.
    place : int array of shape (S,)
        The number of the place of each state. States of different worlds may share it.
    """

    neighbours: IntArray
    state: IntArray
    chosen: IntArray
    back: IntArray
    path: IntArray
    allowed: BoolArray
    scored: BoolArray
    heading: IntArray | None
    destinations: IntArray
    grounds: tuple[Ground, ...]
    place: IntArray

    @property
    def begins(self) -> BoolArray:
        """Whether a path begins with each move, of shape (T,)."""
        return np.diff(self.path, prepend=-1) != 0

    @property
    def n_paths(self) -> int:
        """Number of paths."""
        return int(self.path[-1]) + 1

    @property
    def n_places(self) -> int:
        """Number of places."""
        return int(self.place.max()) + 1

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
            name: getattr(self, name)[moves]
            for name in ("state", "chosen", "back", "allowed", "scored")
        }
        path = self.path[moves] - self.path[moves.start]
        heading = None if self.heading is None else self.heading[moves]
        return replace(self, path=path, heading=heading, **arrays)


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
    back: bool = True,
    among: BoolArray | None = None,
    grounds: Sequence[Ground] = (),
    place: IntArray | None = None,
) -> Choices:
    """Return the moves of paths as choices among neighbours.

    Parameters
    ----------
    neighbours : int array of shape (S, K)
        As `neighbours_of` or `together` returns them.
    paths : sequence of int arrays
        Numbers of states, with at least one move each.
    destinations : int array of shape (G,)
        The states that may be destinations.
    min_moves : int
        Moves among fewer alternatives are not compared.
    heading : sequence of int arrays, optional
        The destination of each move of each path, as a state; -1 where it is not known.
    back : bool
        Whether the neighbour from which the animal came is an alternative.
    among : bool array of shape (S, K), optional
        The neighbours that are alternatives. By default all.
    grounds, place : sequence of Ground, and int array of shape (S,)
        The worlds, by default one.
    """
    state = np.concatenate([path[:-1] for path in paths])
    after = np.concatenate([path[1:] for path in paths])
    before = np.concatenate([np.r_[-1, path[:-2]] for path in paths])
    number = np.repeat(np.arange(len(paths)), [path.size - 1 for path in paths])
    there = neighbours[state] >= 0
    matches = (neighbours[state] == after[:, None]) & there
    lost = np.flatnonzero(~matches.any(axis=1))
    if lost.size:
        t = int(lost[0])
        raise InputError(
            f"path {number[t]} moves from state {state[t]} to state {after[t]}, "
            f"which are not neighbours in mdp; {lost.size} moves are of this kind"
        )
    chosen = matches.argmax(axis=1)
    returns = (neighbours[state] == before[:, None]) & (before >= 0)[:, None]
    allowed = there if among is None else there & among[state]
    if not back:
        allowed = allowed & ~returns
    scored = (allowed.sum(axis=1) >= min_moves) & allowed[np.arange(state.size), chosen]
    goal = None
    if heading is not None:
        number_of = np.full(neighbours.shape[0] + 1, -1)
        number_of[destinations] = np.arange(destinations.size)
        goal = number_of[np.concatenate(heading)]
        scored &= goal >= 0
    if not scored.any():
        raise InputError(
            f"no move of paths is a choice among {min_moves} or more alternatives"
            + (" with a known destination" if heading is not None else "")
        )
    return Choices(
        neighbours,
        state,
        chosen,
        np.where(returns.any(axis=1), returns.argmax(axis=1), -1),
        number,
        np.where(scored[:, None], allowed, there),
        scored,
        goal,
        destinations,
        tuple(grounds) or (Ground("world", neighbours),),
        np.arange(neighbours.shape[0]) if place is None else place,
    )


def headings(paths: Any, places: Any) -> list[list[Any]]:
    """Return the destination of each move if an animal visits places in a given order.

    A path heads for the first place until it has visited it, then for the second, and so on. After
    the last place the destination is unknown. Destinations depend on past moves only, so a random
    walk does not look directed.

    Parameters
    ----------
    paths : Paths, or list of lists of states
        As `compare_choices` takes them.
    places : list of states, or mapping from the names of worlds to such lists
        The places in order. A place counts as visited once the path leaves its first state and
        enters the place. A mapping is for `Paths` through several worlds.

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
    names = paths.table["world"] if isinstance(places, Mapping) else [None] * len(paths)
    result = []
    for path, name in zip(paths, names, strict=True):
        order, of_moves = iter(_plain(places[name] if name is not None else places)), []
        place = next(order, None)
        for after in _plain(path)[1:]:
            of_moves.append(place)
            if place is not None and after == place:
                place = next(order, None)
        result.append(of_moves)
    return result


def read_heading(
    mdps: Sequence[FiniteMDP], walked: Sequence[IntArray], heading: Any
) -> list[IntArray]:
    """Return the destination of each move of each path, -1 where it is not known.

    Parameters
    ----------
    mdps : sequence of FiniteMDP
        The world of each path.
    walked : sequence of int arrays
        The states of each path.
    heading : list of lists of states
        What the user gave.
    """
    if not is_list(heading) or not all(is_list(one) for one in heading):
        raise InputError(f"heading is {short_repr(heading)}; {_FORMS}")
    of_paths = list(heading)
    if len(of_paths) != len(walked):
        raise InputError(
            f"heading has {len(of_paths)} entries; "
            f"it must be a list with one entry for each of the {len(walked)} paths"
        )
    known = []
    for k, (mdp, path, names) in enumerate(zip(mdps, walked, of_paths, strict=True)):
        goals = read_states(mdp, names, f"heading[{k}]")
        if goals.size != max(0, path.size - 1):
            raise InputError(
                f"heading[{k}] has {goals.size} entries; "
                f"it must have one for each of the {path.size - 1} moves of its path"
            )
        known.append(goals)
    return known


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
