"""Bins: how a plane is cut into places, and which places are neighbours."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Bins:
    """All bins of an arena, visited or not.

    Attributes
    ----------
    kind : {"square", "hexagonal", "centres", "layout"}
        How they were made.
    centres : float array of shape (B, 2)
        Centre of each bin.
    labels : tuple
        (i, j) of square and hexagonal bins, (row, column) of a layout, the number of a centre.
    moves : int array of shape (B, A)
        The neighbour that each action leads to, -1 where there is none.
    actions : tuple of str
        What the actions are called.
    locate : function of (n, 2) positions
        The bin of each position, -1 outside of all bins.
    pitch : float array of shape (2,)
        Distance between neighbouring bins along x and along y.
    edges : tuple of two float arrays, or None
        Edges along x and y of square bins and of layouts.
    """

    kind: str
    centres: FloatArray
    labels: tuple[Hashable, ...]
    moves: IntArray
    actions: tuple[str, ...]
    locate: Callable[[FloatArray], IntArray]
    pitch: FloatArray
    edges: tuple[FloatArray, FloatArray] | None = None

    @property
    def spacing(self) -> float:
        """The longer of the two distances between neighbouring bins."""
        return float(np.max(self.pitch))
