"""`ClusterWatch`: whether a Dask cluster still works on what was submitted to it."""

import time
from typing import Any, NamedTuple

from hsr import InputError
from hsr.paper.engine.progress import Progress

_SECONDS_TO_ANSWER = 2.0
SECONDS_WITHOUT_ANSWER = 60.0
_SECONDS_BETWEEN_QUESTIONS = 0.5
_LEAST_STANDSTILL = 15.0  # seconds that the last answers may need to arrive


class LostWork(Exception):
    """A cluster will not finish what was submitted to it. The text is the reason."""


class State(NamedTuple):
    """The state of a cluster, by the word of its scheduler."""

    scheduler_id: str
    n_workers: int
    n_processing: int


class ClusterWatch:
    """Watches the workers of a cluster, its scheduler, and whether anything is worked on.

    A future is not enough to wait for. If the scheduler is restarted or the connection breaks, some
    futures may never be finished, cancelled or failed.

    Parameters
    ----------
    client : distributed.Client
        A client of the cluster.
    scheduler : str
        Its address, for messages.
    patience : float
        Seconds that the cluster may be without any worker, or that workers may have nothing to do
        while answers are missing.
    """

    def __init__(self, client: Any, scheduler: str, patience: float) -> None:
        self.client, self.scheduler, self.patience = client, scheduler, patience
        self.asked = self.had_workers = self.answered = self.moved = time.monotonic()
        self.user_knows = False
        state = self._ask()
        self.scheduler_id = None if state is None else state.scheduler_id

    def note_answer(self) -> None:
        """Note that the answer to a task has arrived."""
        self.moved = time.monotonic()

    def check(self, progress: Progress) -> None:
        """Note once that there are no workers. Raise an exception if waiting is of no use.

        Raises
        ------
        LostWork
            If what was submitted should be submitted again.
        InputError
            If there have been no workers for too long.
        """
        if self.client.status != "running":
            raise LostWork("the connection to its scheduler broke")
        now = time.monotonic()
        if now - self.asked < _SECONDS_BETWEEN_QUESTIONS:
            return
        self.asked = now
        state = self._ask()
        if state is None:
            if now - self.answered > SECONDS_WITHOUT_ANSWER:
                raise LostWork("its scheduler does not answer")
            return
        self.answered = now
        if self.scheduler_id not in (None, state.scheduler_id):
            raise LostWork("its scheduler was restarted")
        self.scheduler_id = state.scheduler_id
        self._check_workers(state, now, progress)
        self._check_movement(state, now)

    def _check_workers(self, state: State, now: float, progress: Progress) -> None:
        if state.n_workers:
            self.had_workers, self.user_knows = now, False
        elif now - self.had_workers > self.patience:
            raise InputError(
                f"the cluster at {self.scheduler!r} has had no worker for {self.patience:g} s; "
                f"start some with 'dask worker {self.scheduler}' and run this again: "
                "finished runs are kept"
            )
        elif not self.user_knows:
            self.user_knows = True
            progress.refresh(
                f"the cluster at {self.scheduler} has no worker; "
                f"waiting up to {self.patience:g} s for one"
            )

    def _check_movement(self, state: State, now: float) -> None:
        seconds = max(self.patience, _LEAST_STANDSTILL)
        if state.n_processing or not state.n_workers:
            self.moved = now
        elif now - self.moved > seconds:
            raise LostWork(f"no worker has worked on anything for {seconds:g} s")

    def _ask(self) -> State | None:
        """Ask the scheduler. Without an answer in time, return None."""
        try:
            return self.client.sync(_state_of, self.client, callback_timeout=_SECONDS_TO_ANSWER)
        except OSError:  # no answer, or none in time
            return None


async def _state_of(client: Any) -> State | None:
    """Ask the scheduler, or return None if the client has lost it. Runs in the client's loop."""
    if client.status != "running":
        return None
    processing = await client.processing()
    scheduler_id = client.scheduler_info()["id"]  # as of the last heartbeat
    return State(scheduler_id, len(processing), sum(map(len, processing.values())))
