"""Hexagons as bins."""

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.memory import check_fits
from hsr.adapters.positions.bins import Bins

_STEPS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))  # 0, 60, ..., 300 degrees
_FARTHEST = 2.0**31  # hexagons from the origin; what is further away lies outside
_BYTES = 300  # of one bin, most of them for its label


def hexagonal_bins(size: float, box: FloatArray) -> Bins:
    """Return hexagons with a corner upwards that cover a box. Their centres are `size` apart.

    Hexagon (q, r) lies in row r. Its centre is (size (q + r / 2), height r) from the lower left
    corner of the box, with height = size sqrt(3) / 2.

    Parameters
    ----------
    size : float
        Distance between neighbouring centres.
    box : float array of shape (2, 2)
        Low and high along x, then along y.
    """
    pitch = np.array([size, size * np.sqrt(3.0) / 2.0])
    origin = box[:, 0]
    columns, rows = (int(number) + 2 for number in np.ceil((box[:, 1] - origin) / pitch))
    check_fits(_BYTES * rows * columns, f"{columns:,} x {rows:,} bins", "use larger bins")
    r, c = (index.ravel() for index in np.indices((rows, columns)))
    q = c - (r + 1) // 2  # odd rows begin half a hexagon further left
    shift = (rows + 1) // 2 + 1
    number = np.full((rows + 2, columns + shift + 2), -1)
    number[r + 1, q + shift] = np.arange(r.size)
    moves = np.stack([number[r + 1 + dr, q + dq + shift] for dq, dr in _STEPS], axis=1)

    def locate(xy: FloatArray) -> IntArray:
        at_q, at_r = _nearest((xy - origin) / pitch)
        row = np.clip(at_r + 1, 0, rows + 1)
        return number[row, np.clip(at_q + shift, 0, number.shape[1] - 1)]

    return Bins(
        "hexagonal",
        origin + pitch * np.stack([q + r / 2.0, r], axis=1),
        tuple(zip(q.tolist(), r.tolist(), strict=True)),
        moves,
        tuple(f"{angle} degrees" for angle in range(0, 360, 60)),
        locate,
        pitch,
    )


def _nearest(scaled: FloatArray) -> tuple[IntArray, IntArray]:
    """Return q and r of the nearest centre, by rounding three coordinates that sum to zero.

    The one that was rounded most is computed from the other two.
    """
    r = scaled[:, 1]
    q = scaled[:, 0] - r / 2.0
    three = np.stack([q, r, -q - r])
    rounded = np.rint(three)
    worst = np.abs(rounded - three).argmax(axis=0)
    at_q = np.where(worst == 0, -rounded[1] - rounded[2], rounded[0])
    at_r = np.where(worst == 1, -rounded[0] - rounded[2], rounded[1])
    at_q, at_r = (np.clip(at, -_FARTHEST, _FARTHEST).astype(np.int64) for at in (at_q, at_r))
    return at_q, at_r
