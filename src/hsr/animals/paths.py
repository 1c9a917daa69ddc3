"""`Paths`: paths of subjects with their table and worlds; `read_paths` reads those of own data."""

import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr._base.arrays import IntArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.extras import needs
from hsr._base.validation import check_discount, check_index, is_list
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.mdp.finite import FiniteMDP

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]

KEYS = ("subject", "session", "world", "trial")
_COLUMNS = (*KEYS, "state", "x", "y")
Where = Callable[[int], str]
"""The name of a row in messages."""


@dataclass(frozen=True, eq=False, repr=False)
class Paths:
    """Paths of subjects through worlds, one per trial, as `read_paths` and `hsr.datasets` return.

    Iterating over it gives each path as a list of the names of states, so that it can be given as
    `paths` to `compare_choices`, `headings` and `hsr.from_path`.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per path, with the columns subject, session, world and trial, and others such as
        success.
    states : tuple of int arrays
        The states of each path, by their numbers in its world. A path may be empty.
    worlds : dict of FiniteMDP
        The worlds by name.

    Examples
    --------
    >>> import hsr
    >>> paths = hsr.animals.read_paths({"subject": "AAABB", "trial": [1] * 5, "state": "abcab"})
    >>> paths
    2 paths of 2 subjects through 1 world, 5 states in all
    >>> list(paths.where(subject="A"))
    [['a', 'b', 'c']]
    """

    table: "pandas.DataFrame"
    states: tuple[IntArray, ...]
    worlds: Mapping[Any, FiniteMDP]

    def __post_init__(self) -> None:
        if len(self.table) != len(self.states):
            raise InputError(f"table has {len(self.table)} rows for {len(self.states)} paths")
        object.__setattr__(self, "states", tuple(map(read_only, self.states)))

    @property
    def subjects(self) -> list[Hashable]:
        """The subjects, in the order of their first path."""
        return self.table["subject"].unique().tolist() if len(self) else []

    @property
    def world(self) -> FiniteMDP:
        """The world, if there is only one."""
        if len(self.worlds) != 1:
            raise InputError(
                f"the paths go through {len(self.worlds)} worlds; "
                "choose one of them with where(world=...)"
            )
        return next(iter(self.worlds.values()))

    def where(self, **values: Any) -> "Paths":
        """Return the paths whose columns have given values, with their worlds.

        Parameters
        ----------
        **values : value or list of values
            What a column of the table must equal, such as ``subject="B1"`` or ``trial=[0, 1]``.

        Raises
        ------
        InputError
            If there is no such column, or no path with these values.
        """
        keep = np.ones(len(self), dtype=bool)
        for column, value in values.items():
            _check_has(self.table, column)
            keep &= self.table[column].isin(list(value) if is_list(value) else [value]).to_numpy()
        if not keep.any():
            asked = ", ".join(f"{name}={short_repr(value)}" for name, value in values.items())
            raise InputError(f"no path has {asked}")
        table = self.table[keep].reset_index(drop=True)
        used = set(table["world"])
        return Paths(
            table,
            tuple(self.states[i] for i in np.flatnonzero(keep)),
            {name: world for name, world in self.worlds.items() if name in used},
        )

    def to_frame(self) -> "pandas.DataFrame":
        """Return one row per visited state, which `read_paths` reads back with the same worlds.

        Empty paths have no rows.
        """
        frame = self.table.loc[np.repeat(np.arange(len(self)), [path.size for path in self.states])]
        return frame.reset_index(drop=True).assign(state=[name for path in self for name in path])

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, i: int) -> list[Hashable]:
        labels = _labels_of(self.worlds[self.table["world"].iloc[i]])
        path = self.states[i].tolist()
        return path if labels is None else [labels[state] for state in path]

    def __iter__(self) -> Iterator[list[Hashable]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        counts = [
            f"{n:,} {word}{'s' * (n != 1)}"
            for n, word in (
                (len(self), "path"), (len(self.subjects), "subject"), (len(self.worlds), "world")
            )
        ]  # fmt: skip
        total = sum(path.size for path in self.states)
        return f"{counts[0]} of {counts[1]} through {counts[2]}, {total:,} states in all"


def read_paths(
    table: Any,
    worlds: Any = None,
    *,
    columns: Mapping[str, str] | None = None,
    discount: float = 0.9,
) -> Paths:
    """Return the paths in a table with one row per visited state.

    Parameters
    ----------
    table : path of a CSV file, pandas.DataFrame, or mapping of columns
        Rows in the order of the visits, with the columns subject, trial and state. A maze of cells
        may have x (the column) and y (the row, from the top) instead of state. Optional columns
        are session and world. Rows of a trial follow each other. Other columns, such as success,
        are kept if they are constant in every trial.
    worlds : FiniteMDP, GridLayout, or mapping from the names of worlds to them, optional
        Where the paths lead through. By default the states of the table, with all moves that were
        seen, in both directions.
    columns : mapping, optional
        What the table calls its columns, such as ``{"subject": "animal", "world": "maze"}``.
    discount : float in [0, 0.99999]
        Discount of worlds that are made here.

    Returns
    -------
    Paths
        One path per subject, session, world and trial.

    Raises
    ------
    InputError
        With the column and the row, or the line of the file, if a value is missing, a state or a
        world is not known, a move is not possible in its world, or a trial is interrupted.

    See Also
    --------
    hsr.from_positions : reads tracked positions, in any unit.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.GridLayout.from_text("...")
    >>> cells = {"subject": ["A"] * 3, "trial": [1] * 3, "x": [0, 1, 2], "y": [0, 0, 0]}
    >>> hsr.animals.read_paths(cells, layout).states
    (array([0, 1, 2]),)
    """
    needs("pandas", "read_paths")
    discount = check_discount(discount)
    frame, where = _read_frame(table)
    frame = _with_columns(frame, columns or {})
    names = _read_names(frame, where)
    keys = frame[list(KEYS)]
    number = (keys != keys.shift()).any(axis=1).cumsum().to_numpy() - 1
    first = np.flatnonzero(np.diff(number, prepend=-1))
    again = np.flatnonzero(keys.iloc[first].duplicated())
    if again.size:
        raise InputError(
            f"{where(first[again[0]])}, column 'trial': trial "
            f"{frame['trial'].iloc[first[again[0]]]} goes on after another one; rows "
            "of a trial must follow each other, and a column session separates equal numbers"
        )
    read = _read_worlds(worlds, frame["world"], where)
    places: IntArray = np.zeros(len(frame), dtype=np.int64)
    made: dict[Hashable, FiniteMDP] = {}
    for name in frame["world"].unique().tolist():
        rows = np.flatnonzero(frame["world"] == name)
        walked = [names[i] for i in rows]
        moves = np.flatnonzero(np.diff(number[rows]) == 0)
        world = read.get(name) or _moves_seen(walked, moves, discount)
        made[name] = grid_mdp(world, discount) if isinstance(world, GridLayout) else world
        places[rows] = _numbers(world, walked, rows, where)
        _check_moves(made[name], places, rows[moves], where)
    split = np.split(places, first[1:])
    return Paths(_trials(frame, number), tuple(path.copy() for path in split), made)


def graph_mdp(
    neighbours: Sequence[Sequence[int]], discount: float, labels: Any = None
) -> FiniteMDP:
    """Return the MDP of a graph: action k leads to the k-th neighbour, and spare actions stay.

    Parameters
    ----------
    neighbours : sequence of sequences of states
        The neighbours of each state.
    discount : float in [0, 0.99999]
        Discount per step.
    labels : sequence of hashable objects, optional
        What the states are called.
    """
    most = max(1, *map(len, neighbours))
    successors = [[*nodes, *[s] * (most - len(nodes))] for s, nodes in enumerate(neighbours)]
    return FiniteMDP.from_successors(successors, discount, labels)


def _read_frame(table: Any) -> tuple["pandas.DataFrame", Where]:
    """Return a table as a data frame, and the names of its rows."""
    import pandas

    if isinstance(table, (str, os.PathLike)):
        try:
            frame = pandas.read_csv(table, skip_blank_lines=False).dropna(how="all")
        except (OSError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(f"{table}: {reason}; it must be a CSV file with a header") from None
        lines = frame.index.to_numpy() + 2

        def where(row: int) -> str:
            return f"{table}, line {lines[row]}"

    else:
        try:
            columns = {name: list(values) for name, values in table.items()}
            frame = pandas.DataFrame(columns)
        except (AttributeError, TypeError, ValueError):
            raise InputError(
                f"table is {short_repr(table)}; it must be a data frame, a mapping of columns of "
                "the same length, or the path of a CSV file"
            ) from None

        def where(row: int) -> str:
            return f"row {row} of the table"

    if not len(frame):
        raise InputError("the table has no rows; it must have one for each visited state")
    return frame.reset_index(drop=True), where


def _with_columns(frame: "pandas.DataFrame", columns: Mapping[str, str]) -> "pandas.DataFrame":
    """Return a table with our names of columns, and with those that are optional."""
    for ours, theirs in columns.items():
        if ours not in _COLUMNS:
            raise InputError(f"columns names {short_repr(ours)}; the columns are {_COLUMNS}")
        _check_has(frame, theirs)
    frame = frame.rename(columns={theirs: ours for ours, theirs in columns.items()})
    cells = "x" in frame and "y" in frame and "state" not in frame
    for column in ("subject", "trial", *(() if cells else ("state",))):
        _check_has(frame, column)
    return frame.assign(session=frame.get("session", 0), world=frame.get("world", "world"))


def _check_has(frame: "pandas.DataFrame", column: Any) -> None:
    if column not in frame:
        raise InputError(
            f"the table has no column {short_repr(column)}; its columns are "
            f"{', '.join(map(repr, frame.columns))}"
        )


def _read_names(frame: "pandas.DataFrame", where: Where) -> list[Hashable]:
    """Return the name of the state in each row, a pair (x, y) if the table has cells."""
    used = ["state"] if "state" in frame else ["x", "y"]
    for column in (*KEYS, *used):
        lost = np.flatnonzero(frame[column].isna())
        if lost.size:
            raise InputError(f"{where(lost[0])}, column {column!r}: the value is missing")
    names = [[_plain(value) for value in frame[column].tolist()] for column in used]
    for column, values in zip(used, names, strict=True):
        for row, value in enumerate(values):
            if isinstance(value, float) or (len(used) == 2 and not isinstance(value, int)):
                raise InputError(
                    f"{where(row)}, column {column!r}: {short_repr(value)} is no "
                    f"{'state' if column == 'state' else 'integer'}; "
                    "hsr.from_positions reads tracked positions"
                )
    return names[0] if len(used) == 1 else list(zip(*names, strict=True))


def _plain(value: Any) -> Hashable:
    """Return a value of a column. Lists are cells, and 2.0 is the state 2."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return tuple(value) if isinstance(value, list) else value


def _read_worlds(worlds: Any, column: "pandas.Series", where: Where) -> dict[Hashable, Any]:
    """Return the world of each name in the table, an empty dictionary if none were given."""
    if worlds is None:
        return {}
    names = column.unique().tolist()
    given = worlds if isinstance(worlds, Mapping) else dict.fromkeys(names, worlds)
    for name in names:
        row = int(np.flatnonzero(column == name)[0])
        if name not in given:
            raise InputError(
                f"{where(row)}, column 'world': {short_repr(name)} is not one of the worlds "
                f"{', '.join(map(short_repr, given))}"
            )
        if not isinstance(given[name], (FiniteMDP, GridLayout)):
            raise InputError(
                f"the world {short_repr(name)} is {short_repr(given[name])}; it must be a "
                "GridLayout, or an MDP such as hsr.from_networkx returns"
            )
    return dict(given)


def _moves_seen(names: list[Hashable], moves: IntArray, discount: float) -> FiniteMDP:
    """Return the world of all moves that were seen, in both directions."""
    number = {name: state for state, name in enumerate(dict.fromkeys(names))}
    neighbours: list[dict[int, None]] = [{} for _ in number]
    for i in moves:
        a, b = number[names[i]], number[names[i + 1]]
        if a != b:
            neighbours[a][b] = neighbours[b][a] = None
    return graph_mdp([list(nodes) for nodes in neighbours], discount, list(number))


def _numbers(
    world: FiniteMDP | GridLayout, names: list[Hashable], rows: IntArray, where: Where
) -> list[int]:
    """Return the number of each named state in its world."""
    number: dict[Hashable, int] = {}
    for row, name in zip(rows, names, strict=True):
        if name not in number:
            try:
                number[name] = _number(world, name)
            except InputError as error:
                column = "state" if not isinstance(name, tuple) else "x, y"
                raise InputError(f"{where(int(row))}, column {column!r}: {error}") from None
    return [number[name] for name in names]


def _number(world: FiniteMDP | GridLayout, name: Any) -> int:
    if isinstance(world, GridLayout):
        if isinstance(name, tuple):
            x, y = name
            return world.state_at(y, x)
        return check_index(name, world.n_states, "state")
    if _labels_of(world) is None:
        return check_index(name, world.n_states, "state")
    return world.state_of(name)


def _labels_of(world: FiniteMDP) -> Sequence[Hashable] | None:
    """Return the labels of states by which paths name them; None if they use numbers."""
    return None if isinstance(world, TrackedMDP) else world.labels


def _check_moves(mdp: FiniteMDP, places: IntArray, rows: IntArray, where: Where) -> None:
    """Refuse moves from each of the rows to the next one that the world does not have."""
    if mdp.successors is None:
        return
    before, after = places[rows], places[rows + 1]
    possible = (mdp.successors[before] == after[:, None]).any(axis=1) | (before == after)
    if not possible.all():
        i = int(np.argmin(possible))
        a, b = (
            state if mdp.labels is None else mdp.labels[state]
            for state in (int(before[i]), int(after[i]))
        )
        raise InputError(
            f"{where(int(rows[i]) + 1)}: state {short_repr(b)} cannot follow state "
            f"{short_repr(a)}, because its world has no such move; "
            f"{int((~possible).sum())} moves are of this kind"
        )


def _trials(frame: "pandas.DataFrame", number: IntArray) -> "pandas.DataFrame":
    """Return one row per path, with the columns that are constant in every trial."""
    other = [column for column in frame.columns if column not in _COLUMNS]
    constant = frame[other].groupby(number).nunique(dropna=False).max() == 1
    kept = [*KEYS, *(column for column in other if constant[column])]
    return frame[kept].groupby(number).head(1).reset_index(drop=True)
