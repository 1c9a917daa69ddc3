"""`MazeSpec`: a layout, the discount and the dynamics of a grid MDP as data."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hsr._base.declaration import Spec, number, text, value
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import LARGEST_DISCOUNT, is_list
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.grids.named import layout_names, load_layout, read_layout
from hsr.mdp.finite import FiniteMDP


@dataclass(frozen=True)
class MazeSpec(Spec):
    r"""A grid MDP as data: a layout, the discount and the dynamics.

    A specification is complete in itself. A layout that is read from a file is kept as text, with
    its start and goals marked in it. So the specification means the same on another machine, and
    after the file has changed.

    Parameters
    ----------
    layout : str
        The name of a layout, one of `layout_names()`, the path of a text file, or the text of a
        layout, which has more than one line.
    discount : float in [0, 0.99999]
        How much one more step into the future counts.
    slip : float in [0, 1]
        Probability that a move goes in one of the other directions.
    start : (int, int), optional
        Row and column of the start, instead of the one that is marked in the layout.
    goals : sequence of (int, int)
        Rows and columns of the goals, instead of those that are marked in the layout.
    name : str
        The name of a layout that is given as text. By default the name of the file.

    Examples
    --------
    >>> import hsr
    >>> layout, mdp = hsr.grids.MazeSpec("four_rooms", slip=0.1).build()
    >>> layout.n_states, mdp.discount
    (104, 0.9)
    >>> spec = hsr.grids.MazeSpec("...\n..#", start=(0, 0), goals=[(1, 1)], name="mine")
    >>> print(spec.layout)
    S..
    .1#
    <BLANKLINE>
    """

    layout: str = text("four_rooms", "the name of a maze, the path of a text file, or its text")
    discount: float = number(
        0.9, "how much one more step into the future counts", ge=0, le=LARGEST_DISCOUNT
    )
    slip: float = number(0.0, "probability that a move goes in another direction", ge=0, le=1)
    start: tuple[int, int] | None = value(None, "row and column of the start, if not as marked")
    goals: tuple[tuple[int, int], ...] = value(
        (), "rows and columns of the goals, if not as marked"
    )
    name: str = text("", "what a layout that is given as text is called")

    def __post_init__(self) -> None:
        super().__post_init__()
        layout = self._read()
        if not is_list(self.goals):
            raise InputError(
                f"goals is {short_repr(self.goals)}; it must be a list of [row, column]"
            )
        object.__setattr__(self, "goals", tuple(self.goals))
        if self.start is not None or self.goals:
            layout = _marked(layout, self.start, self.goals)
        elif self.layout in layout_names():
            object.__setattr__(self, "goals", ())
            return
        for field, marked in (
            ("layout", f"{layout.to_text()}\n"),
            ("name", layout.name),
            ("start", None),
            ("goals", ()),
        ):
            object.__setattr__(self, field, marked)

    def build(self) -> tuple[GridLayout, FiniteMDP]:
        """Return the layout and its MDP."""
        layout = self._read()
        return layout, grid_mdp(layout, self.discount, slip=self.slip)

    def _read(self) -> GridLayout:
        if "\n" in self.layout:
            return _from_text(self.layout, self.name or "layout")
        if self.layout in layout_names():
            return load_layout(self.layout)
        return read_layout(self.layout)


@lru_cache(maxsize=64)
def _from_text(text: str, name: str) -> GridLayout:
    """Return the layout of a text; a text with a warning gives it once."""
    return GridLayout.from_text(text, name)


def _marked(layout: GridLayout, start: Any, goals: Any) -> GridLayout:
    """Return a layout with another start, or with other goals."""
    first = layout.start if start is None else layout.state_at(*_cell(start, "start"))
    others = layout.goals
    if goals:
        cells = [_cell(goal, f"goals[{i}]") for i, goal in enumerate(goals)]
        others = tuple(layout.state_at(*cell) for cell in cells)
    return GridLayout(layout.walls, first, others, layout.name)


def _cell(cell: Any, name: str) -> tuple[int, int]:
    if not isinstance(cell, list | tuple) or len(cell) != 2:
        raise InputError(f"{name} is {short_repr(cell)}; it must be [row, column]")
    return cell[0], cell[1]
