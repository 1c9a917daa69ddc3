"""What the tests of plugins share: distributions of a few files, the example built and unpacked,
processes that see them.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from itertools import count
from pathlib import Path

import pytest

import hsr
from hsr.paper.store import ResultTable

ROOT = Path(__file__).resolve().parents[1]
OPTIONS, REPRESENTATIONS, BONUSES, ENGINES = (
    "hsr.options",
    "hsr.representations",
    "hsr.bonuses",
    "hsr.engines",
)
_numbers = count()


def distribution(folder, entries, source="", *, name="test-plugins", version="1.0"):
    """Write a distribution into a folder as an installer would: one module with `source`, and entry
    points to its names.

    entries: by group, {name: what it is called in the module}.
    """
    module = f"plugin_module_{next(_numbers)}"
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
    )
    lines = [
        line
        for group, names in entries.items()
        for line in (f"[{group}]", *(f"{k} = {module}:{v}" for k, v in names.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def install_example(folder):
    """Build the example package in a copy of its folder, unpack the wheel, and return (copy, folder
    to put on the path).
    """
    copy, site = folder / "plugin", folder / "site"
    shutil.copytree(ROOT / "examples" / "plugin", copy)
    build = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        "wheel",
        "--directory",
        str(folder / "wheels"),
    ]
    subprocess.run(build, cwd=copy, check=True, capture_output=True)
    (wheel,) = (folder / "wheels").iterdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return copy, site


def refusal(call):
    with pytest.raises(hsr.InputError) as caught:
        call()
    return str(caught.value)


def environment(*folders, **changes):
    """Return the environment of a process that finds packages in these folders, and hsr where this
    process does.
    """
    path = os.pathsep.join(map(str, [*folders, Path(hsr.__file__).parents[1]]))
    return {**os.environ, "PYTHONPATH": path, **changes}


def python(*words, folders=(), cwd=None, **changes):
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        env=environment(*folders, **changes),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def digest(store):
    return ResultTable(store.records()).digest()
