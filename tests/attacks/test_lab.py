"""Attacks on the lab: idle connections, every address of the machine, and the token.

Links that try to break the page are opened in `tests.browser.test_lab`.
"""

import asyncio
import re
from importlib.resources import files

import pytest

from tests.cases import raises

pytest.importorskip("uvicorn")

from hsr.cli.lab import _check_host
from hsr.lab import limits
from hsr.lab.guard import Guard
from hsr.lab.server import Lab, bind, make_server

HALF_A_REQUEST = b"GET /?token=t HTTP/1.1\r\nHost: "


def talk_to_a_server(talk):
    """Run ``talk(port)`` next to a server of the lab in this process, and return its result."""
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    a_lab = Lab(None)
    server = make_server(a_lab, Guard.of("127.0.0.1", port, token="t"))

    async def run():
        serving = asyncio.ensure_future(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            return await asyncio.wait_for(talk(port), 30)
        finally:
            server.should_exit = True
            await serving

    try:
        return asyncio.run(run())
    finally:
        a_lab.pools.end()
        listener.close()


async def is_closed(reader):
    """Wait until the server closes a connection."""
    try:
        return await reader.read() == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("said", [b"", HALF_A_REQUEST])
def test_a_connection_that_asks_for_nothing_is_closed(said, monkeypatch):
    monkeypatch.setattr(limits, "CONNECTION_SECONDS", 0.05)

    async def talk(port):
        pairs = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
        for _, writer in pairs:
            writer.write(said)
        closed = [await is_closed(reader) for reader, _ in pairs]
        for _, writer in pairs:
            writer.close()
        return closed

    assert all(talk_to_a_server(talk))


def test_the_oldest_of_many_waiting_connections_is_closed_for_a_new_one(monkeypatch):
    monkeypatch.setattr(limits, "CONNECTIONS", 5)

    async def talk(port):
        waiting = [await asyncio.open_connection("127.0.0.1", port) for _ in range(6)]
        reader, asking = await asyncio.open_connection("127.0.0.1", port)
        asking.write(HALF_A_REQUEST + f"127.0.0.1:{port}\r\n\r\n".encode())
        line = await reader.readline()
        closed = [await is_closed(reader) for reader, _ in waiting[:2]]
        for writer in [asking, *(writer for _, writer in waiting)]:
            writer.close()
        return line, closed

    line, closed = talk_to_a_server(talk)
    assert line.startswith(b"HTTP/1.1 404")  # this server has no page, and says so
    assert closed == [True, True]


def test_all_connections_that_may_be_open_fit_into_1024_files():
    """What is accepted at once is counted before the oldest is closed."""
    served = limits.SOCKETS + limits.CONNECTIONS + limits.CONNECTIONS_AT_ONCE
    assert served < 1024 - 64  # 64 files are left for the process itself
    server = make_server(Lab(None), Guard.of("127.0.0.1", 1, token="t"))
    assert server.config.backlog == limits.CONNECTIONS_AT_ONCE


WILDCARDS = "0 0x0 00.0 0.0 0.0.0.0 000.000.000.000 0x0.0x0 :: [::] ::0 0:0:0:0:0:0:0:0 "
WILDCARDS += "::ffff:0.0.0.0 ::ffff:0:0 [0.0.0.0] *"


@pytest.mark.parametrize("host", [*WILDCARDS.split(), "0.0.0.0 ", " ", ""])
def test_no_spelling_of_every_address_is_served(host):
    with raises("it must be one address"):
        _check_host(host, known=True)


@pytest.mark.parametrize("host", ["", "0", "0x0", "00.0", "0.0.0.0"])
def test_a_socket_is_not_bound_to_every_address(host):
    with raises("means every address of this machine"):
        bind(host, 0)


def test_one_address_is_served():
    _check_host("127.0.0.1", known=False)
    _check_host("127.0.0.2", known=True)
    with bind("localhost", 0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_the_page_uses_its_token_for_its_socket_only():
    """What the address has behind the question mark is read once, where the socket is opened."""
    script = files("hsr.lab").joinpath("static", "lab.html").read_text(encoding="utf-8")
    (used,) = re.findall(r".{20}location\.search|location\.href", script)
    assert "/ws$" in used
