"""Attacks on the driver of a cluster: its scheduler is killed and started again at once."""

import os
import random
import signal
import socket
import threading

import pytest

from hsr.paper.engine import run
from hsr.paper.store import Store
from tests.paper.engine.engine_work import contents, job
from tests.paper.engine.processes import a_cluster

pytest.importorskip("distributed")

TRIALS = 50
SECONDS_OF_A_HANG = 60.0
JOBS = [job(index=index, seeds=[0]) for index in range(100)]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("expected"))
    assert run(JOBS, store, progress="none").done == len(JOBS)
    return contents(store)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    folder = tmp_path_factory.mktemp("cluster")
    with a_cluster(folder, port=port, HSR_TEST_PAUSE="0.01") as cluster:
        cluster.port = port
        yield cluster


def restart(cluster):
    """Kill the scheduler, and start it and the workers again without a pause."""
    former = cluster.workers
    cluster.scheduler.kill()
    cluster.scheduler.wait()
    cluster.scheduler = cluster.start_scheduler(cluster.port)
    cluster.workers = [cluster.start_worker() for _ in former]
    for worker in former:
        worker.kill()


@pytest.mark.long
@pytest.mark.parametrize("trial", range(TRIALS))
def test_a_scheduler_that_is_killed_and_started_again_is_resumed_from(
    trial, cluster, expected, tmp_path
):
    """A driver that waits for ever is interrupted in the end, and says that it was."""
    chance = random.Random(trial)
    stored, pause = chance.randint(25, 45), chance.random() / 50
    n_events, now = 0, threading.Event()

    def count(event):
        nonlocal n_events
        n_events += event.kind == "done"
        if n_events == stored:
            now.set()

    def attack():
        now.wait()
        threading.Event().wait(pause)
        restart(cluster)

    attacker = threading.Thread(target=attack)
    hang = threading.Timer(SECONDS_OF_A_HANG, os.kill, (os.getpid(), signal.SIGINT))
    attacker.start()
    hang.start()
    store = Store(tmp_path / "store")
    try:
        address = cluster.address
        summary = run(
            JOBS, store, engine="dask", scheduler=address, progress="none", on_event=count
        )
    finally:
        hang.cancel()
        now.set()
        attacker.join()
    assert not summary.interrupted
    assert summary.failed == []
    assert contents(store) == expected
