"""MDPs made of tracked positions, and a report of what was left out."""

from collections.abc import Hashable, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray, read_only
from hsr._base.errors import InputError
from hsr._base.extras import needs
from hsr._base.validation import is_list, read_numbers
from hsr.adapters.positions.bins import crosses_wall, read_walls
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.labels import Labels

_NAMED = 5  # how many bins the report names


@dataclass(frozen=True)
class PositionsReport:
    """What `from_positions` kept and left out.

    Attributes
    ----------
    frames : int
        Frames of the recording.
    kept : int
        Frames that count.
    missing : int
        Frames without a position.
    unsure : int
        Frames whose position has too low a confidence. They count as missing.
    outside : int
        Frames outside of all bins: beyond the arena, or in a wall of the layout.
    moved : int
        Frames less than a bin outside of the given extent, which were moved to its border.
    between_trials : int
        Frames that belong to no trial.
    glitches : int
        Frames of pieces of one or two frames that jumps cut off. They count as missing.
    unconnected : int
        Frames in bins that are not connected with the rest.
    jumps : int
        Times that the animal seemed to move faster than `max_speed`.
    max_speed : float
        The fastest that the animal was taken to move, in units of xy per unit of t.
    gaps : int
        Times that the path was split because frames are missing.
    bridged : int
        Times that missing frames were skipped, because the animal reappeared nearby.
    segments : int
        Pieces of the path between which nothing is assumed.
    shortest : int
        Fewest frames of a visit after which the animal returns to where it came from.
    excursions : int
        Shorter visits, which do not count.
    moves : int
        Moves between neighbouring bins, with those that were filled in.
    reversals : int
        How many of them lead back at once to where the animal came from.
    filled : int
        Moves over one or more bins that were filled in with the shortest way.
    not_filled : int
        Moves over one or more bins for which no short way was known. They split the path.
    dropped_bins : tuple
        Labels of bins that are not connected with the rest.
    """

    frames: int
    kept: int
    missing: int
    unsure: int
    outside: int
    moved: int
    between_trials: int
    glitches: int
    unconnected: int
    jumps: int
    max_speed: float
    gaps: int
    bridged: int
    segments: int
    shortest: int
    excursions: int
    moves: int
    reversals: int
    filled: int
    not_filled: int
    dropped_bins: tuple[Hashable, ...]

    def __str__(self) -> str:
        named = ", ".join(map(str, self.dropped_bins[:_NAMED]))
        named += ", ..." if len(self.dropped_bins) > _NAMED else ""
        reasons = {
            "missing": "frames without a position",
            "unsure": "frames with too low a confidence",
            "outside": "frames outside of all bins",
            "moved": "frames just outside of the extent, moved to its border",
            "between_trials": "frames between trials",
            "glitches": "frames that are glitches, cut off by jumps",
            "unconnected": f"frames in bins that are not connected, {named}",
            "jumps": f"jumps faster than {self.max_speed:.4g}, which split the path",
            "gaps": "gaps, which split the path",
            "bridged": "gaps that were skipped, because the animal reappeared nearby",
            "excursions": f"returns after fewer than {self.shortest} frames, which do not count",
            "filled": "moves over bins, filled in with the shortest way",
            "not_filled": "moves over bins without a short way, which split the path",
            "moves": "moves between neighbouring bins",
            "reversals": "of them straight back to where the animal came from",
        }
        return "\n".join(
            [
                f"{self.kept:,} of {self.frames:,} frames kept, in {self.segments:,} segments",
                *(
                    f"{why}: {getattr(self, name):,}"
                    for name, why in reasons.items()
                    if getattr(self, name)
                ),
            ]
        )

    def as_dict(self) -> dict[str, object]:
        """Return all numbers by name, for a table or a file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class TrackedMDP(EstimatedMDP):
    """The MDP of a tracked animal; `from_positions` makes one.

    States are bins, and an action is a move to a neighbouring bin. A move into a wall, or to where
    the animal never went, leaves the state unchanged. If the discount was given as a time constant,
    the last action is "stay" and a step is a frame.

    Parameters
    ----------
    transition, discount, labels, action_labels, counts, possible : as in `EstimatedMDP`
        The MDP, and how often each action was taken.
    **tracked
        The attributes below, by name.

    Attributes
    ----------
    centres : float array of shape (S, 2)
        Where the bins lie.
    occupancy : float array of shape (S,)
        Time spent in each bin, in units of t (frames if no times were given).
    counts : int array of shape (S, A)
        How often the animal made each move.
    frames : int array of shape (F,)
        The state in each frame of the recording, -1 where the frame does not count.
    segments : int array of shape (F,)
        The piece of the path that each frame belongs to, -1 where it does not count.
    t : float array of shape (F,)
        The time of each frame.
    dt : float
        Time between two frames.
    paths : tuple of int arrays
        The states that each piece of the path went through, with filled bins. A state is repeated
        while the animal stays only if a step is a frame.
    bin_edges : tuple of two float arrays, or None
        Edges along x and y, of square bins and layouts.
    bin_kind : {"square", "hexagonal", "centres", "layout"}
        How the bins were made.
    bin_spacing : float
        Distance between neighbouring bins, the longer one of two.
    coordinates : (str, str)
        What the two coordinates are called.
    walls : float array of shape (W, 2, 2)
        The thin walls that were given, as segments.
    report : PositionsReport
        What was left out and why. Print it.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> t = np.arange(400) / 10
    >>> xy = np.stack([np.cos(t), np.sin(t)], axis=1)  # round and round
    >>> mdp = hsr.from_positions(xy, t, n_bins=5, discount=0.9)
    >>> mdp
    TrackedMDP(n_states=16, n_actions=4, discount=0.9, 400 of 400 frames)
    >>> M = hsr.successor_representation(mdp, mdp.behaviour())
    >>> mdp.to_grid(M.columns(0)).dims
    ('x', 'y')
    """

    centres: FloatArray
    occupancy: FloatArray
    frames: IntArray
    segments: IntArray
    t: FloatArray
    dt: float
    paths: tuple[IntArray, ...]
    bin_edges: tuple[FloatArray, FloatArray] | None
    bin_kind: str
    bin_spacing: float
    walls: FloatArray
    coordinates: tuple[str, str]
    report: PositionsReport

    def __init__(
        self,
        transition: Any,
        discount: float,
        labels: Labels,
        action_labels: Labels,
        counts: IntArray,
        possible: BoolArray,
        **tracked: Any,
    ) -> None:
        super().__init__(transition, discount, labels, action_labels, counts, counts > 0, possible)
        for value in tracked.values():
            for array in value if isinstance(value, tuple) else (value,):
                if isinstance(array, np.ndarray):
                    read_only(array)
        self._set(**tracked, _tracked=tuple(tracked))

    def with_barrier(
        self,
        passages: Sequence[tuple[int, int]] = (),
        *,
        states: Sequence[int] = (),
        walls: Any = None,
    ) -> Self:
        """Return the world with a barrier, and with the same states.

        Moves across the barrier are no longer possible, and their counts are removed, so that
        `behaviour` shares their probability among the other moves of the bin. The recording itself
        (frames, segments, paths and occupancy) stays that from before the barrier.

        Parameters
        ----------
        passages : sequence of pairs of states
            Blocked in both directions. `state_of` finds the state of a bin.
        states : sequence of int
            Bins that cannot be entered. They can still be left.
        walls : array of shape (walls, 2, 2), optional
            Where the barrier stands, as in `from_positions`: segments from (x, y) to (x, y). All
            moves that cross one are blocked.

        Raises
        ------
        InputError
            If two states of a passage are no neighbours, or walls block no move.

        See Also
        --------
        discriminate : which barrier would separate models of place fields most.

        Examples
        --------
        >>> import numpy as np, hsr
        >>> xy = np.array([(0.5, 0.5), (1.5, 0.5), (1.5, 1.5), (0.5, 1.5)] * 3)
        >>> mdp = hsr.from_positions(xy, bin_size=1.0, extent=(0, 2, 0, 2))
        >>> after = mdp.with_barrier(walls=[[(1, 0), (1, 1)]])
        >>> int(mdp.possible.sum()), int(after.possible.sum())
        (8, 6)
        """
        segments = read_walls(walls)
        assert self.successors is not None
        begin, action = np.nonzero(self.possible)
        end = self.successors[begin, action]
        across = crosses_wall(self.centres[begin], self.centres[end], segments) & (begin != end)
        if segments.size and not across.any():
            raise InputError(
                f"walls block no move between bins, whose centres reach from "
                f"{self.centres.min(axis=0).tolist()} to {self.centres.max(axis=0).tolist()}; "
                "they must be in the unit of xy"
            )
        crossed = np.stack([begin[across], end[across]], axis=1)
        given = list(passages) if is_list(passages) else [passages]
        mdp = super().with_barrier([*given, *crossed.tolist()], states=states)
        mdp._set(walls=read_only(np.concatenate([self.walls, segments])))
        return mdp

    def to_grid(self, values: Any) -> Any:
        """Return values of states as a picture of the arena.

        Parameters
        ----------
        values : array of shape (S,) or (K, S)
            A number for each state, or several, such as columns of a map: ``M.columns(states).T``.

        Returns
        -------
        xarray.DataArray
            With the dimensions of pynapple's tuning curves: ``unit`` if there are several, then x
            and y, or ``bin`` where bins are not rectangles. Bins that are no states are nan. The
            attributes ``occupancy`` (in frames), ``bin_edges`` and ``fs`` are those that pynapple's
            decoders read.

        Raises
        ------
        InputError
            If there is not one value per state, or xarray is not installed.
        """
        needs("xarray", "to_grid")
        from xarray import DataArray

        array = read_numbers(values, f"values must have shape ({self.n_states},)")
        if array.ndim not in (1, 2) or array.shape[-1] != self.n_states:
            raise InputError(
                f"values has shape {array.shape}; it must have shape ({self.n_states},) "
                f"or (any, {self.n_states})"
            )
        units = {} if array.ndim == 1 else {"unit": np.arange(array.shape[0])}
        frames = np.bincount(self.frames[self.frames >= 0], minlength=self.n_states)
        attrs: dict[str, Any] = {"fs": 1.0 / self.dt}
        if self.bin_edges is None:
            x, y = self.coordinates
            coords = {x: ("bin", self.centres[:, 0]), y: ("bin", self.centres[:, 1])}
            attrs["occupancy"] = frames.astype(np.float64)
            return DataArray(array, dims=(*units, "bin"), coords=units | coords, attrs=attrs)
        attrs["occupancy"] = np.nan_to_num(self.on_grid(frames.astype(np.float64)))
        attrs["bin_edges"] = list(self.bin_edges)
        middles = ((axis[:-1] + axis[1:]) / 2.0 for axis in self.bin_edges)
        axes: dict[str, Any] = dict(zip(self.coordinates, middles, strict=True))
        return DataArray(
            self.on_grid(array), dims=(*units, *axes), coords=units | axes, attrs=attrs
        )

    def grid_cells(self) -> tuple[IntArray, IntArray]:
        """Return the numbers of each state's rectangle along x and along y."""
        assert self.bin_edges is not None
        i, j = (
            np.searchsorted(axis, self.centres[:, k], side="right") - 1
            for k, axis in enumerate(self.bin_edges)
        )
        return i, j

    def on_grid(self, values: FloatArray) -> FloatArray:
        """Return values of states (..., S) on all rectangles (..., x, y), nan elsewhere."""
        assert self.bin_edges is not None
        size = tuple(axis.size - 1 for axis in self.bin_edges)
        grid = np.full((*values.shape[:-1], *size), np.nan)
        grid[(..., *self.grid_cells())] = values
        return grid

    def passages(self) -> sparse.csr_array:
        """Return which states are connected by a move, as a symmetric matrix of ones, (S, S)."""
        begin, action = np.nonzero(self.possible)
        end = np.asarray(self.successors)[begin, action]
        moved = begin != end
        begin, end = begin[moved], end[moved]
        pairs = np.unique(np.stack([np.r_[begin, end], np.r_[end, begin]]), axis=1)
        return sparse.csr_array((np.ones(pairs.shape[1]), tuple(pairs)), shape=(self.n_states,) * 2)

    def __reduce__(self) -> tuple[Any, ...]:
        matrices = [self.transition_of(action) for action in range(self.n_actions)]
        tracked = {name: getattr(self, name) for name in vars(self)["_tracked"]}
        main = (
            matrices,
            self.discount,
            self.labels,
            self.action_labels,
            self.counts,
            self.possible,
        )
        return _tracked, (deepcopy(main), deepcopy(tracked))

    def __repr__(self) -> str:
        size = f"n_states={self.n_states}, n_actions={self.n_actions}, discount={self.discount:.6g}"
        return f"TrackedMDP({size}, {self.report.kept:,} of {self.report.frames:,} frames)"


def _tracked(main: tuple[Any, ...], tracked: dict[str, Any]) -> TrackedMDP:
    return TrackedMDP(*main, **tracked)
