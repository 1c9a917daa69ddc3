"""Distributions for the tests of plugins: made of a few files on the path, or the example package built and unpacked."""

import shutil
import subprocess
import sys
import zipfile
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_numbers = count()


def distribution(folder, entries, source="", *, name="test-plugins", version="1.0"):
    """Write a distribution into a folder as an installer would: one module with `source`, and entry points to its names.

    entries: by group, {name: what it is called in the module}.
    """
    module = f"plugin_module_{next(_numbers)}"
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    lines = [
        line for group, names in entries.items() for line in (f"[{group}]", *(f"{k} = {module}:{v}" for k, v in names.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def install_example(folder):
    """Build the example package in a copy of its folder, unpack the wheel, and return (copy, folder to put on the path)."""
    copy, site = folder / "plugin", folder / "site"
    shutil.copytree(ROOT / "examples" / "plugin", copy)
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder / "wheels")]
    subprocess.run(build, cwd=copy, check=True, capture_output=True)
    (wheel,) = (folder / "wheels").iterdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return copy, site
