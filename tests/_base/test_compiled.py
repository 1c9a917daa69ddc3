"""Compiled code: equal to plain Python bit for bit, never stale, and not at the mercy of its cache
folder.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import hsr
from hsr._base import compiled
from hsr.kernels import ascent, graph, substitution

SOURCES = Path(hsr.__file__).resolve().parents[1]

USE_KERNELS = """
import json
import numpy as np
from hsr.kernels import graph, substitution

indptr, indices = np.array([0, 2, 3, 4, 4]), np.array([1, 2, 3, 3], dtype=np.int32)
order, acyclic = graph.postorder(indptr, indices)
block = np.ones((4, 1))
substitution.solve_acyclic(order, indptr, indices, np.full(4, 0.5), block)
turned = graph.predecessors(np.array([[1, 2], [3, 3], [3, 3], [3, 3]], dtype=np.int32))
back = np.ones((4, 1))
substitution.solve_acyclic_transpose(order, indptr, indices, np.full(4, 0.5), back)
kernels = (
    graph.postorder, graph.breadth_first_into,
    substitution.solve_acyclic, substitution.solve_acyclic_transpose,
)
distance = np.full(4, -1, dtype=np.int32)
graph.breadth_first_into(indptr, indices, 0, distance, np.empty(4, dtype=np.int32))
print(json.dumps({
    "answers": [
        bool(acyclic), order.tolist(), distance.tolist(), turned[0].tolist(),
        block[:, 0].tolist(), back[:, 0].tolist(),
    ],
    "loaded": sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels),
    "folders": sorted({str(kernel.stats.cache_path) for kernel in kernels}),
}))
"""
# 0 -> 1, 2 -> 3 in a diamond: depth first leaves 3, 1, 2, 0; x3 = 1, x1 = x2 = 1.5, x0 = 1 + 0.5 *
# 3 = 2.5; transposed, what 0 has reaches 3.
ANSWERS = [
    True,
    [3, 1, 2, 0],
    [0, 1, 1, 2],
    [0, 0, 1, 2, 8],
    [2.5, 1.5, 1.5, 1.0],
    [1.0, 1.5, 1.5, 2.5],
]
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


def use_kernels(before="", **settings):
    """Return what a new process finds when it uses the kernels."""
    return json.loads(python(before + USE_KERNELS, **settings))


def copy_of_sources(folder):
    """Copy the package, without caches, so that a test may change it or look for what was left in
    it.
    """
    shutil.copytree(SOURCES / "hsr", folder / "hsr", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def filled_cache(tmp_path_factory):
    """A cache folder that one process has filled."""
    folder = tmp_path_factory.mktemp("cache")
    first = use_kernels(cache=folder)
    assert first["answers"] == ANSWERS
    assert first["loaded"] == 0
    return folder


def test_a_second_process_loads_what_the_first_compiled(filled_cache):
    second = use_kernels(cache=filled_cache)
    assert second["answers"] == ANSWERS
    assert second["loaded"] == N_KERNELS
    assert all(folder.startswith(str(filled_cache)) for folder in second["folders"])


def damage(cache, suffix):
    """Spoil the file of each kernel in another way: emptied, cut in the middle, cut near its end,
    overwritten.
    """
    files = sorted(cache.rglob(f"*{suffix}"))
    assert len(files) == N_KERNELS
    empty, half, nearly_whole, noise = files
    empty.write_bytes(b"")
    half.write_bytes(half.read_bytes()[: half.stat().st_size // 2])
    nearly_whole.write_bytes(nearly_whole.read_bytes()[:-3])
    noise.write_bytes(b"\x80\x05garbage" * 50)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"], ids=["index", "code"])
def test_damaged_cache_files_are_compiled_anew_and_mended(filled_cache, tmp_path, suffix):
    cache = tmp_path / "cache"
    shutil.copytree(filled_cache, cache)
    damage(cache, suffix)
    found = use_kernels(cache=cache)
    assert (found["answers"], found["loaded"]) == (ANSWERS, 0)
    assert use_kernels(cache=cache)["loaded"] == N_KERNELS


def test_without_a_folder_to_write_kernels_work_and_leave_nothing_behind(tmp_path):
    sources = copy_of_sources(tmp_path / "sources")
    a_file = tmp_path / "file"
    a_file.write_text("in the way")
    home = tmp_path / "home"
    home.mkdir()
    found = use_kernels(sources=sources, cache=a_file / "cache", HOME=str(home))
    assert found["answers"] == ANSWERS
    left = [
        path for path in [*sources.rglob("*"), *home.rglob("*")] if path.suffix in {".nbi", ".nbc"}
    ]
    assert left == []


def test_without_a_home_kernels_work():
    homeless = (
        "import pathlib\ndef home(cls=None):\n    raise RuntimeError('Could not determine home "
        "directory.')\n"
    )
    homeless += "pathlib.Path.home = home\n"
    assert use_kernels(homeless)["answers"] == ANSWERS


@pytest.mark.parametrize("state", ["new", "damaged"])
def test_a_full_disk_costs_only_the_time_to_compile(filled_cache, tmp_path, state):
    cache = tmp_path / "cache"
    if state == "damaged":
        shutil.copytree(filled_cache, cache)
        damage(cache, ".nbi")
    full = (
        "import errno\n"
        "from numba.core.caching import FunctionCache\n"
        "def no_room(self, *_):\n    raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "FunctionCache.save_overload = FunctionCache.flush = no_room\n"
    )
    assert use_kernels(full, cache=cache)["answers"] == ANSWERS


def test_a_change_in_a_callee_reaches_the_caller(tmp_path):
    sources = copy_of_sources(tmp_path / "sources")
    kernels = sources / "hsr" / "kernels"
    head = "from hsr._base.compiled import compiled\n"
    (kernels / "caller.py").write_text(
        head + "from hsr.kernels.callee import inner\n\n\n@compiled\ndef outer(x):\n    return "
        "inner(x) + 1\n"
    )
    ask = "from hsr.kernels.caller import outer\nprint(outer(1))"
    for factor in (10, 20):
        (kernels / "callee.py").write_text(
            head + f"\n\n@compiled\ndef inner(x):\n    return {factor} * x\n"
        )
        assert int(python(ask, sources=sources, cache=tmp_path / "cache")) == factor + 1


@pytest.fixture
def key_of(monkeypatch):
    """Return a function from a folder of the package to its cache key."""

    def key(package):
        monkeypatch.setattr(compiled, "_PACKAGE", package)
        return compiled.cache_key.__wrapped__()

    return key


def test_the_key_depends_on_every_kernel_source_and_on_nothing_beside(tmp_path, key_of):
    package = copy_of_sources(tmp_path) / "hsr"
    before = key_of(package)
    assert before == key_of(SOURCES / "hsr")
    (package / "mdp" / "finite.py").write_text("")
    (package / "_base" / "errors.py").write_text("")
    (package / "kernels" / "notes.txt").write_text("not code")
    assert key_of(package) == before
    seen = {before}
    sources = [
        *(package / "kernels").glob("*.py"),
        *(
            package / "_base" / name
            for name in ("compiled.py", "row_arithmetic.py", "stop_flag.py")
        ),
    ]
    for source in sources:
        source.write_bytes(source.read_bytes() + b"\n")
        seen.add(key_of(package))
    (package / "kernels" / "another.py").write_text("")
    seen.add(key_of(package))
    (package / "kernels" / "another.py").rename(package / "kernels" / "renamed.py")
    seen.add(key_of(package))
    assert len(seen) == 1 + len(sources) + 2


def test_the_key_depends_on_versions_and_on_the_processor(monkeypatch, key_of):
    seen = {key_of(SOURCES / "hsr")}
    for owner, name in [
        (compiled.numba, "__version__"),
        (compiled.llvmlite, "__version__"),
        (compiled.np, "__version__"),
        (compiled.config, "CPU_NAME"),
        (compiled.config, "CPU_FEATURES"),
    ]:
        with monkeypatch.context() as changed:
            changed.setattr(owner, name, "another")
            seen.add(key_of(SOURCES / "hsr"))
    assert len(seen) == 6


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"HSR_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/a"),
        ({"XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/b/hsr"),
        ({"HOME": "/c"}, "/c/.cache/hsr"),
        ({"HSR_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": "/c"}, "/c/.cache/hsr"),
    ],
)
def test_the_cache_folder_is_the_first_that_is_named(variables, expected, monkeypatch):
    for name in ("HSR_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert compiled.cache_home() == Path(expected)


# Compiled and plain.


def random_graph(rng, n, *, acyclic):
    """Return (indptr, indices, data) of a sparse graph; without a cycle, edges lead to smaller
    numbers.
    """
    rows = [
        np.unique(rng.integers(0, s if acyclic else n, 3)) if s or not acyclic else np.empty(0, int)
        for s in range(n)
    ]
    indptr = np.concatenate([[0], np.cumsum([row.size for row in rows])])
    indices = np.concatenate(rows).astype(np.int32)
    return indptr, indices, rng.random(indices.size) / 4.0


def kernel_results(rng):
    """Return the results of every kernel of three files on one random draw; the same draw for the
    same generator.
    """
    n = int(rng.integers(1, 30))
    results = []
    for acyclic in (True, False):
        indptr, indices, data = random_graph(rng, n, acyclic=acyclic)
        order, found = graph.postorder(indptr, indices)
        results.append(np.array([found]))
        results.append(graph.breadth_first(indptr, indices, int(rng.integers(n))))
        block = rng.standard_normal((n, 2))
        if acyclic:
            results.append(order)
            for solve in (substitution.solve_acyclic, substitution.solve_acyclic_transpose):
                x = block.copy()
                solve(order, indptr, indices, data, x)
                results.append(x)
    successor = rng.integers(0, n, (n, 3)).astype(np.int32)
    turned = graph.predecessors(successor)
    results.extend(turned)
    v = rng.standard_normal(n) if rng.random() < 0.5 else rng.integers(-2, 3, n) / 4.0
    policy, stop = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=bool)
    by_height = np.argsort(v, kind="stable")
    discount = float(rng.choice([0.0, 0.5, 0.9, 0.99]))
    ascent.climb(successor, *turned, v, by_height, discount, 1e-10, policy, stop)
    duration, available = rng.integers(1, 5, (3, n)), rng.random((3, n)) < 0.8
    results += [
        policy,
        stop,
        graph.jump_distances(successor.T.copy(), duration, available, int(rng.integers(n))),
    ]
    return results


def every_result():
    """Return all results of 60 draws as one list."""
    rng = np.random.default_rng(0)
    return [result for _ in range(60) for result in kernel_results(rng)]


def test_compiled_kernels_and_plain_python_agree_to_the_last_bit(tmp_path):
    assert hasattr(graph.postorder, "py_func"), (
        "this test compares with compiled code; unset NUMBA_DISABLE_JIT"
    )
    plain = tmp_path / "plain.npz"
    code = (
        "import numpy as np\nfrom hsr.kernels import graph\nfrom tests._base.test_compiled import "
        "every_result\n"
        f"assert not hasattr(graph.postorder, 'py_func')\nnp.savez({str(plain)!r}, "
        "*every_result())\n"
    )
    root = Path(__file__).resolve().parents[2]
    python(code, sources=f"{SOURCES}{os.pathsep}{root}", NUMBA_DISABLE_JIT="1")
    with np.load(plain) as stored:
        expected = [stored[f"arr_{i}"] for i in range(len(stored.files))]
    found = every_result()
    assert len(found) == len(expected) == 60 * 12
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()


@pytest.fixture
def waiting(tmp_path):
    """A call that waits for a lock which another file has, that file, and what was compiled."""
    done = []
    holder = open(tmp_path / "kernel.lock", "ab")  # noqa: SIM115 - closed below
    fcntl.flock(holder, fcntl.LOCK_EX)
    call = compiled._one_at_a_time(done.append, tmp_path / "kernel.lock")
    with holder:
        yield call, holder, done


def test_a_kernel_that_another_process_compiles_is_waited_for(waiting):
    call, holder, done = waiting
    thread = threading.Thread(target=call, args=("signature",))
    thread.start()
    thread.join(0.1)
    assert done == []
    holder.close()
    thread.join()
    assert done == ["signature"]


def test_nobody_waits_for_ever_for_another_process(waiting, monkeypatch):
    call, _, done = waiting
    monkeypatch.setattr(compiled, "_LONGEST_WAIT", 0.05)
    call("signature")
    assert done == ["signature"]


def test_without_a_place_for_the_lock_kernels_are_compiled_at_once(tmp_path):
    done = []
    compiled._one_at_a_time(done.append, tmp_path / "absent" / "kernel.lock")("signature")
    assert done == ["signature"]


def test_of_two_processes_one_compiles_and_both_have_the_answers(tmp_path):
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: use_kernels(cache=tmp_path), range(2)))
    assert [one["answers"] for one in both] == [ANSWERS, ANSWERS]
    assert sum(one["loaded"] for one in both) == N_KERNELS


def test_threads_of_one_process_never_wait_for_each_other_in_a_circle(tmp_path):
    """One thread compiles a kernel and then another that it calls; the second, the other alone."""
    begun, done = threading.Event(), []

    def outer(signature):
        begun.set()
        assert not meanwhile.wait(0.1)  # the other thread has no lock while this one compiles
        inner(signature)

    meanwhile = threading.Event()
    inner = compiled._one_at_a_time(done.append, tmp_path / "inner.lock")
    other = compiled._one_at_a_time(lambda _: meanwhile.set(), tmp_path / "inner.lock")
    thread = threading.Thread(target=lambda: (begun.wait(), other("second")))
    thread.start()
    compiled._one_at_a_time(outer, tmp_path / "outer.lock")("first")
    thread.join()
    assert done == ["first"]
