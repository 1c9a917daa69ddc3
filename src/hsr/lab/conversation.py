"""`Conversation`: the requests of one socket and their replies."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

from hsr import HSRError
from hsr.lab import limits
from hsr.lab.answers import Answers
from hsr.lab.messages import RefusedRequest, read_request
from hsr.lab.pools import SocketPlaces, ThreadPools
from hsr.lab.requests import AnyRequest, Cancel
from hsr.toolkit import escape_control

Send = Callable[[str], Awaitable[None]]
_LONGEST_ERROR = 500


class Pace:
    """A limit on the messages of a socket (a token bucket).

    Parameters
    ----------
    rate : float
        Messages per second in the long run.
    burst : int
        Messages at once.
    clock : callable
        Returns the time in seconds.

    Examples
    --------
    >>> now = [0.0]
    >>> pace = Pace(rate=1.0, burst=2, clock=lambda: now[0])
    >>> [pace.allows() for _ in range(3)]
    [True, True, False]
    >>> now[0] = 1.0
    >>> pace.allows()
    True
    """

    def __init__(
        self,
        rate: float = limits.MESSAGES_PER_SECOND,
        burst: int = limits.MESSAGES_AT_ONCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate, self._burst, self._clock = rate, float(burst), clock
        self._left, self._seen = float(burst), clock()
        self.refused = 0

    def allows(self) -> bool:
        """Return whether one more message may be read now.

        `refused` counts the messages that were not. It starts again from 0 once the socket has
        been calm.
        """
        now = self._clock()
        self._left = min(self._burst, self._left + self._rate * (now - self._seen))
        self._seen = now
        if self._left < 1.0:
            self.refused += 1
            return False
        if self._left >= self._burst / 2:
            self.refused = 0
        self._left -= 1.0
        return True


class Conversation:
    """One socket: every request gets exactly one reply, and no task outlives the socket.

    `hear` is called with each frame, and `end` when the socket has closed.
    """

    def __init__(self, answers: Answers, pools: ThreadPools, send: Send) -> None:
        self._answers = answers
        self._places = SocketPlaces(pools)
        self._send = send
        self._pace = Pace()
        self._in_progress: dict[int, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def hear(self, frame: str | bytes) -> bool:
        """Read one frame, and return whether the socket may stay open."""
        allowed = self._pace.allows()
        try:
            if isinstance(frame, bytes):
                raise RefusedRequest("the frame is binary; expected text with a JSON object")
            request = read_request(frame)
            if not allowed:
                raise RefusedRequest(
                    "too many messages; "
                    f"at most {limits.MESSAGES_PER_SECOND:.0f} a second are read",
                    request.id,
                )
            self._begin(request)
        except RefusedRequest as error:
            await self._tell(error.id, {"ok": False, "error": str(error)})
            return self._pace.refused < limits.REFUSALS_BEFORE_CLOSING
        if isinstance(request, Cancel):
            await self._cancel(request)
        return True

    async def end(self) -> None:
        """Cancel everything that is in progress."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, request: AnyRequest) -> None:
        if isinstance(request, Cancel):
            return
        if request.id in self._in_progress:
            raise RefusedRequest(
                f"id is {request.id}; a request with this number is in progress", request.id
            )
        if len(self._in_progress) >= limits.REQUESTS_IN_PROGRESS:
            raise RefusedRequest(
                f"{limits.REQUESTS_IN_PROGRESS} requests are in progress; "
                "wait for one or cancel it",
                request.id,
            )
        task = asyncio.create_task(self._reply(request))
        self._in_progress[request.id] = task
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # a socket that closed while a reply was sent is no fault

    async def _cancel(self, request: Cancel) -> None:
        task = self._in_progress.pop(request.target, None)
        if task is not None:
            task.cancel()
            await self._tell(request.target, {"ok": False, "error": "cancelled"})
        await self._tell(request.id, {"ok": True})

    async def _reply(self, request: AnyRequest) -> None:
        text = await self._places.run(request.pool, lambda: reply_text(self._answers, request))
        if self._in_progress.get(request.id) is asyncio.current_task():
            try:
                await self._send(text)
            finally:
                self._in_progress.pop(request.id, None)

    async def _tell(self, number: int | None, reply: dict[str, Any]) -> None:
        await self._send(json.dumps({"id": number, **reply}))


def reply_text(answers: Answers, request: AnyRequest) -> str:
    """Return the reply to a request as JSON. If anything fails, it holds one sentence."""
    try:
        return json.dumps(
            {"id": request.id, "ok": True, **answers.answer(request)}, allow_nan=False
        )
    except HSRError as error:
        sentence = escape_control(str(error))[:_LONGEST_ERROR]
    except MemoryError:
        sentence = "this does not fit into memory; use a smaller maze"
    except Exception as error:
        # A bug of the lab: the page gets the type of the error, and the server keeps running.
        sentence = f"the lab failed with {type(error).__name__}; this is a bug of hsr"
    return json.dumps({"id": request.id, "ok": False, "error": sentence})
