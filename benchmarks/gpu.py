"""Expected maps and NMF on an NVIDIA GPU, against the CPU of the same machine. Without a GPU there
are no rows.

The time of the GPU is that of the whole call, transfers included. Above 10,000 states, the CPU
averages over some of the goals, and its time is scaled to all of them. For NMF the CPU takes a few
iterations, and its time is scaled to those of the GPU.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import hsr
from benchmarks._timing import row
from hsr._base.devices import check_device
from hsr.representation.on_all_cores import cores

_TARGET = 3.0  # less would not be worth the code
_SAMPLE = 512
_ITERATIONS = 5
_COMPONENTS = 32


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return the rows of both maps and of NMF for 4,208 and 16,864 states."""
    try:
        check_device("cuda", "this benchmark")
    except hsr.InputError as error:
        print(f"no rows: {error}", file=sys.stderr)
        return []
    rows = []
    _maps(3, quick=True)  # compiles all kernels
    for n_rooms in (3,) if quick else (8, 16):
        rows += _maps(n_rooms, quick=quick)
    return rows


def _maps(n_rooms: int, *, quick: bool) -> list[dict[str, Any]]:
    """Return the rows of a grid of rooms."""
    mdp = hsr.grid_mdp(hsr.room_grid(n_rooms, 8), discount=0.9)
    tasks = hsr.goal_tasks(mdp)
    some = tasks if mdp.n_states < 10_000 else tasks[:: mdp.n_states // _SAMPLE]
    options = hsr.eigenoptions(mdp, n_options=8)
    target = None if quick else _TARGET
    rows = []
    X = np.empty(0)
    for kind, map_of in (
        ("SR", lambda tasks, device: hsr.expected_sr(mdp, tasks, device=device).toarray()),
        (
            "HSR",
            lambda tasks, device: hsr.expected_hsr(mdp, options, tasks, device=device).toarray(),
        ),
    ):
        sample, cpu = _timed(lambda map_of=map_of: map_of(some, "cpu"))
        error = float(abs(map_of(some, "cuda") - sample).max())
        del sample
        X, gpu = _timed(lambda map_of=map_of: map_of(tasks, "cuda"))
        note = f"every state a goal; peer: {cores()} cores"
        note += "" if len(some) == len(tasks) else f", {len(some)} goals, scaled"
        cpu *= len(tasks) / len(some)
        name = f"expected {kind} on a GPU, N={mdp.n_states}"
        rows.append(row(name, gpu, cpu, target=target, error=error, note=note))
    return [*rows, _factorisation(X, target)]


def _factorisation(X: np.ndarray, target: float | None) -> dict[str, Any]:
    """Return the row of NMF."""

    def fit(device: str, max_iter: int = 2000) -> hsr.NMFBasis:
        basis = hsr.NMFBasis(_COMPONENTS, init="random", max_iter=max_iter)
        return basis.fit(X, device=device)

    _, short = _timed(lambda: fit("cpu", 1))
    few, longer = _timed(lambda: fit("cpu", 1 + _ITERATIONS))
    same = fit("cuda", 1 + _ITERATIONS)
    error = float(abs(same.features_ - few.features_).max() / few.features_.max())
    found, gpu = _timed(lambda: fit("cuda"))
    cpu = short + (found.n_iter_ - 1) * (longer - short) / _ITERATIONS
    name = f"NMF on a GPU, N={len(X)}, K={_COMPONENTS}"
    note = f"{found.n_iter_} iterations of solver='hals'; peer: one core, scaled"
    return row(name, gpu, cpu, target=target, error=error, note=note)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    result = work()
    return result, time.perf_counter() - begin
