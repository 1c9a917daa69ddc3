"""A Dask cluster of real processes on this machine, for the tests of the cluster engine."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import soon

ROOT = Path(__file__).resolve().parents[3]
DASK = str(Path(sys.executable).with_name("dask"))


class Cluster:
    """A scheduler and workers with one thread each, two unless told otherwise, as processes."""

    def __init__(self, folder, *, n_workers=2, **environment):
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        self.processes = []
        self.file = folder / "scheduler.json"
        self.scheduler = self.start("scheduler", "--port", "0")
        self.workers = [self.start_worker() for _ in range(n_workers)]

    def start_worker(self, **environment):
        return self.start(
            "worker",
            "--no-nanny",
            "--nthreads",
            "1",
            "--local-directory",
            str(self.folder),
            **environment,
        )

    def start(self, *arguments, **environment):
        known = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(self.file)]
        told = {**self.environment, **environment}
        with open(self.folder / f"log{len(self.processes)}", "wb") as log:
            process = subprocess.Popen([DASK, *arguments, *known], env=told, stdout=log, stderr=log)
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
