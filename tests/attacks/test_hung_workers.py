"""Attacks on the local engine: workers that stop or never end.

The driver's clock moves only while a worker hangs, so no worker is too slow for a test.
"""

from pathlib import Path

import pytest

from hsr.paper.engine import run, watch
from hsr.paper.store import Store
from tests.paper.engine.engine_work import contents, job


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def time_passes_while(monkeypatch):
    """Return a function that gives the driver a clock which moves while a condition holds."""
    real = watch.time.monotonic

    def use(condition):
        now = [real()]

        class Time:
            @staticmethod
            def monotonic():
                now[0] += 1.0 if condition() else 0.0
                return now[0]

        monkeypatch.setattr(watch, "time", Time)

    return use


def is_stopped(path):
    """Return whether the process whose number is the last in a file is stopped."""
    try:
        stat = Path("/proc", path.read_text().split()[-1], "stat").read_text()
    except (OSError, IndexError):
        return False
    return stat.rpartition(")")[2].split()[0] == "T"


def test_a_stopped_worker_is_named_killed_and_replaced_once(tmp_path, store, time_passes_while):
    pids, events = tmp_path / "pids", []
    time_passes_while(lambda: is_stopped(pids))
    one = job("stopping", at=1, times=9, count=str(tmp_path / "count"), pids=str(pids))
    options = {"workers": 1, "worker_timeout": 1.0, "progress": "none"}
    summary = run([one], store, on_event=events.append, **options)
    assert [event.kind for event in events] == ["done", "died", "failed"]
    first, second = pids.read_text().split()
    why = "was killed because it showed no sign of life for 2 s"
    assert (events[1].job, events[1].seeds) == (one, (1, 2))
    assert events[1].error == f"worker {first} {why}; trying again"
    assert summary.failed == [(one, (1, 2), f"worker died twice (worker {second} {why})")]
    assert not any(Path("/proc", pid).exists() for pid in (first, second))
    assert not (store.folder / "leases").exists()


def test_a_worker_whose_run_never_ends_is_replaced_if_there_is_a_limit(
    tmp_path, store, time_passes_while
):
    endless, count, events = tmp_path / "endless", tmp_path / "count", []
    time_passes_while(lambda: endless.exists() and not any(e.kind == "died" for e in events))
    slow = job("endless_once", endless=str(endless), count=str(count))
    summary = run(
        [slow], store, workers=1, run_timeout=1.0, progress="none", on_event=events.append
    )
    assert (summary.done, summary.failed) == (3, [])
    assert len(contents(store)) == 3
    (died,) = (event for event in events if event.kind == "died")
    assert died.error.endswith("was killed because it finished no run for 2 s; trying again")
