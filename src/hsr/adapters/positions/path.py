"""The path of an animal from bin to bin: cut where it is unknown, and filled where it skips bins.

1. `cut` splits the recording at missing frames, jumps and trials, and leaves out glitches.
2. `settled` removes excursions: the tracked point flickers at the border of two bins.
3. `walk_of` fills in bins that a fast animal skips.
"""

import warnings
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.ndimage import median_filter
from scipy.sparse.csgraph import connected_components

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import HSRWarning
from hsr.adapters.positions.bins import Bins
from hsr.adapters.positions.recording import Recording

GLITCH_FRAMES = 3
_MANY = 5.0  # times the 99th percentile of speeds that no animal exceeds
_LATE = 1.9  # frame intervals after which a frame is missing
_NEAR = 2.25  # bins that a move to a neighbouring bin can be long, from corner to corner
_LONGEST = 2.0  # times the moves along x and y that a filled way may have


@dataclass(frozen=True)
class Pieces:
    """Frames with a known bin, and the pieces that they form.

    Attributes
    ----------
    frames : int array of shape (n,)
        Frames that are kept, in order.
    begins : bool array of shape (n,)
        Whether a new piece begins at the frame.
    glitch : bool array of shape (F,)
        Which frames of the recording are glitches.
    jumps, gaps, bridged : int
        As in `PositionsReport`.
    """

    frames: IntArray
    begins: BoolArray
    glitch: BoolArray
    jumps: int
    gaps: int
    bridged: int


def usual_limit(recording: Recording) -> float:
    """Return a speed that the animal never reaches: five times its 99th percentile.

    Glitches are removed by a running median over five frames, so that many of them do not raise
    the limit.
    """
    frames = np.flatnonzero(_counts(recording))
    xy = median_filter(recording.xy[frames], size=(2 * GLITCH_FRAMES - 1, 1), mode="nearest")
    together = (np.diff(frames) == 1) & (np.diff(recording.trial[frames]) == 0)
    speed = (_lengths(xy)[1:] / np.diff(recording.t[frames]))[together]
    fast = float(np.quantile(speed, 0.99)) if speed.size else 0.0
    return _MANY * fast if fast > 0.0 else np.inf


def find_glitches(recording: Recording, max_speed: float, spacing: float = 0.0) -> BoolArray:
    """Return which frames are glitches of the tracker, of shape (F,).

    They are pieces of fewer than three frames between two jumps. Once these are left out, so are
    pieces of fewer than three frames between a jump and missing frames, or the end of a trial.

    Parameters
    ----------
    recording : Recording
        The recording.
    max_speed : float
        The fastest that the animal can move.
    spacing : float
        Distance between bins. Shorter jumps are no jumps.
    """
    glitch = np.zeros(recording.t.size, dtype=bool)
    for join in (np.logical_and, np.logical_or):
        frames = np.flatnonzero(_counts(recording) & ~glitch)
        jump, absent, new_trial = _cuts(recording, frames, max_speed, spacing)
        if not jump.any():
            break
        first = np.flatnonzero(jump | absent | new_trial)
        length = np.diff(first, append=frames.size)
        by_jumps = join(jump[first], np.append(jump[first[1:]], False))
        glitch[frames[np.repeat((length < GLITCH_FRAMES) & by_jumps, length)]] = True
    return glitch


def cut(
    recording: Recording, bins: IntArray, max_speed: float, spacing: float, *, bridge: bool
) -> Pieces:
    """Return the pieces of a recording.

    A new piece begins at a new trial, after missing frames, and after a jump: a move that is faster
    than `max_speed` and too long to end in a neighbouring bin. Glitches are left out, like missing
    frames.

    Parameters
    ----------
    recording : Recording
        The recording.
    bins : int array of shape (F,)
        The bin of each frame, -1 where it has none.
    max_speed : float
        The fastest that the animal can move.
    spacing : float
        Distance between bins.
    bridge : bool
        Whether missing frames are skipped where the animal reappears within one bin's distance.
    """
    glitch = find_glitches(recording, max_speed, spacing)
    frames = np.flatnonzero(_counts(recording) & ~glitch & (bins >= 0))
    jump, absent, new_trial = _cuts(recording, frames, max_speed, _NEAR * spacing)
    nearby = absent & (_lengths(recording.xy[frames]) <= spacing) & bridge
    gap = absent & ~nearby
    counted = (int(which.sum()) for which in (jump, gap, nearby))
    return Pieces(frames, new_trial | jump | gap, glitch, *counted)


def _counts(recording: Recording) -> BoolArray:
    """Return which frames have a position and belong to a trial."""
    return np.isfinite(recording.xy[:, 0]) & (recording.trial >= 0)


def _cuts(
    recording: Recording, frames: IntArray, max_speed: float, least: float
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Return before which frames there was a jump, frames are missing, and a trial begins.

    Each frame has at most one of them. The first frame begins a trial. Moves up to the length
    `least` are no jumps.
    """
    new_trial = _changes(recording.trial[frames])
    elapsed = np.diff(recording.t[frames], prepend=-np.inf)
    absent = (np.diff(frames, prepend=0) > 1) | (elapsed > _LATE * recording.dt)
    absent &= ~new_trial
    length = _lengths(recording.xy[frames])
    jump = (length > max_speed * elapsed) & (length > least) & ~new_trial & ~absent
    return jump, absent, new_trial


def _changes(values: Any) -> BoolArray:
    """Return where values differ from the one before. The first one does."""
    changed = np.ones(values.size, dtype=bool)
    changed[1:] = values[1:] != values[:-1]
    return changed


def _lengths(xy: FloatArray) -> FloatArray:
    """Return the distance moved since the frame before, 0 for the first."""
    return np.hypot(*np.diff(xy, axis=0, prepend=xy[:1]).T)


def settled(at: Any, begins: BoolArray, shortest: int) -> tuple[Any, int]:
    """Return the place in each frame without excursions, and how many of them there were.

    An excursion is a visit of fewer than `shortest` frames after which the animal is back where it
    came from. Its frames count as spent there. Short visits between two other places remain.

    Parameters
    ----------
    at : array of shape (n,)
        The place in each frame.
    begins : bool array of shape (n,)
        Whether a new piece of the path begins at the frame. The first one does.
    shortest : int
        Fewest frames of a visit after which the animal returns.
    """
    excursions = 0
    # The shortest first: one frame elsewhere must not split a stay into two that seem too short.
    for most in range(1, shortest):
        first = np.flatnonzero(begins | _changes(at))
        visits: list[tuple[int, int]] = []  # first frame and number of frames
        piece, n_removed = 0, 0
        lengths = np.diff(first, append=at.size).tolist()
        for frame, length in zip(first.tolist(), lengths, strict=True):
            if begins[frame]:
                piece = len(visits)
            visits.append((frame, length))
            # What an excursion joins may itself be the end of another one, so look again.
            while (
                len(visits) - piece > 2
                and visits[-2][1] <= most
                and at[visits[-3][0]] == at[visits[-1][0]]
            ):
                visits[-3:] = [(visits[-3][0], sum(n for _, n in visits[-3:]))]
                n_removed += 1
        if n_removed:
            starts, stays = np.array(visits).T
            at, excursions = np.repeat(at[starts], stays), excursions + n_removed
    return at, excursions


def count_reversals(paths: Sequence[IntArray]) -> int:
    """Return how many moves of paths lead back at once to where the animal came from."""
    return sum(int((path[2:] == path[:-2]).sum()) for path in paths)


def warn_of_flicker(
    paths: Sequence[IntArray], n_neighbours: IntArray, cure: str, stacklevel: int
) -> None:
    """Warn if more moves lead straight back than in a random walk.

    A random walk returns from a place with n neighbours with probability 1 / n. Animals return less
    often, and trackers that flicker more often.

    Parameters
    ----------
    paths : sequence of int arrays
        The states of each path. No state follows itself.
    n_neighbours : int array of shape (S,)
        The number of neighbours of each state.
    cure : str
        What to do about it, for the warning.
    stacklevel : int
        The caller whom the warning is for.
    """
    back = count_reversals(paths)
    moves = sum(max(0, path.size - 2) for path in paths)
    expected = sum(float((1.0 / n_neighbours[path[1:-1]]).sum()) for path in paths)
    if back > expected + 3.0 * np.sqrt(expected):
        warnings.warn(
            f"{back / moves:.0%} of the moves lead back at once to where the animal came from, "
            f"against {expected / moves:.0%} in a random walk, which looks like a tracked point "
            f"that flickers at the borders of bins; {cure}",
            HSRWarning,
            stacklevel=stacklevel + 1,
        )


@dataclass
class Passages:
    """The open passages between bins, and short ways through them.

    Parameters
    ----------
    moves : int array of shape (B, A)
        The neighbour that each action leads to, -1 where there is none.
    places : float array of shape (B, 2)
        Centre of each bin, in units of bins along x and y.
    """

    moves: IntArray
    places: FloatArray
    _ways: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)

    def way(self, begin: int, end: int) -> tuple[int, ...]:
        """Return the bins after `begin` up to `end` on a shortest way, or () if it is long.

        Of equally short ways the one that keeps nearest to the straight line is taken. A way is
        long if it has more than twice the moves that an open arena would need.
        """
        if (begin, end) not in self._ways:
            self._ways[begin, end] = self._find(begin, end)
        return self._ways[begin, end]

    def _find(self, begin: int, end: int) -> tuple[int, ...]:
        straight = np.abs(self.places[end] - self.places[begin]).sum()
        most = max(2, int(np.ceil(_LONGEST * straight - 1e-9)))
        steps = self._steps_to(end, begin, most)
        if begin not in steps:
            return ()
        way = [begin]
        while way[-1] != end:
            near = [int(b) for b in self.moves[way[-1]] if b >= 0]
            closer = [b for b in near if steps.get(b, most + 1) == steps[way[-1]] - 1]
            way.append(min(closer, key=lambda b: (self._off(begin, end, b), b)))
        return tuple(way[1:])

    def _steps_to(self, end: int, begin: int, most: int) -> dict[int, int]:
        """Return the moves from each bin to `end`, up to the distance of `begin`."""
        steps = {end: 0}
        waiting = deque([end])
        while waiting and begin not in steps:
            at = waiting.popleft()
            if steps[at] == most:
                break
            for b in self.moves[at]:
                if b >= 0 and int(b) not in steps:
                    steps[int(b)] = steps[at] + 1
                    waiting.append(int(b))
        return steps

    def _off(self, begin: int, end: int, place: int) -> float:
        """Return how far a bin lies from the straight line, rounded against noise."""
        along = self.places[end] - self.places[begin]
        to = self.places[place] - self.places[begin]
        cross = along[0] * to[1] - along[1] * to[0]
        return round(float(abs(cross) / np.hypot(*along)), 9)


def action_of(moves: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """Return the action that leads from each bin to the next, -1 if none does."""
    fits = moves[begin] == end[:, None]
    return np.where(fits.any(axis=1), fits.argmax(axis=1), -1)


@dataclass(frozen=True)
class Walk:
    """A walk from bin to bin, in pieces.

    Attributes
    ----------
    bins : int array of shape (n,)
        The bin at each step.
    begins : bool array of shape (n,)
        Whether a new piece begins here.
    frame : int array of shape (n,)
        The frame of each step, -1 for bins that were filled in.
    moves : int array of shape (B, A)
        The open passages.
    filled, not_filled : int
        As in `PositionsReport`.
    """

    bins: IntArray
    begins: BoolArray
    frame: IntArray
    moves: IntArray
    filled: int
    not_filled: int


def walk_of(
    at: IntArray, begins: BoolArray, frames: IntArray, bins: Bins, *, trust: bool, fill: bool
) -> Walk:
    """Return the walk of the bins that were seen.

    Parameters
    ----------
    at : int array of shape (n,)
        The bin of each kept frame.
    begins : bool array of shape (n,)
        Whether a new piece begins at the frame.
    frames : int array of shape (n,)
        The kept frames.
    bins : Bins
        All bins, with moves that cross walls removed.
    trust : bool
        Whether all neighbours are connected, because the walls are known. Otherwise only those are
        between which the animal was seen to move.
    fill : bool
        Whether moves over bins are filled in. They split the path otherwise.
    """
    before = np.roll(at, 1)
    changed = np.flatnonzero(~begins & (at != before))
    known = bins.moves if trust else _seen(bins.moves, before[changed], at[changed])
    over = changed[action_of(known, before[changed], at[changed]) < 0]
    passages = Passages(known, bins.centres / bins.pitch)
    ways = [passages.way(int(before[i]), int(at[i])) if fill else () for i in over]
    unknown = np.array([not way for way in ways], dtype=bool)
    begins = begins.copy()
    begins[over[unknown]] = True
    extra = np.zeros(at.size, dtype=np.int64)
    extra[over] = [max(0, len(way) - 1) for way in ways]
    place = np.arange(at.size) + np.cumsum(extra)
    size = at.size + int(extra.sum())
    walked, frame = np.empty(size, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    starts = np.zeros(size, dtype=bool)
    walked[place], frame[place], starts[place] = at, frames, begins
    for i, way in zip(over, ways, strict=True):
        walked[place[i] - extra[i] : place[i]] = way[:-1]
    return Walk(walked, starts, frame, known, int(len(ways) - unknown.sum()), int(unknown.sum()))


def _seen(moves: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """Return the table of moves with only those that were seen, in either direction."""
    pairs = np.concatenate([np.stack([begin, end]), np.stack([end, begin])], axis=1)
    pairs = np.unique(pairs, axis=1)
    action = action_of(moves, *pairs)
    known = np.full_like(moves, -1)
    there = action >= 0
    known[pairs[0, there], action[there]] = pairs[1, there]
    return known


def kept_bins(walk: Walk, *, everything: bool, connected: bool) -> BoolArray:
    """Return which bins are states, of shape (B,).

    Parameters
    ----------
    walk : Walk
        The walk.
    everything : bool
        Whether all bins are, visited or not.
    connected : bool
        Whether only the largest connected part of the visited bins is. Parts are compared by the
        number of their steps.
    """
    n_bins = walk.moves.shape[0]
    visits = np.bincount(walk.bins, minlength=n_bins)
    visited = visits > 0
    if everything:
        return np.ones(n_bins, dtype=bool)
    if not connected:
        return visited
    begin, action = np.nonzero((walk.moves >= 0) & visited[:, None])
    end = walk.moves[begin, action]
    passages = (np.ones(visited[end].sum()), (begin[visited[end]], end[visited[end]]))
    graph = sparse.csr_array(passages, shape=(n_bins, n_bins))
    part = connected_components(graph, directed=False)[1]
    return visited & (part == np.bincount(part, weights=visits).argmax())
