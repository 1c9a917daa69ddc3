"""Data sets of paths: mice in a labyrinth, and rats and people in the Tartarus maze."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from hsr._base.arrays import IntArray, read_only
from hsr.animals.paths import Paths, graph_mdp
from hsr.datasets.dataset import Dataset
from hsr.datasets.fetching import fetch, source_of
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.mdp.finite import FiniteMDP

DISCOUNT = 0.9
HOME, WATER, N_NODES = 127, 116, 127
UNREWARDED = ("B5", "B6", "B7", "D3", "D4", "D5", "D7", "D8", "D9")
GOAL = 33  # the cell in row 3 and column 3


def labyrinth() -> Dataset:
    """Return the paths of 19 mice in a labyrinth, a binary tree with 64 ends.

    The nodes are 0 to 126: the children of node n are 2n + 1 and 2n + 2, and 63 to 126 are ends
    [rosenberg2021].
    State 127 is the home cage, the neighbour of node 0. Each bout is a trial. It begins at home and
    ends there, except for the last one of some mice. There are no times.

    The column rewarded of the table says which ten mice were thirsty and found water at node 116,
    and success whether the bout visited that node.

    Returns
    -------
    Dataset
        With `paths` through the world "labyrinth".

    Raises
    ------
    InputError
        If a file cannot be fetched. The message says where to put it.
    """
    found = fetch("labyrinth")  # asks for the extra
    import pandas  # type: ignore[import-untyped]

    rows, paths = [], []
    for file in found.values():
        mouse = file.name.partition("-")[0]
        for trial, bout in enumerate(_bouts(_read_nodes(file))):
            paths.append(bout)
            rewarded, success = mouse not in UNREWARDED, bool((bout == WATER).any())
            rows.append((mouse, 0, "labyrinth", trial, success, rewarded))
    columns = ["subject", "session", "world", "trial", "success", "rewarded"]
    table = pandas.DataFrame(rows, columns=columns)
    return Dataset(source_of("labyrinth"), Paths(table, tuple(paths), {"labyrinth": _tree()}))


def _read_nodes(file: Path) -> IntArray:
    """Return the nodes that a mouse visited. The file counts from 1 and calls the home cage 0."""
    import pandas

    column = pandas.read_csv(file, sep="\t", header=None)[1].to_numpy(dtype=np.int64)
    return np.where(column == 0, HOME, column - 1)


def _bouts(nodes: IntArray) -> Iterator[IntArray]:
    """Yield the nodes from each departure from home to the next arrival there."""
    home = np.flatnonzero(nodes == HOME)
    for first, last in zip(home, [*home[1:], nodes.size], strict=True):
        bout = nodes[first : last + 1]
        if bout.size > 1:
            yield bout.copy()


def _tree() -> FiniteMDP:
    """Return the world of the labyrinth."""
    neighbours: list[list[int]] = [
        [HOME if n == 0 else (n - 1) // 2, *(c for c in (2 * n + 1, 2 * n + 2) if c < N_NODES)]
        for n in range(N_NODES)
    ]
    return graph_mdp([*neighbours, [0]], DISCOUNT)


def tartarus() -> Dataset:
    """Return the paths of 9 rats and 18 people in 25 mazes of 10 x 10 cells with one known goal.

    The worlds are the mazes 0 to 24 [decothi2022], in the order in which the authors' models pass
    through them. Each subject had ten trials in each maze. Row 0 is north, and the goal is the cell
    in row 3 and column 3, ``layout.goals[0]``. States are those of the layout of the maze:
    ``layout.cells[path]`` are the cells. A first state on a barrier (one trial of rat 1) is left
    out.

    The column species of the table is "rat" or "human", and success 1 if the goal was found. Rats
    were not tested in all trials. Where only the success is known, the path is empty.

    Returns
    -------
    Dataset
        With `paths`, `layouts` of the same names as the worlds, and the array ``starts`` of shape
        (25, 10), the marked starts of the trials. Some paths begin elsewhere.

    Raises
    ------
    InputError
        If a file cannot be fetched. The message says where to put it.
    """
    found = fetch("tartarus")
    import pandas
    from scipy.io import loadmat

    mazes = loadmat(found["mazes.mat"])["mazes"].ravel()
    layouts = {maze: _layout(marks) for maze, marks in enumerate(mazes)}
    starts = [_starts(layouts[maze], marks) for maze, marks in enumerate(mazes)]
    rows, paths = [], []
    for species, file, walks, successes in (
        ("rat", "rat.mat", "rat", "rat_succ"),
        ("human", "humans.mat", "humans", "human_succ"),
    ):
        data = loadmat(found[file])
        for (subject, maze, trial), success in np.ndenumerate(data[successes].astype(float)):
            path = _states(layouts[maze], data[walks][subject, maze, trial])
            if path.size or not np.isnan(success):
                rows.append((f"{species} {subject + 1}", maze, maze, trial, success, species))
                paths.append(path)
    columns = ["subject", "session", "world", "trial", "success", "species"]
    worlds = {maze: grid_mdp(layout, DISCOUNT) for maze, layout in layouts.items()}
    held = Paths(pandas.DataFrame(rows, columns=columns), tuple(paths), worlds)
    return Dataset(source_of("tartarus"), held, layouts, {"starts": read_only(np.array(starts))})


def _layout(marks: np.ndarray) -> GridLayout:
    """Return the layout of a maze, in whose marks -1 is a barrier."""
    barriers = marks == -1
    goal = GOAL - int(barriers.ravel()[:GOAL].sum())
    return GridLayout(barriers, goals=(goal,), name="tartarus")


def _starts(layout: GridLayout, marks: np.ndarray) -> IntArray:
    """Return the states that are marked as the starts 1 to 10."""
    return layout.state_grid[marks > 0][np.argsort(marks[marks > 0])].astype(np.int64)


def _states(layout: GridLayout, cells: np.ndarray) -> IntArray:
    """Return the states of cells that are numbered from 1, row by row."""
    places = np.ravel(cells).astype(np.int64) - 1
    states = layout.state_grid.ravel()[places].astype(np.int64)
    return states[1:] if states.size and states[0] < 0 else states
