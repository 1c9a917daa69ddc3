"""One sweep over the components of a factor, on the device where its arrays are."""

from typing import Any

import numpy as np

from hsr.kernels import hals


def sweep(V: Any, C: Any, G: Any) -> float:
    """Update every component of `V` once, in place, and return the sum of projected gradients.

    Parameters
    ----------
    V : NumPy or CuPy array of shape (K, n_samples)
        The factor with components in rows, K a multiple of the kernel's tile.
    C : NumPy or CuPy array of shape (K, n_samples)
        Product of the other factor with the matrix.
    G : NumPy or CuPy array of shape (K, K)
        Product of the other factor with itself.
    """
    if isinstance(V, np.ndarray):
        return hals.sweep(V, C, G)
    from hsr.basis.on_gpu import sweep_on_gpu

    return sweep_on_gpu(V, C, G)
