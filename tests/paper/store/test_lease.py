"""Leases: one holder at a time, and none that outlives its driver."""

import json
import os
import platform
import subprocess
import sys

import pytest

from hsr.paper.store import lease
from hsr.paper.store.lease import Leases
from hsr.paper.store.process import lives, status_of, this_machine
from tests.cases import cases


class Clock:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "leases"


@pytest.fixture
def ended():
    """Return number and start of a process that has ended."""
    process = subprocess.Popen(["sleep", "1000"])
    started = status_of(process.pid).started
    process.kill()
    process.wait()
    return process.pid, started


def write(folder, name, *, pid, started, machine=None):
    """Put the lease of some process into the folder."""
    folder.mkdir(exist_ok=True)
    holder = {"host": "here", "machine": machine or this_machine(), "pid": pid, "started": started}
    path = folder / f"{name}.lease"
    path.write_text(json.dumps({**holder, "id": "0"}))
    return path


def test_of_two_drivers_one_gets_the_lease_and_the_other_after_it(folder):
    one, two = Leases(folder), Leases(folder)
    assert one.take("a")
    assert not two.take("a")
    assert two.take("b")
    assert two.holder("a") == f"process {os.getpid()} on {platform.node()}"
    one.release("a")
    assert two.take("a")
    two.close()
    one.close()
    assert not folder.exists()


def test_a_driver_takes_its_own_lease_twice_and_gives_it_back_twice(folder):
    one, two = Leases(folder), Leases(folder)
    assert one.take("a")
    assert one.take("a")
    one.release("a")
    assert not two.take("a")
    one.release("a")
    assert two.take("a")


def test_the_lease_of_an_ended_process_is_taken_over_at_once(folder, ended):
    pid, started = ended
    write(folder, "a", pid=pid, started=started)
    assert Leases(folder).take("a")
    assert [path.name for path in folder.iterdir()] == ["a.lease"]


def test_a_process_that_has_the_number_of_an_ended_one_holds_nothing(folder):
    write(folder, "a", pid=os.getpid(), started=status_of(os.getpid()).started - 1)
    assert Leases(folder).take("a")


def test_leases_of_ended_processes_vanish_with_the_folder(folder, ended):
    pid, started = ended
    write(folder, "a", pid=pid, started=started)
    Leases(folder).close()
    assert not folder.exists()


def as_written(path):
    """Leave the lease as a living process of this machine wrote it."""


def empty(path):
    path.write_bytes(b"")


def other_text(path):
    path.write_bytes(b'{"pid": []}')


def another_machine(path):
    path.write_text(json.dumps({**json.loads(path.read_text()), "machine": "far away"}))


def a_pipe(path):
    path.unlink()
    os.mkfifo(path)


@cases("change", {f.__name__: f for f in (as_written, empty, other_text, another_machine, a_pipe)})
def test_a_lease_that_nobody_touches_is_taken_over_after_a_while(change, folder):
    path = write(folder, "a", pid=os.getpid(), started=status_of(os.getpid()).started)
    change(path)
    clock = Clock()
    other = Leases(folder, clock)
    assert not other.take("a")
    clock.now = lease.SECONDS_UNTIL_STALE - 1
    assert not other.take("a")
    os.utime(path, ns=(0, 0))  # touched, by a clock that is far off
    clock.now += lease.SECONDS_UNTIL_STALE - 1
    assert not other.take("a")
    clock.now += lease.SECONDS_UNTIL_STALE
    assert other.take("a")


def test_a_driver_touches_its_leases_a_few_at_a_time(folder):
    clock = Clock()
    leases = Leases(folder, clock)
    paths = [folder / f"{n}.lease" for n in range(120)]

    def n_old():
        leases.touch()
        return sum(path.stat().st_mtime_ns == 0 for path in paths)

    for path in paths:
        leases.take(path.stem)
        os.utime(path, ns=(0, 0))
    assert n_old() == 120
    clock.now = lease.SECONDS_BETWEEN_BEATS
    assert [n_old() for _ in range(4)] == [70, 20, 0, 0]


def test_a_driver_that_was_stopped_does_not_give_back_the_lease_of_another(folder):
    clock = Clock()
    stopped, other = Leases(folder), Leases(folder, clock)
    stopped.take("a")
    other.take("a")
    clock.now = lease.SECONDS_UNTIL_STALE
    assert other.take("a")
    stopped.close()
    assert (folder / "a.lease").exists()
    other.close()
    assert not folder.exists()


def test_a_lease_that_was_renewed_meanwhile_is_put_back(folder, ended):
    """Two drivers see the same stale lease, and the second one is late."""
    pid, started = ended
    write(folder, "a", pid=pid, started=started)
    late, quick = Leases(folder), Leases(folder)
    stale = late._look("a")
    assert quick.take("a")
    assert not late._take_over("a", stale)
    quick.release("a")
    assert list(folder.iterdir()) == []


def test_without_a_folder_to_write_to_work_is_done_without_leases(tmp_path):
    (tmp_path / "leases").touch()
    one, two = Leases(tmp_path / "leases"), Leases(tmp_path / "leases")
    assert one.take("a")
    assert two.take("a")
    one.release("a")
    one.close()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is read")
def test_a_process_that_nobody_has_waited_for_has_ended():
    process = subprocess.Popen(["sleep", "1000"])
    started = status_of(process.pid).started
    assert lives(process.pid, started)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not lives(process.pid, started)
    process.wait()
