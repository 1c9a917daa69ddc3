"""Attacks on a store by several drivers: they share the work, whichever of them dies and when.

Most drivers here are played in this process, so that each order of their steps can be repeated.
"""

import json
import os
import platform
import random
import subprocess
import threading
from collections import Counter

import pytest

from hsr.paper.engine import Progress, Task, queue, records_of, run
from hsr.paper.engine.job import remaining
from hsr.paper.engine.queue import TaskQueue
from hsr.paper.store import Store, lease
from hsr.paper.store.process import status_of, this_machine
from tests.paper.engine.engine_work import job
from tests.waiting import soon

JOBS = [job(index=index, seeds=range(2)) for index in range(6)]
N_RUNS = 12
ONCE = Counter(key for one in JOBS for key in one.keys.values())


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(queue, "SECONDS_BETWEEN_TRIES", 0.0)


@pytest.fixture(scope="module")
def ended():
    """Return what a lease says of a driver that was killed."""
    with subprocess.Popen(["sleep", "1000"]) as process:
        text = holder_of(process.pid)
        process.kill()
    return text


def holder_of(pid):
    """Return what a lease says of a process of this machine."""
    started = status_of(pid).started
    holder = {"host": "here", "machine": this_machine(), "pid": pid, "started": started}
    return json.dumps({**holder, "id": "0"})


class Driver:
    """A driver of the local engine with one worker, which needs two steps for a task."""

    def __init__(self, store, jobs=JOBS):
        tasks, self.stored = remaining(jobs, store)
        self.notes, self.store, self.task, self.computed = [], store, None, []
        self.progress = Progress(lambda done, failed, note: self.notes.append(note), None)
        self.queue = TaskQueue(tasks, store, self.progress)

    @property
    def is_over(self):
        return self.task is None and not self.queue.waiting

    @property
    def total(self):
        return self.stored + self.progress.done + self.progress.skipped

    def step(self):
        """Take a task and compute its records, or store those of the task that was taken."""
        if self.task is None:
            self.task = self.queue.next()
            if self.task is None:
                self.queue.say_waiting()
            else:
                self.computed += records_of(self.task)
            return
        for record in self.lost:
            self.store.put(record)
            self.progress.note_done(self.task, record.seed)
        self.queue.release(self.task)
        self.task = None

    @property
    def lost(self):
        """The records that were computed and not stored."""
        return [] if self.task is None else self.computed[-len(self.task.seeds) :]

    def die(self, ended):
        """Leave behind the lease of a process that has ended, and do nothing any more."""
        if self.task is not None:
            path = self.store.folder / "leases" / f"{self.task.job.lease}.lease"
            path.write_text(ended)


def chosen_in_turn(drivers, rng):
    """Yield one of the drivers that have work, until all are over. They may be replaced."""
    for _ in range(1000):
        if all(driver.is_over for driver in drivers):
            return
        yield rng.choice([driver for driver in drivers if not driver.is_over])
    raise AssertionError("the drivers block each other")


def counts(drivers):
    """Return how often each run was computed."""
    return Counter(record.key for driver in drivers for record in driver.computed)


@pytest.mark.parametrize("schedule", range(8))
def test_three_drivers_compute_each_run_once(schedule, store):
    rng = random.Random(schedule)
    jobs = [rng.sample(JOBS, len(JOBS)) if schedule % 2 else JOBS for _ in range(3)]
    drivers = [Driver(store, mine) for mine in jobs]
    for driver in chosen_in_turn(drivers, rng):
        driver.step()
    assert counts(drivers) == ONCE
    assert [driver.total for driver in drivers] == [N_RUNS] * 3
    for driver in drivers:
        driver.queue.close()
    assert not (store.folder / "leases").exists()


@pytest.mark.parametrize("schedule", range(8))
def test_drivers_that_are_killed_block_nobody(schedule, store, ended):
    """Only what a killed driver had not yet stored is computed again."""
    rng = random.Random(schedule)
    drivers, killed = [Driver(store) for _ in range(2)], []
    for chosen in chosen_in_turn(drivers, rng):
        if len(killed) < 20 and rng.random() < 0.3:
            chosen.die(ended)
            killed.append(chosen)
            drivers[drivers.index(chosen)] = Driver(store)
        else:
            chosen.step()
    lost = [record.key for driver in killed for record in driver.lost]
    assert lost
    assert counts([*drivers, *killed]) - Counter(lost) == ONCE
    drivers[0].queue.close()
    assert not (store.folder / "leases").exists()


def test_a_driver_without_work_says_whom_it_waits_for(store):
    one, two = Driver(store, JOBS[:1]), Driver(store, JOBS[:1])
    one.step()
    for _ in range(3):
        two.step()
    text = f"waiting for 1 job that process {os.getpid()} on {platform.node()} is running"
    assert [note for note in two.notes if note] == [text]
    one.step()
    two.step()
    assert two.is_over
    assert (two.progress.done, two.progress.skipped) == (0, 2)


def test_a_driver_that_asks_for_more_seeds_runs_the_rest_afterwards(store):
    few, many = Driver(store, [job(seeds=range(2))]), Driver(store, [job(seeds=range(5))])
    few.step()
    many.step()
    assert many.task is None
    few.step()
    many.step()
    assert many.task == Task(job(seeds=range(5)), (2, 3, 4))
    assert set(counts([few, many]).values()) == {1}


def test_one_driver_works_on_two_jobs_that_share_a_first_run(store):
    jobs = [job(seeds=[0, 1]), job(seeds=[0, 2])]
    one = Driver(store, jobs)
    assert one.queue.next().seeds == (0, 1)
    assert one.queue.next().seeds == (2,)


def test_a_driver_waits_for_a_living_one_and_takes_over_when_it_is_killed(store):
    """The living driver is any process here. It holds a lease, and is killed."""
    leased = store.folder / "leases" / f"{JOBS[0].lease}.lease"
    leased.parent.mkdir()
    with subprocess.Popen(["sleep", "1000"]) as holder:
        leased.write_text(holder_of(holder.pid))

        def kill_when_the_rest_is_done():
            assert soon(lambda: len(store.keys()) == N_RUNS - 2)
            holder.kill()
            holder.wait()

        killer = threading.Thread(target=kill_when_the_rest_is_done)
        killer.start()
        summary = run(JOBS, store, workers=1, progress="none")
        killer.join()
    assert (summary.done, summary.skipped, summary.failed) == (N_RUNS, 0, [])
    assert not leased.parent.exists()


def test_leases_are_no_faults_of_a_store(store):
    one = Driver(store)
    one.step()
    assert store.verify() == []
    assert store.keys() == []
    assert (store.folder / "leases").exists()


def test_a_stopped_driver_is_not_waited_for_for_ever(store, monkeypatch):
    monkeypatch.setattr(lease, "SECONDS_UNTIL_STALE", 0.0)
    stopped, other = Driver(store, JOBS[:1]), Driver(store, JOBS[:1])
    stopped.step()
    other.step()
    other.step()
    stopped.step()
    assert (stopped.total, other.total) == (2, 2)
