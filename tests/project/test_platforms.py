"""The library runs in a process without the parts of Python that only POSIX systems have."""

import re
import subprocess
import sys

from tests.project.tree import text_of

WITHOUT_POSIX = """
import multiprocessing, os, sys, asyncio, shutil, subprocess, tempfile

for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in "fork getuid mkfifo register_at_fork sched_getaffinity sysconf".split():
    if hasattr(os, name):
        delattr(os, name)
if hasattr(os, "process_cpu_count"):  # from Python 3.13; without affinity it is os.cpu_count
    os.process_cpu_count = os.cpu_count
multiprocessing.set_start_method("spawn")
"""


def test_the_first_example_and_files_work_without_posix(tmp_path):
    example = re.search(r"```python\n(.*?)```", text_of("README.md"), re.DOTALL)[1]
    files = "hsr.save(mdp, 'mdp.npz')\nprint(run.steps.shape, hsr.load('mdp.npz').n_states)"
    done = subprocess.run(
        [sys.executable, "-c", f"{WITHOUT_POSIX}\n{example}\n{files}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("(20, 2, 50) 104\n", "")
