"""An hour of a tracked animal at 50 frames a second, from positions to the HSR.

The peer reads the same frames with NumPy and plain Python loops: bins by `numpy.digitize`, moves one
by one, dense matrices and `numpy.linalg`. Both arrive at the same counts and the same SR. The second
row compares the whole way, with 8 eigenoptions and the HSR, with a limit of two seconds.
"""

from typing import Any

import numpy as np

import hsr
from benchmarks._timing import median_seconds, row

_BINS = 30
_RATE = 50.0
_LIMIT = 2.0


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return the rows of an hour, or of two minutes if quick."""
    n_frames = 6_000 if quick else 180_000
    xy, t = animal(n_frames), np.arange(n_frames) / _RATE
    repetitions = 1 if quick else 5
    mdp, M = ours(xy, t)
    counts, peer_map = peer(xy, mdp)
    assert (counts == mdp.counts).all()
    error = float(np.abs(M - peer_map).max())
    ours_s = median_seconds(lambda: ours(xy, t), repetitions=repetitions)
    peer_s = median_seconds(lambda: peer(xy, mdp), repetitions=repetitions)
    whole_s = median_seconds(lambda: whole(xy, t), repetitions=repetitions)
    size = f"{n_frames:,} frames, {mdp.n_states} states"
    return [
        row(
            "tracked animal to SR",
            ours_s,
            peer_s,
            target=None if quick else 1.0,
            error=error,
            note=f"{size}; peer: plain loop and numpy.linalg.inv",
        ),
        row(
            "tracked animal to HSR, room to 2 s",
            whole_s,
            _LIMIT,
            target=1.0,
            note=f"{size}; world, SR, 8 eigenoptions and HSR, all entries",
        ),
    ]


def animal(n_frames: int) -> np.ndarray:
    """Return positions of an animal that turns smoothly in a box of one metre, seeded."""
    rng = np.random.default_rng(0)
    heading = np.cumsum(rng.normal(0.0, 0.12, n_frames))
    speed = np.abs(rng.normal(0.15, 0.07, n_frames)) / _RATE
    steps = np.stack([np.cos(heading), np.sin(heading)], axis=1) * speed[:, None]
    return 1.0 - np.abs(1.0 - (0.5 + np.cumsum(steps, axis=0)) % 2.0)  # reflected at the walls


def ours(xy: np.ndarray, t: np.ndarray) -> tuple[hsr.TrackedMDP, np.ndarray]:
    """Return the world and the SR of the behaviour."""
    mdp = hsr.from_positions(xy, t, bins=_BINS)
    return mdp, hsr.successor_representation(mdp, mdp.behaviour()).toarray()


def whole(xy: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return the HSR of 8 eigenoptions under a uniform choice."""
    mdp, _ = ours(xy, t)
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, 8))
    return hsr.hierarchical_sr(model, hsr.uniform_choice(model)).toarray()


def peer(xy: np.ndarray, mdp: hsr.TrackedMDP) -> tuple[np.ndarray, np.ndarray]:
    """Return counts and SR by plain Python loops, with the ways over skipped bins as given."""
    i, j = (np.digitize(xy[:, k], edges[1:-1]) for k, edges in enumerate(mdp.bin_edges))
    number = {label: state for state, label in enumerate(mdp.labels)}
    seen = [number[cell] for cell in zip(i.tolist(), j.tolist(), strict=True)]
    walked = iter(mdp.paths[0].tolist())
    counts = np.zeros((mdp.n_states, mdp.n_actions), dtype=int)
    P = np.zeros((mdp.n_states, mdp.n_states))
    at = next(walked)
    for state in seen:
        while at != state:
            after = next(walked)
            counts[at, mdp.successors[at].tolist().index(after)] += 1
            P[at, after] += 1.0
            at = after
    P /= P.sum(axis=1, keepdims=True)
    return counts, np.linalg.inv(np.eye(len(P)) - mdp.discount * P)
