"""Rules of the source that neither ruff nor import-linter can check."""

import ast
import re

import pytest

import hsr
from hsr._base.version import __version__
from tests.project.tree import LOCKS, ROOT, text_of

MAY_BE_IN_A_KERNEL = re.compile(
    r"hsr\._base\.(compiled|row_arithmetic|arrays)|hsr\.kernels(\.\w+)*"
    r"|numpy(\.\w+)*|collections|typing"
)


@pytest.fixture(scope="module")
def imports():
    """Return (file, module) of every absolute import of the package."""
    found = []
    for path in sorted((ROOT / "src/hsr").rglob("*.py")):
        name = path.relative_to(ROOT / "src/hsr").as_posix()
        for node in ast.walk(ast.parse(text_of(path))):
            if isinstance(node, ast.Import):
                found += [(name, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name}: imports are absolute"
                base = node.module
                whole = base in {"hsr", "hsr._base"}
                found += [(name, f"{base}.{a.name}" if whole else base) for a in node.names]
    return found


def test_compiled_code_is_in_kernels_only(imports):
    users = {name for name, module in imports if module.split(".")[0] == "numba"}
    assert {name.split("/")[0] for name in users} <= {"kernels", "_base"}


def test_kernels_need_only_numpy_and_each_other(imports):
    assert [
        (name, module)
        for name, module in imports
        if name.startswith("kernels/") and not MAY_BE_IN_A_KERNEL.fullmatch(module)
    ] == []


def test_every_public_name_resolves():
    assert [name for name in hsr.__all__ if getattr(hsr, name, None) is None] == []


def test_every_package_is_an_attribute_of_hsr():
    folders = {init.parent.name for init in (ROOT / "src/hsr").glob("*/__init__.py")}
    assert set(hsr._PACKAGES.split()) | {"toolkit"} == folders - {"_base", "kernels"} | {"toolkit"}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_pins_everything_and_names_no_address(lock):
    for entry in text_of(lock).replace("\\\n", " ").splitlines():
        assert re.match(r"[\w.-]+==\S+ ", entry), entry[:60]
        assert "--hash=sha256:" in entry, entry[:60]
        assert "://" not in entry


def test_the_citation_and_the_changelog_state_this_version():
    assert f"\nversion: {__version__}\n" in text_of("CITATION.cff")
    sections = re.findall(r"^## (\S+)", text_of("CHANGELOG.md"), re.M)
    assert sections[:2] == ["Unreleased", __version__]


def calls_at_import(node):
    """Yield the calls below a statement that an import makes; those in decorators do not count."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        return
    if isinstance(node, ast.Call):
        yield ast.unparse(node.func)
    below = node.body if isinstance(node, ast.ClassDef) else ast.iter_child_nodes(node)
    for part in below:
        yield from calls_at_import(part)


def computed_at_import(text):
    """Return the functions of hsr that a module calls when it is imported.

    Constants and classes do not count: agents and other settings are data.
    """
    tree, names = ast.parse(text), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {"hsr" for alias in node.names if alias.name.split(".")[0] == "hsr"}
        elif isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "hsr":
            names |= {alias.asname or alias.name for alias in node.names}
    called = [call for statement in tree.body for call in calls_at_import(statement)]
    return [
        call
        for call in called
        if (words := call.split("."))[0] in names
        and call != "Experiment.from_function"  # a file that defines an experiment must call it
        and words[-1][0].islower()
        and not any(word.isupper() for word in words)
    ]


def test_test_modules_compute_nothing_when_they_are_imported():
    paths = sorted((ROOT / "tests").rglob("*.py"))
    computing = {
        path.relative_to(ROOT).as_posix() for path in paths if computed_at_import(text_of(path))
    }
    # Known exceptions: mend one and remove its line; add none.
    assert computing <= set(text_of("tests/project/computing_at_import.txt").split())


@pytest.mark.parametrize(
    ("code", "called"),
    [
        ("@pytest.mark.parametrize('x', hsr.layout_names())\ndef a(): hsr.f()", []),
        ("MAZES = {1: hsr.load_layout('loop')}", ["hsr.load_layout"]),
        ("class A:\n    mdp = grid_mdp('loop')", ["grid_mdp"]),
    ],
)
def test_a_computation_at_import_is_seen(code, called):
    head = "import hsr\nfrom hsr import grid_mdp\nAGENT = hsr.LinearQ()\n"
    assert computed_at_import(head + code) == called
