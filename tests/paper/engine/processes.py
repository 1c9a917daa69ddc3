"""Processes of the engine's tests: their environment, and a Dask cluster on this machine."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import soon

ROOT = Path(__file__).resolve().parents[3]
DASK = str(Path(sys.executable).with_name("dask"))


def environment(**variables):
    """Return the environment of a process that imports the tests as this one does."""
    paths = [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **variables}


def stuck_after(n, folder):
    """Return variables with which `engine_work.plain` stops making progress after n runs."""
    return {"HSR_TEST_BEGUN": str(folder / "begun"), "HSR_TEST_MOST": str(n)}


class Cluster:
    """A scheduler and workers with one thread each, two by default, as processes.

    Their files are in a folder of their own in the folder that is given. The port is any free one
    by default.
    """

    def __init__(self, folder, *, n_workers=2, port=0, **variables):
        self.folder, self.variables = folder / "cluster", variables
        self.folder.mkdir()
        self.processes = []
        self.file = self.folder / "scheduler.json"
        self.scheduler = self.start_scheduler(port)
        self.workers = [self.start_worker() for _ in range(n_workers)]

    def start_scheduler(self, port):
        return self.start("scheduler", "--port", str(port))

    def start_worker(self, **variables):
        options = ("--no-nanny", "--nthreads", "1", "--local-directory", str(self.folder))
        return self.start("worker", *options, **variables)

    def start(self, *arguments, **variables):
        known = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(self.file)]
        env = environment(**self.variables, **variables)
        with open(self.folder / f"log{len(self.processes)}", "wb") as log:
            process = subprocess.Popen([DASK, *arguments, *known], env=env, stdout=log, stderr=log)
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


@contextmanager
def a_cluster(folder, **options):
    cluster = Cluster(folder, **options)
    try:
        yield cluster
    finally:
        cluster.close()
