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


@pytest.mark.parametrize(
    "heavy", ["sklearn", "matplotlib.pyplot", "pandas", "numba", "scipy", "numpy", "gymnasium"]
)
def test_importing_the_package_leaves_out(heavy):
    assert heavy not in modules_after("import hsr")


def test_packages_are_loaded_when_they_are_first_used():
    assert "hsr.plots" not in modules_after("import hsr")
    assert {"hsr.toolkit", "hsr.plots"} <= modules_after("import hsr\nhsr.toolkit, hsr.plots")


@pytest.mark.parametrize("heavy", ["numpy", "scipy", "numba", "matplotlib", "rich"])
def test_importing_the_command_line_leaves_out(heavy):
    assert heavy not in modules_after("import hsr.cli")


@pytest.mark.parametrize("heavy", ["sklearn", "pandas"])
def test_listing_experiments_and_their_runs_leaves_out(heavy):
    assert heavy not in modules_after("import hsr.cli\nhsr.cli.main(['list'])")


TRAIN = """
import hsr
mdp = hsr.grid_mdp("corridor")
hsr.train(mdp, [hsr.GoalTask(0, 1)], hsr.LinearQ("sr"), seeds=[0], episodes=1)
"""


@pytest.mark.parametrize("statement", [TRAIN, "import hsr.animals", "import hsr.files"])
def test_scikit_learn_is_loaded_only_with_a_basis(statement):
    assert "sklearn" not in modules_after(statement)


def test_a_heavy_import_is_seen():
    assert "numpy" in modules_after("import numpy")
