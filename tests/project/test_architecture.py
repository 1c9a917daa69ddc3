"""Rules of the source that no tool checks. `make lint` checks the layers of imports.

Each rule is a function from one parsed file to the faults it finds. It runs over the whole tree,
over a planted fault that it must find, and over a clean twin that it must leave alone.
"""

import ast
import re
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hsr
from tests.project.tree import LOCKS, ROOT, text_of

LOADS_CODE = {
    "pickle",
    "cPickle",
    "_pickle",
    "dill",
    "cloudpickle",
    "joblib",
    "shelve",
    "marshal",
    "yaml",
}
SEEDED = {
    "Generator",
    "default_rng",
    "SeedSequence",
    "BitGenerator",
    "PCG64",
    "PCG64DXSM",
    "Philox",
    "SFC64",
}
VERDICTS = {"allclose", "isclose", "array_equal", "array_equiv", "all", "any"}
CHECKS = re.compile(r"assert_?\w*|check_\w+|raises|warns|fail")

Rule = Callable[[str, ast.Module], Iterator[str]]


def imports(path: str, tree: ast.Module) -> Iterator[tuple[int, str, str | None]]:
    """Yield (line, absolute module, imported name or None) of every import."""
    package = path.removeprefix("src/").removesuffix(".py").split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, module, alias.name) for alias in node.names)


def calls(tree: ast.Module) -> Iterator[ast.Call]:
    """Yield every call of a file."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def called(node: ast.Call) -> str:
    """Return the last word of what is called: `f` for `f()`, `a.f()` and `a.b.f()`."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def dotted(node: ast.AST) -> str:
    """Return `a.b.c` for a chain of attributes on a name, else the empty text."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def package_of(path: str) -> str:
    """Return the package of src/hsr that a file belongs to."""
    return path.split("/")[2].removesuffix(".py")


def imports_are_statements(path: str, tree: ast.Module) -> Iterator[str]:
    """Find imports by name, which the layers of import-linter do not see."""
    if path in {"src/hsr/__init__.py", "src/hsr/toolkit.py"}:
        return
    for node in calls(tree):
        if called(node) in {"import_module", "__import__"}:
            name = node.args[0]
            if isinstance(name, ast.Constant) and str(name.value).split(".")[0] == "hsr":
                yield f"{node.lineno}: {name.value} is imported by its name"


def compiles_in_kernels_only(path: str, tree: ast.Module) -> Iterator[str]:
    if package_of(path) == "kernels" or path in {
        "src/hsr/_base/compiled.py",
        "src/hsr/_base/row_arithmetic.py",
        "src/hsr/_base/stop_flag.py",
    }:
        return
    for line, module, name in imports(path, tree):
        if name in {"compiled", "lean"} or module.split(".")[0] == "numba":
            yield f"{line}: compiled code belongs into kernels"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in {"compiled", "lean"}:
            yield f"{node.lineno}: compiled code belongs into kernels"


def kernels_are_leaves(path: str, tree: ast.Module) -> Iterator[str]:
    if package_of(path) != "kernels":
        return
    for line, module, name in imports(path, tree):
        whole = f"{module}.{name}" if module in {"hsr", "hsr._base"} else module
        if (module, name) == ("collections", "namedtuple"):
            continue
        if not re.fullmatch(
            r"hsr\._base\.(compiled|row_arithmetic|stop_flag|arrays)|"
            r"hsr\.kernels(\.\w+)*|numpy(\.\w+)*",
            whole,
        ):
            yield f"{line}: a kernel imports {whole}"


def loads_no_code_from_data(path: str, tree: ast.Module) -> Iterator[str]:
    for line, module, _ in imports(path, tree):
        if module.split(".")[0] in LOADS_CODE:
            yield f"{line}: imports {module}"
    for node in calls(tree):
        if isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"}:
            yield f"{node.lineno}: calls {node.func.id}"
        if any(
            word.arg == "allow_pickle" and ast.unparse(word.value) != "False"
            for word in node.keywords
        ):
            yield f"{node.lineno}: allows pickles"


def chance_comes_from_the_caller(path: str, tree: ast.Module) -> Iterator[str]:
    for line, module, name in imports(path, tree):
        if module == "random" or (
            module == "numpy.random" and name is not None and name not in SEEDED
        ):
            yield f"{line}: global random state from {module}"
    for node in ast.walk(tree):
        found = re.fullmatch(r"(?:np|numpy)\.random\.(\w+)", dotted(node))
        if found and found[1] not in SEEDED:
            yield f"{node.lineno}: global random state, {dotted(node)}"
    for call in calls(tree):
        if called(call) == "default_rng" and not (call.args or call.keywords):
            yield f"{call.lineno}: a generator without a seed"


def names_say_something(path: str, tree: ast.Module) -> Iterator[str]:
    for word in path.removesuffix(".py").split("/"):
        if word.strip("_") in {"utils", "util", "helpers", "helper", "common", "misc"}:
            yield f"the name {word} says nothing"


def keeps_every_verdict(path: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expr):
            continue
        value = node.value
        if isinstance(value, ast.Compare | ast.BoolOp) or (
            isinstance(value, ast.Call) and called(value) in VERDICTS
        ):
            yield f"{node.lineno}: a comparison whose result is thrown away"


def asserts_something(path: str, tree: ast.Module) -> Iterator[str]:
    for test in ast.walk(tree):
        if not isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef) or not test.name.startswith(
            "test"
        ):
            continue
        inside = list(ast.walk(test))
        if not any(
            isinstance(node, ast.Assert)
            or (isinstance(node, ast.Call) and CHECKS.fullmatch(called(node)))
            for node in inside
        ):
            yield f"{test.lineno}: {test.name} asserts nothing"


def can_fail(path: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            always = (isinstance(node.test, ast.Constant) and node.test.value) or (
                isinstance(node.test, ast.Tuple) and node.test.elts
            )
            if always:
                yield f"{node.lineno}: an assertion that cannot fail"


SOURCE_RULES: tuple[Rule, ...] = (
    imports_are_statements,
    compiles_in_kernels_only,
    kernels_are_leaves,
    loads_no_code_from_data,
    chance_comes_from_the_caller,
    names_say_something,
)
TEST_RULES: tuple[Rule, ...] = (keeps_every_verdict, asserts_something, can_fail)

MDP, KERNEL, TEST = "src/hsr/mdp/x.py", "src/hsr/kernels/x.py", "tests/test_x.py"
FAULTS = {
    (imports_are_statements, MDP): ("import_module('hsr.options')", "__import__('hsr')"),
    (compiles_in_kernels_only, MDP): (
        "from hsr._base.compiled import compiled",
        "from hsr._base import compiled",
        "import hsr._base.compiled as c\n@c.compiled\ndef f(): ...",
        "from hsr._base.compiled import lean",
        "from numba import njit",
    ),
    (kernels_are_leaves, KERNEL): (
        "import scipy.sparse",
        "from collections import deque",
        "from hsr._base.validation import check_count",
        "from hsr._base import errors",
        "from .._base.errors import HSRError",
    ),
    (loads_no_code_from_data, MDP): (
        "import pickle",
        "from yaml import load",
        "eval('1')",
        "exec('1')",
        "np.load(path, allow_pickle=True)",
    ),
    (chance_comes_from_the_caller, MDP): (
        "np.random.seed(0)",
        "import random",
        "from numpy.random import rand",
        "np.random.default_rng()",
    ),
    (chance_comes_from_the_caller, KERNEL): ("x = np.random.random()",),
    (names_say_something, "src/hsr/mdp/utils.py"): ("",),
    (names_say_something, "src/hsr/common/x.py"): ("",),
    (keeps_every_verdict, TEST): (
        "a == b",
        "np.allclose(a, b)",
        "array_equal(a, b)",
        "(a == b).all()",
    ),
    (asserts_something, TEST): (
        "def test_x():\n    f()",
        "class TestX:\n    def test_x(self):\n        f()",
    ),
    (can_fail, TEST): ("assert True", "assert (a == b, 'they differ')"),
}
CLEAN = {
    (imports_are_statements, MDP): "import_module('numpy')\nimport_module(name)",
    (compiles_in_kernels_only, KERNEL): (
        "from hsr._base.compiled import compiled\n@compiled\ndef f(): ..."
    ),
    (kernels_are_leaves, KERNEL): (
        "import numpy as np\nfrom hsr._base.compiled import compiled\nfrom .graph import f"
    ),
    (loads_no_code_from_data, MDP): "np.load(path, allow_pickle=False)\nmodel.eval()",
    (chance_comes_from_the_caller, MDP): "rng = np.random.default_rng(seed)\nrng.random()",
    (names_say_something, "src/hsr/grids/layout.py"): "",
    (keeps_every_verdict, TEST): "assert a == b\nassert np.allclose(a, b)\nsame = a == b",
    (asserts_something, TEST): (
        "def test_x():\n    with pytest.raises(E):\n        f()\ndef part(): ..."
    ),
    (can_fail, TEST): "assert a == b, 'they differ'",
}


def lock_faults(text: str) -> Iterator[str]:
    """Yield what makes a lock loose: an address of a registry or folder, a version left open, a
    missing hash.
    """
    for entry in text.replace("\\\n", " ").splitlines():
        if re.search(r"https?:|file:|@ |--(extra-)?index-url|--find-links|--trusted-host", entry):
            yield f"an address: {entry[:60]}"
        if not re.match(r"[\w.-]+==\S+ ", entry) or "--hash=sha256:" not in entry:
            yield f"not pinned with a hash: {entry[:60]}"


def surface_faults(module: types.ModuleType | types.SimpleNamespace) -> Iterator[str]:
    """Yield the public names that do not resolve, or are classes and functions without a docstring
    of their own.
    """
    for name in module.__all__:
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError) as error:
            yield f"{name} does not resolve: {error}"
            continue
        doc = (
            vars(value).get("__doc__")
            if isinstance(value, type)
            else getattr(value, "__doc__", None)
        )
        if not doc or doc.startswith(f"{name}("):
            yield f"{name} has no docstring"


@pytest.mark.parametrize(
    ("folder", "rule"),
    [*(("src/hsr", rule) for rule in SOURCE_RULES), *(("tests", rule) for rule in TEST_RULES)],
)
def test_the_tree_keeps_the_rule(folder, rule):
    found = []
    for file in sorted((ROOT / folder).rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        found += [f"{path}: {fault}" for fault in rule(path, ast.parse(text_of(path)))]
    assert found == []


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [(*of_file, source) for of_file, sources in FAULTS.items() for source in sources],
)
def test_a_planted_fault_is_found(rule, path, source):
    assert list(rule(path, ast.parse(source))) != []


@pytest.mark.parametrize(("of_file", "source"), CLEAN.items())
def test_clean_code_is_left_alone(of_file, source):
    rule, path = of_file
    assert list(rule(path, ast.parse(source))) == []


def test_every_rule_has_a_planted_fault_and_a_clean_twin():
    rules = {*SOURCE_RULES, *TEST_RULES}
    assert {rule for rule, _ in FAULTS} == {rule for rule, _ in CLEAN} == rules


PLANTED_IMPORTS = (
    ("mdp/x.py", "from hsr.options import OptionSet"),
    ("mdp/x.py", "def f():\n    from ..options import OptionSet"),
    ("mdp/x.py", "from hsr import OptionSet"),
    ("paper/x.py", "import hsr.lab"),
    ("lab/x.py", "import hsr.paper.store"),
    ("lab/x.py", "from hsr.agents import training"),
    ("annexe/x.py", ""),
)


@pytest.mark.parametrize(("path", "source"), [(None, ""), *PLANTED_IMPORTS])
def test_the_layers_of_pyproject_find_a_planted_import(path, source, tmp_path):
    """Copy the tree with every file empty, plant one import, and run import-linter on it."""
    for file in (ROOT / "src" / "hsr").rglob("*.py"):
        copy = tmp_path / file.relative_to(ROOT / "src")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.touch()
    if path is not None:
        file = tmp_path / "hsr" / path
        file.parent.mkdir(exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(source)
    config = text_of("pyproject.toml")
    config = config[config.index("[tool.importlinter]") : config.index("[tool.pytest")]
    config = re.sub(r"^ignore_imports = (\[.*?\])", "", config, flags=re.M | re.S)
    (tmp_path / "pyproject.toml").write_text(config)
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    code = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}).returncode
    assert code == (0 if path is None else 1)


def test_every_public_name_resolves_and_explains_itself():
    assert list(surface_faults(hsr)) == []


def test_a_public_name_that_is_missing_or_silent_is_found():
    class Silent(Exception):
        pass

    surface = types.SimpleNamespace(
        __all__=["absent", "silent", "Silent"], silent=lambda: None, Silent=Silent
    )
    assert len(list(surface_faults(surface))) == 3


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_pins_everything_and_names_no_address(lock):
    assert list(lock_faults(text_of(lock))) == []


@pytest.mark.parametrize(
    "text",
    [
        "--index-url https://example.org/simple\n",
        "--find-links /somewhere\n",
        "a @ https://example.org/a.whl\n",
        "a>=1 \\\n    --hash=sha256:00\n",
        "a==1\n",
    ],
)
def test_a_loose_lock_is_found(text):
    assert list(lock_faults(text)) != []
