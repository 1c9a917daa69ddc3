"""Layouts: what is read, what is refused, and geometry against slow twins that walk over cells."""

import pickle
from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from hsr._base.errors import HSRWarning, LayoutError
from hsr.grids.layout import ACTION_NAMES, GridLayout
from tests.cases import cases, raises
from tests.strategies import LARGEST, assert_refused, bad_counts, bad_indices

STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
SMALL = "#####\n#S.1#\n#.#.#\n#2..#\n#####"

walls_with_an_open_cell = arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=9)).filter(
    lambda walls: not walls.all()
)


def small():
    return GridLayout.from_text(SMALL)


def open_cells(walls):
    return [(i, j) for i in range(len(walls)) for j in range(len(walls[0])) if not walls[i][j]]


def walk(cells, origin):
    """Distances from one cell over a set of cells, by a queue of tuples."""
    distance, queue = {origin: 0}, deque([origin])
    while queue:
        i, j = queue.popleft()
        for di, dj in STEPS.values():
            cell = (i + di, j + dj)
            if cell in cells and cell not in distance:
                distance[cell] = distance[i, j] + 1
                queue.append(cell)
    return distance


def pieces(cells):
    """Connected pieces of a set of cells, as a set of sets."""
    left, parts = set(cells), set()
    while left:
        piece = frozenset(walk(left, next(iter(left))))
        parts.add(piece)
        left -= piece
    return parts


def as_cells(layout, groups):
    return {frozenset(layout.cell_of(state) for state in states) for states in groups}


def is_narrow(cells, cell):
    i, j = cell
    up, right, down, left = ((i + di, j + dj) in cells for di, dj in STEPS.values())
    return (up and down and not left and not right) or (left and right and not up and not down)


@given(walls_with_an_open_cell)
def test_states_and_moves_match_a_walk_over_cells(walls):
    layout = GridLayout(walls)
    cells = open_cells(walls)
    assert [tuple(cell) for cell in layout.cells.tolist()] == cells
    assert layout.n_states == len(cells)
    state_of = {cell: state for state, cell in enumerate(cells)}
    for cell, state in state_of.items():
        assert layout.state_at(*cell) == state == layout.state_grid[cell]
        assert layout.cell_of(state) == cell
        for action, name in enumerate(ACTION_NAMES):
            target = (cell[0] + STEPS[name][0], cell[1] + STEPS[name][1])
            assert layout.neighbours[state, action] == state_of.get(target, state)
    assert np.array_equal(layout.state_grid < 0, walls)
    assert layout.neighbours.dtype == layout.state_grid.dtype == np.int32


@given(walls_with_an_open_cell)
def test_rooms_bottlenecks_and_parts_match_a_walk_over_cells(walls):
    layout = GridLayout(walls)
    cells = set(open_cells(walls))
    narrow = {cell for cell in cells if is_narrow(cells, cell)}
    assert [layout.cell_of(state) for state in layout.bottlenecks] == sorted(narrow)
    assert as_cells(layout, layout.parts) == pieces(cells)
    assert as_cells(layout, layout.rooms) == pieces(cells - narrow)
    for number, room in enumerate(layout.rooms):
        assert (layout.room_of[room] == number).all()
        assert (np.diff(room) > 0).all()
    assert np.array_equal(np.flatnonzero(layout.room_of < 0), layout.bottlenecks)
    assert [part[0] for part in layout.parts] == sorted(part[0] for part in layout.parts)


@given(walls_with_an_open_cell)
def test_distances_and_diameter_match_a_walk_over_cells(walls):
    layout = GridLayout(walls)
    cells = open_cells(walls)
    walks = [walk(set(cells), cell) for cell in cells]
    for state, distance in enumerate(walks):
        assert layout.distances_from(state).tolist() == [distance.get(cell, -1) for cell in cells]
    assert layout.diameter() == max(max(distance.values()) for distance in walks)


@pytest.mark.filterwarnings("ignore:.*parts that are not connected")
@given(walls_with_an_open_cell, st.data())
def test_text_round_trip(walls, data):
    largest = max(GridLayout(walls).parts, key=len).tolist()
    marks = data.draw(st.lists(st.sampled_from(largest), unique=True, max_size=10))
    layout = GridLayout(walls, start=marks[0] if marks else None, goals=tuple(marks[1:]))
    lines = layout.to_text().split("\n")
    again = GridLayout.from_text(layout.to_text())
    assert again == layout
    assert hash(again) == hash(layout)
    assert [[c == "#" for c in line] for line in lines] == walls.tolist()
    for character, mark in zip("S123456789", marks, strict=False):
        i, j = layout.cell_of(mark)
        assert lines[i][j] == character


@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace("\n", "\r\n"),
        "\ufeff" + SMALL,
        SMALL + "\n\n  \n",
        SMALL.replace("\n", "   \n"),
        SMALL.replace("#.#.#", "#.#.#  "),
        SMALL.replace(".", " "),
        "\ufeff" + SMALL.replace("\n", " \r\n") + "\r\n",
    ],
    ids=["crlf", "bom", "empty-lines", "trailing", "one-trailing", "spaces", "all"],
)
def test_harmless_variants_read_the_same(text, tmp_path):
    path = tmp_path / "small.txt"
    path.write_bytes(text.encode("utf-8"))
    layout = GridLayout.from_file(path)
    assert layout == GridLayout.from_text(SMALL)
    assert layout.name == "small"


REFUSED = {
    "empty": ("  \r\n \n", r"line 1, column 1: the layout is empty"),
    "all wall": ("###\n###", r"line 1, column 1: every cell of the 2 x 3 layout is a wall"),
    "short line": ("####\n#.#\n####", r"line 2, column 4: the line has 3 columns; expected 4"),
    "hole": ("###\n\n###\n#.#", r"line 2, column 1: the line has 0 columns; expected 3"),
    "nul": ("###\n#\0#", r"line 2, column 2: a NUL byte is not allowed in a layout"),
    "letter": ("###\n#.#\n#x#", r"line 3, column 2: 'x' is not allowed in a layout; expected '#'"),
    "lone cr": ("#.\r#.", r"line 1, column 3: '\\r' is not allowed in a layout"),
    "accent": ("#.#\n#é#", r"line 2, column 2: '\\xe9' \(é\) is not allowed in a layout"),
    "surrogate": ("#.\ud800", r"line 1, column 3: '\\ud800' is not allowed in a layout"),
    "two starts": ("S.\n.S", r"line 2, column 2: a second 'S'; .* first is at line 1, column 1"),
    "goal twice": ("1.\n1.", r"line 2, column 1: a second '1'; .* first is at line 1, column 1"),
    "goal gap": ("S1.\n.3.", r"line 2, column 2: goal '3' without a goal '2'"),
    "goal apart": ("S1#2", r"line 1, column 4: goal G2 cannot be reached from the start at line 1"),
    "goals apart": ("1#2", r"line 1, column 3: goal G2 cannot be reached from G1 at line 1"),
}


@cases("text, message", REFUSED)
def test_bad_text_is_refused_with_its_place(text, message, tmp_path):
    with pytest.raises(LayoutError, match=rf"^my map: {message}"):
        GridLayout.from_text(text, name="my map")
    path = tmp_path / "bad.txt"
    path.write_bytes(text.encode("utf-8", errors="surrogatepass"))
    if "\ud800" not in text:
        with pytest.raises(LayoutError, match=rf"^{path}: {message}"):
            GridLayout.from_file(path)


@pytest.mark.parametrize("text", [None, b"...", ["..."], "." * (2**26 + 1)], ids=type)
def test_what_is_no_text_or_too_long_is_refused(text):
    with pytest.raises(LayoutError, match=r"expected text|67,108,865 characters; at most"):
        GridLayout.from_text(text)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"###\n#\xe9#\n###")
    for path, message in (
        (tmp_path / "nothing.txt", r"nothing\.txt: there is no such file"),
        (tmp_path, "cannot be opened"),
        (None, "cannot be opened"),
        ("a\0b", "cannot be opened"),
        (latin, "latin.txt: line 2, column 2: byte 0xe9 is not UTF-8"),
    ):
        with pytest.raises(LayoutError, match=message):
            GridLayout.from_file(path)


def test_several_parts_warn_with_sizes_and_places():
    with pytest.warns(HSRWarning) as caught:
        layout = GridLayout.from_text("..#.\n####\n.#.#\n#.##\n...#", name="islands")
    assert str(caught[0].message) == (
        "islands: the open cells form 5 parts that are not connected: 4 states at line 4, column "
        "2; 2 states at line 1, "
        "column 1; 1 states at line 1, column 4; 1 states at line 3, column 1; 1 more"
    )
    assert caught[0].filename == __file__
    assert [part.size for part in layout.parts] == [2, 1, 1, 1, 4]
    assert layout.distances_from(0).tolist() == [0, 1] + [-1] * 7
    assert layout.diameter() == 2


@cases(
    "call, name, bad",
    {
        "row": (lambda row: small().state_at(row, 1), "row", bad_counts(-LARGEST - 1)),
        "state": (lambda state: small().cell_of(state), "state", bad_indices(8)),
        "origin": (lambda state: small().distances_from(state), "state", bad_indices(8)),
        "start": (lambda start: GridLayout(small().walls, start), "start", bad_indices(8)),
        "goal": (
            lambda goals: GridLayout(small().walls, goals=[1, goals]),
            "goals",
            bad_indices(8),
        ),
    },
)
def test_what_is_no_state_is_refused(call, name, bad):
    assert_refused(call, name, bad)


@pytest.mark.parametrize("cell", [(5, 1), (-1, 1), (1, 5), (1, -4), (0, 0)])
def test_cells_that_are_no_states_are_refused(cell):
    what = "a wall" if cell == (0, 0) else "outside"
    with raises(rf"cell \({cell[0]}, {cell[1]}\) is {what}; expected an open cell of the 5 x 5"):
        small().state_at(*cell)


@cases(
    "arguments, message",
    {
        "start is a goal": ({"start": 1, "goals": (1,)}, r"goals are \(1,\); .*all different"),
        "goal twice": ({"goals": (1, 1)}, r"goals are \(1, 1\); .*all different"),
        "ten goals": ({"goals": range(10)}, "expected up to 9 goals"),
        "one axis": ({"walls": np.zeros(4, bool)}, r"walls has shape \(4,\) and type bool"),
        "floats": ({"walls": np.zeros((4, 4))}, r"walls has shape \(4, 4\) and type float64"),
        "ragged": ({"walls": [[True], [True, False]]}, "walls cannot be read as an array"),
        "empty": ({"walls": np.ones((0, 2), bool)}, "every cell of the 0 x 2 layout is a wall"),
        "too large": ({"walls": np.broadcast_to(False, (8193, 8192))}, "67,117,056 cells; at most"),
    },
)
def test_wrong_layouts_are_refused(arguments, message):
    with raises(message):
        GridLayout(**{"walls": np.zeros((4, 4), bool)} | arguments)


def test_arrays_are_read_only_and_the_callers_array_is_not_touched():
    walls = np.zeros((3, 3), dtype=bool)
    walls[1, 1] = True
    layout = pickle.loads(pickle.dumps(GridLayout(walls, start=0, goals=(2,), name="ring")))
    assert layout == GridLayout(walls, start=0, goals=(2,))
    assert layout.name == "ring"
    walls[0, 0] = True
    assert layout.n_states == 8
    names = ("walls", "cells", "state_grid", "neighbours", "room_of", "bottlenecks")
    for array in (*(getattr(layout, name) for name in names), *layout.rooms, *layout.parts):
        assert not array.flags.writeable
    with pytest.raises(AttributeError):
        layout.start = 3


def test_layouts_differ_by_walls_start_or_goals():
    for other in (*map(GridLayout.from_text, ("S1.", ".S1", "S.1#")), "S.1"):
        assert GridLayout.from_text("S.1") != other


def test_a_million_cells():
    walls = np.zeros((1000, 1000), dtype=bool)
    walls[500, :500] = True
    layout = GridLayout.from_text(GridLayout(walls, start=0).to_text())
    assert layout.n_states == 999_500
    assert np.array_equal(layout.walls, walls)
    far = layout.distances_from(0)
    assert far[layout.state_at(501, 0)] == 501 + 2 * 500
    assert len(layout.parts) == len(layout.rooms) == 1
    assert layout.diameter() == 999 + 2 * 500  # top left to bottom left, round the wall
