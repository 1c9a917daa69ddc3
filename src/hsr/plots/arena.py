"""Draw the arena of a tracked animal: its bins with values, its walls and its path."""

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.adapters.positions.values import check_tracked, read_values
from hsr.plots.grid import WALL

_FLOOR = "#e8e8e8"
_BORDER = "#9a9a9a"
_PATH = "#0072b2"
_DISC = 24  # corners of the discs that stand for bins given by their centres


def draw_arena(
    ax: Axes,
    mdp: TrackedMDP,
    values: Any = None,
    *,
    cmap: str = "viridis",
    limits: tuple[float, float] | None = None,
    borders: bool = True,
    path: bool = False,
    flip: bool | None = None,
) -> PolyCollection:
    """Draw the bins of a tracked animal, with a value in each as its colour.

    Bins that the animal never visited are white, as are bins without a value. Cells of a layout
    that are walls are dark, and so are thin walls, which are drawn as lines.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw. Both axes get the same scale, in units of xy.
    mdp : TrackedMDP
        The MDP of the recording, from `from_positions`.
    values : array or DataArray, optional
        A number for each state, (S,), or a picture (x, y), such as one unit of `rate_maps`. nan is
        white. Without values the bins are grey.
    cmap : str
        Name of a colormap of Matplotlib.
    limits : (low, high), optional
        Values of the first and the last colour. The smallest and the largest value by default.
    borders : bool
        Whether thin lines separate bins that are not connected by an open passage. They show where
        the animal was never seen to cross, and where the visited part ends.
    path : bool
        Whether the recorded path is drawn, from centre to centre of the bins.
    flip : bool, optional
        Whether y runs downwards, as in pictures of a camera. By default it does for layouts, whose
        first row is on top, and not for others.

    Returns
    -------
    matplotlib PolyCollection
        The bins, one polygon per state, for ``figure.colorbar``.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> from hsr.plots import new_figure
    >>> t = np.arange(400) / 10
    >>> mdp = hsr.from_positions(np.stack([np.cos(t), np.sin(t)], axis=1), t, n_bins=5)
    >>> M = hsr.successor_representation(mdp, mdp.behaviour())
    >>> drawn = draw_arena(new_figure(3.0, 3.0).subplots(), mdp, M.columns(0))
    >>> len(drawn.get_paths())
    16
    """
    corners = _corners(check_tracked(mdp))
    bins = PolyCollection(list(corners), edgecolors="face", linewidths=0.3)
    if values is None:
        bins.set_facecolor(_FLOOR)
    else:
        bins.set_array(np.ma.masked_invalid(_one_map(values, mdp)))
        bins.set_cmap(mpl.colormaps[cmap].with_extremes(bad="white"))
        bins.set_clim(*(limits if limits is not None else (None, None)))
    ax.add_collection(bins)
    if mdp.bin_kind == "layout":
        _draw_wall_cells(ax, mdp)
    if borders and mdp.bin_kind != "centres":
        lines = _closed_sides(corners, mdp)
        ax.add_collection(LineCollection(list(lines), colors=_BORDER, linewidths=0.8))
    if mdp.walls.size:
        for color, width in (("white", 4.0), (WALL, 2.0)):
            ax.add_collection(LineCollection(list(mdp.walls), colors=color, linewidths=width))
    if path:
        ways = [mdp.centres[piece] for piece in mdp.paths if piece.size > 1]
        ax.add_collection(LineCollection(ways, colors=_PATH, linewidths=0.4, alpha=0.5))
    _set_view(ax, mdp, corners, flip=mdp.bin_kind == "layout" if flip is None else flip)
    return bins


def _one_map(values: Any, mdp: TrackedMDP) -> FloatArray:
    firing = read_values(values, mdp, signed=True, name="values")
    if firing.values.shape[0] != 1:
        raise InputError(f"values holds {firing.values.shape[0]} maps; draw_arena draws one")
    return firing.values[0]


def _corners(mdp: TrackedMDP) -> FloatArray:
    """Return the polygon of each state, of shape (S, corners, 2), counter-clockwise."""
    if mdp.bin_edges is not None:
        x, y = (
            np.stack([edges[cells], edges[cells + 1]])
            for edges, cells in zip(mdp.bin_edges, mdp.grid_cells(), strict=True)
        )
        return np.stack(
            [np.stack([x[i], y[j]], axis=1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))], axis=1
        )
    n = 6 if mdp.bin_kind == "hexagonal" else _DISC
    radius = mdp.bin_spacing / np.sqrt(3.0) if n == 6 else mdp.bin_spacing / 2.0
    angles = np.pi / 2.0 + 2.0 * np.pi / n * np.arange(n)
    return mdp.centres[:, None] + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _closed_sides(corners: FloatArray, mdp: TrackedMDP) -> FloatArray:
    """Return the sides of bins through which no passage leads, of shape (n, 2, 2).

    Two bins share a side if the middles of their sides coincide.
    """
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 2)
    owner = np.repeat(np.arange(mdp.n_states), corners.shape[1])
    middles = np.rint(sides.mean(axis=1) / (1e-6 * mdp.bin_spacing)).astype(np.int64)
    _, first, number = np.unique(middles, axis=0, return_index=True, return_inverse=True)
    number = number.ravel()
    other = np.full(first.size, -1)
    second = np.setdiff1d(np.arange(owner.size), first)
    other[number[second]] = owner[second]
    here, there = owner[first], np.maximum(other, 0)
    opened = np.asarray(mdp.passages()[here, there]) > 0.0
    return sides[first[(other < 0) | ~opened]]


def _draw_wall_cells(ax: Axes, mdp: TrackedMDP) -> None:
    assert mdp.bin_edges is not None
    is_wall = np.isnan(mdp.on_grid(np.zeros(mdp.n_states)))
    picture = np.ma.masked_where(~is_wall, np.ones(is_wall.shape)).T
    ax.pcolormesh(*mdp.bin_edges, picture, cmap=mpl.colors.ListedColormap([WALL]))


def _set_view(ax: Axes, mdp: TrackedMDP, corners: FloatArray, *, flip: bool) -> None:
    points = np.concatenate([corners.reshape(-1, 2), mdp.walls.reshape(-1, 2)])
    if mdp.bin_edges is not None:
        points = np.concatenate([points, np.stack([edges[[0, -1]] for edges in mdp.bin_edges], 1)])
    low, high = points.min(axis=0), points.max(axis=0)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(*((high[1], low[1]) if flip else (low[1], high[1])))
    ax.set_aspect("equal")
    ax.set_xlabel(mdp.coordinates[0])
    ax.set_ylabel(mdp.coordinates[1])
