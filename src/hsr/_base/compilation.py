"""The seconds that this process has spent on compilation, which durations of work leave out."""

from functools import cache

from numba.core import event


def seconds_compiling() -> float:
    """Return how long Numba has compiled in this process since the first call of this function."""
    listener = _listener()
    return listener.duration if listener.done else 0.0


@cache
def _listener() -> event.TimingListener:
    listener = event.TimingListener()  # a function that is compiled for another one counts once
    event.register("numba:compile", listener)
    return listener
