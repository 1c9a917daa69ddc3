"""The checks of `hsr doctor`. Each compares a small computation with an answer known in advance."""

import shlex
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

import hsr
from hsr import __version__
from hsr.cli.machine import DISTRIBUTION, version_of
from hsr.toolkit import MissingExtraError, missing_packages, needs

REINSTALL = "in a clone of hsr: pip install --force-reinstall ."
DISK = "check the space and the permissions of the folder for temporary files (TMPDIR)"
UNTRUSTED = (
    "do not trust any result: empty the cache (HSR_CACHE_DIR, or ~/.cache/hsr); if the check still "
    "fails, install the locked versions of Numba and llvmlite"
)


@dataclass(frozen=True)
class Verdict:
    """What a check found, and what to do about it.

    The state is "ok"; "advice" where all results are correct and something could be better;
    "skipped" where an extra is not installed; or "failed" where results cannot be computed or
    trusted.
    """

    state: str
    said: str
    remedy: str = ""


Check = Callable[[], str | Verdict]


def examine() -> dict[str, Verdict]:
    """Run every check and return the verdicts by name."""
    return {name: verdict_of(check) for name, check in CHECKS.items()}


def verdict_of(check: Check) -> Verdict:
    """Run one check. It returns a text if all is well, and a check that raises has failed."""
    try:
        found = check()
    except MissingExtraError as missing:
        return Verdict("skipped", str(missing))
    except Exception as error:  # a broken package may raise anything
        remedy = DISK if isinstance(error, OSError) else REINSTALL
        return Verdict("failed", f"{type(error).__name__}: {error}", remedy)
    return found if isinstance(found, Verdict) else Verdict("ok", found)


def packages() -> str | Verdict:
    """Check that every required package is installed in a supported version."""
    from packaging.requirements import Requirement

    try:
        needed = [Requirement(line) for line in metadata.requires(DISTRIBUTION) or ()]
    except metadata.PackageNotFoundError:
        said = f"{DISTRIBUTION} is not installed; this code runs from a folder"
        return Verdict("failed", said, "in a clone of hsr: pip install .")
    needed = [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    wrong = {}
    for one in needed:
        version = version_of(one.name)
        if version is None or not one.specifier.contains(version, prereleases=True):
            wrong[f"{one.name}{one.specifier}"] = version
    if wrong:
        said = ", ".join(f"{name} is needed, found {found}" for name, found in wrong.items())
        return Verdict("failed", said, f"pip install {shlex.join(wrong)}")
    return f"{len(needed)} packages, each in a supported version"


def version() -> str | Verdict:
    """Check that the running code has the version that was installed."""
    installed = version_of(DISTRIBUTION)
    if installed != __version__:
        said = f"{DISTRIBUTION} {installed} is installed, but the running code is {__version__}"
        return Verdict("advice", said, REINSTALL)
    return f"the running code is the installed one, {__version__}"


def compiled_code() -> str | Verdict:
    """Check that a compiled kernel returns the bytes of its source run as plain Python."""
    import numpy as np

    from hsr.kernels.substitution import solve_acyclic

    if not hasattr(solve_acyclic, "py_func"):
        said = "nothing is compiled, and everything is slow: NUMBA_DISABLE_JIT is set"
        return Verdict("advice", said, "unset NUMBA_DISABLE_JIT")
    n = 100
    order, indptr = np.arange(n, dtype=np.int32), np.concatenate([[0], np.cumsum(np.arange(n))])
    indices = np.concatenate([np.arange(s, dtype=np.int32) for s in range(n)])
    C = np.random.default_rng(0).random(indices.size) / n
    found, expected = np.ones((n, 2)), np.ones((n, 2))
    solve_acyclic(order, indptr, indices, C, found)
    solve_acyclic.py_func(order, indptr, indices, C, expected)
    if found.tobytes() != expected.tobytes():
        return Verdict("failed", "compiled code and plain Python differ", UNTRUSTED)
    return "a compiled kernel returns the bytes of plain Python"


def vector_instructions() -> str | Verdict:
    """Check a map learned around a ring by vector instructions against its update rule in NumPy."""
    import numpy as np

    n, steps, gamma, alpha = 10, 500, 0.9, 0.1
    ring = hsr.FiniteMDP(np.roll(np.eye(n), 1, axis=1)[:, np.newaxis], discount=gamma)
    seed = np.random.default_rng(0)
    found = hsr.learn_sr(ring, steps=steps, learning_rate=alpha, seed=seed)
    M, s = np.eye(n), int(np.random.default_rng(0).integers(0, n))
    for _ in range(steps):
        arrived = (s + 1) % n
        M[s] += alpha * (gamma * M[arrived] - M[s])
        M[s, s] += alpha
        s = arrived
    if found.tobytes() != M.tobytes():
        return Verdict("failed", "vector instructions and NumPy differ", UNTRUSTED)
    return "vector instructions return the bytes of NumPy"


def exact_map() -> str | Verdict:
    """Check the successor representation of two adjacent cells against its closed form.

    The random walk moves with probability 1/4, so P has eigenvalues 1 and 1/2. With
    a = 1 / (1 - g) and b = 1 / (1 - g/2), M = ((a + b) I + (a - b) (J - I)) / 2.
    """
    import numpy as np

    g = 0.9
    a, b = 1.0 / (1.0 - g), 1.0 / (1.0 - g / 2.0)
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("####\n#..#\n####"), discount=g)
    M = hsr.successor_representation(mdp).toarray()
    error = float(np.abs(M - np.array([[a + b, a - b], [a - b, a + b]]) / 2.0).max())
    if not error < 1e-12:
        return Verdict("failed", f"the map of two cells is wrong by {error:.1e}", REINSTALL)
    return f"the map of two cells is right to {error:.0e}"


def environments() -> str:
    """Check that Gymnasium makes our grid world by name, and that it steps."""
    needs("envs", "this check")
    import gymnasium

    env = gymnasium.make("hsr/GridWorld-v0")
    try:
        env.reset(seed=0)
        env.step(0)
    finally:
        env.close()
    return "Gymnasium makes hsr/GridWorld-v0, and it steps"


def figure() -> str | Verdict:
    """Check that one square inch of red is drawn and saved without a screen."""
    needs("plots", "this check")
    from matplotlib.image import imread

    from hsr.plots import new_figure, save_figure

    page = new_figure(1.0, 1.0)
    page.set_facecolor("red")
    with tempfile.TemporaryDirectory() as folder:
        picture = imread(save_figure(page, Path(folder) / "red.png"))
    if picture[picture.shape[0] // 2, picture.shape[1] // 2, :3].tolist() != [1.0, 0.0, 0.0]:
        return Verdict("failed", "a red square is not drawn red", REINSTALL)
    return "a figure is drawn without a screen"


def store() -> str | Verdict:
    """Check that a stored run is read back unchanged."""
    import numpy as np

    from hsr.paper.store import Record, Store

    record = Record("doctor", {"rate": 0.1}, seed=0, arrays={"steps": np.arange(3)})
    with tempfile.TemporaryDirectory() as folder:
        key = Store(folder).put(record)
        same = Store(folder, create=False).get(key).digest() == record.digest()
    if not same:
        return Verdict("failed", "a stored run is read back changed", DISK)
    return "a stored run is read back unchanged"


def plugins() -> str | Verdict:
    """Check that every plugin can be imported, under a name that nothing else has."""
    from hsr.agents import names_by_group
    from hsr.toolkit import plugins as found

    built_in = {**names_by_group(), found.ENGINES: ("local", "dask")}
    there = found.installed()
    broken: dict[str, str] = {}  # error: distribution
    for plugin in there:
        try:
            found.choose(plugin.group, plugin.name, built_in[plugin.group], "a name")
            found.load(plugin)
        except hsr.InputError as error:
            broken[str(error)] = f"{broken.get(str(error), '')} {plugin.distribution}"
    if broken:
        owners = dict.fromkeys(" ".join(broken.values()).split())
        return Verdict("failed", "; ".join(broken), f"update or uninstall {', '.join(owners)}")
    return f"{len(there)} found, and each can be imported" if there else "there are none"


def cache() -> str | Verdict:
    """Check that compiled code can be kept for the next start."""
    from hsr.toolkit import cache_folder

    if cache_folder() is None:
        said = "compiled code cannot be kept, and every start compiles again for seconds"
        return Verdict(
            "advice", said, "set HSR_CACHE_DIR to a folder that you, and only you, can write to"
        )
    return "compiled code is kept for the next start; folders of other versions may be deleted"


def bytecode() -> str | Verdict:
    """Check that the bytecode of large packages is kept. Every start takes seconds without it."""
    names = ["hsr", "numpy", "scipy", "numba"]
    names += [] if missing_packages("plots") else ["matplotlib"]
    sources = {name: Path(str(spec.origin)) for name in names if (spec := util.find_spec(name))}
    missing = {
        name: str(source.parent)
        for name, source in sources.items()
        if not Path(util.cache_from_source(str(source))).exists()
    }
    if not missing:
        return "the bytecode of large packages is kept"
    unset = "PYTHONDONTWRITEBYTECODE"
    why = f"{unset} is set" if sys.dont_write_bytecode else "their folders cannot be written"
    said = f"there is no bytecode of {', '.join(missing)}, and every start is slow; {why}"
    folders = shlex.join(sorted(missing.values()))
    return Verdict("advice", said, f"env -u {unset} python -m compileall -q {folders}")


CHECKS: dict[str, Check] = {
    check.__name__.replace("_", " "): check
    for check in (
        packages, version, compiled_code, vector_instructions, exact_map, environments, figure,
        store, plugins, cache, bytecode,
    )
}  # fmt: skip
