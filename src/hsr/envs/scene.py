"""What the grid environments are made of, checked once."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from hsr._base.arrays import IntArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_discount, check_index, check_probability, shape_of
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.grids.named import read_layout
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask

Place: TypeAlias = int | tuple[int, int]


@dataclass(frozen=True, eq=False)
class GridScene:
    """A layout, a goal, and how episodes start and moves slip.

    Attributes
    ----------
    layout : GridLayout
        The layout.
    goal : int
        The state of the goal.
    starts : int array
        The states in which episodes may start.
    slip : float
        Probability that a move goes in another direction.
    discount : float
        Discount of the MDP.
    """

    layout: GridLayout
    goal: int
    starts: IntArray
    slip: float
    discount: float

    @property
    def start(self) -> int | None:
        """The start, or None if it is drawn at random."""
        return int(self.starts[0]) if self.starts.size == 1 else None

    @property
    def task(self) -> GoalTask:
        """The task of getting from start to goal."""
        return GoalTask(self.start, self.goal)

    @cached_property
    def mdp(self) -> FiniteMDP:
        """The MDP without the goal: what `grid_mdp` makes of the layout."""
        return grid_mdp(self.layout, self.discount, slip=self.slip)


class InScene:
    """Properties of the environments in a scene, one or many at a time."""

    _scene: GridScene

    @property
    def mdp(self) -> FiniteMDP:
        """The MDP without the goal."""
        return self._scene.mdp

    @property
    def task(self) -> GoalTask:
        """The task of getting from start to goal. Its start is None if it is drawn at random."""
        return self._scene.task


def read_scene(
    layout: GridLayout | str | os.PathLike[str],
    goal: Place | None,
    start: Place | str | None,
    slip: float,
    discount: float,
) -> GridScene:
    """Return the scene of these arguments, or raise `InputError`.

    Parameters
    ----------
    layout, goal, start, slip, discount
        As in `GridWorld`.

    Examples
    --------
    >>> scene = read_scene("four_rooms", (3, 9), None, 0.0, 0.9)
    >>> scene.task
    GoalTask(start=0, goal=28)
    """
    layout = read_layout(layout)
    slip, discount = check_probability(slip, "slip"), check_discount(discount)
    if goal is None and not layout.goals:
        raise InputError(
            f"goal is None, and the layout {layout.name!r} has no goal '1'; "
            "give a cell (row, col) or a state"
        )
    g = layout.goals[0] if goal is None else _read_place(layout, goal, "goal")
    reaching = layout.distances_from(g) > 0
    if (isinstance(start, str) and start == "random") or (start is None and layout.start is None):
        if not reaching.any():
            raise InputError(
                f"goal {layout.cell_of(g)} cannot be reached from any other cell "
                f"of the layout {layout.name!r}"
            )
        return GridScene(layout, g, read_only(np.flatnonzero(reaching)), slip, discount)
    s = _read_place(layout, start, "start") if start is not None else layout.start
    assert s is not None
    if s == g:
        raise InputError(
            f"start and goal are both {layout.cell_of(g)}; they must differ "
            "(start='random' draws another cell)"
        )
    if not reaching[s]:
        raise InputError(
            f"goal {layout.cell_of(g)} cannot be reached from start {layout.cell_of(s)}"
        )
    return GridScene(layout, g, read_only(np.array([s])), slip, discount)


def _read_place(layout: GridLayout, place: Any, name: str) -> int:
    """Return the state of a cell (row, col), or a state as it is."""
    if (
        isinstance(place, Sequence | np.ndarray)
        and not isinstance(place, str)
        and shape_of(place) == (2,)
    ):
        try:
            return layout.state_at(*place)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
    if not hasattr(place, "__index__"):
        raise InputError(
            f"{name} is {short_repr(place)}; it must be a cell (row, col) "
            f"or a state in 0..{layout.n_states - 1}"
        )
    return check_index(place, layout.n_states, name)
