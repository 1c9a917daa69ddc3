"""Read and write layouts as text, in the format of `GridLayout.from_text`.

Every error in a text is reported by a `LayoutError` before anything is built from it.
Sizes are checked first, so that a huge or endless file is never read.
"""

import os
import re
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hsr._base.arrays import BoolArray, IntArray
from hsr._base.errors import InputError, LayoutError

MAX_CELLS = 2**26
Cell: TypeAlias = tuple[int, int]

_DIGITS = "123456789"
_NEWLINE, _WALL = ord("\n"), ord("#")
_EXPECTED = "expected '#' (wall), '.' or a space (open), 'S' (start) or '1' to '9' (goals)"
_UNKNOWN = re.compile(r"[^# .S1-9\n]")


class LayoutCells(NamedTuple):
    """What the text of a layout says, as `parse_layout` returns it.

    Attributes
    ----------
    walls : bool array of shape (rows, cols)
        True at walls.
    start : (row, col) or None
        The cell of the start, counted from 0.
    goals : tuple of (row, col)
        The cells of the goals 1, 2 and so on.

    Examples
    --------
    >>> import hsr
    >>> hsr.grids.LayoutCells(*hsr.grids.parse_layout("S.1")).goals
    ((0, 2),)
    """

    walls: BoolArray
    start: Cell | None
    goals: tuple[Cell, ...]


def check_cell_count(n_rows: int, n_cols: int) -> None:
    """Raise `InputError` if a grid of this size has more than `MAX_CELLS` cells."""
    if n_rows * n_cols > MAX_CELLS:
        raise InputError(
            f"a layout of {n_rows} x {n_cols} has {n_rows * n_cols:,} cells; "
            f"at most {MAX_CELLS:,} are allowed"
        )


def parse_layout(text: str) -> LayoutCells:
    r"""Read the text of a layout without the checks that need its geometry.

    `GridLayout.from_text` also makes sure that every goal can be reached. An editor that draws a
    layout while it is incomplete starts from the cells instead.

    Parameters
    ----------
    text : str
        The layout, in the format of `GridLayout.from_text`.

    Returns
    -------
    LayoutCells
        The walls, and the cells of start and goals.

    Raises
    ------
    LayoutError
        With the line and column of the first error.

    Examples
    --------
    >>> cells = parse_layout("S.#\n#1#")
    >>> cells.start, cells.goals
    ((0, 0), ((1, 1),))
    """
    if not isinstance(text, str):
        raise LayoutError(f"the layout is of type {type(text).__name__}; expected text (str)")
    if len(text) > MAX_CELLS:
        raise LayoutError(
            f"the layout has {len(text):,} characters; at most {MAX_CELLS:,} are allowed"
        )
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip(" \n")
    if not text:
        raise LayoutError(f"line 1, column 1: the layout is empty; {_EXPECTED}")
    grid = _grid_of(text)
    walls = grid == _WALL
    if walls.all():
        raise LayoutError(
            f"line 1, column 1: every cell of the {walls.shape[0]} x {walls.shape[1]} layout "
            f"is a wall; {_EXPECTED}"
        )
    return LayoutCells(walls, _only_cell(grid, "S"), _goal_cells(grid))


def read_layout_file(path: str | os.PathLike[str]) -> str:
    """Return the text of a file, or raise `LayoutError`."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise LayoutError("there is no such file; expected a text file") from None
    except (OSError, TypeError, ValueError) as error:
        raise LayoutError(
            f"this cannot be opened ({error}); expected the path of a text file"
        ) from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        byte = content[error.start]
        raise LayoutError(
            f"line {line}, column {column}: byte 0x{byte:02x} is not UTF-8; {_EXPECTED}"
        ) from None


def write_layout(walls: BoolArray, start: Cell | None, goals: tuple[Cell, ...]) -> str:
    """Return the text that `parse_layout` reads back as the same cells."""
    grid = np.full((walls.shape[0], walls.shape[1] + 1), _NEWLINE, dtype=np.uint8)
    grid[:, :-1] = np.where(walls, _WALL, ord("."))
    if start is not None:
        grid[start] = ord("S")
    for digit, goal in zip(_DIGITS, goals, strict=False):
        grid[goal] = ord(digit)
    return grid.tobytes()[:-1].decode("ascii")


def _grid_of(text: str) -> NDArray[np.uint8]:
    """Return the character codes, of shape (rows, cols); refuse others and ragged lines."""
    unknown = _UNKNOWN.search(text)
    if unknown:
        character, first = unknown[0], unknown.start()
        line, column = text.count("\n", 0, first) + 1, first - text.rfind("\n", 0, first)
        name = "a NUL byte" if character == "\0" else ascii(character)
        if ascii(character) != repr(character):
            name += f" ({character})"
        raise LayoutError(
            f"line {line}, column {column}: {name} is not allowed in a layout; {_EXPECTED}"
        )
    lines = text.split("\n")
    lengths = np.array([len(line) for line in lines])
    width = max(len(line.rstrip(" ")) for line in lines)
    short = np.flatnonzero(lengths < width)
    if short.size:
        _refuse_ragged(lengths, short, width)
    cells = "".join(line[:width] for line in lines)  # only spaces are cut off
    return np.frombuffer(cells.encode("ascii"), dtype=np.uint8).reshape(len(lines), width)


def _refuse_ragged(lengths: IntArray, short: IntArray, width: int) -> None:
    """Blame the short line, or the long one if most lines are shorter."""
    long = int(np.flatnonzero(lengths >= width)[0])
    if short.size > lengths.size / 2:
        expected, first = int(lengths[short].max()), int(short[0])
        raise LayoutError(
            f"line {long + 1}, column {expected + 1}: the line has {width} columns; "
            f"expected {int(lengths[first])}, as in line {first + 1}"
        )
    first = int(short[0])
    raise LayoutError(
        f"line {first + 1}, column {int(lengths[first]) + 1}: "
        f"the line has {int(lengths[first])} columns; expected {width}, as in line {long + 1}"
    )


def _only_cell(grid: NDArray[Any], character: str) -> Cell | None:
    """Return the cell of a character that may occur at most once."""
    rows, cols = np.nonzero(grid == ord(character))
    if rows.size > 1:
        raise LayoutError(
            f"line {rows[1] + 1}, column {cols[1] + 1}: a second {character!r}; "
            f"expected one, and the first is at line {rows[0] + 1}, column {cols[0] + 1}"
        )
    return (int(rows[0]), int(cols[0])) if rows.size else None


def _goal_cells(grid: NDArray[Any]) -> tuple[Cell, ...]:
    """Return the cells of '1', '2', ... in this order."""
    goals = {digit: cell for digit in _DIGITS if (cell := _only_cell(grid, digit)) is not None}
    missing = [digit for digit in _DIGITS[: len(goals)] if digit not in goals]
    if missing:
        last = max(goals)
        row, col = goals[last]
        raise LayoutError(
            f"line {row + 1}, column {col + 1}: goal {last!r} without a goal {missing[0]!r}; "
            "expected goals numbered from '1' without a gap"
        )
    return tuple(goals.values())
