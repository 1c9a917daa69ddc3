"""Time bases of lazy maps from blocks of products, at a size where all entries fit as well.

`hsr` uses products alone for maps above 1 GiB. Here it does so for a smaller map, so that there is
an answer to compare with. The peer of the SVD is Lanczos iterations with single products
(`scipy.sparse.linalg.svds`), that of the NMF writes the map out and factorises all entries, from
the same start with the same solver. The error is that of the reconstruction, divided by the least
possible one (SVD) or by that of the peer (NMF), minus one.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, svds

import hsr
from benchmarks._timing import row
from hsr._base.threads import one_thread
from hsr.basis import compression

K = 32


def run(quick: bool = False) -> list[dict]:
    """Return a row for the SVD and one for the NMF of 4,208 states with 200 goals."""
    rooms, size, goals = (4, 7, 20) if quick else (8, 8, 200)
    mdp = hsr.grid_mdp(hsr.room_grid(rooms, size), discount=0.9)
    M = hsr.expected_sr(mdp, goals=goals)
    M @ np.ones(mdp.n_states), M.T @ np.ones(mdp.n_states)  # loads the compiled kernels
    with one_thread():
        entries = M.toarray()
        return [_svd(M, entries), _nmf(M, entries)]


def _svd(M: hsr.PredictiveMap, entries: np.ndarray) -> dict:
    with _by_products():
        basis, seconds = _timed(lambda: hsr.SVDBasis(K).fit(M))
    operator = LinearOperator(M.shape, matvec=lambda x: M @ x, rmatvec=lambda y: M.T @ y)
    peer, peer_seconds = _timed(lambda: svds(operator, k=K, rng=np.random.default_rng(0)))
    least = np.sqrt(np.square(entries).sum() - np.square(peer[1]).sum())
    error = float(np.linalg.norm(entries - basis.features_ @ basis.components_) / least - 1.0)
    name = f"SVD of a lazy map, N={len(entries)}, K={K}"
    return row(name, seconds, peer_seconds, target=None, error=error, note="peer: scipy svds")


def _nmf(M: hsr.PredictiveMap, entries: np.ndarray) -> dict:
    how = {"n_components": K, "solver": "extrapolated"}
    with _by_products():
        ours, seconds = _timed(lambda: hsr.NMFBasis(**how).fit(M))
    peer, peer_seconds = _timed(lambda: hsr.NMFBasis(**how).fit(M.toarray()))
    whole = np.linalg.norm(entries - ours.features_ @ ours.components_)
    error = float(whole / peer.reconstruction_err_ - 1.0)
    guess = float(ours.reconstruction_err_ / whole - 1.0)
    name = f"NMF of a lazy map, N={len(entries)}, K={K}"
    note = f"{ours.n_iter_} iterations, peer {peer.n_iter_}; error estimated within {guess:.1%}"
    return row(name, seconds, peer_seconds, target=None, error=error, note=note)


@contextmanager
def _by_products() -> Iterator[None]:
    """Let every lazy map count as large."""
    usual, compression.LARGE_BYTES = compression.LARGE_BYTES, 0
    try:
        yield
    finally:
        compression.LARGE_BYTES = usual


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a call returns, and its seconds."""
    begin = time.perf_counter()
    result = work()
    return result, time.perf_counter() - begin
