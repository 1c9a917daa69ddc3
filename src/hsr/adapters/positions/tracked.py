"""Worlds made of tracked positions."""

from copy import deepcopy
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray, read_only
from hsr._base.errors import InputError
from hsr._base.extras import needs
from hsr._base.validation import read_numbers
from hsr.adapters.positions.report import PositionsReport
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.labels import Labels


class TrackedMDP(EstimatedMDP):
    """The world of a tracked animal; `from_positions` makes one.

    States are bins, and an action is a move to a neighbouring bin. A move into a wall, or to where
    the animal never went, leaves the state unchanged. If the discount was given as a time constant,
    the last action is "stay" and a step is a frame.

    Parameters
    ----------
    transition, discount, labels, action_labels, counts, possible : as in `EstimatedMDP`
        The world, and how often each action was taken.
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
    >>> mdp = hsr.from_positions(xy, t, bins=5, discount=0.9)
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
        if self.bin_edges is None:
            x, y = self.coordinates
            coords = {x: ("bin", self.centres[:, 0]), y: ("bin", self.centres[:, 1])}
            attrs = {"occupancy": frames.astype(np.float64), "fs": 1.0 / self.dt}
            return DataArray(array, dims=(*units, "bin"), coords=units | coords, attrs=attrs)
        middles = [(axis[:-1] + axis[1:]) / 2.0 for axis in self.bin_edges]
        attrs = {
            "occupancy": np.nan_to_num(self._spread(frames.astype(np.float64))),
            "bin_edges": list(self.bin_edges),
            "fs": 1.0 / self.dt,
        }
        axes: dict[str, Any] = {name: middles[k] for k, name in enumerate(self.coordinates)}
        return DataArray(
            self._spread(array), dims=(*units, *axes), coords=units | axes, attrs=attrs
        )

    def _spread(self, values: FloatArray) -> FloatArray:
        """Return values of states (..., S) on all rectangles (..., x, y), nan elsewhere."""
        assert self.bin_edges is not None
        size = tuple(axis.size - 1 for axis in self.bin_edges)
        i, j = (
            np.searchsorted(axis, self.centres[:, k], side="right") - 1
            for k, axis in enumerate(self.bin_edges)
        )
        grid = np.full((*values.shape[:-1], *size), np.nan)
        grid[..., i, j] = values
        return grid

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
