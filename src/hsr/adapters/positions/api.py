"""`from_positions`: from tracked positions to a world."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import HSRWarning, InputError
from hsr._base.shown import shown
from hsr._base.validation import check_choice, check_discount, check_number
from hsr.adapters.positions.bins import SHAPES, Bins, make_bins
from hsr.adapters.positions.moves import action_of
from hsr.adapters.positions.recording import Recording, read_recording
from hsr.adapters.positions.report import PositionsReport
from hsr.adapters.positions.segments import Pieces, cut, usual_limit
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.adapters.positions.walk import Walk, largest_part, walk_of
from hsr.adapters.positions.walls import crosses_wall, read_walls
from hsr.mdp.labels import Labels

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
        object, or a TsdFrame of pynapple, which brings its own times and epochs.
    t : array of shape (frames,), optional
        The time of each frame, such as seconds. The frame's number by default.
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
    trials : array, or IntervalSet of pynapple, optional
        Trials are never joined. Either one label per frame, or the beginning and end of each trial:
        times if `t` is given, else the first frame and the last + 1. Frames between trials do not
        count.
    gaps : {"split", "bridge"}
        What happens at missing frames. "split" begins a new piece of the path. "bridge" goes on if
        the animal reappears within one bin's distance.
    discount : float in [0, 1), optional
        Discount per move between bins. How long the animal stays does not matter then. 0.9 by
        default.
    tau : float, optional
        Time constant of the discount, in units of `t`. A step is then a frame, staying is an action
        of its own, and the discount per frame is exp(-dt / tau).
    bin_shape : {"square", "hexagonal"}
        The shape of bins given by number or size. Hexagons have six neighbours at equal distances.
    extent : (x low, x high, y low, y high), optional
        The arena. The range of the positions by default. A layout has cells of size 1 by default.
    max_speed : float, optional
        Faster moves are jumps of the tracker, if they are longer than a bin. In units of `xy` per
        unit of `t`. By default five times the 99th percentile of the speeds.
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
        If frames lie outside of all bins, or many moves skip bins.

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
    1 frames have no position
    1 gaps split the path
    2 moves between neighbouring bins
    """
    check_choice(gaps, ("split", "bridge"), "gaps")
    check_choice(bin_shape, SHAPES, "bin_shape")
    check_choice(skips, ("fill", "split"), "skips")
    check_choice(missing, ("drop", "keep"), "missing")
    recording = read_recording(xy, t, trials)
    gamma = _read_discount(discount, tau, recording.dt)
    segments = read_walls(walls)
    all_bins = _without_walls(make_bins(bins, bin_shape, layout, extent, recording.xy), segments)
    limit = _read_limit(max_speed, recording)
    at = _located(recording, all_bins)
    pieces = cut(recording, at, limit, all_bins.spacing, bridge=gaps == "bridge")
    walk = walk_of(
        at[pieces.frames],
        pieces.begins,
        pieces.frames,
        all_bins,
        trust=layout is not None or segments.size > 0,
        fill=skips == "fill",
    )
    if layout is not None:
        kept = np.ones(all_bins.centres.shape[0], dtype=bool)
    elif missing == "drop":
        kept = largest_part(walk)
    else:
        kept = np.bincount(walk.bins, minlength=all_bins.centres.shape[0]) > 0
    return _world(recording, all_bins, at, pieces, walk, kept, gamma, limit, segments, tau=tau)


def _read_discount(discount: float | None, tau: float | None, dt: float) -> float:
    if tau is None:
        return check_discount(DEFAULT_DISCOUNT if discount is None else discount)
    if discount is not None:
        raise InputError("discount and tau cannot both be given; tau sets exp(-dt / tau)")
    constant = check_number(tau, "tau")
    if constant <= 0.0:
        raise InputError(f"tau is {shown(tau)}; it must be positive")
    return check_discount(float(np.exp(-dt / constant)))


def _read_limit(max_speed: float | None, recording: Recording) -> float:
    if max_speed is None:
        return usual_limit(recording)
    limit = check_number(max_speed, "max_speed")
    if limit <= 0.0:
        raise InputError(f"max_speed is {shown(max_speed)}; it must be positive")
    return limit


def _without_walls(bins: Bins, walls: FloatArray) -> Bins:
    """Return the bins without moves that cross a wall."""
    moves = bins.moves.copy()
    begin, action = np.nonzero(moves >= 0)
    end = moves[begin, action]
    crossed = crosses_wall(bins.centres[begin], bins.centres[end], walls)
    moves[begin[crossed], action[crossed]] = -1
    return replace(bins, moves=moves)


def _located(recording: Recording, bins: Bins) -> IntArray:
    """Return the bin of each frame, -1 where it has none. Warn of frames outside."""
    there = np.isfinite(recording.xy[:, 0])
    at = np.full(there.size, -1)
    at[there] = bins.locate(recording.xy[there])
    outside = int((at[there] < 0).sum())
    if outside == there.sum():
        low, high = np.nanmin(recording.xy, axis=0), np.nanmax(recording.xy, axis=0)
        raise InputError(
            f"all {outside} positions lie outside of all bins; they reach from "
            f"({low[0]:.6g}, {low[1]:.6g}) to ({high[0]:.6g}, {high[1]:.6g})"
        )
    if not ((at >= 0) & (recording.trial >= 0)).any():
        raise InputError("no position lies in a trial")
    if outside:
        warnings.warn(
            f"{outside:,} of {there.sum():,} positions lie outside of all bins "
            "and do not count; mdp.report has the details",
            HSRWarning,
            stacklevel=3,
        )
    return at


def _world(
    recording: Recording,
    bins: Bins,
    at: IntArray,
    pieces: Pieces,
    walk: Walk,
    kept: BoolArray,
    gamma: float,
    limit: float,
    walls: FloatArray,
    *,
    tau: float | None,
) -> TrackedMDP:
    """Return the MDP of a walk: number the states, count the moves, and report."""
    here = np.flatnonzero(kept)
    if here.size < 2:
        raise InputError(
            f"the animal was in {here.size} bin; bins must be smaller, or the path must not be "
            f"split everywhere: {walk.not_filled} moves could not be filled in"
        )
    number = np.full(kept.size, -1)
    number[here] = np.arange(here.size)
    state = number[walk.bins]
    inside = state >= 0
    state, begins, frame = state[inside], walk.begins[inside], walk.frame[inside]
    if tau is None:
        moved = begins | (state != np.roll(state, 1))
        path, path_begins = state[moved], begins[moved]
    else:
        path, path_begins = state, begins
    moves = np.where(walk.moves[here] >= 0, number[walk.moves[here]], -1)
    successors = np.where(moves >= 0, moves, np.arange(here.size)[:, None])
    actions = bins.actions
    possible = moves >= 0
    if tau is not None:
        possible = np.column_stack([possible, np.ones(here.size, dtype=bool)])
        successors = np.column_stack([successors, np.arange(here.size)])
        actions = (*actions, "stay")
    counts = _counted(path, path_begins, moves, successors.shape[1])
    frames, segments = np.full(recording.t.size, -1), np.full(recording.t.size, -1)
    seen = frame >= 0
    frames[frame[seen]] = state[seen]
    segments[frame[seen]] = (np.cumsum(begins) - 1)[seen]
    n_moves = int((~path_begins & (path != np.roll(path, 1))).sum())
    report = _report(
        recording, bins.labels, at, pieces, walk, kept, limit, frames, int(begins.sum()), n_moves
    )
    _warn_of_skips(report)
    occupancy = np.bincount(frames[frames >= 0], minlength=here.size) * recording.dt
    shape = (here.size, here.size)
    rows = np.arange(here.size + 1)
    return TrackedMDP(
        [
            sparse.csr_array((np.ones(here.size), to.astype(np.int32), rows), shape=shape)
            for to in successors.T
        ],
        gamma,
        tuple(bins.labels[b] for b in here),
        actions,
        counts,
        possible,
        centres=bins.centres[here],
        occupancy=occupancy,
        frames=frames,
        segments=segments,
        t=recording.t,
        dt=recording.dt,
        paths=tuple(np.split(path, np.flatnonzero(path_begins)[1:])),
        bin_edges=bins.edges,
        bin_kind=bins.kind,
        bin_spacing=bins.spacing,
        walls=walls,
        coordinates=recording.names,
        report=report,
    )


def _counted(path: IntArray, begins: BoolArray, moves: IntArray, n_actions: int) -> IntArray:
    """Return how often each action was taken in each state, of shape (S, A)."""
    step = np.flatnonzero(~begins)
    before, after = path[step - 1], path[step]
    action = action_of(moves, before, after)
    action = np.where(before == after, n_actions - 1, action)
    n_states = moves.shape[0]
    return np.bincount(before * n_actions + action, minlength=n_states * n_actions).reshape(
        n_states, n_actions
    )


def _report(
    recording: Recording,
    labels: Labels,
    at: IntArray,
    pieces: Pieces,
    walk: Walk,
    kept: BoolArray,
    limit: float,
    frames: IntArray,
    segments: int,
    moves: int,
) -> PositionsReport:
    missing = np.isnan(recording.xy[:, 0])
    between = ~missing & (recording.trial < 0)
    dropped = np.unique(walk.bins[~kept[walk.bins]])
    return PositionsReport(
        frames=recording.t.size,
        kept=int((frames >= 0).sum()),
        missing=int(missing.sum()),
        outside=int((~missing & ~between & (at < 0)).sum()),
        between_trials=int(between.sum()),
        glitches=pieces.glitches,
        unconnected=int((~kept[walk.bins] & (walk.frame >= 0)).sum()),
        jumps=pieces.jumps,
        max_speed=limit,
        gaps=pieces.gaps,
        bridged=pieces.bridged,
        segments=segments,
        moves=moves,
        filled=walk.filled,
        not_filled=walk.not_filled,
        dropped_bins=tuple(labels[b] for b in dropped),
    )


def _warn_of_skips(report: PositionsReport) -> None:
    if report.not_filled > _MANY_NOT_FILLED * (report.moves + report.not_filled):
        warnings.warn(
            f"{report.not_filled:,} moves skip bins and have no short way; they split the path, "
            f"beside {report.moves:,} moves that count; use larger bins or give the walls",
            HSRWarning,
            stacklevel=4,
        )
