"""Whether a cluster answers and has workers. One that has none is waited for, with a word about it,
and given up in the end.
"""

import time
from typing import Any

from hsr import InputError
from hsr.paper.engine.tally import Tally

SECONDS_WITHOUT_WORKERS = 60.0
_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_TO_ANSWER = 2.0
_SECONDS_WITHOUT_ANSWER = 15.0


class Crew:
    """The workers of a cluster, looked at now and then.

    Parameters
    ----------
    client : distributed.Client
        A client of the cluster.
    scheduler : str
        Its address, for messages.
    patience : float
        Seconds that the cluster may be without any worker, before the first one joins or after the
        last one has gone.
    """

    def __init__(self, client: Any, scheduler: str, patience: float) -> None:
        self.client, self.scheduler, self.patience = client, scheduler, patience
        self.looked = self.seen = self.heard = time.monotonic()
        self.told = False

    def look(self, tally: Tally) -> None:
        """Say once that there are no workers, and raise `InputError` when there have been none for
        too long.
        """
        now = time.monotonic()
        if now - self.looked < _SECONDS_BETWEEN_LOOKS:
            return
        self.looked = now
        if self._is_there():
            self.seen, self.told = now, False
        elif now - self.seen > self.patience:
            raise InputError(
                f"the cluster at {self.scheduler!r} has had no worker for {self.patience:g} s; start some with "
                f"'dask worker {self.scheduler}' and call again: what is done is kept"
            )
        elif not self.told:
            self.told = True
            tally.tick(
                f"the cluster at {self.scheduler} has no worker; waiting up to {self.patience:g} s for one"
            )

    @property
    def is_lost(self) -> bool:
        """Whether the scheduler has not answered for so long that it counts as gone, with all that
        it was asked for.
        """
        return time.monotonic() - self.heard > _SECONDS_WITHOUT_ANSWER

    def _is_there(self) -> bool:
        """Return whether there is a worker, as far as the scheduler says; without an answer nothing
        is said of workers.
        """
        try:
            has_workers = self.client.sync(
                _has_workers, self.client, callback_timeout=_SECONDS_TO_ANSWER
            )
        except OSError:  # no answer, or none in time
            return True
        if has_workers is None:
            return True
        self.heard = time.monotonic()
        return bool(has_workers)


async def _has_workers(client: Any) -> bool | None:
    """Ask the scheduler; None if the client has lost it. Runs in the client's own loop, so that
    nothing ends in between.
    """
    return bool(await client.nthreads()) if client.status == "running" else None
