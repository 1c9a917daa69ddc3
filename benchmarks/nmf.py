"""Time NMF of expected HSRs against scikit-learn's coordinate descent from the same starts.

scikit-learn runs to its own end (tol 1e-5, at most 2000 iterations). Ours is timed up to the first
iteration whose error is within 0.1 % of scikit-learn's last one. One BLAS thread; the row gives
medians over five random starts, and at 104 states each start's times are medians of five as well.
`solver="extrapolated"` carries the targets; the rows of `solver="hals"`, whose iterates are
scikit-learn's own, show what the compiled sweep alone gains.
"""

import time
import warnings
from typing import Any

import numpy as np

import hsr
from hsr._base.threads import one_thread
from hsr.basis.start import random_start


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return the rows of the four rooms with K = N = 104, and of 25 rooms with about 1000 states
    and K = 100.
    """
    cases = [(expected_map(hsr.load_layout("four_rooms"), n_goals=104), 104, 7.0, 5)]
    if not quick:
        cases.append((expected_map(hsr.room_grid(5, 6), n_goals=100), 100, 4.0, 1))
    rows = []
    for X, k, target, repetitions in cases:
        results = [
            compare_start(X, k, seed, 1 if quick else repetitions)
            for seed in range(1 if quick else 5)
        ]
        name = f"NMF, {len(X)} x {len(X)}, K = {k}"
        rows.append(
            summary(f"{name}, extrapolated", [result["extrapolated"] for result in results], target)
        )
        rows.append(summary(f"{name}, hals", [result["hals"] for result in results], None))
    return rows


def expected_map(layout: hsr.GridLayout, *, n_goals: int) -> np.ndarray:
    """Return the expected hierarchical map over goals spread evenly over the states."""
    mdp = hsr.grid_mdp(layout, discount=0.9)
    goals = np.linspace(0, mdp.n_states - 1, n_goals).astype(int)
    tasks = [hsr.GoalTask(start=None, goal=int(goal)) for goal in goals]
    return hsr.expected_hsr(mdp, hsr.eigenoptions(mdp, n_options=8), tasks).toarray()


def summary(
    name: str, results: list[tuple[float, float, float, int, int]], target: float | None
) -> dict[str, Any]:
    """Return the row of one map and solver: medians over the starts."""
    ours, peer, error, iterations, peer_iterations = np.median(results, axis=0).tolist()
    ratio = float(np.median([peer_s / ours_s for ours_s, peer_s, *_ in results]))
    same_error = f"to the error that scikit-learn has after {peer_iterations:.0f}"
    note = f"{iterations:.0f} iterations {same_error}, {len(results)} starts"
    times = {"ours_s": ours, "peer_s": peer, "ratio": ratio}
    return {"name": name, **times, "target": target, "error": error, "note": note}


def compare_start(
    X: np.ndarray, k: int, seed: int, repetitions: int
) -> dict[str, tuple[float, float, float, int, int]]:
    """Return for each solver: our time, scikit-learn's, our relative excess error, and both numbers
    of iterations.
    """
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    W, H = random_start(X, k, np.random.default_rng(seed))
    peer = NMF(k, init="custom", solver="cd", tol=1e-5, max_iter=2000)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer_s = [
            seconds(lambda: peer.fit_transform(X, W=W.copy(), H=H.copy()))
            for _ in range(repetitions)
        ]
    goal = 1.001 * peer.reconstruction_err_
    results = {}
    for solver in ("extrapolated", "hals"):
        history = (
            hsr.NMFBasis(k, solver=solver, max_iter=peer.n_iter_, tol=0.0)
            .fit(X, W=W, H=H)
            .objective_
        )
        needed = int(np.argmax(np.sqrt(2.0 * history) <= goal)) + 1
        ours = hsr.NMFBasis(k, solver=solver, max_iter=needed, tol=0.0)
        ours_s = [seconds(lambda fit=ours.fit: fit(X, W=W, H=H)) for _ in range(repetitions)]
        excess = float(ours.reconstruction_err_ / peer.reconstruction_err_ - 1.0)
        results[solver] = (
            float(np.median(ours_s)),
            float(np.median(peer_s)),
            excess,
            needed,
            int(peer.n_iter_),
        )
    return results


def seconds(work: Any) -> float:
    """Return the time of one call."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
