"""The examples, as far as they can be judged without the libraries they are for: `.ci/examples`
runs them.

Each check is a function from a file's text to the faults it finds. It runs over the real files, and
over planted faults.
"""

import ast
import itertools
import re
import sys
from importlib import import_module

import pytest

import hsr
from tests.project.tree import LOCKS, PROJECT, ROOT, text_of

EXAMPLES = {path.name: text_of(path) for path in sorted((ROOT / "examples").glob("*.py"))}
README = text_of("examples/README.md")
WANTED = text_of("examples/requirements.txt")
NAMED_OTHERWISE = {"stable_baselines3": "stable-baselines3", "sb3_contrib": "sb3-contrib"}


def example_faults(name, source):
    """Return what is wrong with one example."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        return [f"line {error.lineno}: {error.msg}"]
    doc = ast.get_docstring(tree) or ""
    lines = [f"python examples/{name}", f"python examples/{name} --quick", "out/examples/"]
    faults = [f"the docstring does not say {line!r}" for line in lines if line not in doc]
    return faults + [
        f for node in ast.walk(tree) for f in (*name_faults(node), *import_faults(node))
    ]


def name_faults(node):
    """Yield `hsr.x` that is no public name."""
    of_hsr = (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "hsr"
    )
    if of_hsr and node.attr not in hsr.__all__:
        yield f"line {node.lineno}: hsr.{node.attr} is no public name"


def import_faults(node):
    """Yield imports from hsr that do not resolve, and imports of what neither hsr nor the examples
    ask for.
    """
    if isinstance(node, ast.ImportFrom):
        modules = [node.module]
        if node.module.split(".")[0] == "hsr":
            absent = [
                alias.name
                for alias in node.names
                if not hasattr(import_module(node.module), alias.name)
            ]
            yield from (f"line {node.lineno}: there is no {node.module}.{name}" for name in absent)
    elif isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    else:
        return
    for package in {module.split(".")[0] for module in modules} - packages():
        yield f"line {node.lineno}: {package} is in no list of packages"


def packages():
    """Return what can be imported: the standard library, hsr[envs,plots,paper] with its
    dependencies, and what examples/requirements.txt lists.
    """
    optional = (PROJECT["optional-dependencies"][extra] for extra in ("envs", "plots", "paper"))
    lines = (*PROJECT["dependencies"], *itertools.chain.from_iterable(optional), *extras())
    listed = {re.match(r"[\w-]+", line)[0] for line in lines}
    return {
        "hsr",
        *sys.stdlib_module_names,
        *listed,
        *(name for name, sold_as in NAMED_OTHERWISE.items() if sold_as in listed),
    }


def extras():
    """Return the lines of examples/requirements.txt that name a package."""
    return [line for line in WANTED.splitlines() if line and not line.startswith("#")]


def readme_faults(text, names):
    listed = re.findall(r"^\| \[`(\w+\.py)`\]\(\1\) \| \S", text, re.M)
    return [
        f"{name} is not listed once"
        for name in {*names, *listed}
        if listed.count(name) != 1 or name not in names
    ]


SOUND = '''"""What.

    python examples/one.py
    python examples/one.py --quick

Picture: out/examples/one.png
"""

import ast
import itertools

import hsr
import torch
from hsr.plots import new_figure

hsr.load_layout("loop")
'''
PLANTED = (
    ("import ast", "import ast as"),
    ("python examples/one.py --quick", "python examples/one.py"),
    ("python examples/one.py", "python examples/two.py"),
    ("out/examples/", "out/"),
    ("hsr.load_layout", "hsr.load_carpet"),
    ("import new_figure", "import old_figure"),
    ("import torch", "import torchvision"),
    ("import torch\n", "import torch\nfrom jax import numpy\n"),
)


def test_there_are_examples():
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_compiles_says_how_to_run_it_and_names_only_what_exists(name):
    assert example_faults(name, EXAMPLES[name]) == []


def test_the_readme_lists_every_example_once():
    assert readme_faults(README, EXAMPLES) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_a_page_and_a_figure_on_the_site(name):
    folder, stem = ROOT / "docs/examples", name.removesuffix(".py")
    assert re.fullmatch(r"# .+\n\n<!-- example -->\n", text_of(folder / f"{stem}.md"))
    assert f"\n{stem}\n" in text_of(folder / "index.md")
    assert (folder / f"{stem}.png").stat().st_size > 5000


def test_packages_of_the_examples_stay_out_of_the_lock():
    names = {re.match(r"[\w-]+", line)[0] for line in extras()}
    locked = {name for lock in LOCKS for name in re.findall(r"^\w[\w-]*", text_of(lock), re.M)}
    assert {"torch"} <= names
    assert locked
    assert names & locked == set()


def test_a_sound_example_is_left_alone():
    assert example_faults("one.py", SOUND) == []


@pytest.mark.parametrize(("right", "wrong"), PLANTED)
def test_a_planted_fault_is_found(right, wrong):
    assert right in SOUND
    assert example_faults("one.py", SOUND.replace(right, wrong)) != []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "| [`one.py`](one.py) | a |\n| [`two.py`](two.py) | b |\n",
        "| [`one.py`](one.py) | a |\n" * 2,
    ],
)
def test_a_wrong_list_is_found(text):
    assert readme_faults(text, {"one.py"}) != []
