"""`hsr run` as a process: interrupted as a terminal interrupts it, and twice on one store."""

import os
import re
import signal
import subprocess
import sysconfig
from pathlib import Path

import pytest

from hsr.paper.store import ResultTable, Store
from tests.waiting import soon

HSR = Path(sysconfig.get_path("scripts")) / "hsr"
RUN = "run exploration_online --seeds 3 --set steps=12000 --workers 2 --no-figure --store"


def start(folder):
    """Start a call in a process group of its own, as a shell does."""
    pipe = subprocess.PIPE
    command = [HSR, *RUN.split(), folder]
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, process_group=0)


def finish(process):
    """Return how many runs an undisturbed call finished, and how many were already stored."""
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    counts = re.match(r"([\d,]+) runs? finished, ([\d,]+) already stored, 0 failed", said)
    return tuple(int(count.replace(",", "")) for count in counts.groups())


def digest(folder):
    store = Store(folder, create=False)
    assert store.verify() == []
    return ResultTable(store.records()).digest()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The number of runs of an undisturbed call, and the hash of its table."""
    folder = tmp_path_factory.mktemp("expected") / "store"
    n_runs, there = finish(start(folder))
    assert there == 0
    return n_runs, digest(folder)


def test_after_ctrl_c_the_same_command_resumes(expected, tmp_path):
    n_runs, hash_of_all = expected
    folder = tmp_path / "store"
    process = start(folder)
    assert soon(lambda: any(folder.glob("runs/*/*.run")))
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.endswith("hsr: interrupted; run the same command again to resume\n")
    assert "Traceback" not in errors
    kept = len(Store(folder))
    assert 0 < kept < n_runs
    assert finish(start(folder)) == (n_runs - kept, kept)
    assert digest(folder) == hash_of_all


def test_two_calls_share_a_store(expected, tmp_path):
    n_runs, hash_of_all = expected
    folder = tmp_path / "store"
    for done, there in [finish(process) for process in (start(folder), start(folder))]:
        assert done + there == n_runs
    assert digest(folder) == hash_of_all
