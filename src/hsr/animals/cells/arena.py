"""`Arena`: an MDP with the positions of its states, in which place fields are compared."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.grids.layout import GridLayout
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask
from hsr.options.eigen import eigenoptions
from hsr.options.model import OptionModel, option_model
from hsr.options.option_set import OptionSet
from hsr.representation.expected import expected_hsr

DISCOUNT = 0.9  # of layouts
MOST_CENTRES = 400
_GOALS = 64  # expected maps average over at most so many goals


@dataclass(frozen=True)
class Arena:
    """An MDP with the positions of its states. Options and maps are computed once.

    Attributes
    ----------
    mdp : FiniteMDP
        The MDP.
    places : float array of shape (S, 2), or None
        The positions of states, if they are known.
    spacing : float
        The distance between neighbouring states. 1 if positions are not known.
    """

    mdp: FiniteMDP
    places: FloatArray | None
    spacing: float

    @property
    def centres(self) -> IntArray:
        """The states at which fields are centred: all, or `MOST_CENTRES` evenly spaced ones."""
        return self._spread(MOST_CENTRES)

    @cached_property
    def goals(self) -> list[GoalTask]:
        """Tasks with goals that are evenly spaced over the states."""
        return [GoalTask(start=None, goal=int(goal)) for goal in self._spread(_GOALS)]

    def _spread(self, most: int) -> IntArray:
        n = self.mdp.n_states
        return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.int64))

    @cached_property
    def at_discount(self) -> Callable[[float], FiniteMDP]:
        """Return the MDP with another discount."""
        return cache(self.mdp.with_discount)

    @cached_property
    def options(self) -> Callable[[int], OptionSet]:
        """Return a number of eigenoptions of the MDP."""
        return cache(lambda n_options: eigenoptions(self.mdp, n_options))

    @cached_property
    def option_model(self) -> Callable[[float, int], OptionModel]:
        """Return the model of actions and of a number of eigenoptions, at a discount."""
        return cache(
            lambda discount, n_options: option_model(
                self.at_discount(discount), self.options(n_options)
            )
        )

    @cached_property
    def expected_hsr(self) -> Callable[[float, int], FloatArray]:
        """Return the HSR of optimal policies, averaged over goals, at a discount."""
        return cache(
            lambda discount, n_options: expected_hsr(
                self.at_discount(discount), self.options(n_options), self.goals
            ).toarray()
        )

    def possible(self) -> np.ndarray:
        """Return which actions there are in each state, a bool array of shape (S, A)."""
        if isinstance(self.mdp, EstimatedMDP):
            return self.mdp.possible
        return np.ones((self.mdp.n_states, self.mdp.n_actions), dtype=bool)


def arena_of(maze: Any) -> Arena:
    """Return the arena of a recording, layout or MDP, or raise `InputError`.

    Parameters
    ----------
    maze : TrackedMDP, GridLayout or FiniteMDP
        A recording, a layout, or any MDP. The labels of an MDP are positions if all are pairs of
        numbers.
    """
    if isinstance(maze, GridLayout):
        labels = [(int(row), int(column)) for row, column in maze.cells]
        mdp = FiniteMDP.from_successors(maze.neighbours, DISCOUNT, labels)
        return Arena(mdp, maze.cells.astype(np.float64), 1.0)
    if isinstance(maze, TrackedMDP):
        return Arena(maze, maze.centres, maze.bin_spacing)
    if not isinstance(maze, FiniteMDP):
        raise InputError(
            f"maze is {short_repr(maze)}; it must be a GridLayout or a FiniteMDP, such as "
            "hsr.from_positions returns"
        )
    places = _labelled_places(maze)
    if places is None:
        return Arena(maze, None, 1.0)
    before, after = neighbours(maze)
    lengths = np.linalg.norm(places[before] - places[after], axis=1)
    return Arena(maze, places, float(np.median(lengths)) if lengths.size else 1.0)


def _labelled_places(mdp: FiniteMDP) -> FloatArray | None:
    pairs = [label for label in mdp.labels or () if isinstance(label, tuple) and len(label) == 2]
    plain = all(isinstance(part, (int, float)) for pair in pairs for part in pair)
    return np.array(pairs, dtype=np.float64) if plain and len(pairs) == mdp.n_states else None


def neighbours(mdp: FiniteMDP) -> tuple[IntArray, IntArray]:
    """Return all pairs of states that a single step connects, in either direction.

    Each pair occurs twice, once in each order.
    """
    support = sum(
        (mdp.transition_of(a) for a in range(mdp.n_actions)),
        start=sparse.csr_array((mdp.n_states, mdp.n_states)),
    )
    both = sparse.coo_array(support + support.T)
    before, after = both.coords
    apart = before != after
    return before[apart].astype(np.int64), after[apart].astype(np.int64)


def geodesic_distances(arena: Arena) -> FloatArray:
    """Return the length of the shortest path between all pairs of states, of shape (S, S).

    Paths lead from neighbour to neighbour. The length of a step is the distance between the
    positions of its two states, or 1 if positions are not known. With positions, a path may also
    cut a corner diagonally if both ways around it are open. Lengths are infinite where there is no
    path.

    Parameters
    ----------
    arena : Arena
        The MDP and the positions of its states.
    """
    n = arena.mdp.n_states
    before, after = neighbours(arena.mdp)
    if arena.places is not None:
        steps = sparse.csr_array((np.ones(before.size), (before, after)), shape=(n, n))
        ways = sparse.coo_array(steps @ steps)
        # If there are two ways around a corner, it contains no wall.
        corner = (ways.data > 1.5) & (ways.coords[0] != ways.coords[1])
        before = np.concatenate([before, ways.coords[0][corner]])
        after = np.concatenate([after, ways.coords[1][corner]])
        lengths = np.linalg.norm(arena.places[before] - arena.places[after], axis=1)
    else:
        lengths = np.ones(before.size)
    pairs, first = np.unique(before * n + after, return_index=True)
    graph = sparse.csr_array((lengths[first], (pairs // n, pairs % n)), shape=(n, n))
    return np.asarray(shortest_path(graph, method="D"))
