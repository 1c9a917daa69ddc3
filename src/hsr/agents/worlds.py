"""Worlds of a layout: a start, goals and signs of eigenvectors, drawn uniformly by number."""

import hashlib
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_count, check_indices, check_seed, is_list
from hsr.agents.option_spec import OptionSpec
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.grids.named import read_layout
from hsr.options.eigen import vectors_needed
from hsr.options.option_set import OptionSet
from hsr.options.signs import check_signs, sign_pattern

_ROUNDS = 8
_FEWEST_BITS = 8
_EIGENOPTIONS = OptionSpec()


@dataclass(frozen=True)
class World:
    """A start, goals and signs of eigenvectors, as `sample_worlds` draws them.

    Parameters
    ----------
    start : int
        The state in which episodes begin.
    goals : tuple of int
        The goals, one after the other.
    signs : str
        The signs of the eigenvectors, for `eigenoptions` and `OptionSpec`: a pattern such as "+-+-"
        or "both". Empty if the options have no signs.

    Examples
    --------
    >>> import hsr
    >>> world = hsr.World(start=0, goals=(50, 103), signs="+-")
    >>> tasks = [hsr.GoalTask(world.start, goal) for goal in world.goals]
    >>> mdp = hsr.grid_mdp("four_rooms")
    >>> hsr.agents.OptionSpec(n_options=2, signs=world.signs).build(mdp).names
    ('+v1', '-v2')
    """

    start: int
    goals: tuple[int, ...]
    signs: str


def sample_worlds(
    layout: GridLayout | str | os.PathLike[str],
    n: int,
    *,
    distances: Sequence[int] | None = None,
    options: OptionSpec = _EIGENOPTIONS,
    discount: float = 0.9,
    first: int = 0,
    seed: int = 0,
    avoid: Sequence[int] = (),
) -> list[World]:
    """Return worlds of a layout, drawn uniformly without replacement.

    A result for one start, one pair of goals and one choice of signs may be particular to them.
    Other worlds of the same layout show whether it is. A world qualifies if goal k lies
    ``distances[k]`` steps from the start, the goals differ, and no goal is a state of `avoid` or an
    end of an option, where the option would carry the agent straight to the goal. Every qualifying
    combination of start, goals and signs is drawn with the same probability.

    World number i of a seed is the same whatever `n` and `first` are. ``first=100`` therefore
    continues a list of 100 worlds, and no world occurs twice.

    Parameters
    ----------
    layout : GridLayout, str or path
        A layout, the name of one that `load_layout` knows, or the path of a text file.
    n : int
        Number of worlds.
    distances : sequence of int, optional
        Steps from the start to each goal. By default those between the start and the goals that are
        marked in the layout.
    options : OptionSpec
        The options. With ``signs="random"`` the signs of eigenoptions are part of the draw. With
        any other signs they are fixed, and each world has them.
    discount : float in [0, 0.99999]
        Discount of the MDP in which the options are made.
    first : int
        The number of the first world.
    seed : int
        Determines the order of the worlds.
    avoid : sequence of int
        More states that must not be goals.

    Returns
    -------
    list of World
        Worlds number ``first`` to ``first + n - 1``.

    Raises
    ------
    InputError
        If there are fewer worlds, if no start has goals at these distances, or if the layout has no
        marked start and goals and `distances` is not given.

    Notes
    -----
    The option of an eigenvector depends only on its own vector and sign. So the worlds of a start
    and goals are counted by multiplying, over vectors, the number of signs without an end on a
    goal. A world is computed from its place in this enumeration. The order is a permutation of all
    places that is keyed by the seed (a Feistel network), so no list of all worlds is ever made.

    An option that is available nowhere has no ends. Online options have none that are known before
    the run.

    Examples
    --------
    >>> import hsr
    >>> spec = hsr.agents.OptionSpec(signs="random")
    >>> worlds = hsr.sample_worlds("four_rooms", 3, options=spec)
    >>> worlds == hsr.sample_worlds("four_rooms", 1000, options=spec)[:3]
    True
    >>> layout = hsr.load_layout("four_rooms")
    >>> [layout.distances_from(layout.start)[goal].item() for goal in layout.goals]
    [10, 18]
    >>> [layout.distances_from(worlds[0].start)[goal].item() for goal in worlds[0].goals]
    [10, 18]
    """
    n, first = check_count(n, "n", least=0), check_count(first, "first", least=0, most=None)
    seed = check_seed(seed)
    every = _Worlds(layout, distances, options, discount, avoid)
    if n > 0 and every.total == 0:
        raise every.none_qualifies()
    if first + n > every.total:
        raise InputError(
            f"worlds {first:,} to {first + n - 1:,} were asked for; "
            f"{every.total:,} worlds qualify, numbered from 0"
        )
    return [every.world(permuted(i, every.total, seed)) for i in range(first, first + n)]


def count_worlds(
    layout: GridLayout | str | os.PathLike[str],
    *,
    distances: Sequence[int] | None = None,
    options: OptionSpec = _EIGENOPTIONS,
    discount: float = 0.9,
    avoid: Sequence[int] = (),
) -> int:
    """Return the number of worlds from which `sample_worlds` draws.

    Parameters
    ----------
    layout, distances, options, discount, avoid
        As in `sample_worlds`.

    Returns
    -------
    int
        The exact number. It has no upper limit.

    Examples
    --------
    >>> import hsr
    >>> hsr.agents.count_worlds("four_rooms", options=hsr.agents.OptionSpec("none"))
    433
    >>> hsr.agents.count_worlds("four_rooms", options=hsr.agents.OptionSpec(signs="random"))
    71432
    """
    return _Worlds(layout, distances, options, discount, avoid).total


def permuted(i: int, size: int, seed: int) -> int:
    """Return the image of i under a permutation of range(size) that the seed determines.

    The permutation is a Feistel network on as many bits as `size` needs. Images outside the range
    are permuted again until one lies in it. So one image costs no memory, whatever the size is.

    Examples
    --------
    >>> sorted(permuted(i, 10, seed=0) for i in range(10))
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    half = (max((size - 1).bit_length(), _FEWEST_BITS) + 1) // 2
    mask, n_bytes = (1 << half) - 1, (half + 7) // 8
    # Outside the range, the image of the image is as good: a permutation has no dead ends.
    while True:
        left, right = i >> half, i & mask
        for number in range(_ROUNDS):
            text = f"{seed}:{number}:{right}".encode()
            drawn = int.from_bytes(hashlib.shake_256(text).digest(n_bytes), "big") & mask
            left, right = right, left ^ drawn
        i = left << half | right
        if i < size:
            return i


class _Worlds:
    """All qualifying worlds of a layout in a fixed order: their number, and each by its place.

    A *variant* is a sign of one vector with the ends of its option, or the ends of all options if
    their signs are fixed. `vectors` holds the variants of each vector. The *kind* of a state tells
    which variants have no end there, as one bit per variant. The number of worlds of a start and
    goals depends only on the kinds of the goals.
    """

    def __init__(
        self,
        layout: GridLayout | str | os.PathLike[str],
        distances: Sequence[int] | None,
        options: OptionSpec,
        discount: float,
        avoid: Sequence[int],
    ) -> None:
        if not isinstance(options, OptionSpec):
            raise InputError(f"options is {type(options).__name__}; it must be an OptionSpec")
        self.layout = read_layout(layout)
        n_states = self.layout.n_states
        avoided = check_indices(avoid, n_states, "avoid")
        self.distances = _read_distances(self.layout, distances)
        variants = list(_variants(self.layout, options, discount))
        bits = np.cumsum([0, *(len(vector) for vector in variants)]).tolist()
        self.vectors = [
            [(sign, 1 << (low + k)) for k, (sign, _) in enumerate(vector)]
            for low, vector in zip(bits, variants, strict=False)
        ]
        self.kind = [(1 << bits[-1]) - 1] * n_states
        for vector, signs in zip(variants, self.vectors, strict=True):
            for (_, ends), (_, bit) in zip(vector, signs, strict=True):
                for state in np.flatnonzero(ends):
                    self.kind[state] &= ~bit
        self.may_be_goal = np.array([self._n_patterns(kind) > 0 for kind in self.kind])
        self.may_be_goal[avoided] = False
        self._count = lru_cache(maxsize=None)(self._count_kinds)
        self._rings = lru_cache(maxsize=1024)(self._find_rings)
        counts = (self._n_worlds(self._rings(start), (), -1) for start in range(n_states))
        self.until = list(accumulate(counts))

    def none_qualifies(self) -> InputError:
        """Return the error for a layout without any qualifying world, which says why."""
        asked = ", ".join(map(str, self.distances))
        alone = _Worlds(self.layout, self.distances, OptionSpec("none"), 0.0, ())
        if alone.total == 0:
            return InputError(
                f"no start has different goals at distances {asked}; "
                f"the largest distance in this layout is {self.layout.diameter()}"
            )
        return InputError(
            f"{alone.total:,} starts with goals are at distances {asked}, but in each of them a "
            "goal is an end of the options or a state to avoid"
        )

    @property
    def total(self) -> int:
        """The number of worlds."""
        return self.until[-1]

    def world(self, place: int) -> World:
        """Return the world at a place in 0..total-1."""
        start = bisect_right(self.until, place)
        place -= self.until[start - 1] if start else 0
        rings, kinds = self._rings(start), -1
        goals: list[int] = []
        for ring in rings:
            for goal in ring:
                if goal not in goals:
                    count = self._n_worlds(rings, (*goals, goal), kinds & self.kind[goal])
                    if place < count:
                        break
                    place -= count
            goals.append(goal)
            kinds &= self.kind[goal]
        signs = ""
        for vector in self.vectors:
            left = [sign for sign, bit in vector if kinds & bit]
            place, k = divmod(place, len(left))
            signs += left[k]
        return World(start, tuple(goals), signs)

    def _find_rings(self, start: int) -> tuple[list[int], ...]:
        """Return the states that may be goal k of a start, for each k."""
        steps = self.layout.distances_from(start)
        return tuple(
            np.flatnonzero((steps == distance) & self.may_be_goal).tolist()
            for distance in self.distances
        )

    def _n_worlds(self, rings: tuple[list[int], ...], goals: tuple[int, ...], kinds: int) -> int:
        """Return the number of worlds of a start whose first goals are given."""
        rest = []
        for k in range(len(goals), len(rings)):
            counts: dict[int, int] = {}
            for goal in rings[k]:
                if goal not in goals:
                    counts[self.kind[goal]] = counts.get(self.kind[goal], 0) + 1
            rest.append((self.distances[k], tuple(sorted(counts.items()))))
        return self._count(kinds, tuple(rest))

    def _count_kinds(self, kinds: int, rest: tuple[Any, ...]) -> int:
        """Return the number of worlds, given how many states of each kind may be each next goal.

        A goal at a distance is not available for the next goals at the same distance.
        """
        if kinds != -1 and self._n_patterns(kinds) == 0:
            return 0
        if not rest:
            return self._n_patterns(kinds)
        (distance, counts), *others = rest
        total = 0
        for kind, count in counts:
            after = tuple(
                (d, tuple((one, m - (one == kind and d == distance)) for one, m in left))
                for d, left in others
            )
            if count > 0:
                total += count * self._count(kinds & kind, after)
        return total

    def _n_patterns(self, kinds: int) -> int:
        """Return the number of patterns of signs that have no end in states of these kinds."""
        total = 1
        for vector in self.vectors:
            total *= sum(kinds & bit > 0 for _, bit in vector)
        return total


def _read_distances(layout: GridLayout, distances: Sequence[int] | None) -> tuple[int, ...]:
    if distances is None:
        if layout.start is None or not layout.goals:
            raise InputError(
                "distances is None, and the layout has no marked start and goals; "
                "give the number of steps from the start to each goal, such as distances=[6, 10]"
            )
        steps = layout.distances_from(layout.start)
        distances = [int(steps[goal]) for goal in layout.goals]
    if not is_list(distances) or not isinstance(distances, (Sequence, np.ndarray)):
        raise InputError(
            f"distances is {short_repr(distances)}; it must be a list, one entry per goal"
        )
    if len(distances) == 0:
        raise InputError("distances is empty; it must have one entry per goal")
    found = tuple(check_count(one, f"distances[{k}]") for k, one in enumerate(distances))
    largest = layout.diameter()
    for k, distance in enumerate(found):
        if distance > largest:
            raise InputError(
                f"distances[{k}] is {distance}; the largest distance in this layout is {largest}"
            )
    return found


def _variants(
    layout: GridLayout, spec: OptionSpec, discount: float
) -> Iterator[list[tuple[str, BoolArray]]]:
    """Yield the signs of each vector with the ends of its option; all ends if signs are fixed."""
    if spec.kind in ("none", "online"):
        return
    mdp = grid_mdp(layout, discount=discount)
    if spec.kind != "eigen":
        yield [("", np.asarray(_ends(spec.build(mdp)).any(axis=0)))]
        return
    n_constant = 1 if spec.first == "counted" else 0
    n_vectors = vectors_needed(spec.n_options, spec.signs) - n_constant
    check_signs(spec.signs, n_vectors)
    if n_vectors == 0:
        return
    if spec.signs != "random":
        pattern = "both" if spec.signs == "both" else sign_pattern(mdp, n_vectors, spec.signs)
        ends = _ends(replace(spec, signs=pattern).build(mdp))
        yield [(pattern, np.asarray(ends.any(axis=0)))]
        return
    ends_of = [
        _ends(replace(spec, signs=sign * n_vectors).build(mdp))[n_constant:] for sign in "+-"
    ]
    for plus, minus in zip(*ends_of, strict=True):
        yield [("+", plus), ("-", minus)]


def _ends(options: Any) -> BoolArray:
    """Return where each option may stop, of shape (O, S). One available nowhere has no ends."""
    assert isinstance(options, OptionSet)
    available: BoolArray = np.asarray(options.initiation.any(axis=1))
    ends: BoolArray = (options.termination > 0.0) & available[:, None]
    return ends
