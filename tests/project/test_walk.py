"""From a clone to a figure of one's own: the commands that the site names are run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.project.tree import ROOT

PAGE = ROOT / "docs" / "how-to" / "change-a-setting.md"


def first_commands():
    """Return the commands of the first block of the page."""
    block = re.search(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    return [line.removeprefix("$ ") for line in block.splitlines()]


def test_a_changed_setting_becomes_a_figure_in_at_most_five_commands(tmp_path):
    make, activate, *rest = first_commands()
    assert len(rest) <= 3
    assert (make, activate) == ("make demo", ". .venv/bin/activate")
    assert (
        activate
        in subprocess.run(
            ["make", "--dry-run", "demo"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    )
    folder = Path(sys.executable).parent
    for command in rest:
        done = subprocess.run(
            command.split(),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        )
        assert done.returncode == 0, done.stderr
    figure = re.search(r"^wrote: (.*)$", done.stdout + done.stderr, re.MULTILINE)[1]
    assert (tmp_path / figure).stat().st_size > 10_000
    assert "n_options=4" in figure
