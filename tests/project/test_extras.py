"""What works without optional packages, and the error where one is missing.

Each case runs in a new process that cannot import the given packages.
"""

import re
import subprocess
import sys

import pytest

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


def command(*words):
    return f"from hsr.cli import main; sys.exit(main({list(words)!r}))"


def test_the_library_has_at_most_eight_direct_dependencies():
    assert len(PROJECT["dependencies"]) <= 8
    assert not {re.split(r"\W*[<>=]", line)[0] for line in PROJECT["dependencies"]} & OPTIONAL


def test_the_extras_are_those_of_the_project():
    declared = {
        extra: tuple(line.split(">")[0] for line in lines)
        for extra, lines in PROJECT["optional-dependencies"].items()
        if extra not in ("all", "test", "docs", "dev")
    }
    assert declared == EXTRAS
    # JAX is as large as everything else together.
    left_out = ("deep", "minigrid")
    small = [extra for extra in EXTRAS if extra not in left_out]
    assert PROJECT["optional-dependencies"]["all"] == [f"hsr-rl[{','.join(small)}]"]


def test_the_ten_lines_of_the_readme_run_without_extras():
    readme = text_of("README.md")
    lines = re.search(r"^```python\n(.*?)^```$", readme, re.M | re.S)[1]
    done = run_without(OPTIONAL, f"{lines}\nprint(run.steps.shape)")
    assert (done.stdout, done.stderr) == ("(20, 2, 50)\n", "")


def test_help_lists_what_can_be_used_without_extras():
    code = "import hsr, pydoc; pydoc.render_doc(hsr); print('train' in dir(hsr), *dir(hsr))"
    done = run_without(OPTIONAL, code)
    assert done.stdout.startswith("True "), done.stderr
    assert not {"GridWorld", "OptionEnv"} & set(done.stdout.split())


@pytest.mark.parametrize("words", [["--help"], ["maze", "four_rooms"]])
def test_commands_that_need_no_extra_work_without(words):
    done = run_without(OPTIONAL, command(*words))
    assert (done.returncode, done.stderr) == (0, "")


def test_the_doctor_skips_what_needs_an_extra_and_says_which():
    done = run_without(OPTIONAL, command("doctor"))
    assert (done.returncode, done.stderr) == (0, "")
    skipped = re.findall(r"^skipped +(\w+): .*'\.\[(\w+)\]'", done.stdout, re.M)
    assert skipped == [("environments", "envs"), ("figure", "plots")]


COMMANDS = {
    **dict.fromkeys(("demo", "list", "reproduce", "report"), "paper"),
    "run online_transfer": "paper",
}
CALLS = {
    "import hsr.envs": ("hsr.envs", "envs"),
    "hsr.GridWorld": ("hsr.envs", "envs"),
    "hsr.from_gymnasium(Env(), discount=0.9)": ("from_gymnasium", "envs"),
    "import hsr.plots": ("hsr.plots", "plots"),
    "import hsr.paper.store": ("hsr.paper", "paper"),
    "M.to_xarray()": ("PredictiveMap.to_xarray", "xarray"),
    "hsr.eigenoptions(mdp, n_options=2).to_xarray()": ("OptionSet.to_xarray", "xarray"),
    "hsr.OneHotBasis().fit(M).to_xarray()": ("to_xarray", "xarray"),
    "hsr.train(mdp, task, agent, seeds=[0], episodes=1).to_xarray()": (
        "TrainingRun.to_xarray",
        "xarray",
    ),
    "hsr.explore(mdp, hsr.Sarsa(), seeds=[0], steps=9).to_xarray()": (
        "ExplorationRun.to_xarray",
        "xarray",
    ),
    "hsr.animals.rate_maps([[0.0]], mdp)": ("rate_maps", "xarray"),
    "hsr.animals.place_fields([1.0], mdp)": ("place_fields", "xarray"),
    "hsr.animals.field_measures([1.0], mdp)": ("field_measures", "xarray"),
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
    calls = ", ".join(f"main({words.split()!r})" for words in COMMANDS)
    done = run_without(OPTIONAL, f"from hsr.cli import main; print([{calls}])", cwd=tmp_path)
    assert done.stderr.splitlines() == [
        "hsr: error: " + advice(f"hsr {words.split()[0]}", extra)
        for words, extra in COMMANDS.items()
    ]
    assert done.stdout == f"{[2] * len(COMMANDS)}\n"
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
