"""`from_positions`: the MDP of a tracked animal."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import HSRWarning, InputError, short_repr
from hsr._base.validation import (
    check_choice,
    check_discount,
    check_not_negative,
    check_number,
    check_positive,
)
from hsr.adapters.positions.bins import (
    SHAPES,
    Bins,
    crosses_wall,
    make_bins,
    read_extent,
    read_walls,
)
from hsr.adapters.positions.path import (
    action_of,
    count_reversals,
    cut,
    find_glitches,
    kept_bins,
    settled,
    usual_limit,
    walk_of,
    warn_of_flicker,
)
from hsr.adapters.positions.recording import Recording, read_recording
from hsr.adapters.positions.tracked import PositionsReport, TrackedMDP

DEFAULT_DISCOUNT = 0.9
_SHORTEST = 0.2  # seconds; a shorter visit with an immediate return is no decision of the animal
_RATES = (5.0, 1000.0)  # frames per unit of t at which that unit is taken to be a second
_MANY_NOT_FILLED = 0.02


def from_positions(
    xy: Any,
    t: Any = None,
    *,
    n_bins: Any = None,
    bin_size: float | None = None,
    edges: Any = None,
    centres: Any = None,
    layout: Any = None,
    bin_shape: str = "square",
    extent: Any = None,
    walls: Any = None,
    trials: Any = None,
    keypoint: Any = None,
    individual: Any = None,
    confidence: float = 0.9,
    gaps: str = "split",
    shortest: float | None = None,
    max_speed: float | None = None,
    skips: str = "fill",
    missing: str = "drop",
    discount: float | None = None,
    tau: float | None = None,
) -> TrackedMDP:
    """Return the MDP of a tracked animal: bins as states, and moves to neighbours as actions.

    Each frame is put into a bin. The path is split, and no move is invented, where frames are
    missing, where the animal seems to jump, and between trials. Short excursions over the border of
    a bin do not count, because the tracked point flickers there. A move that skips a bin is filled
    in with the shortest way through known passages. If there is no short way, the path is split
    there. ``mdp.report`` counts all of this; print it.

    Two neighbouring bins are connected if the walls are known and none is between them. If neither
    `walls` nor `layout` is given, they are connected if the animal was seen to move from one to the
    other. Passages are open in both directions.

    Parameters
    ----------
    xy : array of shape (frames, 2)
        The positions, nan where they are missing. Or an object that also has times: a dataset of
        poses from movement, a SpatialSeries of pynwb (in its units), a TsdFrame of pynapple with
        its epochs as trials, an xarray object, a data frame with columns x and y, the whole table
        of DeepLabCut or LightningPose, or the name of a CSV file of these. The columns t or time,
        likelihood or confidence, and trial of a data frame are used.
    t : array of shape (frames,), optional
        The time of each frame, such as seconds. Dates and durations become seconds. The frame's
        number by default.
    n_bins : int or pair of int, optional
        Number of square bins along the longer side of the arena, or along x and y. 20 by default.
    bin_size : float, optional
        The size of a bin in units of `xy`, instead of a number of bins.
    edges : pair of arrays, optional
        Edges of bins along x and along y, instead of a number of bins.
    centres : array of shape (bins, 2), optional
        Centres of bins, instead of a number. Each position belongs to the nearest one.
    layout : GridLayout, optional
        The cells of a maze as bins. All its cells are states, in its order. Rows follow y and
        columns follow x.
    bin_shape : {"square", "hexagonal"}
        The shape of bins given by number or size. Hexagons have six neighbours at equal distances.
    extent : (x low, x high, y low, y high), optional
        The arena. Positions less than a bin outside are moved to its border. By default the range
        of the positions, without glitches of the tracker. A layout has cells of size 1 by default.
    walls : array of shape (walls, 2, 2), optional
        Thin walls between bins: segments from (x, y) to (x, y).
    trials : array, IntervalSet of pynapple, or table of NWB, optional
        Trials are never joined. Either one label per frame, or the beginning and end of each trial:
        times if `t` is given, else the first frame and the last + 1. Frames between trials, or with
        the label nan or None, do not count.
    keypoint, individual : str, optional
        Which point of which animal to take from a dataset or table of poses. Needed if there are
        several.
    confidence : float
        Positions with a lower confidence count as missing, if the recording has confidences.
    gaps : {"split", "bridge"}
        What happens at missing frames. "split" begins a new piece of the path. "bridge" continues
        it if the animal reappears within one bin's distance.
    shortest : float, optional
        Shortest visit after which the animal returns to the bin it came from, in units of `t`.
        Shorter ones are excursions and do not count. By default 0.2 if `t` is in seconds, which is
        assumed for 5 to 1,000 frames per unit, and 0 otherwise.
    max_speed : float, optional
        The fastest that the animal can move, in units of `xy` per unit of `t`. By default five
        times the 99th percentile of the speeds. A faster move splits the path, unless it is short
        enough to end in a neighbouring bin. One or two frames that such a jump cuts off are
        glitches of the tracker and are left out.
    skips : {"fill", "split"}
        What happens at a move that skips a bin.
    missing : {"drop", "keep"}
        What happens to bins that are not connected with the rest. "drop" keeps the largest
        connected part, and says in the report what was dropped. With "keep" the MDP may
        consist of several parts, and options of one part never reach another.
    discount : float in [0, 0.99999], optional
        Discount per move between bins. How long the animal stays does not matter then. 0.9 by
        default.
    tau : float, optional
        Time constant of the discount, in units of `t`. A step is then a frame, staying is an action
        of its own, and the discount per frame is exp(-dt / tau), where dt is the median time
        between frames. Each bin that is filled in is a step too.

    Returns
    -------
    TrackedMDP
        An `EstimatedMDP` with the occupancy, the counts, the bins and a report.

    Raises
    ------
    InputError
        If there are no positions, times do not increase, bins are larger than the arena or far
        more than the frames, or all positions lie outside.

    Warns
    -----
    HSRWarning
        If frames lie outside of all bins, trials hold no frame, many positions have a low
        confidence, many moves skip bins, or it is not known what a second is and more moves lead
        straight back than in a random walk.

    See Also
    --------
    from_path : a path that is already a sequence of states.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> xy = np.array([[0.5, 0.5], [1.5, 0.5], [np.nan, np.nan], [1.5, 1.5], [1.5, 0.5]])
    >>> mdp = hsr.from_positions(xy, bin_size=1.0, extent=(0, 2, 0, 2), discount=0.9)
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
    recording = read_recording(
        xy, t, trials, keypoint, individual, check_number(confidence, "confidence")
    )
    gamma = _read_discount(discount, tau, recording.dt)
    segments, box = read_walls(walls), read_extent(extent)
    limit = usual_limit(recording) if max_speed is None else check_positive(max_speed, "max_speed")
    asked = {
        "n_bins": n_bins, "bin_size": bin_size, "edges": edges, "centres": centres, "layout": layout
    }  # fmt: skip
    bins = _without_walls(make_bins(asked, bin_shape, box, _likely(recording, limit)), segments)
    at, moved = _located(recording, bins, box)
    pieces = cut(recording, at, limit, bins.spacing, bridge=gaps == "bridge")
    fewest = _shortest_frames(shortest, recording)
    places, excursions = settled(at[pieces.frames], pieces.begins, fewest)
    walk = walk_of(
        places,
        pieces.begins,
        pieces.frames,
        bins,
        trust=layout is not None or segments.size > 0,
        fill=skips == "fill",
    )
    if (walk.bins == walk.bins[0]).all():
        raise InputError(
            "the animal was in 1 bin only; bins must be smaller, or extent must say where the "
            "arena lies"
        )
    kept = kept_bins(walk, everything=layout is not None, connected=missing == "drop")
    if kept.sum() < 2:
        raise InputError(
            f"no two bins of {bins.spacing:.6g} are connected, because the animal moves further "
            "between two frames; use larger bins, in the unit of xy"
        )

    # From bins to states. Pieces of the walk lie either in states or outside of them as a whole.
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    inside = kept[walk.bins]
    state, begins, frame = number[walk.bins[inside]], walk.begins[inside], walk.frame[inside]
    seen = frame >= 0
    frames, segment_of = (np.full(recording.t.size, -1) for _ in range(2))
    frames[frame[seen]] = state[seen]
    segment_of[frame[seen]] = (np.cumsum(begins) - 1)[seen]
    moves = np.where(walk.moves[kept] >= 0, number[walk.moves[kept]], -1)
    changed = begins | (state != np.roll(state, 1))
    between = tuple(np.split(state[changed], np.flatnonzero(begins[changed])[1:]))
    absent = np.isnan(recording.xy[:, 0])
    idle = ~absent & (recording.trial < 0)
    report = PositionsReport(
        frames=recording.t.size,
        kept=int(seen.sum()),
        missing=int(absent.sum()) - recording.unsure,
        unsure=recording.unsure,
        outside=int((~absent & ~idle & ~pieces.glitch & (at < 0)).sum()),
        moved=moved,
        between_trials=int(idle.sum()),
        glitches=int(pieces.glitch.sum()),
        unconnected=int((~inside & (walk.frame >= 0)).sum()),
        jumps=pieces.jumps,
        max_speed=limit,
        gaps=pieces.gaps,
        bridged=pieces.bridged,
        segments=len(between),
        shortest=fewest,
        excursions=excursions,
        moves=int((changed & ~begins).sum()),
        reversals=count_reversals(between),
        filled=walk.filled,
        not_filled=walk.not_filled,
        dropped_bins=tuple(bins.labels[b] for b in np.unique(walk.bins[~inside])),
    )
    _warn_of(report)
    if shortest is None and fewest <= 1:
        cure = "shortest=... removes excursions, in units of t"
        warn_of_flicker(between, (moves >= 0).sum(axis=1), cure, stacklevel=2)
    actions, paths = bins.actions, between
    if tau is not None:
        moves = np.column_stack([moves, np.arange(len(moves))])
        actions = (*actions, "stay")
        paths = tuple(np.split(state, np.flatnonzero(begins)[1:]))
    return TrackedMDP(
        _matrices(moves),
        gamma,
        tuple(bins.labels[b] for b in np.flatnonzero(kept)),
        actions,
        _counted(paths, moves),
        moves >= 0,
        centres=bins.centres[kept],
        occupancy=np.bincount(state[seen], minlength=len(moves)) * recording.dt,
        frames=frames,
        segments=segment_of,
        t=recording.t,
        dt=recording.dt,
        paths=paths,
        bin_edges=bins.edges,
        bin_kind=bins.kind,
        bin_spacing=bins.spacing,
        walls=segments,
        coordinates=recording.names,
        report=report,
    )


def _matrices(moves: IntArray) -> list[sparse.csr_array]:
    """Return the transitions of each action. A move that is not possible stays."""
    n = len(moves)
    to = np.where(moves >= 0, moves, np.arange(n)[:, None]).astype(np.int32)
    rows = np.arange(n + 1)
    return [sparse.csr_array((np.ones(n), column, rows), shape=(n, n)) for column in to.T]


def _counted(paths: tuple[IntArray, ...], moves: IntArray) -> IntArray:
    """Return how often each action was taken in each state, of shape (S, A)."""
    before = np.concatenate([path[:-1] for path in paths])
    after = np.concatenate([path[1:] for path in paths])
    which = before * moves.shape[1] + action_of(moves, before, after)
    return np.bincount(which, minlength=moves.size).reshape(moves.shape)


def _shortest_frames(shortest: float | None, recording: Recording) -> int:
    """Return the fewest frames of a visit after which the animal returns."""
    if shortest is None:
        in_seconds = recording.timed and _RATES[0] <= 1.0 / recording.dt <= _RATES[1]
        shortest = _SHORTEST if in_seconds else 0.0
    return int(np.ceil(check_not_negative(shortest, "shortest") / recording.dt - 1e-6))


def _read_discount(discount: float | None, tau: float | None, dt: float) -> float:
    if tau is None:
        return check_discount(DEFAULT_DISCOUNT if discount is None else discount)
    if discount is not None:
        raise InputError("discount and tau cannot both be given; tau sets exp(-dt / tau)")
    gamma = float(np.exp(-dt / check_positive(tau, "tau")))
    if gamma == 1.0:
        raise InputError(
            f"tau is {short_repr(tau)}, and frames are {dt:.6g} apart; exp(-dt / tau) must be "
            "below 1"
        )
    return gamma


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


def _located(recording: Recording, bins: Bins, box: FloatArray | None) -> tuple[IntArray, int]:
    """Return the bin of each frame, -1 where it has none, and how many were moved to the border.

    The nose of an animal at a wall is often tracked a little beyond it.
    """
    there = np.flatnonzero(np.isfinite(recording.xy[:, 0]))
    at, moved = np.full(recording.t.size, -1), 0
    at[there] = bins.locate(recording.xy[there])
    if box is not None:
        lost = there[at[there] < 0]
        inside = np.clip(recording.xy[lost], box[:, 0], box[:, 1])
        near = (np.abs(recording.xy[lost] - inside) < bins.pitch).all(axis=1)
        at[lost[near]] = bins.locate(inside[near])
        moved = int((at[lost] >= 0).sum())
    if not ((at >= 0) & (recording.trial >= 0)).any():
        low, high = np.nanmin(recording.xy, axis=0), np.nanmax(recording.xy, axis=0)
        raise InputError(
            "all positions lie outside of all bins; they reach from "
            f"{_pair(low)} to {_pair(high)}, and the centres of bins from "
            f"{_pair(bins.centres.min(axis=0))} to {_pair(bins.centres.max(axis=0))}"
        )
    return at, moved


def _pair(place: FloatArray) -> str:
    return f"({place[0]:.6g}, {place[1]:.6g})"


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
            f"against {report.moves:,} moves that count; use larger bins or give the walls",
            HSRWarning,
            stacklevel=3,
        )
