"""Worlds of a layout: a start, goals and signs of eigenvectors, drawn at random by number."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_count, check_indices, check_seed, is_list
from hsr.agents.option_spec import OptionSpec
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.grids.named import read_layout
from hsr.options.eigen import vectors_needed
from hsr.options.option_set import OptionSet
from hsr.options.signs import check_signs, sign_pattern

_AT_ONCE = 1024  # candidates drawn together; part of what a seed means
_MOST_DRAWS = 10**7
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
    """Return different worlds of a layout, drawn uniformly at random.

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
        Draws the worlds.
    avoid : sequence of int
        More states that must not be goals.

    Returns
    -------
    list of World
        Worlds number ``first`` to ``first + n - 1``.

    Raises
    ------
    InputError
        If so many different worlds were not found, if no start has goals at these distances, or if
        the layout has no marked start and goals and `distances` is not given.

    Notes
    -----
    Candidates are a start with goals at the given distances, drawn uniformly, and signs without an
    end on a goal. The more eigenvectors have only one such sign, the more often they are rejected,
    so that all worlds are equally probable. Worlds that were drawn before are rejected, too. World
    number i is the one that is accepted after i others, and costs as many draws. With m
    combinations of start, goals and signs, the search ends when 50 m draws in a row, but at most
    ten million, give no new world. Where m is up to 200,000, all worlds are therefore found, except
    with a probability below e^-50 for each.

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
    n, first = check_count(n, "n", least=0), check_count(first, "first", least=0)
    seed = check_seed(seed)
    candidates = _Candidates(layout, distances, options, discount, avoid)
    worlds: list[World] = []
    n_found = 0
    for world in candidates.worlds(seed) if n else ():
        n_found += 1
        if n_found > first:
            worlds.append(world)
        if len(worlds) == n:
            break
    if len(worlds) < n:
        raise candidates.too_few(first, n, n_found)
    return worlds


def draw_worlds(
    layout: GridLayout | str | os.PathLike[str],
    *,
    distances: Sequence[int] | None = None,
    options: OptionSpec = _EIGENOPTIONS,
    discount: float = 0.9,
    seed: int = 0,
    avoid: Sequence[int] = (),
) -> Iterator[World]:
    """Yield the worlds of `sample_worlds` one after the other, until no more are found.

    Parameters
    ----------
    layout, distances, options, discount, seed, avoid
        As in `sample_worlds`.

    Examples
    --------
    >>> import hsr
    >>> spec = hsr.agents.OptionSpec("none")
    >>> sum(1 for world in hsr.agents.draw_worlds("four_rooms", options=spec))
    433
    """
    return _Candidates(layout, distances, options, discount, avoid).worlds(check_seed(seed))


class _Candidates:
    """Starts with goals at given distances, and the signs that go with them.

    Attributes
    ----------
    ends : bool array (V, 2, S)
        Where the option of each eigenvector ends, for the signs "+" and "-"; V = 0 if signs are
        fixed.
    pattern : str
        The signs, if they are fixed.
    rings : list of pairs of int arrays
        For each goal, the states that it may be, those of one start after those of another, and
        how many each start has (S,).
    weight : array (S,)
        The number of combinations of goals of each start.
    most_free : int
        A bound on the number of eigenvectors that may have either sign.
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
        may_be_goal = np.ones(n_states, dtype=bool)
        may_be_goal[check_indices(avoid, n_states, "avoid")] = False
        self.distances = _read_distances(self.layout, distances)
        self.pattern, fixed_ends, self.ends = _ends_of(self.layout, options, discount)
        # A state where some eigenvector ends with both signs is never a goal.
        may_be_goal &= ~fixed_ends & ~self.ends.all(axis=1).any(axis=0)
        steps = [self.layout.distances_from(start) for start in range(n_states)]
        self.rings = []
        self.weight = np.ones(n_states)
        for distance in self.distances:
            rings = [np.flatnonzero((row == distance) & may_be_goal) for row in steps]
            sizes = np.array([ring.size for ring in rings])
            self.rings.append((np.concatenate(rings), sizes))
            self.weight *= sizes
        n_free = (~self.ends.any(axis=1)).sum(axis=0)
        self.most_free = int(n_free[may_be_goal].max(initial=0))

    def worlds(self, seed: int) -> Iterator[World]:
        """Yield the worlds of a seed, all different, until no more are found."""
        n_candidates = self.weight.sum() * 2.0 ** len(self.ends)
        if n_candidates == 0.0:
            return
        rng, drawn = np.random.default_rng(seed), set[bytes]()
        patience = min(50 * n_candidates, _MOST_DRAWS)
        n_without = 0
        while n_without < patience:
            n_without += _AT_ONCE
            start, goals, minus, qualifies = self._draw(rng)
            rows = np.concatenate([start[:, None], goals, minus], axis=1, dtype=np.int32)
            for i in np.flatnonzero(qualifies):
                key = rows[i].tobytes()
                if key not in drawn:
                    drawn.add(key)
                    n_without = 0
                    signs = "".join(np.where(minus[i], "-", "+")) or self.pattern
                    yield World(int(start[i]), tuple(goals[i].tolist()), signs)

    def _draw(self, rng: np.random.Generator) -> tuple[IntArray, IntArray, BoolArray, BoolArray]:
        """Return starts (n,), goals (n, K), which signs are negative (n, V), and who is accepted.

        A world is accepted if its goals differ, and if every eigenvector has a sign without an end
        on a goal, with probability 2 to the number of those with either sign, minus `most_free`.
        """
        cumulative = np.cumsum(self.weight)
        u = rng.random(_AT_ONCE) * cumulative[-1]
        start = np.searchsorted(cumulative, u, side="right")
        goals = np.empty((_AT_ONCE, len(self.rings)), dtype=np.int64)
        plus_ends, minus_ends = np.zeros((2, _AT_ONCE, len(self.ends)), dtype=bool)
        for k, (states, sizes) in enumerate(self.rings):
            place = (rng.random(_AT_ONCE) * sizes[start]).astype(np.int64)
            goals[:, k] = states[(np.cumsum(sizes) - sizes)[start] + place]
            plus_ends |= self.ends[:, 0, goals[:, k]].T
            minus_ends |= self.ends[:, 1, goals[:, k]].T
        minus = plus_ends | (~minus_ends & (rng.random(plus_ends.shape) < 0.5))
        n_free = (~plus_ends & ~minus_ends).sum(axis=1)
        accepted = rng.random(_AT_ONCE) < 2.0 ** (n_free - self.most_free)
        accepted &= ~(plus_ends & minus_ends).any(axis=1)
        ordered = np.sort(goals, axis=1)
        accepted &= (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
        return start, goals, minus, accepted

    def too_few(self, first: int, n: int, n_found: int) -> InputError:
        """Return the error for worlds that were not found."""
        if n_found == 0:
            asked = ", ".join(map(str, self.distances))
            return InputError(
                f"no start has different goals at distances {asked} that are neither ends of an "
                "option nor states to avoid; the largest distance in this layout is "
                f"{self.layout.diameter()}"
            )
        return InputError(
            f"worlds {first:,} to {first + n - 1:,} were asked for; "
            f"{n_found:,} worlds were found, numbered from 0"
        )


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
    checked = tuple(check_count(d, f"distances[{k}]") for k, d in enumerate(distances))
    largest = layout.diameter()
    for k, distance in enumerate(checked):
        if distance > largest:
            raise InputError(
                f"distances[{k}] is {distance}; the largest distance in this layout is {largest}"
            )
    return checked


def _ends_of(
    layout: GridLayout, spec: OptionSpec, discount: float
) -> tuple[str, BoolArray, BoolArray]:
    """Return fixed signs, the ends of options with fixed signs (S,), and of others (V, 2, S)."""
    n_states = layout.n_states
    nowhere, no_vectors = np.zeros(n_states, dtype=bool), np.zeros((0, 2, n_states), dtype=bool)
    if spec.kind in ("none", "online"):
        return "", nowhere, no_vectors
    mdp = grid_mdp(layout, discount=discount)
    if spec.kind != "eigen":
        return "", np.asarray(_ends(spec.build(mdp)).any(axis=0)), no_vectors
    n_constant = 1 if spec.first == "counted" else 0
    n_vectors = vectors_needed(spec.n_options, spec.signs) - n_constant
    check_signs(spec.signs, n_vectors)
    if n_vectors == 0:
        return "", nowhere, no_vectors
    if spec.signs != "random":
        pattern = "both" if spec.signs == "both" else sign_pattern(mdp, n_vectors, spec.signs)
        ends = _ends(replace(spec, signs=pattern).build(mdp))
        return pattern, np.asarray(ends.any(axis=0)), no_vectors
    by_sign = [
        _ends(replace(spec, signs=sign * n_vectors).build(mdp))[n_constant:] for sign in "+-"
    ]
    return "", nowhere, np.stack(by_sign, axis=1)


def _ends(options: Any) -> BoolArray:
    """Return where each option may stop, of shape (O, S). One available nowhere has no ends."""
    assert isinstance(options, OptionSet)
    available: BoolArray = np.asarray(options.initiation.any(axis=1))
    ends: BoolArray = (options.termination > 0.0) & available[:, None]
    return ends
