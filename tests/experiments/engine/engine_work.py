"""The functions of the jobs in the engine's tests. Workers import this module."""

import os
import signal
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np

from hsr import HSRWarning
from hsr.experiments.engine import Job
from hsr.experiments.store import Record

EXPERIMENT = "engine_test"


def job(work="plain", seeds=range(3), **setting):
    """Return the job of a function of this module."""
    return Job(f"{__name__}:{work}", EXPERIMENT, setting, seeds)


def result(setting, seed):
    rng = np.random.default_rng([setting.get("index", 0), seed])
    return Record(EXPERIMENT, setting, seed, {"numbers": rng.standard_normal(5), "seed": seed})


def plain(setting, seeds):
    for seed in seeds:
        yield result(setting, seed)


def broken(setting, seeds):
    yield result(setting, seeds[0])
    raise RuntimeError("this seed is broken")


def warning(setting, seeds):
    for seed in seeds:
        warnings.warn("a rate is too large", HSRWarning, stacklevel=1)
        yield result(setting, seed)


def compiling(setting, seeds):
    """Take a thousand seconds per run, as its record says, and compile in the first one."""
    for seed in seeds:
        if seed == seeds[0]:
            numba.njit("int64(int64)")(lambda n: n + 1)
        yield replace(result(setting, seed), seconds=1000.0)


def too_few(setting, seeds):
    yield result(setting, seeds[0])


def of_another_setting(setting, seeds):
    yield result({**setting, "index": 99}, seeds[0])


def not_records(setting, seeds):
    return list(seeds)


def dying(setting, seeds):
    """Kill the process at the seed `at`, the first `times` times."""
    for seed in seeds:
        if seed == setting["at"] and count_up(setting["count"]) <= setting["times"]:
            os.kill(os.getpid(), signal.SIGKILL)
        yield result(setting, seed)


def count_up(path):
    with open(path, "a") as file:
        file.write("x")
    return os.path.getsize(path)


def stuck(setting, seeds):
    """Never end while there is a file."""
    for seed in seeds:
        while Path(setting["file"]).exists():
            time.sleep(0.05)
        yield result(setting, seed)


def threads(setting, seeds):
    """Record how many threads the libraries of algebra may use."""
    import scipy.linalg.blas  # noqa: F401 - one of the libraries
    from threadpoolctl import threadpool_info

    for seed in seeds:
        pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
        yield Record(EXPERIMENT, setting, seed, {"pools": pools})


def digests(store):
    """Return the digest of every run by its key."""
    return {record.key: record.digest() for record in store.records()}
