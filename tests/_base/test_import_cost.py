"""Imports load no heavy module early. Seconds vary between machines; lists of modules do not."""

import subprocess
import sys
from functools import cache

import pytest


@cache
def modules_after(statement):
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_packages_are_loaded_when_they_are_first_used():
    assert "hsr.plots" not in modules_after("import hsr")
    assert {"hsr.toolkit", "hsr.plots"} <= modules_after("import hsr\nhsr.toolkit, hsr.plots")


TRAIN = """
import hsr
mdp = hsr.grid_mdp("corridor")
hsr.train(mdp, [hsr.GoalTask(0, 1)], hsr.LinearQ("sr"), seeds=[0], episodes=1)
"""


ALL = {"sklearn", "matplotlib.pyplot", "pandas", "numba", "scipy", "numpy", "gymnasium"}
LEFT_OUT = {
    "import hsr": ALL,
    "import hsr.cli": {"numpy", "scipy", "numba", "matplotlib", "rich"},
    "import hsr.cli\nhsr.cli.main(['list'])": {"sklearn", "pandas"},
    TRAIN: {"sklearn"},
    "import hsr.animals": {"sklearn"},
    "import hsr.files": {"sklearn"},
}


@pytest.mark.parametrize("statement", LEFT_OUT)
def test_heavy_packages_are_left_out(statement):
    assert not LEFT_OUT[statement] & modules_after(statement)
    assert "numpy" in modules_after("import numpy")
