"""`Track`: the states and actions of an animal in each frame, recorded or simulated."""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.kernels.animals import match_path, walk
from hsr.mdp.finite import FiniteMDP, outcomes


@dataclass(frozen=True)
class Track:
    """The path of an animal, frame by frame.

    Attributes
    ----------
    states : int array of shape (F,)
        The state in each frame that counts.
    dt : float
        Time between consecutive frames.
    left, action : int arrays of shape (n,)
        The state and the action of each step.
    before, after : int arrays of shape (n,)
        The frames between which each step was made.
    possible : bool array of shape (S, A)
        Which actions are possible in each state.
    """

    states: IntArray
    dt: float
    left: IntArray
    action: IntArray
    before: IntArray
    after: IntArray
    possible: BoolArray

    def blocks(self, n_blocks: int) -> IntArray:
        """Return the block of each frame: contiguous pieces of equal length, of shape (F,)."""
        n = self.states.size
        if n < 2 * n_blocks:
            raise InputError(
                f"the recording has {n} frames that count; {n_blocks} blocks need at least "
                f"{2 * n_blocks}"
            )
        return np.arange(n) * n_blocks // n

    def time_in(self, block: IntArray) -> FloatArray:
        """Return the time spent in each state during each block, of shape (B, S)."""
        n_blocks, n_states = int(block[-1]) + 1, self.possible.shape[0]
        frames = np.bincount(block * n_states + self.states, minlength=n_blocks * n_states)
        return self.dt * frames.reshape(n_blocks, n_states).astype(np.float64)

    def behaviour_without(self, held_out: int, block: IntArray) -> FloatArray:
        """Return the policy that was observed outside of a block, of shape (S, A).

        Steps into or out of the block do not count. In states without observed steps, all possible
        actions have the same probability.

        Parameters
        ----------
        held_out : int
            The block, or -1 for the policy of the whole recording.
        block : int array of shape (F,)
            The block of each frame.
        """
        kept = (block[self.before] != held_out) & (block[self.after] != held_out)
        n_states, n_actions = self.possible.shape
        steps = self.left[kept] * n_actions + self.action[kept]
        counts = np.bincount(steps, minlength=n_states * n_actions).reshape(n_states, n_actions)
        some = self.possible | ~self.possible.any(axis=1, keepdims=True)
        n = np.where(counts.any(axis=1, keepdims=True), counts, some).astype(np.float64)
        return n / n.sum(axis=1, keepdims=True)


def recorded_track(mdp: TrackedMDP) -> Track:
    """Return the track of a recording.

    Parameters
    ----------
    mdp : TrackedMDP
        The recording.
    """
    counted = np.flatnonzero(mdp.frames >= 0)
    states, segments = mdp.frames[counted], mdp.segments[counted]
    lengths = [path.size for path in mdp.paths]
    path = np.concatenate(mdp.paths).astype(np.int64)
    begins = np.zeros(path.size, dtype=bool)
    begins[np.cumsum([0, *lengths[:-1]])] = True
    frame = np.empty(path.size, dtype=np.int64)
    match_path(path, begins, states.astype(np.int64), segments.astype(np.int64), frame)
    step = np.flatnonzero(~begins)
    before = np.maximum.accumulate(frame)[step - 1]
    later = np.where(frame < 0, states.size - 1, frame)
    after = np.minimum.accumulate(later[::-1])[::-1][step]
    left, action = path[step - 1], np.full(step.size, -1)
    assert mdp.successors is not None
    for a in range(mdp.n_actions):
        taken = mdp.possible[left, a] & (mdp.successors[left, a] == path[step]) & (action < 0)
        action[taken] = a
    # Steps between states that are not neighbours, across a gap, have no action.
    known = action >= 0
    steps = left[known], action[known], before[known], after[known]
    return Track(states, mdp.dt, *steps, mdp.possible)


def repeated(track: Track, n_frames: int) -> Track:
    """Return the beginning of a track, or the track repeated until it is long enough.

    Parameters
    ----------
    track : Track
        The recorded track.
    n_frames : int
        Number of frames.
    """
    length = track.states.size
    rounds = -(-n_frames // length)
    shift = np.repeat(np.arange(rounds) * length, track.left.size)
    before, after = np.tile(track.before, rounds) + shift, np.tile(track.after, rounds) + shift
    kept = after < n_frames
    return Track(
        np.tile(track.states, rounds)[:n_frames],
        track.dt,
        np.tile(track.left, rounds)[kept],
        np.tile(track.action, rounds)[kept],
        before[kept],
        after[kept],
        track.possible,
    )


def simulated_track(
    mdp: FiniteMDP,
    policy: FloatArray,
    n_frames: int,
    dt: float,
    possible: BoolArray,
    rng: np.random.Generator,
) -> Track:
    """Return a simulated walk through an MDP, one step per frame.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    policy : float array of shape (S, A)
        The policy of the animal.
    n_frames : int
        Length of the walk.
    dt : float
        Duration of a step.
    possible : bool array of shape (S, A)
        Which actions are possible in each state.
    rng : Generator
        Draws the start and the steps.
    """
    states, actions = np.empty(n_frames, dtype=np.int64), np.empty(n_frames, dtype=np.int64)
    start = int(rng.integers(mdp.n_states))
    walk(rng, np.cumsum(policy, axis=1), *outcomes(mdp), start, states, actions)
    frame = np.arange(n_frames - 1)
    return Track(states, dt, states[:-1], actions[:-1], frame, frame + 1, possible)
