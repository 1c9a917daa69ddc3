"""A real server on a free port: who is let in, what is refused, and that nothing is left behind."""

import json
import time
from contextlib import ExitStack, suppress

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

import hsr
from hsr.lab import limits
from hsr.lab.page import read_page
from hsr.lab.pools import QUOTAS
from tests.lab.server_process import FOUR_ROOMS, MDP, TASKS, assert_shown, serving, unpacked
from tests.waiting import soon

WORLD = {"map": FOUR_ROOMS, "discount": 0.9}
OPEN = "\n".join(["." * 30] * 30)
LONG = {
    "world": {"map": OPEN, "task": "walk"},
    "which": "hsr",
    "kind": "nmf",
    "n": 64,
}  # seconds of work


@pytest.fixture(scope="module")
def server():
    with serving() as server:
        yield server


@pytest.fixture
def talk(server):
    with server.talk() as talk:
        yield talk


# Who is let in


def test_the_page_is_handed_out_to_whoever_has_the_token(server):
    status, headers, body = server.get(f"/?token={server.token}")
    page = read_page()
    assert (status, body) == (200, page.content)
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["content-security-policy"] == page.headers["content-security-policy"]
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == (
        "nosniff",
        "no-referrer",
    )
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


@pytest.mark.parametrize(
    ("path", "headers", "expected"),
    [
        ("/", {}, 403),
        ("/?token=", {}, 403),
        ("/?token=wrong", {}, 403),
        ("/?token=TOKEN&token=TOKEN", {}, 403),
        ("/?token=TOKEN", {"Host": "evil.example"}, 403),
        ("/?token=TOKEN", {"Host": "evil.example:PORT"}, 403),
        ("/?token=TOKEN", {"Host": None}, 400),  # HTTP itself asks for one
        ("/?token=TOKEN", {"Origin": "http://evil.example"}, 403),
        ("/?token=TOKEN", {"Origin": "null"}, 403),
        ("/?token=TOKEN", {"Host": "localhost:PORT"}, 200),
        ("/?token=TOKEN", {"Origin": "http://127.0.0.1:PORT"}, 200),
        ("/lab.html?token=TOKEN", {}, 404),
        ("/../?token=TOKEN", {}, 404),
        ("/%2e%2e/%2e%2e/etc/passwd?token=TOKEN", {}, 404),
        ("//?token=TOKEN", {}, 404),
        ("/ws?token=TOKEN", {}, 404),
        ("/favicon.ico", {}, 404),
    ],
)
def test_anything_else_is_turned_away(server, path, headers, expected):
    def filled(text):
        return text and text.replace("TOKEN", server.token).replace("PORT", str(server.port))

    status, answered, body = server.get(
        filled(path), **{name: filled(value) for name, value in headers.items()}
    )
    assert status == expected
    assert server.token.encode() not in body
    if expected in (403, 404):
        assert body.count(b"\n") == 1
        assert answered["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
def test_only_get_is_answered_and_a_body_is_not_read(server, method):
    body = b"x" * 1000
    status, _, _ = server.get(
        f"/?token={server.token}", method, body, **{"Content-Length": str(len(body))}
    )
    assert status == 404


@pytest.mark.parametrize(
    "visitor",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": None},
        {"token": None},
        {"token": "wrong"},
        {"name": "evil.example"},
    ],
    ids=str,
)
def test_a_foreign_socket_is_turned_away_before_it_is_accepted(server, visitor):
    with pytest.raises(InvalidStatus) as caught, server.talk(**visitor):
        pass
    assert caught.value.response.status_code == 403


# What is asked


def test_every_request_is_answered_with_its_number(talk):
    assert set(talk.ask("presets")["maps"]) == set(hsr.layout_names())
    shown = talk.ask("rows", world=WORLD, state=11)
    assert shown["ok"]
    assert_shown(shown["sr"], hsr.successor_representation(MDP).rows(11))


def test_many_requests_at_once_are_each_answered_once(talk):
    numbers = {talk.send("rows", world=WORLD, state=state) for state in range(4)}
    assert {talk.hear()["id"] for _ in numbers} == numbers


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "{",
        "null",
        "[]",
        "NaN",
        "[" * 50_000,
        '{"id": "1"}',
        '{"do": "maze"}',
        b"\x00\x01",
        b'{"id": 1, "do": "presets"}',
        '{"id": 1e400, "do": "presets"}',
    ],
    ids=lambda frame: repr(frame[:12]),
)
def test_a_malformed_frame_is_answered_and_the_socket_stays(talk, frame):
    talk.socket.send(frame)
    reply = talk.hear()
    assert (reply["id"], reply["ok"]) == (None, False)
    assert "\n" not in reply["error"]
    assert "Traceback" not in reply["error"]
    assert talk.ask("presets")["ok"]


@pytest.mark.parametrize(
    ("do", "fields", "words"),
    [
        ("dance", {}, "dance"),
        ("rows", {"world": WORLD}, "state is missing"),
        ("rows", {"world": WORLD, "state": 104}, "state is 104"),
        ("rows", {"world": {**WORLD, "file": "/etc/passwd"}, "state": 0}, "world.file"),
        ("check", {"map": "/etc/passwd"}, "not allowed in a layout"),
        ("check", {"map": "\n".join(["." * 128] * 129)}, "129 x 128"),
        ("check", {"map": "." * 129}, "1 x 129"),
        ("check", {"map": "." * 20_000}, "at most"),
        ("maze", {"size": 102, "seed": 0}, "size is 102"),
        ("matrix", {"world": {"map": OPEN}, "which": "sr"}, "at most 500"),
        ("path", {"run": "../../etc/passwd", "agent": 0, "begin": 0, "end": 1}, "no such run"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(talk, do, fields, words):
    reply = talk.ask(do, **fields)
    assert not reply["ok"]
    assert words in reply["error"]
    assert "\n" not in reply["error"]
    assert len(reply["error"]) <= 500


def test_a_frame_that_is_too_large_closes_the_socket_and_no_other(server, talk):
    with server.talk() as other:
        other.socket.send('{"id": 1, "do": "presets"' + " " * limits.FRAME_BYTES + "}")
        with pytest.raises(ConnectionClosed) as caught:
            other.hear()
        assert caught.value.rcvd.code == 1009
    assert talk.ask("presets")["ok"]


def test_a_large_message_in_pieces_is_refused_too(server):
    with server.talk() as talk:
        with suppress(ConnectionClosed):
            talk.socket.send(" " * 4096 for _ in range(limits.FRAME_BYTES // 4096 + 2))
        with pytest.raises(ConnectionClosed) as caught:
            talk.hear()
        assert caught.value.rcvd.code == 1009


def test_a_socket_that_asks_too_fast_is_warned_and_then_closed(server):
    began = time.monotonic()
    replies = []

    def ask_too_fast(talk):
        for _ in range(5000):
            talk.send("cancel", target=0)
            replies.append(talk.hear())

    with server.talk() as talk:
        with pytest.raises(ConnectionClosed) as caught:
            ask_too_fast(talk)
        assert caught.value.rcvd.code == 1008
    refused = [reply for reply in replies if not reply["ok"]]
    assert all("too many messages" in reply["error"] for reply in refused)
    assert len(refused) == limits.REFUSALS_BEFORE_CLOSING
    most = limits.MESSAGES_AT_ONCE + limits.MESSAGES_PER_SECOND * (time.monotonic() - began) + 1
    assert limits.MESSAGES_AT_ONCE <= len(replies) - len(refused) <= most


# Side by side


def test_a_long_request_delays_nobody_else_and_not_its_own_socket(server):
    with server.talk() as slow, server.talk() as quick:
        numbers = [slow.send("basis", **LONG) for _ in range(2)]
        time.sleep(0.2)
        began = time.monotonic()
        for state in range(5):
            assert quick.ask("rows", world=WORLD, state=state)["ok"]
        assert quick.ask("basis", world=WORLD, which="sr", kind="svd", n=2)["ok"]
        own = slow.send("check", map=FOUR_ROOMS)
        assert slow.hear()["id"] == own  # before the long ones
        taken = time.monotonic() - began
        assert {slow.hear()["id"] for _ in numbers} == set(numbers)
        assert time.monotonic() - began > taken


def test_a_cancelled_request_is_answered_at_once_and_never_again(server):
    world = {**LONG["world"], "discount": 0.8}
    with server.talk() as talk:
        target = talk.send("basis", **{**LONG, "world": world})
        time.sleep(0.1)
        cancel = talk.send("cancel", target=target)
        assert talk.hear() == {"id": target, "ok": False, "error": "cancelled"}
        assert talk.hear() == {"id": cancel, "ok": True}
        again = talk.send("basis", **{**LONG, "n": 8})
        assert talk.hear()["id"] == again
        assert talk.ask("presets")["ok"]


def test_two_hundred_sockets_leave_nothing_behind(server):
    def visit():
        with ExitStack() as stack:
            talks = [stack.enter_context(server.talk()) for _ in range(50)]
            for state, talk in enumerate(talks):
                assert talk.ask("rows", world=WORLD, state=state)["ok"]
            for talk in talks[::10]:
                asked = {"seed": talk.number, "episodes": 50, "horizon": 5000}
                talk.send("train", world=WORLD, agents=[{"features": "hsr"}], **asked)

    def settled(what, most):
        return soon(lambda: server.number_of(what) <= most)

    visit()
    assert settled("sockets", 10)
    before = {what: server.number_of(what) for what in ("threads", "sockets", "memory")}
    for _ in range(4):
        visit()
    # each pool starts its threads when they are first needed
    n_threads = sum(quota.threads for quota in QUOTAS.values())
    assert settled("threads", before["threads"] + n_threads)
    assert settled("sockets", before["sockets"])
    assert settled(
        "memory", before["memory"] + 50_000
    )  # kilobytes; a socket that stayed would keep a buffer of 64


def test_a_run_can_be_looked_at_from_another_socket(server):
    lengths = {"episodes": 4, "horizon": 500}
    plain = hsr.train(MDP, TASKS, hsr.LinearQ("sr"), seeds=[9], trajectory_of=9, **lengths)
    with server.talk() as one, server.talk() as other:
        agents = [{"features": "sr", "learning_rate": 0.01, "epsilon": 0.1, "options": False}]
        run = one.ask("train", world=WORLD, agents=agents, seed=9, **lengths)
        assert np.array_equal(unpacked(run["agents"][0]["steps"]), plain.steps[0])
        path = other.ask("path", run=run["run"], agent=0, begin=0, end=50)
        assert np.array_equal(unpacked(path["states"]), plain.trajectory.state[:51])


def test_a_maze_of_101_x_101_is_looked_at_row_by_row(server, talk):
    """4,999 states: a whole map would be 200 MB, and each row comes without it."""
    before = server.number_of("peak")
    text = talk.ask("maze", size=101, seed=0)["map"]
    text = text.replace(".", "1", 1)
    world = {"map": text, "task": "1"}
    assert talk.ask("rows", world=world, state=0)["ok"]
    began = time.monotonic()
    for state in (1, 2500, 4998):
        reply = talk.ask("rows", world=world, state=state)
        assert reply["sr"]["shape"] == reply["hsr"]["shape"] == [4999]
    assert time.monotonic() - began < 30.0  # only a hang is excluded
    assert len(json.dumps(reply)) < 60_000
    assert server.number_of("peak") < before + 100_000  # kilobytes
