"""Thread pools, the cache and the requests of one socket, without a server."""

import asyncio
import json
import threading
import time

import pytest

from hsr.lab import limits
from hsr.lab.cache import Cache
from hsr.lab.conversation import Conversation, Pace, reply_text
from hsr.lab.messages import read_request
from hsr.lab.pools import QUOTAS, SocketPlaces, ThreadPools
from hsr.lab.requests import REQUESTS
from tests.waiting import soon


@pytest.fixture
def pools():
    pools = ThreadPools()
    yield pools
    assert pools.end(patience=10.0)


class Held:
    """Answers that wait for a gate; `begun` counts those that have started."""

    def __init__(self):
        self.gate = threading.Event()
        self.begun = 0

    def answer(self, request):
        self.begun += 1
        assert self.gate.wait(30)
        return {"said": request.do}


@pytest.fixture
def held():
    return Held()


def talk(pools, answers, script):
    """Run a coroutine with a conversation and the list of its replies, and return that list."""
    sent = []

    async def run():
        async def send(text):
            sent.append(json.loads(text))

        conversation = Conversation(answers, pools, send)
        try:
            await script(conversation, sent)
        finally:
            await conversation.end()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not others

    asyncio.run(run())
    return sent


def request(number, do="presets", **fields):
    return json.dumps({"id": number, "do": do, **fields})


async def until(condition):
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        await asyncio.sleep(0.005)
    assert condition()


def test_every_pool_is_used_and_no_socket_can_fill_one():
    assert {request.pool for request in REQUESTS.values()} == set(QUOTAS)
    assert all(0 < quota.per_socket < quota.threads for quota in QUOTAS.values())


def test_a_socket_uses_its_places_and_no_more(pools):
    """A third piece of long work waits for its own socket, not for another."""
    running, most, gate = [], [], threading.Event()

    def work(name):
        running.append(name)
        most.append(len([one for one in running if one == name]))
        assert gate.wait(30)
        running.remove(name)

    async def run():
        one, other = SocketPlaces(pools), SocketPlaces(pools)
        tasks = [asyncio.ensure_future(one.run("long", lambda: work("one"))) for _ in range(4)]
        await until(lambda: running.count("one") == QUOTAS["long"].per_socket)
        tasks.append(asyncio.ensure_future(other.run("long", lambda: work("other"))))
        await until(lambda: "other" in running)
        gate.set()
        await asyncio.gather(*tasks)

    asyncio.run(run())
    assert max(most) == QUOTAS["long"].per_socket


def test_work_that_was_given_up_keeps_its_place_until_it_ends(pools):
    gate, begun = threading.Event(), []

    async def run():
        places = SocketPlaces(pools)
        first = [
            asyncio.ensure_future(places.run("exact", lambda: gate.wait(30)))
            for _ in range(QUOTAS["exact"].per_socket)
        ]
        await asyncio.sleep(0.05)
        for task in first:
            task.cancel()
        later = asyncio.ensure_future(places.run("exact", lambda: begun.append(1)))
        await asyncio.sleep(0.1)
        assert not begun
        gate.set()
        await asyncio.wait_for(later, 30)

    asyncio.run(run())
    assert begun == [1]


def test_work_that_fails_fails_where_it_is_waited_for(pools):
    with pytest.raises(ZeroDivisionError):
        asyncio.run(SocketPlaces(pools).run("quick", lambda: 1 / 0))


def test_threads_that_are_at_work_do_not_hold_up_the_end():
    pools, gate = ThreadPools(), threading.Event()
    pools.submit("long", gate.wait)
    began = time.monotonic()
    assert not pools.end(patience=0.2)
    assert time.monotonic() - began < 5.0
    gate.set()
    assert pools.end(patience=10.0)


def test_a_cache_makes_each_thing_once_for_all_threads():
    cache, made, gate = Cache(size=2), [], threading.Event()

    def make():
        made.append(1)
        assert gate.wait(30)
        return "thing"

    got = []
    threads = [
        threading.Thread(target=lambda: got.append(cache.get("key", make))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    assert soon(lambda: made)
    gate.set()
    for thread in threads:
        thread.join()
    assert (got, made) == (["thing"] * 5, [1])


def test_a_cache_forgets_what_was_not_used_longest():
    cache = Cache(size=2)
    for key in "ab":
        cache.get(key, key.lower)
    cache.get("a", lambda: None)
    cache.get("c", lambda: "c")
    assert [cache.find(key) for key in "abc"] == ["a", None, "c"]
    assert len(cache) == 2


def test_a_cache_keeps_no_failure():
    cache = Cache(size=2)
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: 1 / 0)
    assert cache.get("key", lambda: 1) == 1


def test_a_pace_is_that_many_messages_a_second():
    now = [0.0]
    pace = Pace(rate=10.0, burst=20, clock=lambda: now[0])
    allowed = 0
    for _ in range(1000):  # 10 seconds, 100 messages a second
        now[0] += 0.01
        allowed += pace.allows()
    assert allowed == pytest.approx(20 + 10.0 * 10.0, abs=1)
    assert (
        pace.refused == 1000 - allowed
    )  # one that passes now and then does not make up for the rest
    now[0] += 1.5
    assert pace.allows()
    assert pace.refused == 0


def test_four_requests_are_in_progress_at_once_and_a_fifth_is_refused(pools, held):
    async def script(conversation, sent):
        for number in range(5):
            await conversation.hear(request(number, "rows", world={"map": "."}, state=0))
        assert [(reply["id"], reply["ok"]) for reply in sent] == [(4, False)]
        assert "4 requests are in progress" in sent[0]["error"]
        held.gate.set()
        await until(lambda: len(sent) == 5)

    sent = talk(pools, held, script)
    assert {reply["id"] for reply in sent if reply["ok"]} == {0, 1, 2, 3}


def test_a_number_that_is_in_progress_is_refused(pools, held):
    async def script(conversation, sent):
        await conversation.hear(request(7))
        await conversation.hear(request(7))
        assert "in progress" in sent[0]["error"]
        held.gate.set()
        await until(lambda: len(sent) == 2)
        await conversation.hear(request(7))
        await until(lambda: len(sent) == 3)

    assert [reply["ok"] for reply in talk(pools, held, script)] == [False, True, True]


def test_a_cancelled_request_is_answered_at_once_and_only_once(pools, held):
    async def script(conversation, sent):
        for number in range(4):
            fields = {"which": "sr", "kind": "svd", "n": 1}
            await conversation.hear(request(number, "basis", world={"map": "."}, **fields))
        await until(lambda: held.begun == 2)
        for number in (0, 3):  # one at work, one waiting for its place
            await conversation.hear(request(10 + number, "cancel", target=number))
        await conversation.hear(request(9, "cancel", target=99))
        cancelled = [{"id": number, "ok": False, "error": "cancelled"} for number in (0, 3)]
        done = [{"id": number, "ok": True} for number in (10, 13, 9)]
        assert sent == [cancelled[0], done[0], cancelled[1], *done[1:]]
        held.gate.set()
        await until(lambda: len(sent) == 7)
        await asyncio.sleep(0.1)

    sent = talk(pools, held, script)
    assert sorted(reply["id"] for reply in sent) == [0, 1, 2, 3, 9, 10, 13]
    assert held.begun == 3  # what had not begun was left out


def test_a_cancelled_request_makes_room_for_another(pools, held):
    async def script(conversation, sent):
        for number in range(limits.REQUESTS_IN_PROGRESS):
            await conversation.hear(request(number))
        await conversation.hear(request(20, "cancel", target=0))
        await conversation.hear(request(21))
        held.gate.set()
        await until(lambda: len(sent) == 6)

    assert next(reply for reply in talk(pools, held, script) if reply["id"] == 21)["ok"]


def test_a_socket_that_closes_gives_up_everything(pools, held):
    async def script(conversation, sent):
        for number in range(4):
            await conversation.hear(
                request(number, "train", world={"map": "."}, agents=[{}], episodes=1, horizon=1)
            )
        await until(lambda: held.begun == 2)

    assert talk(pools, held, script) == []  # `talk` asserts that no task is left
    held.gate.set()
    assert held.begun == 2


def test_a_fault_of_the_lab_itself_is_one_sentence(pools):
    class Broken:
        def answer(self, request):
            raise ZeroDivisionError("/secret/path")

    async def script(conversation, sent):
        await conversation.hear(request(1))
        await until(lambda: sent)

    (reply,) = talk(pools, Broken(), script)
    assert reply == {
        "id": 1,
        "ok": False,
        "error": "the lab failed with ZeroDivisionError; this is a bug of hsr",
    }


@pytest.mark.parametrize("value", [float("nan"), {1, 2}])
def test_an_answer_that_json_cannot_hold_has_a_reply_too(value):
    """Without one its request would be in progress until the socket closes."""

    class Faulty:
        def answer(self, request):
            return {"value": value}

    reply = json.loads(reply_text(Faulty(), read_request('{"id": 7, "do": "presets"}')))
    assert (reply["id"], reply["ok"]) == (7, False)
    assert "bug of hsr" in reply["error"]
