"""Time the eight slowest modes of the random walk against dense and plain sparse eigensolvers."""

import numpy as np
from scipy.sparse.linalg import eigsh

import hsr
from benchmarks._timing import median_seconds, row
from hsr.mdp.spectrum import leading_vectors


def run(quick: bool = False) -> list[dict]:
    """Return the rows for a map of about 4000 states (1000 when quick)."""
    layout = hsr.room_grid(5, 6) if quick else hsr.room_grid(9, 7)
    mdp = hsr.grid_mdp(layout)
    chain = hsr.MarkovChain.from_policy(mdp)
    P = chain.matrix
    dense = P.toarray()
    start = np.random.default_rng(0).standard_normal(mdp.n_states)
    exact = np.linalg.eigvalsh(dense)[::-1][1:9]
    error = float(abs(leading_vectors(chain, 8)[0] - exact).max())
    ours = median_seconds(lambda: leading_vectors(chain, 8), repetitions=9)
    by_lanczos = median_seconds(lambda: eigsh(P, k=9, which="LA", v0=start))
    by_eigh = median_seconds(lambda: np.linalg.eigh(dense))
    name = f"8 eigenvectors, N={mdp.n_states}"
    return [
        row(
            name,
            ours,
            by_eigh,
            target=None if quick else 500.0,
            error=error,
            note="peer: numpy.linalg.eigh",
        ),
        row(
            name,
            ours,
            by_lanczos,
            target=None if quick else 12.0,
            error=error,
            note='peer: scipy eigsh(which="LA")',
        ),
    ]
