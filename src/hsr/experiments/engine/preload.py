"""Loaded by the workers of a local Dask cluster when they start."""

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Leave Ctrl-C to the process that started the cluster, which then ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
