"""What users do first also works where there is no POSIX: macOS and Windows, as far as Linux can
play them.

A `sitecustomize` takes away what other systems do not have, in the process and in those that it
starts. What only a real system shows, such as files that cannot be renamed while they are open, is
run by the matrix of the workflow.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hsr
from tests.project.tree import text_of

SOURCES = Path(hsr.__file__).resolve().parents[1]
WITHOUT_POSIX = """
import multiprocessing, os, signal, sys

# Modules of Python itself need them on Linux: they may import them, and nobody else.
hidden = {"fcntl", "grp", "pwd", "resource", "termios"}
import asyncio, shutil, subprocess, tempfile
for name in hidden:
    sys.modules[name] = None
for name in '''
    O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK chown fchmod fork forkpty getegid geteuid
    getgid getloadavg getpgid getpriority getrlimit getuid killpg mkfifo mknod nice pread pwrite
    process_cpu_count register_at_fork sched_getaffinity sched_setaffinity setpgid setsid
    statvfs sync sysconf
'''.split():
    if hasattr(os, name):
        delattr(os, name)
for name in '''
    SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 alarm pause
    pthread_kill pthread_sigmask setitimer siginterrupt sigpending sigtimedwait sigwait
'''.split():
    if hasattr(signal, name):
        delattr(signal, name)
multiprocessing.set_start_method("spawn")
"""
TEN_LINES = re.search(r"```python\n(.*?)```", text_of("README.md"), re.DOTALL)[1]
COMMAND = "import sys\nfrom hsr.cli import main\nif __name__ == '__main__':\n    sys.exit(main({}))"


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Return a function that runs a script in a process without POSIX, and its folder."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(WITHOUT_POSIX, encoding="utf-8")

    def run(script):
        (folder / "script.py").write_text(script, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(folder / "script.py")],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "site"), str(SOURCES)])},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run, folder


@pytest.mark.parametrize("name", ["fcntl", "resource"])
def test_the_process_really_lacks_them(elsewhere, name):
    run, _ = elsewhere
    lacks = (
        f"try:\n    import {name}\nexcept ImportError:\n    import os, signal\n"
        "    print(hasattr(os, 'sched_getaffinity') or hasattr(signal, 'SIGKILL'))"
    )
    assert run(lacks) == "False\n"


def test_the_ten_lines_work(elsewhere):
    run, _ = elsewhere
    assert run(TEN_LINES + "print(run.steps.shape)") == "(20, 2, 50)\n"


def test_the_demo_draws(elsewhere):
    run, folder = elsewhere
    run(COMMAND.format(["demo", "--out", "out"]))
    assert [path.suffix for path in (folder / "out").iterdir()]


def test_maps_are_saved_and_loaded(elsewhere):
    run, folder = elsewhere
    run(
        "import hsr\nmdp = hsr.grid_mdp('four_rooms', discount=0.9)\n"
        "hsr.save(hsr.successor_representation(mdp), 'sr.npz')\nhsr.load('sr.npz', mdp=mdp)"
    )
    assert (folder / "sr.npz").stat().st_size > 8 * 104**2


def test_an_experiment_runs(elsewhere):
    run, folder = elsewhere
    words = ["run", "spectra", "--preset", "smoke", "--worlds", "2", "--no-controls"]
    run(COMMAND.format([*words, "--workers", "1", "--store", "store"]))
    assert list((folder / "store").iterdir())
