"""The cluster engine against a real scheduler and two real workers on this machine: the same bytes as the local engine."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from hsr import InputError
from hsr.engine import Job, run
from hsr.results import Record, Store, StoreError, run_key
from tests.engine_work import EXPERIMENT, contents

ROOT = Path(__file__).resolve().parents[1]
DASK = str(Path(sys.executable).with_name("dask"))


def job(work="plain", seeds=range(3), **setting):
    return Job(f"tests.engine_work:{work}", EXPERIMENT, setting, seeds)


JOBS = [job(index=index) for index in range(8)]


class Cluster:
    """A scheduler and two workers with one thread each, as processes."""

    def __init__(self, folder, **environment):
        self.folder = folder
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        self.processes = []
        self.file = folder / "scheduler.json"
        self.scheduler = self.start("scheduler", "--port", "0")
        simple = ["--no-nanny", "--nthreads", "1", "--local-directory", str(folder)]
        self.workers = [self.start("worker", *simple) for _ in range(2)]

    def start(self, *arguments):
        known = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(self.file)]
        with open(self.folder / f"log{len(self.processes)}", "wb") as log:
            process = subprocess.Popen([DASK, *arguments, *known], env=self.environment, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    @property
    def address(self):
        assert soon(lambda: self.file.exists() and self.file.read_text().strip().endswith("}"))
        return json.loads(self.file.read_text())["address"]

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()


def soon(condition, seconds=30.0):
    """Wait until the condition holds, and return whether it did in time."""
    deadline = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return held


@contextmanager
def a_cluster(folder, **environment):
    cluster = Cluster(folder, **environment)
    try:
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with a_cluster(tmp_path_factory.mktemp("cluster"), OPENBLAS_NUM_THREADS="2") as cluster:
        yield cluster.address


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("expected"))
    assert run(JOBS, store, progress="none").done == 24
    return contents(store)


def on_cluster(jobs, store, address, **options):
    return run(jobs, store, engine="dask", scheduler=address, progress="none", **options)


def test_a_cluster_gives_the_bytes_of_the_local_engine(shared, expected, tmp_path):
    store = Store(tmp_path)
    run(JOBS[:2], store, progress="none")
    summary = on_cluster(JOBS, store, shared)
    assert (summary.done, summary.skipped, summary.failed, summary.interrupted) == (18, 6, [], False)
    assert contents(store) == expected


def test_algebra_has_one_thread_there_too(shared, tmp_path):
    store = Store(tmp_path)
    on_cluster([job("threads", seeds=[0])], store, shared)
    pools = store.get(run_key(EXPERIMENT, {}, 0)).arrays["pools"]
    assert pools.size >= 1
    np.testing.assert_array_equal(pools, 1)


def test_a_worker_that_is_killed_half_way_loses_nothing(expected, tmp_path):
    (tmp_path / "cluster").mkdir()
    store = Store(tmp_path / "store")
    with a_cluster(tmp_path / "cluster", HSR_TEST_PAUSE="0.1") as cluster:

        def kill_one(event):
            cluster.workers[0].kill()

        summary = on_cluster(JOBS, store, cluster.address, on_event=kill_one)
        assert cluster.workers[0].wait() == -signal.SIGKILL
        assert cluster.workers[1].poll() is None
    assert (summary.done, summary.failed) == (24, [])
    assert contents(store) == expected


def test_a_scheduler_that_dies_is_reported(tmp_path):
    (tmp_path / "cluster").mkdir()
    store = Store(tmp_path / "store")
    with a_cluster(tmp_path / "cluster", HSR_TEST_PAUSE="0.1") as cluster:
        began = time.monotonic()
        summary = on_cluster(JOBS, store, cluster.address, on_event=lambda event: cluster.scheduler.kill())
        assert time.monotonic() - began < 30.0
    assert summary.done == len(store.keys()) < 24
    assert summary.done + sum(len(failure.seeds) for failure in summary.failed) == 24
    assert all("the cluster lost the work" in failure.error for failure in summary.failed)


@pytest.mark.parametrize(
    ("work", "kept", "says"),
    [
        ("broken", 1, r"RuntimeError: this seed is \x1b[31mbroken\x07"),
        ("leaving", 1, "SystemExit: 3"),
        ("too_few", 1, "gave no record for the seeds [1, 2]"),
        ("absent", 0, "has no attribute 'absent'"),
    ],
)
def test_a_job_that_breaks_is_reported_and_the_others_go_on(work, kept, says, shared, tmp_path):
    bad = job(work, index=9)
    summary = on_cluster([bad, *JOBS[:2]], Store(tmp_path), shared)
    assert summary.done == 6 + kept
    ((failed, seeds, error),) = summary.failed
    assert (failed, seeds) == (bad, tuple(range(kept, 3)))
    assert says in error


def test_a_record_that_differs_from_its_stored_twin_fails_alone(shared, tmp_path):
    store = Store(tmp_path)
    bad = job(index=9)

    def put_another(event):
        key = run_key(EXPERIMENT, bad.setting, 1)
        if key not in store:
            store.put(Record(EXPERIMENT, bad.setting, 1, {"numbers": [0.0]}))

    summary = on_cluster([JOBS[0], job("slow", index=9), JOBS[1]], store, shared, on_event=put_another)
    assert summary.done == 8
    assert [failure.seeds for failure in summary.failed] == [(1,)]
    assert "with other results" in summary.failed[0].error


def test_a_store_that_takes_no_records_ends_the_run(shared, tmp_path):
    store = Store(tmp_path)
    blocked = store.path_of(run_key(EXPERIMENT, JOBS[1].setting, 1)).parent
    blocked.parent.mkdir()
    blocked.touch()
    with pytest.raises(StoreError, match="cannot write run"):
        on_cluster(JOBS, store, shared)


def test_ctrl_c_returns_soon(tmp_path):
    (tmp_path / "cluster").mkdir()
    code = (
        "import sys; from hsr.engine import Job, run; from hsr.results import Store\n"
        f"jobs = [Job('tests.engine_work:plain', {EXPERIMENT!r}, {{'index': i}}, range(3)) for i in range(20)]\n"
        "summary = run(jobs, Store(sys.argv[1]), engine='dask', scheduler=sys.argv[2], progress='none')\n"
        "print(summary.interrupted, summary.failed)"
    )
    folder = tmp_path / "store"
    with a_cluster(tmp_path / "cluster", HSR_TEST_PAUSE="0.2") as cluster:
        driver = subprocess.Popen([sys.executable, "-c", code, folder, cluster.address], stdout=subprocess.PIPE, text=True)
        assert soon(lambda: any(folder.glob("runs/*/*.run")))
        driver.send_signal(signal.SIGINT)
        began = time.monotonic()
        output, _ = driver.communicate(timeout=20)
        assert time.monotonic() - began < 5.0
    assert output == "True []\n"
    assert len(Store(folder).keys()) < 60


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://127.0.0.1:1", "127.0.0.1:port", "\x1b[31m"])
def test_an_address_where_nobody_answers_is_refused(address, tmp_path):
    began, threads = time.monotonic(), set(threading.enumerate())
    with pytest.raises(InputError, match="no Dask scheduler answers at"):
        on_cluster(JOBS, Store(tmp_path), address)
    assert time.monotonic() - began < 10.0
    assert set(threading.enumerate()) <= threads


def test_without_distributed_the_way_to_get_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'hsr-rl\[cluster\]'"):
        on_cluster(JOBS, Store(tmp_path), "tcp://127.0.0.1:1")
