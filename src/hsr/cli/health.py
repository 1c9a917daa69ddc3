"""Whether `hsr` works here: short checks with an exact answer each, and what to do about each that
is not well.

A check returns a `Verdict`. One that raises has failed, and the others still run.

- well: as it should be;
- advice: all results are right, and something could be better;
- failed: results cannot be had, or cannot be trusted.
"""

import shlex
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from hsr import __version__
from hsr.cli.machine import version_of
from hsr.toolkit import MissingExtraError, missing_packages, needs

DISTRIBUTION = "hsr-rl"
AGAIN = "install again, in a clone of hsr: pip install --force-reinstall ."
DISK = "look at the disk of the folder for temporary files (TMPDIR): its space, and who may write"
UNTRUSTED = (
    "no result can be trusted: empty the cache (HSR_CACHE_DIR, else ~/.cache/hsr), and if it stays, install the locked "
    "versions of Numba and llvmlite"
)


@dataclass(frozen=True)
class Verdict:
    """What a check found: "well", "advice" or "failed", in words, and what to do about it."""

    state: str
    said: str
    remedy: str = ""


def examine() -> dict[str, Verdict]:
    """Run every check and return the verdicts by name."""
    return {name: _examined(check) for name, check in CHECKS.items()}


def packages() -> Verdict:
    """Check that every package hsr needs is installed in a version that it can use."""
    from packaging.requirements import Requirement

    try:
        needed = [Requirement(line) for line in metadata.requires(DISTRIBUTION) or ()]
    except metadata.PackageNotFoundError:
        return Verdict(
            "failed",
            f"{DISTRIBUTION} is not installed; this code runs from a folder",
            "python -m pip install .",
        )
    needed = [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    unfit = {}
    for one in needed:
        version = version_of(one.name)
        if version is None or not one.specifier.contains(version, prereleases=True):
            unfit[f"{one.name}{one.specifier}"] = (
                "it is missing" if version is None else f"{version} is here"
            )
    if unfit:
        said = ", ".join(
            f"{requirement} is needed and {found}" for requirement, found in unfit.items()
        )
        return Verdict(
            "failed",
            said,
            "python -m pip install " + " ".join(f"'{requirement}'" for requirement in unfit),
        )
    return Verdict("well", f"{len(needed)} packages, each in a version that hsr can use")


def version() -> Verdict:
    """Check that the version that was installed is the version of the code that runs."""
    installed = version_of(DISTRIBUTION)
    if installed != __version__:
        return Verdict(
            "advice",
            f"{DISTRIBUTION} {installed} was installed, and the code that runs is {__version__}",
            AGAIN,
        )
    return Verdict("well", f"the code that runs is the one that was installed, {__version__}")


def compiled_code() -> Verdict:
    """Check that a compiled kernel gives the bytes of its own source in plain Python."""
    import numpy as np

    from hsr.kernels.substitution import solve_acyclic

    if not hasattr(solve_acyclic, "py_func"):
        return Verdict(
            "advice",
            "nothing is compiled: NUMBA_DISABLE_JIT is set, and everything is slow",
            "unset NUMBA_DISABLE_JIT",
        )
    n = 100
    order, indptr = np.arange(n, dtype=np.int32), np.concatenate([[0], np.cumsum(np.arange(n))])
    indices = np.concatenate([np.arange(s, dtype=np.int32) for s in range(n)])
    C = np.random.default_rng(0).random(indices.size) / n
    found, expected = np.ones((n, 2)), np.ones((n, 2))
    solve_acyclic(order, indptr, indices, C, found)
    solve_acyclic.py_func(order, indptr, indices, C, expected)
    if found.tobytes() != expected.tobytes():
        return Verdict("failed", "compiled code and plain Python differ", UNTRUSTED)
    return Verdict("well", "a compiled kernel gives the bytes of plain Python")


def vector_instructions() -> Verdict:
    """Check a map learned around a ring, which is compiled to vector instructions, against its
    update rule in NumPy.
    """
    import numpy as np

    from hsr.mdp import FiniteMDP
    from hsr.representation import learn_sr

    n, steps, gamma, alpha = 10, 500, 0.9, 0.1
    ring = np.roll(np.eye(n), 1, axis=1)[:, np.newaxis]
    found = learn_sr(
        FiniteMDP(ring, discount=gamma),
        steps=steps,
        learning_rate=alpha,
        seed=np.random.default_rng(0),
    )
    M, s = np.eye(n), int(np.random.default_rng(0).integers(0, n))
    for _ in range(steps):
        arrived = (s + 1) % n
        M[s] += alpha * (gamma * M[arrived] - M[s])
        M[s, s] += alpha
        s = arrived
    if found.tobytes() != M.tobytes():
        return Verdict("failed", "vector instructions and NumPy differ", UNTRUSTED)
    return Verdict("well", "vector instructions give the bytes of NumPy")


def exact_map() -> Verdict:
    """Check the successor representation of two cells side by side against its closed form.

    The walk moves with chance 1/4, so P has eigenvalues 1 and 1/2, and M = ((a + b) I + (a - b) (J
    - I)) / 2 with a = 1 / (1 - g) and b = 1 / (1 - g/2).
    """
    import numpy as np

    from hsr.grids import GridLayout, grid_mdp
    from hsr.representation import successor_representation

    g = 0.9
    a, b = 1.0 / (1.0 - g), 1.0 / (1.0 - g / 2.0)
    M = successor_representation(
        grid_mdp(GridLayout.from_text("####\n#..#\n####"), discount=g)
    ).toarray()
    error = float(np.abs(M - np.array([[a + b, a - b], [a - b, a + b]]) / 2.0).max())
    if not error < 1e-12:
        return Verdict("failed", f"a map of two cells is wrong by {error:.1e}", AGAIN)
    return Verdict("well", f"a map of two cells is right to {error:.0e}")


def environments() -> Verdict:
    """Check that Gymnasium makes our grid world by name, and that a step in it works."""
    needs("envs", "this check")
    import gymnasium

    env = gymnasium.make("hsr/GridWorld-v0")
    try:
        env.reset(seed=0)
        env.step(0)
    finally:
        env.close()
    return Verdict("well", "gymnasium makes hsr/GridWorld-v0, and it steps")


def figure() -> Verdict:
    """Check that a figure is drawn and saved without a screen: one square inch of red."""
    needs("plots", "this check")
    from matplotlib.image import imread

    from hsr.plots import new_figure, save_figure

    page = new_figure(1.0, 1.0)
    page.set_facecolor("red")
    with tempfile.TemporaryDirectory() as folder:
        picture = imread(save_figure(page, Path(folder) / "red.png"))
    if picture[picture.shape[0] // 2, picture.shape[1] // 2, :3].tolist() != [1.0, 0.0, 0.0]:
        return Verdict("failed", "a red square is not drawn red", AGAIN)
    return Verdict("well", "a figure is drawn without a screen")


def store() -> Verdict:
    """Check that a run is written to a store and read back unchanged."""
    import numpy as np

    from hsr.paper.store import Record, Store

    record = Record("doctor", {"rate": 0.1}, seed=0, arrays={"steps": np.arange(3)})
    with tempfile.TemporaryDirectory() as folder:
        key = Store(folder).put(record)
        same = Store(folder, create=False).get(key).digest() == record.digest()
    if not same:
        return Verdict("failed", "a run that was stored is read back changed", DISK)
    return Verdict("well", "a run is stored and read back unchanged")


def plugins() -> Verdict:
    """Check that every plugin can be imported, and that no two have the same name, nor one that is
    built in.
    """
    from hsr import InputError
    from hsr.agents import names_by_group
    from hsr.toolkit import plugins as found

    built_in = {**names_by_group(), found.ENGINES: ("local", "dask")}
    there = found.installed()
    broken = []
    for plugin in there:
        try:
            found.choose(plugin.group, plugin.name, built_in[plugin.group], "a name")
            found.load(plugin)
        except InputError as error:
            broken.append((plugin.distribution, str(error)))
    if broken:
        owners, errors = (
            ", ".join(dict.fromkeys(owner for owner, _ in broken)),
            dict.fromkeys(said for _, said in broken),
        )
        return Verdict("failed", "; ".join(errors), f"update or uninstall {owners}")
    return Verdict(
        "well", f"{len(there)} found, and each can be imported" if there else "there are none"
    )


def cache() -> Verdict:
    """Check that compiled code can be kept for the next start."""
    from hsr.toolkit import cache_folder

    if cache_folder() is None:
        remedy = "set HSR_CACHE_DIR to a folder that can be written"
        return Verdict(
            "advice", "compiled code cannot be kept: every start compiles anew, for seconds", remedy
        )
    return Verdict("well", "compiled code is kept for the next start")


def bytecode() -> Verdict:
    """Check that Python's own bytecode of large packages is kept: without it every start takes
    seconds longer.
    """
    names = ["hsr", "numpy", "scipy", "numba"]
    names += [] if missing_packages("plots") else ["matplotlib"]
    missing = [name for name in names if not _has_bytecode(name)]
    if not missing:
        return Verdict("well", "the bytecode of large packages is kept")
    why = (
        "PYTHONDONTWRITEBYTECODE is set"
        if sys.dont_write_bytecode
        else "their folders cannot be written"
    )
    folders = sorted({str(_source(name).parent) for name in missing})
    remedy = "env -u PYTHONDONTWRITEBYTECODE python -m compileall -q " + shlex.join(folders)
    return Verdict(
        "advice",
        f"there is no bytecode of {', '.join(missing)}, and every start is slow; {why}",
        remedy,
    )


CHECKS: dict[str, Callable[[], Verdict]] = {
    "packages": packages,
    "version": version,
    "compiled code": compiled_code,
    "vector instructions": vector_instructions,
    "exact map": exact_map,
    "environments": environments,
    "figure": figure,
    "store": store,
    "plugins": plugins,
    "cache": cache,
    "bytecode": bytecode,
}


def _examined(check: Callable[[], Verdict]) -> Verdict:
    try:
        return check()
    except MissingExtraError as missing:
        return Verdict("skipped", str(missing))
    except Exception as error:  # a broken package may raise anything
        return Verdict(
            "failed",
            f"{type(error).__name__}: {error}",
            DISK if isinstance(error, OSError) else AGAIN,
        )


def _source(package: str) -> Path:
    spec = util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"there is no package {package}")
    return Path(spec.origin)


def _has_bytecode(package: str) -> bool:
    return Path(util.cache_from_source(str(_source(package)))).exists()
