"""The world in which cells are compared: an MDP with the places of its states."""

from dataclasses import dataclass, field
from functools import cached_property
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
from hsr.options.option_set import OptionSet
from hsr.representation.expected import expected_hsr

DISCOUNT = 0.9  # of layouts
MOST_CENTRES = 400
_GOALS = 64  # expected maps average over at most so many goals


@dataclass(frozen=True)
class Arena:
    """An MDP with the places of its states.

    Attributes
    ----------
    mdp : FiniteMDP
        The world.
    places : float array of shape (S, 2), or None
        Where the states lie, if that is known.
    spacing : float
        The distance between neighbouring states. 1 if places are not known.
    """

    mdp: FiniteMDP
    places: FloatArray | None
    spacing: float
    _options: dict[int, OptionSet] = field(default_factory=dict)
    _worlds: dict[float, FiniteMDP] = field(default_factory=dict)
    _maps: dict[tuple[float, int], FloatArray] = field(default_factory=dict)

    @property
    def centres(self) -> IntArray:
        """The states at which fields are centred: all, or `MOST_CENTRES` spread evenly."""
        return self._spread(MOST_CENTRES)

    @cached_property
    def goals(self) -> list[GoalTask]:
        """Goals spread evenly over the states, made once."""
        return [GoalTask(start=None, goal=int(goal)) for goal in self._spread(_GOALS)]

    def _spread(self, most: int) -> IntArray:
        n = self.mdp.n_states
        return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.int64))

    def at_discount(self, discount: float) -> FiniteMDP:
        """Return the world with another discount, which is made and checked once."""
        if discount not in self._worlds:
            self._worlds[discount] = _discounted(self.mdp, discount)
        return self._worlds[discount]

    def options(self, n_options: int) -> OptionSet:
        """Return the eigenoptions of the world, which are made once."""
        if n_options not in self._options:
            self._options[n_options] = eigenoptions(self.mdp, n_options)
        return self._options[n_options]

    def expected_hsr(self, discount: float, n_options: int) -> FloatArray:
        """Return the HSR of optimal policies, averaged over goals, which is made once."""
        if (discount, n_options) not in self._maps:
            M = expected_hsr(self.at_discount(discount), self.options(n_options), self.goals)
            self._maps[discount, n_options] = M.toarray()
        return self._maps[discount, n_options]

    def possible(self) -> np.ndarray:
        """Return which actions there are in each state, a bool array of shape (S, A)."""
        if isinstance(self.mdp, EstimatedMDP):
            return self.mdp.possible
        return np.ones((self.mdp.n_states, self.mdp.n_actions), dtype=bool)


def arena_of(world: Any) -> Arena:
    """Return the arena of a world, or raise `InputError`.

    Parameters
    ----------
    world : TrackedMDP, GridLayout or FiniteMDP
        A recording, a layout, or any MDP. The labels of an MDP are places if all are pairs of
        numbers.
    """
    if isinstance(world, GridLayout):
        labels = [(int(row), int(column)) for row, column in world.cells]
        mdp = FiniteMDP.from_successors(world.neighbours, DISCOUNT, labels)
        return Arena(mdp, world.cells.astype(np.float64), 1.0)
    if isinstance(world, TrackedMDP):
        return Arena(world, world.centres, world.bin_spacing)
    if not isinstance(world, FiniteMDP):
        raise InputError(
            f"world is {short_repr(world)}; it must be a FiniteMDP, such as that of "
            "hsr.from_positions, "
            "or a GridLayout"
        )
    places = _labelled_places(world)
    if places is None:
        return Arena(world, None, 1.0)
    before, after = neighbours(world)
    lengths = np.linalg.norm(places[before] - places[after], axis=1)
    return Arena(world, places, float(np.median(lengths)) if lengths.size else 1.0)


def _labelled_places(mdp: FiniteMDP) -> FloatArray | None:
    pairs = [label for label in mdp.labels or () if isinstance(label, tuple) and len(label) == 2]
    plain = all(isinstance(part, (int, float)) for pair in pairs for part in pair)
    return np.array(pairs, dtype=np.float64) if plain and len(pairs) == mdp.n_states else None


def _discounted(mdp: FiniteMDP, discount: float) -> FiniteMDP:
    """Return the same world with another discount."""
    if mdp.successors is not None:
        return FiniteMDP.from_successors(mdp.successors, discount)
    return FiniteMDP([mdp.transition_of(a) for a in range(mdp.n_actions)], discount)


def neighbours(mdp: FiniteMDP) -> tuple[IntArray, IntArray]:
    """Return all pairs of different states between which one step may lead, in either direction.

    Each pair comes twice, once in each order.
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

    Paths lead from neighbour to neighbour. A step is as long as the distance between the places of
    its two states, or 1 if places are not known. With places, a path may also cross a corner
    diagonally where two different steps around it are open. It is infinite where there is no path.

    Parameters
    ----------
    arena : Arena
        The world and the places of its states.
    """
    n = arena.mdp.n_states
    before, after = neighbours(arena.mdp)
    if arena.places is not None:
        steps = sparse.csr_array((np.ones(before.size), (before, after)), shape=(n, n))
        ways = sparse.coo_array(steps @ steps)
        # Two different ways around a corner mean that no wall is in it.
        corner = (ways.data > 1.5) & (ways.coords[0] != ways.coords[1])
        before = np.concatenate([before, ways.coords[0][corner]])
        after = np.concatenate([after, ways.coords[1][corner]])
        lengths = np.linalg.norm(arena.places[before] - arena.places[after], axis=1)
    else:
        lengths = np.ones(before.size)
    pairs, first = np.unique(before * n + after, return_index=True)
    graph = sparse.csr_array((lengths[first], (pairs // n, pairs % n)), shape=(n, n))
    return np.asarray(shortest_path(graph, method="D"))
