"""`from_positions`: from tracked positions to a world."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import HSRWarning, InputError
from hsr._base.shown import shown
from hsr._base.validation import check_choice, check_discount, check_number
from hsr.adapters.positions.arena import SHAPES, make_bins
from hsr.adapters.positions.bins import Bins
from hsr.adapters.positions.recording import Recording, read_recording
from hsr.adapters.positions.report import PositionsReport
from hsr.adapters.positions.segments import Pieces, cut, find_glitches, usual_limit
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.adapters.positions.walk import kept_bins, walk_of
from hsr.adapters.positions.walls import crosses_wall, read_walls
from hsr.adapters.positions.world import Parts, tracked_mdp

DEFAULT_DISCOUNT = 0.9
_MANY_NOT_FILLED = 0.02


def from_positions(
    xy: Any,
    t: Any = None,
    bins: Any = None,
    layout: Any = None,
    walls: Any = None,
    trials: Any = None,
    gaps: str = "split",
    discount: float | None = None,
    tau: float | None = None,
    *,
    bin_shape: str = "square",
    extent: Any = None,
    max_speed: float | None = None,
    skips: str = "fill",
    missing: str = "drop",
) -> TrackedMDP:
    """Return the world of a tracked animal: bins as states, and moves to neighbours as actions.

    Each frame is put into a bin. The path is split, and no move is invented, where frames are
    missing, where the animal seems to jump, and between trials. A move that skips a bin is filled
    in with the shortest way through known passages. If there is no short way, the path is split
    there. ``mdp.report`` counts all of this; print it.

    Two neighbouring bins are connected if the walls are known and none is between them. If neither
    `walls` nor `layout` is given, they are connected if the animal was seen to move from one to the
    other. Passages are open in both directions.

    Parameters
    ----------
    xy : array of shape (frames, 2)
        The positions, nan where they are missing. Also a data frame with columns x and y, an xarray
        object, or a TsdFrame of pynapple. Times come from their column, index or coordinate called
        t or time, and trials from the epochs of pynapple.
    t : array of shape (frames,), optional
        The time of each frame, such as seconds. Dates and durations become seconds. The frame's
        number by default.
    bins : int, float, pair or array, optional
        How the arena is cut. An integer is the number of bins along its longer side (20 by
        default), a float the size of a bin in units of `xy`. A pair holds the numbers along x and
        y, or two arrays of edges. An array of shape (bins, 2) holds centres; each position then
        belongs to the nearest one.
    layout : GridLayout, optional
        The cells of a maze as bins, instead of `bins`. All its cells are states, in its order. Rows
        follow y and columns follow x.
    walls : array of shape (walls, 2, 2), optional
        Thin walls between bins: segments from (x, y) to (x, y).
    trials : array, IntervalSet of pynapple, or table of NWB, optional
        Trials are never joined. Either one label per frame, or the beginning and end of each trial:
        times if `t` is given, else the first frame and the last + 1. Frames between trials, or with
        the label nan or None, do not count.
    gaps : {"split", "bridge"}
        What happens at missing frames. "split" begins a new piece of the path. "bridge" goes on if
        the animal reappears within one bin's distance.
    discount : float in [0, 1), optional
        Discount per move between bins. How long the animal stays does not matter then. 0.9 by
        default.
    tau : float, optional
        Time constant of the discount, in units of `t`. A step is then a frame, staying is an action
        of its own, and the discount per frame is exp(-dt / tau), where dt is the median time
        between frames. Each bin that is filled in is a step too.
    bin_shape : {"square", "hexagonal"}
        The shape of bins given by number or size. Hexagons have six neighbours at equal distances.
    extent : (x low, x high, y low, y high), optional
        The arena. By default the range of the positions, without glitches of the tracker. A layout
        has cells of size 1 by default.
    max_speed : float, optional
        The fastest that the animal can move, in units of `xy` per unit of `t`. By default five
        times the 99th percentile of the speeds. A faster move splits the path, unless it is short
        enough to end in a neighbouring bin. One or two frames that such a jump cuts off are
        glitches of the tracker and are left out.
    skips : {"fill", "split"}
        What happens at a move that skips a bin.
    missing : {"drop", "keep"}
        What happens to bins that are not connected with the rest. "drop" keeps the largest
        connected part, and says in the report what was dropped. With "keep" the world may fall
        apart, and options of one part never reach the other.

    Returns
    -------
    TrackedMDP
        An `EstimatedMDP` with the occupancy, the counts, the bins and a report.

    Raises
    ------
    InputError
        If there are no positions, times do not increase, bins are larger than the arena, or all
        positions lie outside.

    Warns
    -----
    HSRWarning
        If frames lie outside of all bins, trials hold no frame, or many moves skip bins.

    See Also
    --------
    from_path : a path that is already a sequence of states.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> xy = np.array([[0.5, 0.5], [1.5, 0.5], [np.nan, np.nan], [1.5, 1.5], [1.5, 0.5]])
    >>> mdp = hsr.from_positions(xy, bins=1.0, extent=(0, 2, 0, 2), discount=0.9)
    >>> mdp.labels
    ((0, 0), (1, 0), (1, 1))
    >>> print(mdp.report)
    4 of 5 frames kept, in 2 segments
    frames without a position: 1
    gaps, which split the path: 1
    moves between neighbouring bins: 2
    """
    check_choice(gaps, ("split", "bridge"), "gaps")
    check_choice(bin_shape, SHAPES, "bin_shape")
    check_choice(skips, ("fill", "split"), "skips")
    check_choice(missing, ("drop", "keep"), "missing")
    recording = read_recording(xy, t, trials)
    gamma = _read_discount(discount, tau, recording.dt)
    segments = read_walls(walls)
    limit = usual_limit(recording) if max_speed is None else _positive(max_speed, "max_speed")
    arena = make_bins(bins, bin_shape, layout, extent, _likely(recording, limit))
    arena = _without_walls(arena, segments)
    at = _located(recording, arena)
    pieces = cut(recording, at, limit, arena.spacing, bridge=gaps == "bridge")
    walk = walk_of(
        at[pieces.frames],
        pieces.begins,
        pieces.frames,
        arena,
        trust=layout is not None or segments.size > 0,
        fill=skips == "fill",
    )
    if (walk.bins == walk.bins[0]).all():
        raise InputError(
            "the animal was in 1 bin only; bins must be smaller, or extent must say where the "
            "arena lies"
        )
    kept = kept_bins(walk, everything=layout is not None, connected=missing == "drop")
    parts = Parts(recording, arena, walk, kept, staying=tau is not None)
    report = _report(parts, at, pieces, limit)
    _warn_of(report)
    return tracked_mdp(parts, gamma, segments, report)


def _read_discount(discount: float | None, tau: float | None, dt: float) -> float:
    if tau is None:
        return check_discount(DEFAULT_DISCOUNT if discount is None else discount)
    if discount is not None:
        raise InputError("discount and tau cannot both be given; tau sets exp(-dt / tau)")
    gamma = float(np.exp(-dt / _positive(tau, "tau")))
    if gamma == 1.0:
        raise InputError(
            f"tau is {shown(tau)}, and frames are {dt:.6g} apart; exp(-dt / tau) must be below 1"
        )
    return gamma


def _positive(value: float, name: str) -> float:
    number = check_number(value, name)
    if number <= 0.0:
        raise InputError(f"{name} is {shown(value)}; it must be positive")
    return number


def _likely(recording: Recording, max_speed: float) -> FloatArray:
    """Return the positions that show how large the arena is: in trials, and no glitches."""
    there = np.isfinite(recording.xy[:, 0])
    if not (there & (recording.trial >= 0)).any():
        raise InputError("no position lies in a trial")
    there &= recording.trial >= 0
    likely = there & ~find_glitches(recording, max_speed)
    return recording.xy[likely if likely.any() else there]


def _without_walls(bins: Bins, walls: FloatArray) -> Bins:
    """Return the bins without moves that cross a wall."""
    moves = bins.moves.copy()
    begin, action = np.nonzero(moves >= 0)
    end = moves[begin, action]
    crossed = crosses_wall(bins.centres[begin], bins.centres[end], walls)
    moves[begin[crossed], action[crossed]] = -1
    return replace(bins, moves=moves)


def _located(recording: Recording, bins: Bins) -> IntArray:
    """Return the bin of each frame, -1 where it has none."""
    there = np.isfinite(recording.xy[:, 0])
    at = np.full(there.size, -1)
    at[there] = bins.locate(recording.xy[there])
    if not ((at >= 0) & (recording.trial >= 0)).any():
        low, high = np.nanmin(recording.xy, axis=0), np.nanmax(recording.xy, axis=0)
        raise InputError(
            "all positions lie outside of all bins; they reach from "
            f"{_pair(low)} to {_pair(high)}, and the centres of bins from "
            f"{_pair(bins.centres.min(axis=0))} to {_pair(bins.centres.max(axis=0))}"
        )
    return at


def _pair(place: FloatArray) -> str:
    return f"({place[0]:.6g}, {place[1]:.6g})"


def _report(parts: Parts, at: IntArray, pieces: Pieces, limit: float) -> PositionsReport:
    recording, walk, kept = parts.recording, parts.walk, parts.kept
    missing = np.isnan(recording.xy[:, 0])
    between = ~missing & (recording.trial < 0)
    outside = ~missing & ~between & ~pieces.glitch & (at < 0)
    dropped = np.unique(walk.bins[~kept[walk.bins]])
    return PositionsReport(
        frames=recording.t.size,
        kept=int((parts.frames >= 0).sum()),
        missing=int(missing.sum()),
        outside=int(outside.sum()),
        between_trials=int(between.sum()),
        glitches=int(pieces.glitch.sum()),
        unconnected=int((~kept[walk.bins] & (walk.frame >= 0)).sum()),
        jumps=pieces.jumps,
        max_speed=limit,
        gaps=pieces.gaps,
        bridged=pieces.bridged,
        segments=len(parts.paths),
        moves=sum(int((np.diff(path) != 0).sum()) for path in parts.paths),
        filled=walk.filled,
        not_filled=walk.not_filled,
        dropped_bins=tuple(parts.bins.labels[b] for b in dropped),
    )


def _warn_of(report: PositionsReport) -> None:
    """Warn of what should be rare: frames outside of all bins, and moves that were not filled."""
    there = report.frames - report.missing - report.between_trials
    if report.outside:
        warnings.warn(
            f"{report.outside:,} of {there:,} positions lie outside of all bins "
            "and do not count; mdp.report has the details",
            HSRWarning,
            stacklevel=3,
        )
    if report.not_filled > _MANY_NOT_FILLED * (report.moves + report.not_filled):
        warnings.warn(
            f"{report.not_filled:,} moves skip bins and have no short way; they split the path, "
            f"beside {report.moves:,} moves that count; use larger bins or give the walls",
            HSRWarning,
            stacklevel=3,
        )
