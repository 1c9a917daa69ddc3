"""The examples, as far as they can be judged without the libraries they are for.

`make examples` runs them.
"""

import ast
import re
from importlib import import_module

import pytest

import hsr
from tests.project.tree import LOCKS, ROOT, text_of

NAMES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_an_example_says_how_to_run_it_and_uses_names_that_exist(name):
    tree = ast.parse(text_of(f"examples/{name}.py"))
    doc = ast.get_docstring(tree)
    assert f"python examples/{name}.py --quick" in doc
    assert "out/examples/" in doc
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "hsr":
            assert hasattr(hsr, node.attr), f"hsr.{node.attr}"
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "hsr":
            for alias in node.names:
                assert hasattr(import_module(node.module), alias.name), f"line {node.lineno}"


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_listed_and_has_a_page_with_a_figure(name):
    assert f"[`{name}.py`]({name}.py)" in text_of("examples/README.md")
    assert f"\n{name}\n" in text_of("docs/examples/index.md")
    assert "<!-- example -->" in text_of(f"docs/examples/{name}.md")
    assert (ROOT / f"docs/examples/{name}.png").stat().st_size > 5000


def test_packages_of_the_examples_stay_out_of_the_lock():
    wanted = re.findall(r"^[\w-]+", text_of("examples/requirements.txt"), re.M)
    assert "torch" in wanted
    for lock in LOCKS:
        assert not set(wanted) & set(re.findall(r"^[\w-]+", text_of(lock), re.M))
