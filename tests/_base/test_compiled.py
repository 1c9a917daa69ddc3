"""Compiled code is never stale, and survives a damaged cache."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hsr
from hsr._base import compiled

SOURCES = Path(hsr.__file__).resolve().parents[1]

USE_KERNELS = """
import json
import numpy as np
from hsr.kernels import graph

edges = np.array([0, 2, 3, 4, 4]), np.array([1, 2, 3, 3], dtype=np.int32)
weights = np.full(4, 0.5)
order, _ = graph.postorder(*edges)
distance, block, back = np.full(4, -1, dtype=np.int32), np.ones((4, 1)), np.ones((4, 1))
graph.breadth_first_into(*edges, 0, distance, np.empty(4, dtype=np.int32))
graph.solve_acyclic(order, *edges, weights, block)
graph.solve_acyclic_transpose(order, *edges, weights, back)
kernels = (
    graph.postorder, graph.breadth_first_into,
    graph.solve_acyclic, graph.solve_acyclic_transpose,
)
print(json.dumps({
    "answers": [x.ravel().tolist() for x in (order, distance, block, back)],
    "loaded": sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels),
    "folders": sorted({str(kernel.stats.cache_path) for kernel in kernels}),
}))
"""
# 0 -> 1, 2 -> 3 in a diamond: depth first leaves 3, 1, 2, 0; x3 = 1, x1 = x2 = 1.5, x0 = 1 + 0.5 *
# 3 = 2.5; transposed, what 0 has reaches 3.
ANSWERS = [[3, 1, 2, 0], [0, 1, 1, 2], [2.5, 1.5, 1.5, 1.0], [1.0, 1.5, 1.5, 2.5]]
N_KERNELS = 4


def python(code, *, sources=SOURCES, cache=None, **variables):
    """Run code in a new process that finds `hsr` in `sources`, and return what it prints."""
    env = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("NUMBA_", "HSR_", "XDG_CACHE"))
    }
    env |= {"PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    if cache is not None:
        env["HSR_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def use_kernels(**settings):
    """Return what a new process finds when it uses the kernels."""
    found = json.loads(python(USE_KERNELS, **settings))
    assert found["answers"] == ANSWERS
    return found


def copy_of_sources(folder):
    """Copy the package without caches, so that a test may change it and see what was left in it."""
    shutil.copytree(SOURCES / "hsr", folder / "hsr", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def filled_cache(tmp_path_factory):
    """A cache folder that one process has filled."""
    folder = tmp_path_factory.mktemp("cache")
    assert use_kernels(cache=folder)["loaded"] == 0
    return folder


def test_a_second_process_loads_what_the_first_compiled(filled_cache):
    second = use_kernels(cache=filled_cache)
    assert second["loaded"] == N_KERNELS
    assert all(folder.startswith(str(filled_cache)) for folder in second["folders"])


def damage(cache, suffix):
    """Damage the four files: one emptied, one cut in half, one cut at its end, one overwritten."""
    files = sorted(cache.rglob(f"*{suffix}"))
    assert len(files) == N_KERNELS
    empty, half, nearly_whole, noise = files
    empty.write_bytes(b"")
    half.write_bytes(half.read_bytes()[: half.stat().st_size // 2])
    nearly_whole.write_bytes(nearly_whole.read_bytes()[:-3])
    noise.write_bytes(b"\x80\x05garbage" * 50)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"], ids=["index", "code"])
def test_damaged_cache_files_are_replaced(filled_cache, tmp_path, suffix):
    cache = tmp_path / "cache"
    shutil.copytree(filled_cache, cache)
    damage(cache, suffix)
    assert use_kernels(cache=cache)["loaded"] == 0
    assert use_kernels(cache=cache)["loaded"] == N_KERNELS


def test_without_a_folder_to_write_kernels_work_and_leave_nothing_behind(tmp_path):
    sources = copy_of_sources(tmp_path / "sources")
    a_file = tmp_path / "file"
    a_file.write_text("in the way")
    use_kernels(sources=sources, cache=a_file / "cache", HOME=str(tmp_path))
    assert [path for path in tmp_path.rglob("*") if path.suffix in {".nbi", ".nbc"}] == []


def test_a_change_in_a_callee_reaches_the_caller(tmp_path):
    sources = copy_of_sources(tmp_path / "sources")
    kernels = sources / "hsr" / "kernels"
    head = "from hsr._base.compiled import compiled\n"
    outer = "@compiled\ndef outer(x):\n    return inner(x) + 1\n"
    (kernels / "caller.py").write_text(f"{head}from hsr.kernels.callee import inner\n{outer}")
    ask = "from hsr.kernels.caller import outer\nprint(outer(1))"
    for factor in (10, 20):
        inner = f"@compiled\ndef inner(x):\n    return {factor} * x\n"
        (kernels / "callee.py").write_text(head + inner)
        assert int(python(ask, sources=sources, cache=tmp_path / "cache")) == factor + 1


def test_an_edit_discards_the_kernels_that_it_concerns_and_no_others(tmp_path, monkeypatch):
    package = copy_of_sources(tmp_path) / "hsr"
    monkeypatch.setattr(compiled, "_PACKAGE", package)
    sources = sorted((package / "kernels").glob("*.py"))

    def changed(edited):
        before = {source: compiled.module_key(source) for source in sources}
        edited.write_bytes(edited.read_bytes() + b"\n")
        return {source.stem for source in sources if compiled.module_key(source) != before[source]}

    assert changed(package / "kernels" / "factors.py") == {"factors", "goal_policies"}
    assert changed(package / "_base" / "compiled.py") == {source.stem for source in sources}
    assert "linear_q" in changed(package / "kernels" / "td.py") - changed(
        package / "kernels" / "graph.py"
    )
    assert changed(package / "_base" / "lazy.py") == changed(package / "mdp" / "finite.py") == set()


def test_kernels_import_each_other_in_the_form_that_the_key_follows():
    for source in (SOURCES / "hsr" / "kernels").glob("*.py"):
        tree = ast.parse(source.read_text(encoding="utf-8"))
        named = {
            node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hsr")
        }
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
        followed = {f"hsr.{a}.{b}" for a, b in compiled._IMPORT.findall(source.read_text())}
        assert named == followed
        assert not any(one.name.startswith("hsr") for node in imports for one in node.names)


@pytest.mark.parametrize("name", ["NUMBA_OPT", "NUMBA_BOUNDSCHECK", "NUMBA_CPU_FEATURES"])
def test_the_key_depends_on_settings_of_numba(name, monkeypatch):
    source = SOURCES / "hsr" / "kernels" / "graph.py"
    before = compiled.module_key(source)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    assert compiled.module_key(source) == before
    monkeypatch.setenv(name, "1")
    assert compiled.module_key(source) != before


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"HSR_CACHE_DIR": "a", "XDG_CACHE_HOME": "b", "HOME": "c"}, "a"),
        ({"XDG_CACHE_HOME": "b", "HOME": "c"}, "b/hsr"),
        ({"HSR_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": "c"}, "c/.cache/hsr"),
    ],
)
def test_the_cache_folder_is_the_first_that_is_named(variables, expected, monkeypatch, tmp_path):
    monkeypatch.delenv("HSR_CACHE_DIR", raising=False)
    for name, folder in variables.items():
        monkeypatch.setenv(name, folder and str(tmp_path / folder))
    assert compiled.cache_folder.__wrapped__() == tmp_path / expected


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_cache_that_others_can_write_to_is_not_executed(mode, tmp_path, monkeypatch):
    monkeypatch.setenv("HSR_CACHE_DIR", str(tmp_path / "home"))
    find = compiled.cache_folder.__wrapped__
    assert find() == tmp_path / "home"
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    (tmp_path / "home").chmod(mode)
    with pytest.warns(hsr.HSRWarning, match="other users can write to .* HSR_CACHE_DIR"):
        assert find() is None
