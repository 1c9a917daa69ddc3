"""One BLAS thread around every dense computation: sums keep their order, so results keep their
bits.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    import scipy.linalg.blas  # noqa: F401 - loads SciPy's own BLAS, so that the controller sees it

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit NumPy's and SciPy's BLAS to one thread inside the block, and restore the former limit
    after it.
    """
    with _controller().limit(limits=1):
        yield
