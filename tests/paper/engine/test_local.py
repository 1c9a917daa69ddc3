"""The local engine: the same store for any number of workers, order of jobs, and failures."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hsr import InputError
from hsr._base import durable
from hsr.paper.engine import estimate, run
from hsr.paper.store import Store, StoreError, run_key
from tests.paper.engine.engine_work import EXPERIMENT, FAULTS, block, contents, job
from tests.paper.engine.processes import environment


def quiet(jobs, store, **options):
    return run(jobs, store, progress="none", **options)


JOBS = [job(index=index) for index in range(6)]
ADDRESS = {"scheduler": "tcp://127.0.0.1:1"}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return what a run of `JOBS` by one worker leaves."""
    store = Store(tmp_path_factory.mktemp("expected"))
    summary = quiet(JOBS, store, workers=1)
    assert (summary.done, summary.skipped, summary.failed) == (18, 0, [])
    assert not summary.interrupted
    assert store.keys() == sorted(
        run_key(EXPERIMENT, one.setting, seed) for one in JOBS for seed in one.seeds
    )
    return contents(store)


@pytest.mark.parametrize("workers", [2, 4])
def test_the_store_does_not_depend_on_workers_and_order(workers, expected, store):
    shuffled = random.Random(workers).sample(JOBS, len(JOBS))
    assert quiet(shuffled, store, workers=workers).done == 18
    assert contents(store) == expected


def test_runs_that_are_there_are_not_run_again(expected, tmp_path, monkeypatch, store):
    monkeypatch.setenv("HSR_TEST_BEGUN", str(tmp_path / "begun"))
    quiet([job(index=0, seeds=[0, 2]), job(index=3)], store)
    (tmp_path / "begun").unlink()
    assert estimate(JOBS, store) == (13, 5)
    summary = quiet(JOBS, store)
    assert (summary.done, summary.skipped) == (13, 5)
    assert len((tmp_path / "begun").read_text().split()) == 13
    assert contents(store) == expected
    again = quiet(JOBS, store)
    assert (again.done, again.skipped) == (0, 18)
    assert estimate(JOBS, store) == (0, 18)


def test_a_run_that_two_jobs_ask_for_is_run_once(store):
    jobs = [job(seeds=[0, 1]), job(seeds=[1, 2])]
    assert estimate(jobs, store) == (3, 0)
    assert quiet(jobs, store).done == 3


def test_a_function_may_return_all_records_in_any_order(store):
    assert quiet([job("all_at_once")], store).done == 3
    assert store.get(run_key(EXPERIMENT, {}, 2)).arrays["seed"] == 2


@pytest.mark.parametrize(
    ("work", "kept", "says"),
    [
        *FAULTS,
        ("of_another_setting", 0, "gave a record that was not asked for"),
        ("not_records", 0, "gave a record that was not asked for, or twice: 0"),
        ("changing", 1, "with other results"),
    ],
)
def test_a_job_that_breaks_is_reported_and_the_others_go_on(work, kept, says, store, monkeypatch):
    monkeypatch.setenv("HSR_TEST_STORE", str(store.folder))
    events = []
    bad = job(work, index=9)
    summary = quiet([bad, job(index=0), job(index=1)], store, workers=1, on_event=events.append)
    assert (summary.done, summary.skipped, summary.interrupted) == (6 + kept, 0, False)
    ((failed, seeds, error),) = summary.failed
    assert (failed, seeds) == (bad, tuple(range(kept, 3)))
    assert says in error
    assert all(c.isprintable() or c == "\n" for c in error)
    assert [event.kind for event in events].count("done") == 6 + kept
    (event,) = (event for event in events if event.kind == "failed")
    assert (event.job, event.seeds, event.error) == (failed, seeds, error)


def test_an_error_after_the_last_record_is_heard(store):
    summary = quiet([job("ending_late")], store)
    assert summary.done == 3
    assert "too late" in summary.failed[0].error
    assert summary.failed[0].seeds == ()


@pytest.mark.parametrize("how", ["exit", "kill", "segfault"])
def test_a_worker_that_dies_once_is_replaced(how, tmp_path, store):
    deadly = job("dying", at=1, times=1, how=how, count=str(tmp_path / "count"))
    events = []
    summary = quiet([deadly, *JOBS], store, workers=2, on_event=events.append)
    assert (summary.done, summary.failed) == (21, [])
    (event,) = (event for event in events if event.kind == "died")
    assert (event.seeds, event.job) == ((1, 2), deadly)


def test_a_worker_that_dies_twice_fails_its_job_alone(expected, tmp_path, store):
    deadly = job("dying", at=1, times=99, how="kill", count=str(tmp_path / "count"))
    summary = quiet([deadly, *JOBS], store, workers=1)
    assert summary.done == 19
    assert summary.failed == [(deadly, (1, 2), "worker died twice (signal 9, Killed)")]
    assert (tmp_path / "count").stat().st_size == 2
    assert expected.items() <= contents(store).items()


def test_what_a_dead_worker_had_stored_counts_as_done(store, monkeypatch):
    """The worker dies after its last record is on the disk and before it says so."""
    monkeypatch.setenv("HSR_TEST_STORE", str(store.folder))
    summary = quiet([job("dying_unheard", seeds=[5])], store)
    assert (summary.done, summary.skipped, summary.failed) == (1, 0, [])


def test_workers_that_cannot_start_are_reported(store, monkeypatch):
    monkeypatch.setattr("multiprocessing.spawn.get_executable", lambda: b"/bin/false")
    summary = quiet(JOBS[:3], store, workers=1)
    assert summary.done == 0
    assert [failure.job for failure in summary.failed] == JOBS[:3]
    assert all("no worker could start" in failure.error for failure in summary.failed)


def test_every_library_of_algebra_has_one_thread_and_the_driver_keeps_its_own(store, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    quiet([job("threads", seeds=[0])], store)
    arrays = store.get(run_key(EXPERIMENT, {}, 0)).arrays
    np.testing.assert_array_equal(arrays["told"], [1, 1, 1, 1])
    assert arrays["pools"].size >= 1
    np.testing.assert_array_equal(arrays["pools"], 1)
    assert os.environ["OMP_NUM_THREADS"] == "2"
    assert "MKL_NUM_THREADS" not in os.environ


def test_a_store_that_takes_no_records_ends_the_run_with_its_own_message(store):
    block(store, JOBS[1])
    with pytest.raises(StoreError, match="cannot write run"):
        quiet(JOBS, store, workers=1)
    assert 1 <= len(store.keys()) < 18


def test_a_listener_that_raises_ends_the_run_and_its_workers(store, monkeypatch):
    monkeypatch.setenv("HSR_TEST_PAUSE", "0.05")
    pids = set()

    def listener(event):
        pids.update(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        quiet(JOBS, store, workers=2, on_event=listener)
    lines = [Path(f"/proc/{pid}/cmdline") for pid in pids]
    assert not any(line.exists() and b"spawn_main" in line.read_bytes() for line in lines)


def test_a_script_needs_no_guard(tmp_path):
    """Workers import modules by name; they do not run the caller's script again."""
    script = tmp_path / "script.py"
    script.write_text(
        "from hsr.paper.engine import Job, run\nfrom hsr.paper.store import Store\n"
        f"job = Job('tests.paper.engine.engine_work:plain', {EXPERIMENT!r}, {{}}, range(2))\n"
        f"print(run([job], Store({str(tmp_path / 'store')!r}), progress='none').done)\n"
    )
    done = subprocess.run(
        [sys.executable, script], env=environment(), capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_what_dead_writers_left_is_removed_and_a_living_one_goes_on(store):
    path = store.path_of(run_key(EXPERIMENT, JOBS[0].setting, 0))
    durable.make_folder(path.parent)
    left = [
        path.with_name(f".{path.name}.{'0' * 16}.tmp"),
        store.folder / f".index.json.{'0' * 16}.tmp",
    ]
    for temporary in left:
        temporary.write_bytes(b"half")
    alive = store.folder / "alive"
    with durable.replacing(alive) as file:  # flock tells open files apart, in one process too
        file.write(b"written by ")
        assert quiet(JOBS, store).done == 18
        assert [temporary.exists() for temporary in left] == [False, False]
        file.write(b"somebody else")
    assert alive.read_bytes() == b"written by somebody else"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"engine": "threads"}, "engine is 'threads'; it must be one of 'local', 'dask'"),
        ({"workers": 0}, "workers is 0"),
        ({"workers": 1.5}, "workers is 1.5"),
        (ADDRESS, "scheduler is for engine='dask'"),
        ({"engine": "dask"}, "needs the address of a scheduler"),
        (ADDRESS | {"engine": "dask", "workers": 2}, "workers is for the local engine"),
        ({"patience": 5.0}, "patience is for engine='dask'"),
        (
            ADDRESS | {"engine": "dask", "patience": -1},
            "patience is -1; it must not be negative",
        ),
        ({"worker_timeout": 0}, "worker_timeout is 0; it must be a positive number of seconds"),
        ({"run_timeout": float("nan")}, "run_timeout is nan"),
        (
            ADDRESS | {"engine": "dask", "run_timeout": 5.0},
            "run_timeout is for the local engine; the dask engine watches its own workers",
        ),
        ({"progress": "loud"}, "progress is 'loud'"),
    ],
)
def test_wrong_options_are_refused_before_any_work(options, says, store):
    with pytest.raises(InputError, match=says):
        run([job()], store, **options)
    assert store.keys() == []


def test_no_jobs_are_done_at_once(store):
    summary = quiet([], store)
    assert (summary.done, summary.skipped, summary.failed) == (0, 0, [])


def test_signal_handlers_come_back(store):
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = list(map(signal.getsignal, numbers))
    quiet([job()], store)
    assert list(map(signal.getsignal, numbers)) == before
