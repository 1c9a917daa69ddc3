"""Time the comparison of 5 models with 100 place cells: an hour at 50 frames a second, 200 shifts.

The row is a limit, written so that 1 is just enough: 60 seconds over our time. Maps, fits and
shifts are included; compilation is not.
"""

import time
from typing import Any

import numpy as np

import hsr
from benchmarks._timing import row
from hsr._base.threads import usable_cores

MODELS = ("sr", "hsr", "nmf", "gaussian", "geodesic")
LIMIT = 60.0


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return one row: the limit of 60 s over the time of one comparison."""
    mdp, xy = recording(18_000 if quick else 180_000)
    spikes = place_cells(mdp, xy, 5 if quick else 100)
    shuffles = 5 if quick else 200
    hsr.animals.compare_cells(dict(list(spikes.items())[:2]), mdp, MODELS, shuffles=1)  # compiles
    begin, busy = time.perf_counter(), time.process_time()
    hsr.animals.compare_cells(spikes, mdp, MODELS, shuffles=shuffles)
    ours, busy = time.perf_counter() - begin, time.process_time() - busy
    cores = usable_cores()
    size = f"{len(spikes)} cells x {len(MODELS)} models x {shuffles} shifts"
    note = f"{size}, {mdp.n_states} states; {busy:.0f} s of processor time, {cores} cores"
    return [row("models of cells, room to 60 s", ours, LIMIT, target=1.0, note=note)]


def recording(n_frames: int) -> tuple[hsr.TrackedMDP, np.ndarray]:
    """Return the world of an animal that turns at random in a box, and its positions."""
    rng = np.random.default_rng(0)
    heading = np.cumsum(rng.normal(0.0, 0.3, n_frames))
    steps = 0.006 * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    xy = np.abs((np.cumsum(steps, axis=0) + 0.5) % 2.0 - 1.0)  # reflected at the walls
    t = np.arange(n_frames) / 50.0
    return hsr.from_positions(xy, t, n_bins=20, extent=(0, 1, 0, 1), discount=0.9), xy


def place_cells(mdp: hsr.TrackedMDP, xy: np.ndarray, n_cells: int) -> dict[int, np.ndarray]:
    """Return spikes of cells with Gaussian fields that peak at 8 spikes per second."""
    rng = np.random.default_rng(1)
    spikes = {}
    for cell in range(n_cells):
        apart = ((xy - rng.random(2)) ** 2).sum(axis=1)
        rate = 0.2 + 8.0 * np.exp(-apart / (2.0 * 0.12**2))
        spikes[cell] = mdp.t[rng.random(mdp.t.size) < rate / 50.0]
    return spikes
