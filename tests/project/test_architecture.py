"""Rules of the source that neither ruff nor import-linter can check."""

import ast
import re

import pytest

import hsr
from hsr._base.version import __version__
from tests.project.tree import LOCKS, ROOT, text_of

MAY_BE_IN_A_KERNEL = re.compile(
    r"hsr\._base\.(compiled|row_arithmetic|stop_flag|arrays)|hsr\.kernels(\.\w+)*"
    r"|numpy(\.\w+)*|collections"
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
