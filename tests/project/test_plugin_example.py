"""The example package, installed: its own tests, an experiment, and the same bytes compiled and
plain.
"""

import numpy as np
import pytest

from hsr.paper import catalogue
from hsr.paper import runner as conduct
from hsr.paper.engine import run
from hsr.paper.store import Store
from tests.agents.sarsa_cases import agent_of, case, run_one
from tests.plugin_parts import ROOT, digest, install_example, python


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    return install_example(tmp_path_factory.mktemp("example"))


def test_the_tests_of_the_example_pass(example):
    copy, site = example
    said = python(
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-W",
        "error",
        "tests",
        folders=[site],
        cwd=copy,
    )
    assert "9 passed" in said


def test_an_experiment_runs_with_the_example_on_either_engine(example, tmp_path, monkeypatch):
    _, site = example
    small = {"episodes": 2, "horizon": 50, "worlds": 2, "seeds": 1}
    small |= {"tuning_worlds": 4, "tuning_seeds": 1, "rates": [0.1]}
    changes = {"options.kind": "doorways", "options.n_options": 4, **small}
    words = ["run", "offline_rows", "--engine", "here", "--store", tmp_path / "here", "--set"]
    command = [
        "-c",
        "import sys, hsr.cli; sys.exit(hsr.cli.main())",
        *words,
        *(f"{k}={v}" for k, v in changes.items()),
    ]
    assert "24 runs finished, 0 already stored, 0 failed" in python(*command, folders=[site])
    monkeypatch.syspath_prepend(site)
    experiment = catalogue.find("offline_rows")
    jobs = conduct.jobs_of(experiment, experiment.setting("smoke", changes))
    local, here = Store(tmp_path / "local"), Store(tmp_path / "here", create=False)
    assert run(jobs, local, engine="local", workers=1, progress="none").done == 24
    assert digest(here) == digest(local)
    assert {entry.setting["options"]["kind"] for entry in here.index().values()} == {
        "doorways@hsr-plugin-example==0.1.0"
    }


def bonus_runs():
    """Return what two short runs with the bonus of the example leave."""
    mdp, options = case("eigen")
    runs = [
        run_one(mdp, agent_of("familiar", on), options, seed=1, steps=300) for on in ("sr", "hsr")
    ]
    return [array for run in runs for array in (run.maps, run.values, run.visits)]


def test_the_bonus_of_the_example_is_the_same_compiled_and_plain(example, tmp_path, monkeypatch):
    _, site = example
    code = (
        "import sys, numpy as np\nfrom hsr.kernels import sarsa\n"
        "from tests.project.test_plugin_example import bonus_runs\n"
        "assert not hasattr(sarsa.explore, 'py_func')\nnp.savez(sys.argv[1], *bonus_runs())\n"
    )
    python("-c", code, tmp_path / "plain.npz", folders=[site, ROOT], NUMBA_DISABLE_JIT="1")
    monkeypatch.syspath_prepend(site)
    compiled = bonus_runs()
    with np.load(tmp_path / "plain.npz") as plain:
        assert len(plain.files) == len(compiled) == 6
        for i, array in enumerate(compiled):
            assert array.tobytes() == plain[f"arr_{i}"].tobytes()
    assert compiled[1].min() < 0
