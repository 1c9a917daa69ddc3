"""`run` on Dask: the same bytes, dead workers, killed and interrupted drivers.

Processes are slow to start, so one cluster answers for several questions.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import hsr
from hsr import InputError
from hsr.experiments.engine import Job, run
from hsr.experiments.store import Store, StoreError
from tests.experiments.engine.engine_work import EXPERIMENT, digests, job
from tests.waiting import soon

JOBS = [job(index=index) for index in range(6)]
DRIVER = """
import signal, sys
from hsr.experiments.engine import Job, run
from hsr.experiments.store import Store

if __name__ == "__main__":
    # a suite in the background ignores interrupts, and so would its children
    signal.signal(signal.SIGINT, signal.default_int_handler)
    works = "tests.experiments.engine.engine_work:"
    jobs = [Job(works + "plain", "engine_test", {"index": 0}, range(3)),
            Job(works + "stuck", "engine_test", {"index": 1, "file": sys.argv[2]}, range(3)),
            Job(works + "stuck", "engine_test", {"index": 2, "file": sys.argv[2]}, range(3))]
    done = run(jobs, Store(sys.argv[1]), workers=2, quiet=True)
    print(done.done, done.skipped, len(done.failed), done.interrupted)
"""


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("expected"))
    assert run(JOBS, store, workers=1, quiet=True).done == 18
    return digests(store)


def test_two_workers_store_the_same_bytes_and_a_death_costs_only_the_run_to_blame(
    expected, tmp_path
):
    """One run kills its worker once, another always."""
    store = Store(tmp_path / "store")
    once = job("dying", at=1, times=1, count=str(tmp_path / "once"))
    always = job("dying", at=1, times=99, count=str(tmp_path / "always"))
    done = run([once, always, *JOBS], store, workers=2, quiet=True)
    assert done.done == 3 + 2 + 18
    (failure,) = done.failed
    assert (failure.job.setting, failure.seeds) == (always.setting, (1,))
    assert failure.error == "the run has killed its worker 3 times"
    assert os.path.getsize(tmp_path / "always") == 3
    found = digests(store)
    assert {key: found[key] for key in expected} == expected


def test_a_cluster_at_an_address_stores_the_same_bytes(expected, tmp_path):
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1,
        processes=False,
        threads_per_worker=2,
        dashboard_address="127.0.0.1:0",
        protocol="tcp",
    ) as cluster:
        store = Store(tmp_path / "store")
        address = cluster.scheduler_address
        jobs = [*JOBS, job("broken", index=9), job("threads", seeds=[0])]
        done = run(jobs, store, scheduler=address, quiet=True)
        assert done.done == 18 + 1 + 1
        assert [one.seeds for one in done.failed] == [(1, 2)]
        assert "broken" in done.failed[0].error
        found = digests(store)
        assert {key: found[key] for key in expected} == expected
        pools = [one.arrays["pools"] for one in store.records() if "pools" in one.arrays]
        assert {n for one in pools for n in one.tolist()} == {1}
        file = tmp_path / "mine.py"
        file.write_text("def work(setting, seeds):\n    return []\n")
        mine = Job(f"{file}:work", EXPERIMENT, {"index": 1000}, [0])
        assert "gave no record" in run([mine], store, scheduler=address, quiet=True).failed[0].error


def test_a_warning_of_a_worker_is_shown_once_in_one_line(tmp_path, capfd):
    jobs = [job("warning"), job("warning", index=1), job(index=2)]
    assert run(jobs, Store(tmp_path / "store"), workers=2).done == 9
    said = capfd.readouterr().err.splitlines()
    assert [line for line in said if "too large" in line] == [
        f"warning: {EXPERIMENT}: a rate is too large"
    ]


def test_an_address_where_nobody_answers_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("hsr.experiments.engine.running._SECONDS_TO_CONNECT", 0.5)
    with pytest.raises(InputError, match="no Dask scheduler answers at"):
        run(JOBS, Store(tmp_path / "store"), scheduler="tcp://127.0.0.1:1", quiet=True)


def test_a_worker_with_other_sources_is_refused(tmp_path):
    from hsr.experiments.engine.work import compute

    with pytest.raises(InputError, match="both must have the same version and the same sources"):
        compute(job(), "hsr 0.0.1, sources 0123")


def n_stored(folder):
    """Return the number of runs in a store that another process may just be making."""
    try:
        return len(Store(folder, create=False))
    except StoreError:
        return 0


def children_of(pid):
    """Return the living processes that a process has started, and those that they have."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *children_of(child)]
    return found


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", ["kill", "interrupt"])
def test_what_was_stored_survives_and_the_same_call_resumes(how, tmp_path):
    """The driver is killed, or interrupted as by Ctrl-C, while two of three jobs never end."""
    file, script, folder = tmp_path / "stuck", tmp_path / "driver.py", tmp_path / "store"
    file.touch()
    script.write_text(DRIVER)
    command = [sys.executable, str(script), str(folder), str(file)]
    root = Path(__file__).parents[3]
    path = os.pathsep.join([str(root), str(Path(hsr.__file__).parents[1])])
    environment = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as driver:
        try:
            assert soon(lambda: n_stored(folder) == 3)
            workers = children_of(driver.pid)
            if how == "kill":
                driver.kill()
            else:  # a terminal sends it to all of them
                os.killpg(driver.pid, signal.SIGINT)
                assert driver.communicate(timeout=120)[0].split() == ["3", "0", "0", "True"]
            driver.wait()
            assert soon(lambda: not any(Path(f"/proc/{one}").exists() for one in workers))
        finally:
            if driver.poll() is None:
                driver.kill()
    assert len(Store(folder)) == 3
    file.unlink()
    jobs = [
        job(index=0),
        *(job("stuck", index=index, file=str(file)) for index in (1, 2)),
    ]
    again = run(jobs, Store(folder), workers=1, quiet=True)
    assert (again.done, again.skipped, again.failed) == (6, 3, [])
