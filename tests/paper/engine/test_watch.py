"""The watch over workers: what counts as a sign of life, and when a worker hangs."""

import os

import pytest

from hsr.paper.engine import watch
from hsr.paper.engine.watch import Limits, Stopwatch, Watch
from hsr.paper.store.process import ProcessStatus, status_of


@pytest.fixture
def process(monkeypatch):
    """The processor time of a process, to be changed by a test."""
    busy = [5]
    monkeypatch.setattr(watch, "status_of", lambda pid: ProcessStatus(1, busy[0]))
    return busy


def faults(one, n, *, working=True):
    """Return what is wrong after each of n seconds."""
    return [one.fault(1.0, working=working) for _ in range(n)]


def test_a_worker_without_a_sign_of_life_hangs(process):
    one = Watch(4242, Limits(worker_timeout=10.0))
    faults(one, 3)  # its processor time was never read before
    assert not any(faults(one, 10))
    assert one.fault(1.0, working=True) == "it showed no sign of life for 11 s"


def test_heartbeats_are_signs_of_life(process):
    one = Watch(4242, Limits(worker_timeout=10.0))
    for _ in range(10):
        assert not any(faults(one, 9))
        one.heard()


def test_a_busy_worker_may_be_mute_for_ten_times_as_long(process):
    """Compiled code that holds the interpreter's lock keeps heartbeats back."""
    one = Watch(4242, Limits(worker_timeout=10.0))
    for _ in range(100):
        process[0] += 1
        assert one.fault(1.0, working=True) == ""
    process[0] += 1
    assert one.fault(1.0, working=True) == "it was busy and sent no heartbeat for 101 s"


def test_a_worker_that_lives_and_finishes_no_run_hangs_if_there_is_a_limit(process):
    one = Watch(4242, Limits(worker_timeout=10.0, run_timeout=20.0))
    free = Watch(4242, Limits(worker_timeout=10.0))
    said = []
    for second in range(50):
        one.heard()
        free.heard()
        if second == 15:
            one.progressed()
        said.append(one.fault(1.0, working=True))
        assert free.fault(1.0, working=True) == ""
    assert said.index("it finished no run for 21 s") == 35
    assert not any(said[:35])


def test_an_idle_worker_need_not_finish_anything(process):
    one = Watch(4242, Limits(run_timeout=2.0))
    assert not any(faults(one, 50, working=False))
    assert not any(faults(one, 2))
    assert one.fault(1.0, working=True)


def test_a_gap_of_the_driver_counts_as_a_second(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(watch.time, "monotonic", lambda: now[0])
    stopwatch = Stopwatch()
    laps = []
    for elapsed in (0.2, 0.0, 3600.0, 0.3):
        now[0] += elapsed
        laps.append(stopwatch.lap())
    assert laps == pytest.approx([0.2, 0.0, 1.0, 0.3])


def test_several_heartbeats_fit_into_the_limit():
    assert Limits(worker_timeout=2.0).seconds_between_beats == 0.5
    assert Limits(worker_timeout=1e6).seconds_between_beats == 5.0


def test_processor_time_is_that_of_the_system():
    ticks = os.sysconf("SC_CLK_TCK")
    before = os.times()
    busy = status_of(os.getpid()).busy / ticks
    after = os.times()
    tick = 2.0 / ticks  # user and system time are rounded separately
    assert before.user + before.system - tick <= busy <= after.user + after.system + tick
