"""Short forms for tests: named cases in a table, and calls that the library must refuse."""

import pytest

import hsr


def cases(arguments, table):
    """Return a decorator that runs a test on each value of a table, named by its key."""
    return pytest.mark.parametrize(arguments, table.values(), ids=table.keys())


def raises(words):
    """Return a context in which the library must raise InputError with a message like words."""
    return pytest.raises(hsr.InputError, match=words)
