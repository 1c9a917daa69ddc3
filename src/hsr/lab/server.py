"""The server of `hsr lab`: the page and its socket behind one guard, on one local port."""

import asyncio
import socket
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from hsr.toolkit import needs

needs("lab", "hsr.lab.server")

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from hsr import HSRWarning, InputError
from hsr.lab import limits
from hsr.lab.answers import Answers
from hsr.lab.connections import TimedConnection
from hsr.lab.conversation import Conversation
from hsr.lab.guard import Guard, is_wildcard, new_token
from hsr.lab.page import ALWAYS, MISSING, Page, read_page
from hsr.lab.pools import ThreadPools
from hsr.lab.requests import Basis, Options, Rows, World, WorldRequest
from hsr.toolkit import one_thread

_TOO_MANY, _UNWANTED = 1013, 1008


class Guarded:
    """An application that only requests with the right Host, Origin and token reach."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app, self._guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it without reading its body."""
        kind, headers = scope["type"], scope.get("headers", [])
        if kind == "websocket":
            fault = self._guard.fault(headers, scope["query_string"], needs_origin=True)
            if fault is not None or scope["path"] != "/ws":
                # Closing before accepting answers the handshake with 403.
                await send({"type": "websocket.close", "code": _UNWANTED})
                return
        elif kind == "http":
            fault = self._guard.foreign(headers, needs_origin=False)
            if fault is None and (scope["path"] != "/" or scope["method"] != "GET"):
                await _plain(404, "there is nothing here")(scope, receive, send)
                return
            fault = fault or self._guard.stranger(scope["query_string"])
            if fault is not None:
                await _plain(403, fault)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class Lab:
    """The state of a server: the page, the answers, the threads, and the number of open sockets."""

    def __init__(self, page: Page | None) -> None:
        self.page = page
        self.answers = Answers()
        self.pools = ThreadPools()
        self.n_sockets = 0

    def app(self, guard: Guard) -> ASGIApp:
        """Return the application."""
        return Guarded(
            Starlette(routes=[Route("/", self._index), WebSocketRoute("/ws", self._talk)]), guard
        )

    async def _index(self, request: Request) -> Response:
        if self.page is None:
            return _plain(404, MISSING)
        return Response(
            self.page.content, media_type="text/html; charset=utf-8", headers=self.page.headers
        )

    async def _talk(self, websocket: WebSocket) -> None:
        if self.n_sockets >= limits.SOCKETS:
            await websocket.close(_TOO_MANY)
            return
        self.n_sockets += 1
        conversation = Conversation(self.answers, self.pools, websocket.send_text)
        try:
            await websocket.accept()
            while await conversation.hear(await _frame(websocket)):
                pass
            await websocket.close(_UNWANTED, "too many messages")
        except WebSocketDisconnect:
            pass
        finally:
            self.n_sockets -= 1
            await conversation.end()

    def warm_up(self) -> None:
        """Load compiled kernels on other threads, so that the first request need not wait."""
        world = World(map="S.1\n..2", options=Options(n=1), task="1")
        for request in (
            WorldRequest(id=0, do="world", world=world),
            Rows(id=0, do="rows", world=world, state=0),
            Basis(id=0, do="basis", world=world, which="sr", kind="svd", n=1),
        ):
            self.pools.submit(request.pool, partial(self.answers.answer, request))


async def _frame(websocket: WebSocket) -> str | bytes:
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    return text if text is not None else message["bytes"]


def _plain(status: int, sentence: str) -> Response:
    return PlainTextResponse(f"{sentence}\n", status_code=status, headers=ALWAYS)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket bound to a host and a port, or raise `InputError`. Port 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"port {port} of {host} cannot be used ({reason}); name another with --port"
        ) from None
    if is_wildcard(listener.getsockname()[0]):
        listener.close()
        raise InputError(f"{host!r} means every address of this machine; name one of them")
    return listener


def make_server(lab: Lab, guard: Guard) -> uvicorn.Server:
    """Return the server, not yet running. It prints nothing."""
    config: dict[str, Any] = {
        "http": TimedConnection,
        "backlog": limits.CONNECTIONS_AT_ONCE,
        "ws": "websockets-sansio",
        "ws_max_size": limits.FRAME_BYTES,
        "ws_per_message_deflate": False,
        "lifespan": "off",
        "log_config": None,
        "log_level": "critical",
        "access_log": False,
        "proxy_headers": False,
        "server_header": False,
        "date_header": False,
        "timeout_graceful_shutdown": 1,
    }
    return uvicorn.Server(uvicorn.Config(lab.app(guard), **config))


def serve(host: str, port: int, *, opened: Callable[[str, bool], None]) -> bool:
    """Serve the lab until it is interrupted.

    Parameters
    ----------
    host : str
        The address to bind.
    port : int
        The port to bind; 0 is any free one.
    opened : callable
        Called with the address of the page, and with whether the page is installed, as soon as the
        server answers.

    Returns
    -------
    bool
        Whether all computations had ended. Exact ones that have started cannot be stopped.

    Raises
    ------
    InputError
        If the port cannot be used.
    """
    listener = bind(host, port)
    port = listener.getsockname()[1]
    token = new_token()
    guard = Guard.of(host, port, token=token)
    lab = Lab(read_page())
    server = make_server(lab, guard)
    named = f"[{host}]" if ":" in host else host

    async def run() -> None:
        serving = asyncio.ensure_future(server.serve(sockets=[listener]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        lab.warm_up()
        if server.started:
            opened(f"http://{named}:{port}/?token={token}", lab.page is not None)
        await serving

    ended = False
    with one_thread(), warnings.catch_warnings():
        # Replies say when a maze has several parts and when a run diverges.
        warnings.simplefilter("ignore", HSRWarning)
        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            pass
        finally:
            ended = lab.pools.end()
            listener.close()
    return ended
