"""The paths of one animal as choices in blocks, as `compare_choices` is asked to compare them."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import BoolArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.memory import check_fits
from hsr._base.validation import is_list
from hsr.adapters.positions.path import warn_of_flicker
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.animals.choices.grounds import Ground, grounds_of, together
from hsr.animals.choices.models import Grids, Model
from hsr.animals.choices.recorded import (
    Choices,
    choices_of,
    cut_paths,
    number_paths,
    read_heading,
    read_states,
    without_stays,
)
from hsr.animals.choices.values import spread_places
from hsr.animals.paths import Paths
from hsr.mdp.finite import FiniteMDP

MOST_PLACES = 64  # destinations, if none are named


class Protocol(NamedTuple):
    """How choices are compared, as `compare_choices` takes it."""

    models: dict[Hashable, Model]
    grids: Grids
    destinations: Any
    held_out: str | None
    alternatives: Any
    back: bool
    blocks: int
    piece: int | None
    min_moves: int
    samples: int


class Walks(NamedTuple):
    """The paths of one animal.

    Attributes
    ----------
    mdps, grounds : dicts
        The worlds by name.
    names : list
        The name of the world of each path.
    states, heading : lists of int arrays
        The states of each path, and the destination of each of its moves, or None.
    columns : mapping
        The values of columns of the table by their names, one for each path.
    """

    mdps: Mapping[Any, FiniteMDP]
    grounds: Mapping[Any, Ground]
    names: list[Any]
    states: list[IntArray]
    heading: list[IntArray] | None
    columns: Mapping[str, Any]


def walks_in(mdp: FiniteMDP, paths: Any, heading: Any) -> Walks:
    """Return paths through one world."""
    if isinstance(paths, Paths) and len(paths.subjects) > 1:
        raise InputError(
            f"the paths of {len(paths.subjects)} subjects go through {len(paths.worlds)} worlds; "
            "compare_choices(paths) compares each subject in these worlds"
        )
    grounds = grounds_of({"world": mdp})
    states = number_paths(mdp, paths)
    known = None if heading is None else read_heading([mdp] * len(states), states, heading)
    columns = paths.table if isinstance(paths, Paths) else {}
    return Walks({"world": mdp}, grounds, ["world"] * len(states), states, known, columns)


def walks_of(
    paths: Paths, mine: IntArray, known: list[IntArray] | None, grounds: Mapping[Any, Ground]
) -> Walks:
    """Return the paths of one subject, with the worlds of all."""
    names = paths.table["world"].tolist()
    return Walks(
        paths.worlds,
        grounds,
        [names[i] for i in mine],
        [paths.states[i] for i in mine],
        None if known is None else [known[i] for i in mine],
        paths.table.iloc[mine],
    )


def read_choices(walks: Walks, protocol: Protocol) -> tuple[Choices, IntArray]:
    """Return the moves of paths as choices, with the number of the path of each of their paths."""
    used = [name for name in walks.grounds if name in set(walks.names)]
    if walks.heading is None and len(used) > 1:
        raise InputError(
            f"the paths go through {len(used)} worlds; give heading, or compare those of one "
            "world: paths.where(world=...)"
        )
    grounds = (
        list(walks.grounds.values()) if walks.heading is not None else [walks.grounds[used[0]]]
    )
    if walks.heading is None:
        grounds = [Ground(used[0], grounds[0].neighbours, grounds[0].cells, grounds[0].places)]
    first = {ground.name: ground.first for ground in grounds}
    neighbours, place = together(grounds)
    moving, of_path, known = [], [], []
    for i, (name, states) in enumerate(zip(walks.names, walks.states, strict=True)):
        path = without_stays(states) + first[name]
        for piece in cut_paths([path], protocol.piece):
            moving.append(piece)
            of_path.append(i)
            if walks.heading is not None:
                goals = walks.heading[i][np.diff(states) != 0]
                known.append(np.where(goals >= 0, goals + first[name], -1))
    if not moving:
        raise InputError("paths have no move between different states")
    tracked = [mdp for mdp in walks.mdps.values() if isinstance(mdp, TrackedMDP)]
    if not tracked or tracked[0].report.shortest <= 1:
        cure = "hsr.animals.visits(states, shortest=...) returns paths without excursions"
        warn_of_flicker(moving, (neighbours >= 0).sum(axis=1), cure, stacklevel=4)
    if walks.heading is not None:
        places = np.unique(np.concatenate([*known, [-1]]))[1:]
    elif protocol.destinations is None:
        places = spread_places(neighbours, MOST_PLACES)
    else:
        mdp = walks.mdps[used[0]]
        places = np.unique(read_states(mdp, protocol.destinations, "destinations"))
    check_fits(
        8 * neighbours.size * max(1, places.size),
        "the values of moves for each destination",
        "name fewer destinations",
    )
    choices = choices_of(
        neighbours,
        moving,
        places,
        min_moves=protocol.min_moves,
        heading=known if walks.heading is not None else None,
        back=protocol.back,
        among=_among(protocol.alternatives, walks, grounds, neighbours),
        grounds=grounds,
        place=place,
    )
    return choices, np.array(of_path)


def _among(
    alternatives: Any, walks: Walks, grounds: Sequence[Ground], neighbours: IntArray
) -> BoolArray | None:
    """Return which neighbours of each state are alternatives."""
    if alternatives is None:
        return None
    if not isinstance(alternatives, Mapping):
        raise InputError(
            f"alternatives is {short_repr(alternatives)}; it must be a mapping from the names of "
            "states to lists of the names of their neighbours"
        )
    result = neighbours >= 0
    for ground in grounds:
        named = alternatives if len(grounds) == 1 else alternatives.get(ground.name, {})
        mdp = walks.mdps[ground.name]
        for state, names in named.items():
            where = f"alternatives[{short_repr(state)}]"
            if not is_list(names):
                raise InputError(f"{where} is {short_repr(names)}; it must be a list of states")
            s = ground.first + int(read_states(mdp, [state], "alternatives")[0])
            meant = ground.first + read_states(mdp, names, where)
            strange = [n for n, m in zip(names, meant, strict=True) if m not in neighbours[s]]
            if strange:
                raise InputError(
                    f"{where} has {short_repr(strange[0])}, which is not a neighbour of it"
                )
            result[s] = np.isin(neighbours[s], meant)
    return result


def blocks_of(choices: Choices, walks: Walks, of_path: IntArray, protocol: Protocol) -> IntArray:
    """Return the block of each path: contiguous values of a column, about equally many in each."""
    columns, column = walks.columns, protocol.held_out
    if column is None:
        several = [
            name
            for name in ("world", "session")
            if name in columns and len(set(np.asarray(columns[name])[of_path])) > 1
        ]
        column = several[0] if several else "path"
    keys = np.arange(choices.n_paths)
    if column != "path":
        if column not in columns:
            raise InputError(
                f"held_out is {short_repr(column)}; it must be 'path' or a column of the table of "
                f"Paths{': ' if len(columns) else ''}{', '.join(map(repr, columns))}"
            )
        values = np.asarray(columns[column])[of_path].tolist()
        number = {value: k for k, value in enumerate(dict.fromkeys(values))}
        keys = np.array([number[value] for value in values])
    n_keys = int(keys.max()) + 1
    if n_keys < protocol.blocks:
        raise InputError(
            f"{n_keys} {column}s cannot be divided into {protocol.blocks} blocks; "
            + ("piece=... cuts long paths into pieces of so many moves" if column == "path" else
               "use fewer blocks, or another held_out")
        )  # fmt: skip
    of_key = np.concatenate(
        [
            np.full(part.size, k)
            for k, part in enumerate(np.array_split(np.arange(n_keys), protocol.blocks))
        ]
    )
    block = of_key[keys]
    n = np.bincount(block, choices.per_path(np.ones(choices.state.size)), protocol.blocks)
    if not n.all():
        raise InputError(
            f"block {int(np.argmin(n))} of {protocol.blocks} has no choices to compare; use fewer"
        )
    return block
