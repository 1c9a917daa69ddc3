"""The functions of the jobs in the engine's tests. Workers import this module."""

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from hsr.paper.engine import Job
from hsr.paper.store import Record, Store, run_key

EXPERIMENT = "engine_test"


def job(work="plain", seeds=range(3), **setting):
    """Return the job of a function of this module."""
    return Job(f"{__name__}:{work}", EXPERIMENT, setting, seeds)


def result(setting, seed):
    rng = np.random.default_rng([setting.get("index", 0), seed])
    return Record(EXPERIMENT, setting, seed, {"numbers": rng.standard_normal(5), "seed": seed})


def plain(setting, seeds):
    """Give one record per seed.

    The environment may ask for a pause before each (``HSR_TEST_PAUSE``), for a file that lists the
    keys of those that were begun (``HSR_TEST_BEGUN``), and for an end of progress after some of
    them (``HSR_TEST_MOST``), so that work is left over on any machine.
    """
    most = float(os.environ.get("HSR_TEST_MOST", "inf"))
    for seed in seeds:
        if "HSR_TEST_BEGUN" in os.environ:
            path = Path(os.environ["HSR_TEST_BEGUN"])
            with path.open("a") as file:
                file.write(f"{run_key(EXPERIMENT, setting, seed)}\n")
            if len(path.read_text().split()) > most:
                time.sleep(1000.0)
        time.sleep(float(os.environ.get("HSR_TEST_PAUSE", "0")))
        yield result(setting, seed)


def all_at_once(setting, seeds):
    return [result(setting, seed) for seed in reversed(seeds)]


def broken(setting, seeds):
    yield result(setting, seeds[0])
    raise RuntimeError("this seed is \x1b[31mbroken\x07")


def leaving(setting, seeds):
    yield result(setting, seeds[0])
    sys.exit(3)


def too_few(setting, seeds):
    yield result(setting, seeds[0])


def of_another_setting(setting, seeds):
    yield result({**setting, "index": 99}, seeds[0])


def not_records(setting, seeds):
    return list(seeds)


def changing(setting, seeds):
    """Give records that setting and seed do not determine: others are stored meanwhile."""
    for seed in seeds:
        if seed == 1:
            other = Record(EXPERIMENT, setting, seed, {"numbers": np.zeros(5), "seed": seed})
            Store(os.environ["HSR_TEST_STORE"]).put(other)
        yield result(setting, seed)


def slow(setting, seeds):
    time.sleep(0.5)
    yield from plain(setting, seeds)


def ending_late(setting, seeds):
    """Break when every record is given."""
    yield from plain(setting, seeds)
    time.sleep(0.3)
    raise RuntimeError("too late")


def dying(setting, seeds):
    """End the process at the seed `at`, in the way `how`, the first `times` times."""
    for seed in seeds:
        if seed == setting["at"] and count_up(setting["count"]) <= setting["times"]:
            end(setting["how"])
        yield result(setting, seed)


def count_up(path):
    with open(path, "a") as file:
        file.write("x")
    return os.path.getsize(path)


def end(how):
    if how == "exit":
        os._exit(3)
    if how == "segfault":
        ctypes.string_at(0)
    os.kill(os.getpid(), signal.SIGKILL)


def sleeping_without_the_lock(setting, seeds):
    Path(setting["begun"]).touch()
    time.sleep(1000.0)


def holding_the_lock(setting, seeds):
    """Stay in compiled code that never lets the interpreter go."""
    Path(setting["begun"]).touch()
    ctypes.PyDLL(None).sleep(1000)


def stopping(setting, seeds):
    """Stop the process at the seed `at`, as `kill -STOP` does, the first `times` times."""
    for seed in seeds:
        if seed == setting["at"] and count_up(setting["count"]) <= setting["times"]:
            with open(setting["pids"], "a") as file:
                file.write(f"{os.getpid()}\n")
            os.kill(os.getpid(), signal.SIGSTOP)
        yield result(setting, seed)


def endless_once(setting, seeds):
    """Never end the first time, and show it by a file."""
    endless = Path(setting["endless"])
    if count_up(setting["count"]) == 1:
        endless.touch()
        time.sleep(1000.0)
    yield from plain(setting, seeds)


def threads(setting, seeds):
    """Record how many threads the libraries of algebra may use."""
    import scipy.linalg.blas  # noqa: F401 - one of the libraries
    from threadpoolctl import threadpool_info

    names = [f"{name}_NUM_THREADS" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")]
    for seed in seeds:
        pools = [pool["num_threads"] for pool in threadpool_info()]
        told = [int(os.environ.get(name, 0)) for name in names]
        yield Record(EXPERIMENT, setting, seed, {"pools": pools, "told": told})


def dying_unheard(setting, seeds):
    """Put the record in the engine's place, and die before the driver can hear of it."""
    (seed,) = seeds
    Store(os.environ["HSR_TEST_STORE"]).put(result(setting, seed))
    end("kill")


def contents(store):
    """Return every run file by its key, as bytes."""
    keys = store.keys()
    return {key: store.path_of(key).read_bytes() for key in keys}


def block(store, one):
    """Put a file where the store needs a folder for the second run of a job."""
    blocked = store.path_of(run_key(EXPERIMENT, one.setting, 1)).parent
    blocked.parent.mkdir()
    blocked.touch()


FAULTS = [  # of work: its name, how many runs it leaves, and what is said about it
    ("broken", 1, r"RuntimeError: this seed is \x1b[31mbroken\x07"),
    ("leaving", 1, "SystemExit: 3"),
    ("too_few", 1, "gave no record for the seeds [1, 2]"),
    ("absent", 0, "has no attribute 'absent'"),
]
