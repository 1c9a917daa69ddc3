"""One BLAS thread for dense computations, so that results keep their bits.

The number of threads decides the order in which sums are added up.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    """Return the controller of all BLAS libraries. Finding them is slow, so it is done once."""
    import scipy.linalg.blas  # noqa: F401 - loads SciPy's own BLAS, so that the controller sees it

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit the BLAS of NumPy and SciPy to one thread inside the block.

    The previous limit is restored afterwards.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread():
    ...     product = np.ones((2, 2)) @ np.ones(2)
    >>> product
    array([2., 2.])
    """
    with _controller().limit(limits=1):
        yield
