"""Short forms for tests: named cases in a table, and calls that the library must refuse."""

import pytest

import hsr
from hsr._base.devices import check_device


def cases(arguments, table):
    """Return a decorator that runs a test on each value of a table, named by its key."""
    return pytest.mark.parametrize(arguments, table.values(), ids=table.keys())


def raises(words):
    """Return a context in which the library must raise InputError with a message like words."""
    return pytest.raises(hsr.InputError, match=words)


def without_gpu():
    """Return why nothing can be computed on a GPU here, or an empty text if it can."""
    try:
        check_device("cuda", "this test")
    except hsr.InputError as error:
        return str(error)
    return ""


needs_gpu = pytest.mark.skipif(bool(without_gpu()), reason=without_gpu())


def too_little_gpu_memory():
    """Return a context in which every array asks for more memory than a GPU has."""
    import cupy

    pool = cupy.get_default_memory_pool()
    return cupy.cuda.using_allocator(lambda size: pool.malloc(2**50))
