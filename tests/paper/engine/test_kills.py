"""Kills of drivers and workers: no finished run is lost or repeated, no process is left behind.

Every driver is a process in a session of its own. A variable in its environment, which its workers
inherit, identifies them.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

from hsr.paper.engine import Job, run
from hsr.paper.store import Store
from tests.paper.engine.engine_work import EXPERIMENT, contents
from tests.paper.engine.processes import environment, stuck_after
from tests.waiting import soon

DRIVER = """
import json, signal, sys
from hsr.paper.engine import Job, run
from hsr.paper.store import Store
folder, workers, jobs = json.loads(sys.argv[1])
former = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
summary = run([Job(*job) for job in jobs], Store(folder), workers=workers, progress="none")
after = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
n_failed = len(summary.failed)
print(json.dumps([summary.done, summary.skipped, n_failed, summary.interrupted, former == after]))
"""


def a_job(work="plain", n_seeds=1, **setting):
    """Return the fields of a job, as data that can be handed to a process."""
    return [f"tests.paper.engine.engine_work:{work}", EXPERIMENT, setting, list(range(n_seeds))]


JOBS = [a_job(n_seeds=5, index=index) for index in range(6)]
N_RUNS = 30


class Driver:
    """A driver in a process of its own, and the living processes that it started."""

    def __init__(self, folder, jobs, *, script=DRIVER, workers=2, **variables):
        self.name = uuid.uuid4().hex
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, json.dumps([str(folder), workers, jobs])],
            env=environment(HSR_TEST_FAMILY=self.name, **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        for pid in self.family():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.communicate()

    def family(self):
        """Return the living processes of this driver: itself, its workers, Python's helpers."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if self.name.encode() in (entry / "environ").read_bytes():
                        found.append(int(entry.name))
                except OSError:
                    continue
        return found

    def signal_all(self, number):
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def kill(self):
        """Kill the driver, and wait until its workers have ended."""
        self.process.kill()
        self.process.wait()
        assert soon(lambda: self.family() == [])

    def answer(self):
        output, errors = self.process.communicate(timeout=120)
        assert errors == ""
        return json.loads(output)


def n_stored(folder):
    return sum(1 for _ in folder.glob("runs/*/*.run"))


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("expected"))
    assert run([Job(*job) for job in JOBS], store, progress="none").done == N_RUNS
    return contents(store)


def test_a_driver_that_is_not_disturbed_does_everything(expected, tmp_path):
    with Driver(tmp_path / "store", JOBS) as driver:
        assert driver.answer() == [N_RUNS, 0, 0, False, True]
        assert driver.family() == []
    assert contents(Store(tmp_path / "store")) == expected


@pytest.mark.parametrize("work", ["sleeping_without_the_lock", "holding_the_lock"])
def test_no_worker_outlives_its_driver(work, tmp_path):
    begun = tmp_path / "begun"
    jobs = [a_job(work, begun=str(begun), index=index) for index in range(2)]
    with Driver(tmp_path / "store", jobs) as driver:
        assert soon(begun.exists)
        assert len(driver.family()) >= 3
        driver.kill()


def test_a_worker_looks_after_its_parent_where_the_kernel_does_not(tmp_path):
    child = (
        "import os, sys, time, types; from hsr.paper.engine import worker\n"
        "worker.sys = types.SimpleNamespace(platform='other')\n"
        "worker.die_with(os.getppid()); open(sys.argv[1], 'w').close(); time.sleep(1000)"
    )
    parent = "import subprocess, sys; subprocess.run([sys.executable, '-c', *sys.argv[1:]])"
    begun = tmp_path / "begun"
    process = subprocess.Popen([sys.executable, "-c", parent, child, str(begun)])
    assert soon(begun.exists)
    (pid,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.wait()
    assert soon(lambda: str(begun).encode() not in cmdline(pid))


def cmdline(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


def test_after_a_kill_of_the_driver_the_rest_is_done(expected, tmp_path):
    folder = tmp_path / "store"
    with Driver(folder, JOBS, **stuck_after(10, tmp_path)) as driver:
        assert soon(lambda: n_stored(folder) >= 3)
        driver.kill()
    stored = len(Store(folder).keys())
    assert 3 <= stored < N_RUNS
    with Driver(folder, JOBS) as driver:
        assert driver.answer() == [N_RUNS - stored, stored, 0, False, True]
    assert contents(Store(folder)) == expected


@pytest.mark.parametrize("kills", [10, pytest.param(30, marks=pytest.mark.long)])
def test_kills_of_everything_at_random_moments_lose_and_repeat_nothing(tmp_path, kills):
    """A third of the kills come at any moment, also before the first worker starts.

    Another third come when a run that never ends has begun. These kills certainly cut a run short.
    """
    jobs = [a_job(n_seeds=10, index=index) for index in range(60)]
    undisturbed = Store(tmp_path / "undisturbed")
    assert run([Job(*job) for job in jobs], undisturbed, progress="none").done == 600
    folder, begun = tmp_path / "store", tmp_path / "begun"
    rng = random.Random(4)
    finished, n_cut = set(), 0
    for attempt in range(kills):
        begun.write_text("")
        stuck = stuck_after(19, tmp_path)
        with Driver(folder, jobs, HSR_TEST_PAUSE="0.03", **stuck) as driver:
            if attempt % 3 == 0:
                time.sleep(rng.uniform(0.0, 0.7))
            elif attempt % 3 == 1:
                known = len(finished)
                assert soon(lambda known=known: n_stored(folder) > known)
                time.sleep(rng.uniform(0.0, 0.1))
            else:
                assert soon(lambda: len(begun.read_text().split()) > 19)
            driver.signal_all(signal.SIGKILL)
            assert driver.process.wait() == -signal.SIGKILL
            assert soon(lambda driver=driver: driver.family() == [])
        tried = begun.read_text().split()
        assert len(tried) == len(set(tried))
        assert finished.isdisjoint(tried)
        kept = set(Store(folder).keys())
        assert finished <= kept <= finished.union(tried)
        n_cut += bool(set(tried) - kept)
        finished = kept
    assert n_cut >= kills // 3
    assert len(finished) < 600
    begun.write_text("")
    with Driver(folder, jobs, HSR_TEST_BEGUN=str(begun)) as driver:
        assert driver.answer() == [600 - len(finished), len(finished), 0, False, True]
    assert sorted(begun.read_text().split()) == sorted(set(undisturbed.keys()) - finished)
    assert contents(Store(folder)) == contents(undisturbed)
    assert list(folder.rglob("*.tmp")) == []


@pytest.mark.parametrize(
    ("number", "everybody"),
    [(signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, False)],
)
def test_an_interrupted_driver_ends_work_that_never_ends(number, everybody, tmp_path):
    begun, folder = tmp_path / "held", tmp_path / "store"
    jobs = [a_job("holding_the_lock", begun=str(begun)), *JOBS]
    with Driver(folder, jobs, **stuck_after(10, tmp_path)) as driver:
        assert soon(lambda: begun.exists() and n_stored(folder) >= 2)
        if everybody:  # as a terminal does
            driver.signal_all(number)
        else:
            driver.process.send_signal(number)
        done, skipped, failed, interrupted, restored = driver.answer()
        assert (skipped, failed, interrupted, restored) == (0, 0, True, True)
        # A run is stored by its worker before the driver hears of it and counts it.
        assert 0 <= done <= n_stored(folder) < N_RUNS
        assert n_stored(folder) >= 2
        assert driver.family() == []


def test_workers_are_deaf_to_ctrl_c_from_their_first_moment(tmp_path):
    with Driver(tmp_path / "store", JOBS) as driver:
        while driver.process.poll() is None:
            for pid in driver.family():
                if pid != driver.process.pid and b"spawn_main" in cmdline(pid):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGINT)
        assert driver.answer() == [N_RUNS, 0, 0, False, True]


def test_an_ignored_signal_stays_ignored(tmp_path):
    script = DRIVER.replace("former = ", "signal.signal(signal.SIGINT, signal.SIG_IGN)\nformer = ")
    folder = tmp_path / "store"
    with Driver(folder, JOBS[:1], script=script, HSR_TEST_PAUSE="0.1") as driver:
        assert soon(lambda: n_stored(folder) >= 1)
        driver.process.send_signal(signal.SIGINT)
        assert driver.answer() == [5, 0, 0, False, True]


def test_two_drivers_share_a_store(expected, tmp_path):
    folder, begun = tmp_path / "store", tmp_path / "begun"
    variables = {"HSR_TEST_PAUSE": "0.01", "HSR_TEST_BEGUN": str(begun)}
    with Driver(folder, JOBS, **variables) as one, Driver(folder, JOBS[::-1], **variables) as two:
        answers = [one.answer(), two.answer()]
    for done, skipped, failed, interrupted, _ in answers:
        assert (done + skipped, failed, interrupted) == (N_RUNS, 0, False)
    assert sorted(begun.read_text().split()) == sorted(expected)
    assert contents(Store(folder)) == expected
