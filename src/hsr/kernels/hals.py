"""One sweep of hierarchical alternating least squares, the inner loop of NMF.

With the other factor fixed, `||X - W H||^2` is a quadratic in each row of the factor `V`
(components in rows, samples in columns) with the Gram matrix `G` and the cross products `C`.
Component `t` is minimised exactly while the others stay:

    g = G[t] V - C[t],        V[t] <- max(V[t] - g / G[t, t], 0)

Samples are independent, so they are processed in blocks that fit into the cache. Four components
share each pass over `V`: their gradients are computed together, and each is then corrected for the
ones just updated. That is the order of updates of scikit-learn's coordinate descent, with sums
grouped by fours.
"""

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.compiled import compiled, internal

TILE = 4
BLOCK = 128


@internal
def add_tile(g, n, V, first, G, t):
    """Add `G[t + s] @ V[:, first:first + n]` to `g[s * BLOCK:]` for s = 0..3."""
    row_0, row_1, row_2, row_3 = G[t], G[t + 1], G[t + 2], G[t + 3]
    for quarter in range(V.shape[0] // TILE):
        r = TILE * quarter
        a0, a1, a2, a3 = row_0[r], row_0[r + 1], row_0[r + 2], row_0[r + 3]
        b0, b1, b2, b3 = row_1[r], row_1[r + 1], row_1[r + 2], row_1[r + 3]
        c0, c1, c2, c3 = row_2[r], row_2[r + 1], row_2[r + 2], row_2[r + 3]
        d0, d1, d2, d3 = row_3[r], row_3[r + 1], row_3[r + 2], row_3[r + 3]
        v0, v1, v2, v3 = V[r][first:], V[r + 1][first:], V[r + 2][first:], V[r + 3][first:]
        for j in range(n):
            w, x, y, z = v0[j], v1[j], v2[j], v3[j]
            g[j] = g[j] + ((a0 * w + a1 * x) + (a2 * y + a3 * z))
            g[BLOCK + j] = g[BLOCK + j] + ((b0 * w + b1 * x) + (b2 * y + b3 * z))
            g[2 * BLOCK + j] = g[2 * BLOCK + j] + ((c0 * w + c1 * x) + (c2 * y + c3 * z))
            g[3 * BLOCK + j] = g[3 * BLOCK + j] + ((d0 * w + d1 * x) + (d2 * y + d3 * z))


@internal
def step_row(v, g, hessian, violation):
    """Minimise one component over a block of samples, and overwrite `g` by the changes of `v`."""
    for j in range(v.size):
        projected = min(g[j], 0.0) if v[j] == 0.0 else g[j]
        violation[j] += abs(projected)
    if hessian == 0.0:
        # The other factor's component is zero, so this one does not matter.
        return
    for j in range(v.size):
        old = v[j]
        moved = old - g[j] / hessian
        new = moved if moved > 0.0 else 0.0
        v[j] = new
        g[j] = new - old


def sweep(V: FloatArray, C: FloatArray, G: FloatArray) -> float:
    """Update every component of `V` once, in place, and return the sum of projected gradients.

    1. Start the gradients of four components from -C.
    2. Add G V.
    3. Minimise the components one after the other.
    4. Correct the gradients of the components that follow by what has moved.

    `V` and `C` have shape (K, n_samples) and `G` has shape (K, K), all C-ordered, with K a multiple
    of `TILE`. Rows of zeros in `V`, `C` and `G` stay zero and add nothing.
    """
    return float(_sweep(V, C, G, np.zeros(TILE * BLOCK), np.zeros(BLOCK)))


@compiled
def _sweep(V, C, G, g, violation):
    """Do what `sweep` says, with memory for gradients and with zeros for their sums."""
    n_components, n_samples = V.shape
    for first in range(0, n_samples, BLOCK):
        n = min(BLOCK, n_samples - first)
        for t in range(0, n_components, TILE):
            # 1. Start from -C.
            for s in range(TILE):
                g_s = g[s * BLOCK : s * BLOCK + n]
                c_s = C[t + s][first : first + n]
                for j in range(n):
                    g_s[j] = -c_s[j]
            # 2. Add G V.
            add_tile(g, n, V, first, G, t)
            # 3. Minimise one component after the other.
            for s in range(TILE):
                g_s = g[s * BLOCK : s * BLOCK + n]
                step_row(V[t + s][first : first + n], g_s, G[t + s, t + s], violation)
                # 4. Correct the gradients of those that follow.
                for later in range(s + 1, TILE):
                    g_later = g[later * BLOCK : later * BLOCK + n]
                    coupling = G[t + later, t + s]
                    for j in range(n):
                        g_later[j] = g_later[j] + coupling * g_s[j]
    total = 0.0
    for j in range(BLOCK):
        total += violation[j]
    return total
