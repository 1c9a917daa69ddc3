"""What the driver of a cluster does when futures are lost, with a client that is a stub."""

import asyncio
import threading
from dataclasses import dataclass, field

import pytest

from hsr import InputError
from hsr.paper.engine import run
from hsr.paper.engine.cluster import compute
from hsr.paper.store.lease import Leases
from tests.paper.engine.engine_work import contents, job, result

JOBS = [job(index=index, seeds=[0, 1]) for index in range(4)]
N_RUNS = 8


@dataclass(eq=False)
class Future:
    """A future with a fate: "done", "failed", "cancelled", "not fetched" or "never"."""

    fate: str
    task: object = None
    version: str = ""

    @property
    def status(self):
        return {"failed": "error", "cancelled": "cancelled"}.get(self.fate, "finished")

    async def result(self):
        match self.fate:
            case "failed":
                raise RuntimeError("the work kills workers")
            case "cancelled":
                raise asyncio.CancelledError("connection lost\nRun it again.")
            case "not fetched":
                raise OSError("stream is closed")
        return compute(self.task, self.version)


@dataclass
class Client:
    """A client whose first futures have the given fates. All others share one."""

    fates: list
    other_fate: str = "done"
    ids: list = field(default_factory=lambda: ["first"])
    n_processing: int = 1
    n_workers: int = 1
    answers: bool = True
    status: str = "running"
    submitted: list = field(default_factory=list)
    closed: bool = False

    @property
    def loop(self):
        return self

    def submit(self, function, task, version, **options):
        fate = self.fates[n] if (n := len(self.submitted)) < len(self.fates) else self.other_fate
        self.submitted.append(task)
        return Future(fate, task, version)

    def add_callback(self, bring, future, answers):
        if future.fate != "never":
            asyncio.run(bring(future, answers))

    def sync(self, function, client, callback_timeout):
        if not self.answers:
            raise TimeoutError
        return asyncio.run(function(client))

    async def processing(self):
        return {f"worker {n}": ["a task"] * self.n_processing for n in range(self.n_workers)}

    def scheduler_info(self):
        return {"id": self.ids.pop(0) if len(self.ids) > 1 else self.ids[0]}

    def cancel(self, futures):
        assert self.status == "running"

    def close(self, timeout):
        self.closed = True
        raise TimeoutError  # as a client does that waits for its scheduler


@pytest.fixture
def on_clients(monkeypatch, store):
    """Return a function that runs all jobs on some clients, one after the other."""
    for name in (
        "cluster._SECONDS_BETWEEN_LOOKS",
        "connection._SECONDS_BETWEEN_TRIES",
        "queue.SECONDS_BETWEEN_TRIES",
    ):
        monkeypatch.setattr(f"hsr.paper.engine.{name}", 0.0)
    for name in ("_LEAST_STANDSTILL", "SECONDS_WITHOUT_ANSWER", "_SECONDS_BETWEEN_QUESTIONS"):
        monkeypatch.setattr(f"hsr.paper.engine.cluster_watch.{name}", 0.0)
    monkeypatch.setattr("hsr.paper.engine.connection.SECONDS_WITHOUT_ANSWER", 0.0)

    def run_on(*clients, **options):
        left = iter(clients)

        def connect(scheduler, *, seconds=None):
            if (client := next(left, None)) is None:
                raise InputError("nobody answers")
            return client

        for module in ("cluster", "connection"):
            monkeypatch.setattr(f"hsr.paper.engine.{module}.connect", connect)
        options = {"progress": "none", "patience": 0.0} | options
        summary = run(JOBS, store, engine="dask", scheduler="here", **options)
        assert all(client.closed for client in clients if client.submitted)
        return summary

    return run_on


LOSSES = {
    "CancelledError: connection lost": {"other_fate": "cancelled"},
    "OSError: stream is closed": {"other_fate": "not fetched"},
    "its scheduler was restarted": {"other_fate": "never", "ids": ["first", "second"]},
    "the connection to its scheduler broke": {"other_fate": "never", "status": "connecting"},
    "no worker has worked on anything for 0 s": {"other_fate": "never", "n_processing": 0},
    "its scheduler does not answer": {"other_fate": "never", "answers": False},
}


@pytest.mark.parametrize("why", LOSSES)
def test_what_was_lost_is_submitted_again_and_nothing_else(why, on_clients, store, capsys):
    first = Client(["done"], **LOSSES[why])
    second = Client([])
    summary = on_clients(first, second, progress="auto")
    assert (summary.done, summary.failed, summary.interrupted) == (N_RUNS, [], False)
    assert [task.job for task in second.submitted] == JOBS[1:]
    assert len(contents(store)) == N_RUNS
    said = f"the cluster lost the work: {why}; submitting it again\n"
    assert said in capsys.readouterr().err


def test_work_that_is_lost_again_and_again_is_given_up_with_the_reason(on_clients):
    clients = [Client([], "not fetched") for _ in range(9)]
    summary = on_clients(*clients)
    assert [bool(client.submitted) for client in clients] == [True] * 4 + [False] * 5
    assert [failure.job for failure in summary.failed] == JOBS
    for failure in summary.failed:
        assert failure.seeds == (0, 1)
        assert failure.error == (
            "the cluster lost the work: OSError: stream is closed (4 times in a row)"
        )


def test_losses_are_no_reason_to_give_up_while_tasks_are_finished_in_between(on_clients):
    losses = [Client([], "cancelled") for _ in range(5)]
    one_done = Client(["done"], "cancelled")
    summary = on_clients(*losses[:3], one_done, *losses[3:], Client([]))
    assert (summary.done, summary.failed) == (N_RUNS, [])


def test_a_scheduler_that_does_not_come_back_is_the_reason(on_clients):
    summary = on_clients(Client(["done"], "cancelled"))
    assert summary.done == 2
    assert {failure.error for failure in summary.failed} == {
        "the cluster lost the work: its scheduler does not answer"
    }


def test_a_task_that_dask_gives_up_fails_alone_and_once(on_clients):
    client = Client(["done", "failed"])
    summary = on_clients(client)
    assert summary.done == 6
    ((failed, seeds, error),) = summary.failed
    assert (failed, seeds) == (JOBS[1], (0, 1))
    assert error == "the cluster lost the work: RuntimeError: the work kills workers"
    assert len(client.submitted) == len(JOBS)


def test_runs_that_another_process_stored_are_not_submitted_again(on_clients, store):
    first, second = Client(["done"], "cancelled"), Client([])

    def store_another(event):
        store.put(result(JOBS[1].setting, 1))
        for seed in JOBS[2].seeds:
            store.put(result(JOBS[2].setting, seed))

    summary = on_clients(first, second, on_event=store_another)
    assert (summary.done, summary.skipped, summary.failed) == (5, 3, [])
    assert [(task.job, task.seeds) for task in second.submitted] == [
        (JOBS[1], (0,)),
        (JOBS[3], (0, 1)),
    ]


def test_work_in_progress_is_waited_for(on_clients):
    """A cluster that works, with a scheduler that stays the same, is asked again and again."""
    client = Client([], "never", ids=["first"] * 50 + ["second"])
    on_clients(client, Client([]))
    assert client.ids == ["second"]


def test_a_driver_that_is_stopped_does_not_wait_for_a_scheduler(on_clients, monkeypatch):
    stop = threading.Event()
    monkeypatch.setattr("hsr.paper.engine.running.threading.Event", lambda: stop)
    second = Client([])
    summary = on_clients(Client(["done"], "cancelled"), second, on_event=lambda event: stop.set())
    assert summary.interrupted
    assert second.submitted == []


@pytest.mark.parametrize("stores", [True, False])
def test_a_job_that_another_driver_works_on_is_left_to_it(stores, on_clients, store):
    """The other driver stores the runs or gives up, while this one waits for it."""
    other, (first, second) = Leases(store.folder / "leases"), (Client([]), Client([]))
    other.take(JOBS[0].lease)
    done = []

    def end_the_other(event):
        done.append(event)
        if len(done) == N_RUNS - 2:
            for seed in JOBS[0].seeds if stores else ():
                store.put(result(JOBS[0].setting, seed))
            other.close()

    summary = on_clients(first, second, on_event=end_the_other)
    assert [task.job for task in first.submitted] == JOBS[1:]
    assert [task.job for task in second.submitted] == ([] if stores else JOBS[:1])
    assert (summary.done, summary.skipped) == ((6, 2) if stores else (8, 0))
    assert not (store.folder / "leases").exists()
