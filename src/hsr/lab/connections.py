"""Connections that must ask for something soon, so that idle ones cannot shut out the page."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from hsr.lab import limits


class TimedConnection(H11Protocol):
    """A connection that is closed unless it soon becomes a socket of the page.

    The page is one small file, so a connection that stays longer is idle, or its client sends or
    reads too slowly. Sockets of the page are pinged by the server instead. If too many connections
    wait at once, the oldest is closed for a new one.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time of a new connection."""
        super().connection_made(transport)
        self._made = self.loop.time()
        self.loop.call_later(limits.CONNECTION_SECONDS, self._close_if_waiting)
        waiting = [one for one in self.connections if isinstance(one, TimedConnection)]
        if len(waiting) > limits.CONNECTIONS:
            min(waiting, key=lambda one: one._made)._close_if_waiting()

    def _close_if_waiting(self) -> None:
        # A connection that was closed or became a socket of the page is no longer listed.
        if self in self.connections:
            self.connections.discard(self)
            self.transport.abort()
