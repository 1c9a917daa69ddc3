"""The world of a walk: states, moves and counts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.adapters.positions.bins import Bins
from hsr.adapters.positions.moves import action_of
from hsr.adapters.positions.recording import Recording
from hsr.adapters.positions.report import PositionsReport
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.adapters.positions.walk import Walk


@dataclass(frozen=True)
class Parts:
    """What a world is made of.

    Attributes
    ----------
    recording : Recording
        The recording.
    bins : Bins
        All bins.
    walk : Walk
        The walk from bin to bin.
    kept : bool array of shape (B,)
        Which bins are states.
    staying : bool
        Whether a step is a frame, and staying is an action.
    """

    recording: Recording
    bins: Bins
    walk: Walk
    kept: BoolArray
    staying: bool

    @cached_property
    def number(self) -> IntArray:
        """The state of each bin, -1 where it is none."""
        return np.where(self.kept, np.cumsum(self.kept) - 1, -1)

    @cached_property
    def steps(self) -> tuple[IntArray, BoolArray, IntArray]:
        """State of each step of the walk, whether a piece begins there, and its frame.

        Pieces lie either in states or outside of them as a whole.
        """
        state = self.number[self.walk.bins]
        inside = state >= 0
        return state[inside], self.walk.begins[inside], self.walk.frame[inside]

    @cached_property
    def frames(self) -> IntArray:
        """The state in each frame of the recording, -1 where it does not count."""
        state, _, frame = self.steps
        return self._by_frame(state, frame)

    @cached_property
    def segments(self) -> IntArray:
        """The piece of each frame of the recording, -1 where it does not count."""
        _, begins, frame = self.steps
        return self._by_frame(np.cumsum(begins) - 1, frame)

    @cached_property
    def paths(self) -> tuple[IntArray, ...]:
        """The states of each piece, without repetitions unless a step is a frame."""
        state, begins, _ = self.steps
        if not self.staying:
            moved = begins | (state != np.roll(state, 1))
            state, begins = state[moved], begins[moved]
        return tuple(np.split(state, np.flatnonzero(begins)[1:]))

    @cached_property
    def moves(self) -> IntArray:
        """The state that each move leads to, of shape (S, A), -1 where there is none."""
        moves = self.walk.moves[self.kept]
        return np.where(moves >= 0, self.number[moves], -1)

    def _by_frame(self, values: IntArray, frame: IntArray) -> IntArray:
        all_frames = np.full(self.recording.t.size, -1)
        seen = frame >= 0
        all_frames[frame[seen]] = values[seen]
        return all_frames


def tracked_mdp(
    parts: Parts, discount: float, walls: FloatArray, report: PositionsReport
) -> TrackedMDP:
    """Return the MDP of a walk.

    Parameters
    ----------
    parts : Parts
        The walk and the bins.
    discount : float
        Discount per step.
    walls : float array of shape (W, 2, 2)
        The walls that were given.
    report : PositionsReport
        What was left out.
    """
    moves, actions = parts.moves, parts.bins.actions
    if parts.staying:
        moves = np.column_stack([moves, np.arange(len(moves))])
        actions = (*actions, "stay")
    n_states = len(moves)
    to = np.where(moves >= 0, moves, np.arange(n_states)[:, None]).astype(np.int32)
    rows = np.arange(n_states + 1)
    recording, bins = parts.recording, parts.bins
    return TrackedMDP(
        [
            sparse.csr_array((np.ones(n_states), column, rows), shape=(n_states, n_states))
            for column in to.T
        ],
        discount,
        tuple(bins.labels[b] for b in np.flatnonzero(parts.kept)),
        actions,
        _counted(parts.paths, moves),
        moves >= 0,
        centres=bins.centres[parts.kept],
        occupancy=_visits(parts.frames, n_states) * recording.dt,
        frames=parts.frames,
        segments=parts.segments,
        t=recording.t,
        dt=recording.dt,
        paths=parts.paths,
        bin_edges=bins.edges,
        bin_kind=bins.kind,
        bin_spacing=bins.spacing,
        walls=walls,
        coordinates=recording.names,
        report=report,
    )


def _visits(frames: IntArray, n_states: int) -> IntArray:
    return np.bincount(frames[frames >= 0], minlength=n_states)


def _counted(paths: tuple[IntArray, ...], moves: IntArray) -> IntArray:
    """Return how often each action was taken in each state, of shape (S, A)."""
    before = np.concatenate([path[:-1] for path in paths])
    after = np.concatenate([path[1:] for path in paths])
    which = before * moves.shape[1] + action_of(moves, before, after)
    return np.bincount(which, minlength=moves.size).reshape(moves.shape)
