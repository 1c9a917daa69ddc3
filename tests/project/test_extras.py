"""What works without optional packages, and the error where one is missing.

Each case runs in a new process that cannot import the given packages.
"""

import re
import subprocess
import sys

import pytest
from release.prove import USES

from hsr import InputError
from hsr._base.extras import EXTRAS, missing_packages, needs
from tests.project.tree import PROJECT, text_of

OPTIONAL = {name for packages in EXTRAS.values() for name in packages}
WITHOUT = """
import sys
from importlib.machinery import PathFinder

find = PathFinder.find_spec

def find_spec(name, path=None, target=None):
    if name.partition(".")[0] in {blocked!r}:
        raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
    return find(name, path, target)

PathFinder.find_spec = find_spec
{code}
"""


def run_without(blocked, code, **settings):
    """Run code where some packages cannot be imported."""
    program = WITHOUT.format(blocked=set(blocked), code=code)
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **settings)


def test_the_extras_are_those_of_the_project():
    assert len(PROJECT["dependencies"]) <= 8
    assert not {re.split(r"\W*[<>=]", line)[0] for line in PROJECT["dependencies"]} & OPTIONAL
    extras = PROJECT["optional-dependencies"]
    for extra, packages in EXTRAS.items():
        assert tuple(line.split(">")[0] for line in extras[extra]) == packages
    assert extras.keys() == EXTRAS.keys() | {"all", "test", "docs", "dev"}
    # JAX is as large as everything else together.
    small = [extra for extra in EXTRAS if extra not in ("deep", "minigrid")]
    assert extras["all"] == [f"hsr-rl[{','.join(small)}]"]


def test_make_dist_tries_every_extra():
    assert USES.keys() == (EXTRAS.keys() | {"all"}) - {"xarray"}, (
        "xarray has an example of the README"
    )


def test_the_ten_lines_of_the_readme_and_help_run_without_extras():
    lines = re.search(r"^```python\n(.*?)^```$", text_of("README.md"), re.M | re.S)[1]
    asked = "import pydoc; pydoc.render_doc(hsr); print(*dir(hsr))"
    done = run_without(OPTIONAL, f"{lines}\nprint(run.steps.shape)\n{asked}")
    shape, listed = done.stdout.splitlines()
    assert (shape, done.stderr) == ("(20, 2, 50)", "")
    assert "train" in listed.split()
    assert not {"GridWorld", "OptionEnv"} & set(listed.split())


def test_commands_that_need_no_extra_work_without():
    """The doctor skips what needs an extra, and says which."""
    for words in (["--help"], ["maze", "four_rooms"], ["doctor"]):
        done = run_without(OPTIONAL, f"from hsr.cli import main; sys.exit(main({words!r}))")
        assert (done.returncode, done.stderr) == (0, "")
    skipped = re.findall(r"^skipped +(\w+): .*'\.\[(\w+)\]'", done.stdout, re.M)
    assert skipped == [("environments", "envs"), ("figure", "plots")]


COMMANDS = ("demo", "list", "reproduce", "report", "run online_transfer")
CALLS = {
    "import hsr.envs": ("hsr.envs", "envs"),
    "hsr.GridWorld": ("hsr.envs", "envs"),
    "hsr.from_gymnasium(Env(), discount=0.9)": ("from_gymnasium", "envs"),
    "import hsr.plots": ("hsr.plots", "plots"),
    "import hsr.experiments.store": ("hsr.experiments", "paper"),
    "M.to_xarray()": ("PredictiveMap.to_xarray", "xarray"),
    "hsr.eigenoptions(mdp, n_options=2).to_xarray()": ("OptionSet.to_xarray", "xarray"),
    "hsr.OneHotBasis().fit(M).to_xarray()": ("to_xarray", "xarray"),
    "hsr.train(mdp, task, agent, seeds=[0]).to_xarray()": ("TrainingRun.to_xarray", "xarray"),
    "hsr.explore(mdp, hsr.Sarsa(), seeds=[0]).to_xarray()": ("ExplorationRun.to_xarray", "xarray"),
    "hsr.animals.rate_maps([[0.0]], mdp)": ("rate_maps", "xarray"),
    "hsr.animals.place_fields([1.0], mdp)": ("place_fields", "xarray"),
    "hsr.animals.field_measures([1.0], mdp)": ("field_measures", "xarray"),
    "hsr.animals.read_paths({})": ("read_paths", "pandas"),
    "hsr.datasets.labyrinth()": ("hsr.datasets.labyrinth", "data"),
    "hsr.load_layout('loop').to_minigrid()": ("GridLayout.to_minigrid", "minigrid"),
}
READY = """
import hsr

class Env:
    P = {0: {0: [(1.0, 0, 0.0, False)]}}
    observation_space = action_space = "Discrete(1)"

mdp = hsr.grid_mdp(hsr.load_layout("loop"), discount=0.9)
M = hsr.successor_representation(mdp)
task, agent = [hsr.GoalTask(start=0, goal=1)], hsr.LinearQ("onehot")
for call in CALLS:
    try:
        exec(call)
    except hsr.InputError as error:
        assert isinstance(error, ImportError)
        print(error)
"""


def advice(what, extra):
    return (
        f"{what} needs {EXTRAS[extra][0]}; "
        f"install it with: pip install {' '.join(EXTRAS[extra])}, "
        f"or in a clone of hsr with: pip install '.[{extra}]'"
    )


def test_commands_say_which_extra_they_need_and_exit_with_2(tmp_path):
    calls = [words.split() for words in COMMANDS]
    code = f"from hsr.cli import main; print(*map(main, {calls}))"
    done = run_without(OPTIONAL, code, cwd=tmp_path)
    advised = [f"hsr: error: {advice(f'hsr {name}', 'paper')}" for name, *_ in calls]
    assert (done.stdout.split(), done.stderr.splitlines()) == (["2"] * len(calls), advised)
    assert not list(tmp_path.iterdir())


def test_functions_say_which_extra_they_need(tmp_path):
    done = run_without(OPTIONAL, READY.replace("CALLS", repr(list(CALLS))), cwd=tmp_path)
    assert done.stdout.splitlines() == [advice(*expected) for expected in CALLS.values()]
    assert done.stderr == ""


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_single_package_that_is_missing_is_named(extra, monkeypatch):
    for package in EXTRAS[extra]:
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            missing = missing_packages(extra)  # others too, if the extra is not installed here
            assert package in missing
            with pytest.raises(InputError, match=f"^it needs {missing[0]}; "):
                needs(extra, "it")
