"""Non-negative factorisation on an NVIDIA GPU.

The solvers are those of the CPU. NumPy hands their products and sums to CuPy when the arrays are in
the memory of the GPU, and `sweep` has a kernel for each device.
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.devices import gpu_memory
from hsr._base.lazy import LazyMatrix
from hsr.basis.factorisation import Factorisation

_THREADS = 64


def factorise_on_gpu(
    X: FloatArray,
    begin: Callable[[LazyMatrix], tuple[FloatArray, FloatArray]],
    solve: Callable[..., Factorisation],
    *,
    tol: float,
    max_iter: int,
) -> tuple[Factorisation, float]:
    """Return the factorisation of a matrix, and its reconstruction error.

    Parameters
    ----------
    X : array of shape (n, m)
        The matrix to factorise, not negative.
    begin : callable
        Returns the start. It is given `X` as a lazy matrix, whose products the GPU computes.
    solve : callable
        The solver, such as `hsr.basis.factorisation.factorise`.
    tol : float
        See the solver.
    max_iter : int
        See the solver.

    Raises
    ------
    TooLargeError
        If the matrix does not fit into the memory of the GPU.
    """
    with gpu_memory(f"the factorisation of a map of shape {X.shape}") as cupy:
        on_gpu = cupy.asarray(X)
        W, H = begin(
            LazyMatrix(
                X.shape,
                lambda block: (on_gpu @ cupy.asarray(block)).get(),
                lambda block: (on_gpu.T @ cupy.asarray(block)).get(),
                lambda: X,
            )
        )
        found = solve(on_gpu, cupy.asarray(W), cupy.asarray(H), tol=tol, max_iter=max_iter)
        error = float(cupy.linalg.norm(on_gpu - found.W @ found.H))
        return found._replace(W=cupy.asnumpy(found.W), H=cupy.asnumpy(found.H)), error


def sweep_on_gpu(V: Any, C: Any, G: Any) -> float:
    """Update every component of `V` once, in place, as `hsr.kernels.hals.sweep` does.

    Parameters
    ----------
    V : cupy array of shape (K, n_samples)
        The factor with components in rows, K a multiple of the kernel's tile.
    C : cupy array of shape (K, n_samples)
        Product of the other factor with the matrix.
    G : cupy array of shape (K, K)
        Product of the other factor with itself.

    Returns
    -------
    float
        The sum of projected gradients.
    """
    n_components, n_samples = V.shape
    violation = np.empty_like(V, shape=(n_samples,))
    sizes = np.int32(n_components), np.int32(n_samples)
    blocks = -(-n_samples // _THREADS)
    _sweep(V.device.id)((blocks,), (_THREADS,), (V, C, G, violation, *sizes))
    return float(violation.sum())


@cache
def _sweep(device: int) -> Any:
    """Return the compiled kernel. CuPy keeps its machine code for later processes."""
    import cupy

    source = files("hsr.kernels").joinpath("hals.cu").read_text(encoding="utf-8")
    return cupy.RawModule(code=source).get_function("sweep")
