"""Connections to a Dask scheduler: the first one, another one after a loss, and their end."""

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from threading import Event
from typing import Any

from hsr import InputError
from hsr.paper.engine.cluster_watch import SECONDS_WITHOUT_ANSWER, LostWork
from hsr.paper.engine.progress import Progress
from hsr.toolkit import escape_control, needs

_SECONDS_TO_CONNECT = 10.0
_SECONDS_TO_CONNECT_AGAIN = 2.0
_SECONDS_BETWEEN_TRIES = 0.1
_SECONDS_TO_CLOSE = 2.0


def connect(scheduler: str, *, seconds: float | None = None) -> Any:
    """Return a client of the scheduler at an address, or raise `InputError`.

    A client that fails to connect leaves a thread behind, which may delay the next one. A plain
    connection is therefore tried first, for some seconds.
    """
    seconds = _SECONDS_TO_CONNECT if seconds is None else seconds
    distributed = _distributed()
    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook has an event loop in its own thread
            thread.submit(asyncio.run, _try_connection(scheduler, seconds)).result()
        return distributed.Client(scheduler, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
        reason = escape_control(str(error), keep="\n")
        raise InputError(f"no Dask scheduler answers at {scheduler!r}: {reason}") from None


def connect_again(scheduler: str, progress: Progress, stop: Event) -> Any:
    """Return a new client of a scheduler that may be starting, or None if `stop` is set.

    Raises
    ------
    LostWork
        If nobody answers for too long.
    """
    began = time.monotonic()
    while not stop.wait(_SECONDS_BETWEEN_TRIES):
        try:
            return connect(scheduler, seconds=_SECONDS_TO_CONNECT_AGAIN)
        except InputError:
            if time.monotonic() - began > SECONDS_WITHOUT_ANSWER:
                raise LostWork("its scheduler does not answer") from None
        progress.refresh()
    return None


async def _try_connection(scheduler: str, seconds: float) -> None:
    secrets = _distributed().Security().get_connection_args("client")
    connecting = import_module("distributed.comm").connect(scheduler, timeout=seconds, **secrets)
    await (await connecting).close()


def _distributed() -> Any:
    """Return the package `distributed`, which is large and optional."""
    needs("cluster", "engine='dask'")
    return import_module("distributed")


def close(client: Any) -> None:
    """Close a client, also one whose connection broke.

    Such a client is trying to connect. Dask would log the end of that as an error.
    """
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with suppress(OSError):  # no answer in time
            client.close(timeout=_SECONDS_TO_CLOSE)
    finally:
        log.setLevel(level)
