"""Waiting for other processes, without waiting longer than needed."""

import time


def soon(condition, seconds=120.0):
    """Wait until the condition holds, and return whether it did in time."""
    deadline = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return held
