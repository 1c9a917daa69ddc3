"""The cluster engine on a real scheduler and two workers: the bytes of the local engine."""

import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import hsr
from hsr import InputError
from hsr.paper.engine import run
from hsr.paper.store import Record, Store, StoreError, made_by, run_key
from hsr.paper.store.sources import hash_of
from tests.paper.engine.engine_work import EXPERIMENT, FAULTS, block, contents, job
from tests.paper.engine.processes import ROOT, a_cluster, environment, stuck_after
from tests.waiting import soon

JOBS = [job(index=index) for index in range(8)]


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


def test_a_cluster_gives_the_bytes_of_the_local_engine(shared, expected, store):
    run(JOBS[:2], store, progress="none")
    summary = on_cluster(JOBS, store, shared)
    assert (summary.done, summary.skipped, summary.failed) == (18, 6, [])
    assert not summary.interrupted
    assert contents(store) == expected


def test_algebra_has_one_thread_there_too(shared, store):
    on_cluster([job("threads", seeds=[0])], store, shared)
    pools = store.get(run_key(EXPERIMENT, {}, 0)).arrays["pools"]
    assert pools.size >= 1
    np.testing.assert_array_equal(pools, 1)


def test_a_worker_that_is_killed_half_way_loses_nothing(expected, tmp_path, store):
    with a_cluster(tmp_path, HSR_TEST_PAUSE="0.1") as cluster:

        def kill_one(event):
            cluster.workers[0].kill()

        summary = on_cluster(JOBS, store, cluster.address, on_event=kill_one)
        assert cluster.workers[0].wait() == -signal.SIGKILL
        assert cluster.workers[1].poll() is None
    assert (summary.done, summary.failed) == (24, [])
    assert contents(store) == expected


def test_a_scheduler_that_dies_is_reported(tmp_path, store, monkeypatch):
    monkeypatch.setattr("hsr.paper.engine.connection.SECONDS_WITHOUT_ANSWER", 1.0)
    with a_cluster(tmp_path, **stuck_after(12, tmp_path)) as cluster:
        summary = on_cluster(
            JOBS, store, cluster.address, on_event=lambda event: cluster.scheduler.kill()
        )
    assert summary.done == len(store.keys()) < 24
    assert summary.done + sum(len(failure.seeds) for failure in summary.failed) == 24
    assert all("the cluster lost the work" in failure.error for failure in summary.failed)


@pytest.mark.parametrize(("work", "kept", "says"), FAULTS)
def test_a_job_that_breaks_is_reported_and_the_others_go_on(work, kept, says, shared, store):
    bad = job(work, index=9)
    summary = on_cluster([bad, *JOBS[:2]], store, shared)
    assert summary.done == 6 + kept
    ((failed, seeds, error),) = summary.failed
    assert (failed, seeds) == (bad, tuple(range(kept, 3)))
    assert says in error


def test_a_record_that_differs_from_its_stored_twin_fails_alone(shared, store):
    bad = job("slow", index=9)
    other = Record(EXPERIMENT, bad.setting, 1, {"numbers": [0.0]})

    def put_another(event):
        if other.key not in store:
            store.put(other)

    summary = on_cluster([JOBS[0], bad, JOBS[1]], store, shared, on_event=put_another)
    assert summary.done == 8
    assert [failure.seeds for failure in summary.failed] == [(1,)]
    assert "with other results" in summary.failed[0].error


def test_a_store_that_takes_no_records_ends_the_run(shared, store):
    block(store, JOBS[1])
    with pytest.raises(StoreError, match="cannot write run"):
        on_cluster(JOBS, store, shared)


def test_ctrl_c_does_not_wait_for_work_that_never_ends(tmp_path):
    code = (
        "import sys; from hsr.paper.store import Store\n"
        "from tests.paper.engine.test_cluster import JOBS, on_cluster\n"
        "summary = on_cluster(JOBS, Store(sys.argv[1]), sys.argv[2])\n"
        "print(summary.interrupted, summary.failed)"
    )
    folder = tmp_path / "store"
    with a_cluster(tmp_path, **stuck_after(12, tmp_path)) as cluster:
        driver = subprocess.Popen(
            [sys.executable, "-c", code, folder, cluster.address],
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert soon(lambda: any(folder.glob("runs/*/*.run")))
        driver.send_signal(signal.SIGINT)
        output, _ = driver.communicate(timeout=60)
    assert output == "True []\n"
    assert len(Store(folder).keys()) <= 12


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "nonsense://127.0.0.1:1", "127.0.0.1:port", "\x1b[31m"]
)
def test_an_address_where_nobody_answers_is_refused(address, store, monkeypatch):
    monkeypatch.setattr("hsr.paper.engine.connection._SECONDS_TO_CONNECT", 2.0)
    threads = set(threading.enumerate())
    with pytest.raises(InputError, match="no Dask scheduler answers at"):
        on_cluster(JOBS, store, address)
    assert set(threading.enumerate()) <= threads


@pytest.fixture
def another_hsr(tmp_path):
    """A folder with a copy of hsr, and the environment of processes that use the copy."""
    folder = tmp_path / "other"
    shutil.copytree(
        ROOT / "src" / "hsr", folder / "hsr", ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder / "hsr", {"PYTHONPATH": f"{folder}:{ROOT}"}


def test_a_worker_of_another_version_is_refused(another_hsr, tmp_path, store):
    folder, variables = another_hsr
    (folder / "_base" / "version.py").write_text('__version__ = "0.0.99"\n')
    words = rf"has hsr 0\.0\.99, sources \w+, and this process has {re.escape(made_by())}"
    with (
        a_cluster(tmp_path, n_workers=1, **variables) as cluster,
        pytest.raises(InputError, match=words),
    ):
        on_cluster(JOBS, store, cluster.address)
    assert store.keys() == []


def test_a_worker_with_other_sources_that_joins_later_is_refused(another_hsr, tmp_path, store):
    """Its version is the same. Nothing that it might have computed is kept."""
    folder, variables = another_hsr
    with (folder / "kernels" / "td.py").open("a") as file:
        file.write("\n# one more line\n")
    words = rf"has hsr {re.escape(hsr.__version__)}, sources {hash_of(folder)}, and this process"
    stuck = stuck_after(12, tmp_path)
    with a_cluster(tmp_path, n_workers=1, **stuck) as cluster:

        def let_it_join(event):
            if len(cluster.processes) == 2:
                cluster.start_worker(**variables)

        with pytest.raises(InputError, match=words):
            on_cluster(JOBS, store, cluster.address, on_event=let_it_join)
    assert 0 < len(store.keys()) <= 12


def test_a_cluster_without_workers_is_given_up_with_a_word_about_it(tmp_path, capfd, store):
    with a_cluster(tmp_path, n_workers=0) as cluster:
        address, began = cluster.address, time.monotonic()
        with pytest.raises(
            InputError, match=r"has had no worker for 2 s; start some with 'dask worker tcp://127"
        ):
            run(JOBS, store, engine="dask", scheduler=address, patience=2.0)
        assert time.monotonic() - began > 2.0
    said = f"the cluster at {address} has no worker; waiting up to 2 s for one\n"
    assert said in capfd.readouterr().err


def test_a_worker_that_joins_in_time_is_waited_for(expected, tmp_path, store):
    with a_cluster(tmp_path, n_workers=0) as cluster:
        late = threading.Timer(1.5, cluster.start_worker)
        late.start()
        try:
            summary = on_cluster(JOBS, store, cluster.address)
        finally:
            late.cancel()
            late.join()
    assert (summary.done, summary.failed) == (24, [])
    assert contents(store) == expected


def test_work_that_is_longer_than_the_patience_is_not_given_up(shared, store):
    assert on_cluster(JOBS[:1], store, shared).done == 3  # from here on there are workers
    slow = [job("slow", index=index) for index in range(1, 8)]
    summary = on_cluster(slow, store, shared, patience=0.5)
    assert summary.done == 21
    assert summary.seconds > 1.5


def test_a_cluster_that_loses_all_its_workers_is_given_up_and_what_is_done_is_kept(tmp_path, store):
    with a_cluster(tmp_path, **stuck_after(12, tmp_path)) as cluster:

        def kill_all(event):
            for worker in cluster.workers:
                worker.kill()

        with pytest.raises(
            InputError, match=r"has had no worker for 1 s; .* finished runs are kept"
        ):
            on_cluster(JOBS, store, cluster.address, patience=1.0, on_event=kill_all)
    assert 0 < len(store.keys()) < 24


def test_without_distributed_the_way_to_get_it_is_told(store, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install '\.\[cluster\]'"):
        on_cluster(JOBS, store, "tcp://127.0.0.1:1")
