"""Time an hour of a tracked animal at 50 frames a second, from positions to the HSR.

The peer goes through the same frames one by one, as a script of a laboratory would: is the animal
there, did it jump, in which bin is it, which move did it make. Then it inverts a dense matrix. Both
arrive at the same counts and the same SR. The second row compares all of it, with 8 eigenoptions
and the HSR, with a limit of two seconds.
"""

from typing import Any

import numpy as np

import hsr
from benchmarks._timing import median_seconds, row

_BINS = 30
_RATE = 50.0
_LIMIT = 2.0


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return the rows of an hour, or of half an hour if quick."""
    n_frames = 90_000 if quick else 180_000
    xy, t = animal(n_frames), np.arange(n_frames) / _RATE
    repetitions = 1 if quick else 5
    mdp, M = ours(xy, t)
    counts, peer_map = peer(xy, t, mdp)
    assert (counts == mdp.counts).all()
    error = float(np.abs(M - peer_map).max())
    ours_s = median_seconds(lambda: ours(xy, t), repetitions=repetitions)
    peer_s = median_seconds(lambda: peer(xy, t, mdp), repetitions=1)
    whole_s = median_seconds(lambda: whole(xy, t), repetitions=repetitions)
    size = f"{n_frames:,} frames, {mdp.n_states} states"
    return [
        row(
            "tracked animal to SR",
            ours_s,
            peer_s,
            target=None if quick else 8.0,
            error=error,
            note=f"{size}; peer: a loop over frames, numpy.linalg.inv",
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
    mdp = hsr.from_positions(xy, t, n_bins=_BINS, shortest=0)
    return mdp, hsr.successor_representation(mdp, mdp.behaviour()).toarray()


def whole(xy: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return the HSR of 8 eigenoptions under a uniform choice."""
    mdp, _ = ours(xy, t)
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, 8))
    return hsr.hierarchical_sr(model, hsr.uniform_policy(model)).toarray()


def peer(xy: np.ndarray, t: np.ndarray, mdp: hsr.TrackedMDP) -> tuple[np.ndarray, np.ndarray]:
    """Return counts and SR by plain Python loops over the frames.

    It gets the bins, the open passages and the limit of speed from our world. It looks for missing
    frames and jumps, and fills moves over bins with the same ways.
    """
    number = {label: state for state, label in enumerate(mdp.labels)}
    moves = [dict.fromkeys(row) for row in mdp.successors.tolist()]
    walked = iter(mdp.paths[0].tolist())
    counts: dict[tuple[int, int], int] = {}
    at, before, clock = next(walked), xy[0], t[0]
    inner = [edges[1:-1] for edges in mdp.bin_edges]
    for place, now in zip(xy, t, strict=True):
        if np.isnan(place).any() or now - clock > 1.9 * mdp.dt:
            raise ValueError("this animal is never lost")
        if np.hypot(*(place - before)) > mdp.report.max_speed * mdp.dt:
            raise ValueError("this animal never jumps")
        cell = tuple(int(np.searchsorted(e, x, "right")) for e, x in zip(inner, place, strict=True))
        before, clock = place, now
        while at != number[cell]:
            after = next(walked)
            assert after in moves[at]
            counts[at, after] = counts.get((at, after), 0) + 1
            at = after
    P, table = np.zeros((mdp.n_states, mdp.n_states)), np.zeros(mdp.counts.shape, dtype=int)
    for (begin, end), n in counts.items():
        P[begin, end] = n
        table[begin, mdp.successors[begin].tolist().index(end)] = n
    P /= P.sum(axis=1, keepdims=True)
    return table, np.linalg.inv(np.eye(len(P)) - mdp.discount * P)
