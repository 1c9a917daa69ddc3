"""What every test shares: examples that are the same on every machine, figures without a screen."""

import os
import signal

import pytest
from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "Agg")
# A shell starts background jobs with interrupts ignored, and their children inherit that. A handler
# is not inherited, so that processes which tests start and interrupt hear the signal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if "PYTEST_XDIST_WORKER" in os.environ:  # the processes use the cores already
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile(
    "house", derandomize=True, deadline=None, max_examples=50, print_blob=True, database=None
)
settings.register_profile(
    "thorough", deadline=None, max_examples=2000, print_blob=True, database=None
)
settings.load_profile(os.environ.get("HSR_HYPOTHESIS_PROFILE", "house"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Return one process more than there are cores, because some tests wait for processes."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def time_limit():
    """Skip the rest of a test after HSR_TEST_SECONDS. `make coverage` sets it for plain Python."""
    seconds = float(os.environ.get("HSR_TEST_SECONDS", "0"))
    if not seconds:
        yield
        return

    def stop(*_):
        pytest.skip(f"it takes more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)
