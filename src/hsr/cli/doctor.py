"""`hsr doctor`: what is installed, what the machine offers, and whether `hsr` works on it."""

import json
import os
import platform
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import hsr
from hsr._base.extras import EXTRAS, MissingExtraError, needs
from hsr.cli.arguments import Flag
from hsr.cli.console import say

DISTRIBUTION, OTHER = hsr.__distribution__, "hsr"  # the latter is a library for chemistry
REINSTALL = "install hsr again in a new environment"
UNTRUSTED = (
    "do not trust any result: empty the cache (HSR_CACHE_DIR, or ~/.cache/hsr); if the check still "
    "fails, install the locked versions of Numba and llvmlite"
)


class Advice(Exception):
    """Raised by a check where all results are correct and something could be better."""


@dataclass(frozen=True)
class Doctor:
    """Report what is installed and what the machine offers, and check that hsr works on it.

    Each check that does not pass says what to do about it. Exits with 1 if a check failed.
    """

    json: Flag = False
    """Print everything as JSON, for scripts and bug reports."""

    def __call__(self) -> int:
        """Print the facts, then the checks, then a line that sums up."""
        checks = {name: verdict(check) for name, check in CHECKS.items()}
        known = facts()  # after the checks, which load linear algebra
        healthy = all(state != "failed" for state, _ in checks.values())
        if self.json:
            say(json.dumps({"healthy": healthy, "facts": known, "checks": checks}))
            return 0 if healthy else 1
        for name, fact in known.items():
            say(f"{name:<10} {fact}")
        for name, (state, said) in checks.items():
            say(f"{state:<10} {name}: {said}")
        say("everything works" if healthy else "a check failed; its line says what to do")
        return 0 if healthy else 1


def facts() -> dict[str, str]:
    """Return versions, processor, linear algebra, and cache, each as one line."""
    from threadpoolctl import threadpool_info

    blas = (f"{one['internal_api']} {one['version']}" for one in threadpool_info())
    missing = [name for name in (*_required(), *_optional()) if not _version(name)]
    return {
        "hsr": hsr.__version__,
        "python": f"{platform.python_version()} on {platform.platform()}",
        "packages": ", ".join(
            f"{name} {_version(name)}"
            for name in (*_required(), *_optional())
            if name not in missing
        ),
        "missing": ", ".join(missing) or "none",
        "processor": f"{platform.machine()}, {os.cpu_count()} cores",
        "blas": ", ".join(blas) or "not loaded yet",
        "cache": str(_cache_folder() or "none"),
    }


def verdict(check: Callable[[], str]) -> tuple[str, str]:
    """Run one check and return its state with what it says.

    The state is "ok", "advice", "skipped" where an extra is not installed, or "failed".
    """
    try:
        return "ok", check()
    except MissingExtraError as missing:
        return "skipped", str(missing)
    except Advice as advice:
        return "advice", str(advice)
    except AssertionError as wrong:
        return "failed", f"{wrong}; do: {UNTRUSTED}"
    except Exception as error:  # a broken package may raise anything
        return "failed", f"{type(error).__name__}: {error}; do: {REINSTALL}"


def packages() -> str:
    """Check that every required package is installed in a supported version."""
    from packaging.requirements import Requirement

    for line in metadata.requires(DISTRIBUTION) or ():
        one = Requirement(line)
        if one.marker is None or one.marker.evaluate({"extra": ""}):
            found = _version(one.name)
            if not found or not one.specifier.contains(found, prereleases=True):
                raise RuntimeError(f"{one} is needed, found {found or 'none'}")
    return "every required package has a supported version"


def other_package() -> str:
    """Check that the other package called hsr, with the same module and command, is not here."""
    try:
        other = metadata.distribution(OTHER)
    except metadata.PackageNotFoundError:
        return "no other package has the module hsr"
    if not any(file.parts[0] == "hsr" for file in other.files or ()):
        return f"the package {OTHER} {other.version} has another module"
    raise Advice(
        f"the package {OTHER} {other.version} is installed too, and has the same module and "
        f"command as {DISTRIBUTION}; do: pip uninstall {OTHER} {DISTRIBUTION}, then install "
        f"{DISTRIBUTION} again"
    )


def learned_map() -> str:
    """Check a map learned around a ring by compiled code against its update rule in NumPy."""
    import numpy as np

    n, steps, gamma, alpha = 10, 500, 0.9, 0.1
    ring = hsr.FiniteMDP(np.roll(np.eye(n), 1, axis=1)[:, np.newaxis], discount=gamma)
    found = hsr.learn_sr(ring, steps=steps, learning_rate=alpha, seed=np.random.default_rng(0))
    M, s = np.eye(n), int(np.random.default_rng(0).integers(0, n))
    for _ in range(steps):
        arrived = (s + 1) % n
        M[s] += alpha * (gamma * M[arrived] - M[s])
        M[s, s] += alpha
        s = arrived
    if found.tobytes() != M.tobytes():
        raise AssertionError("compiled code and NumPy differ")
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        raise Advice("nothing is compiled, and everything is slow; do: unset NUMBA_DISABLE_JIT")
    return "compiled code returns the bytes of NumPy"


def exact_map() -> str:
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
        raise AssertionError(f"the map of two cells is wrong by {error:.1e}")
    return f"the map of two cells is right to {error:.0e}"


def environments() -> str:
    """Check that Gymnasium makes our grid environment by name, and that it steps."""
    needs("envs", "this check")
    import gymnasium

    with gymnasium.make("hsr.envs:hsr/GridWorld-v0") as env:
        env.reset(seed=0)
        env.step(0)
    return "Gymnasium makes hsr/GridWorld-v0, and it steps"


def figure() -> str:
    """Check that one square inch is drawn and saved without a screen."""
    needs("plots", "this check")
    from hsr.plots import new_figure, save_figure

    with tempfile.TemporaryDirectory() as folder:
        save_figure(new_figure(1.0, 1.0), Path(folder) / "empty.png")
    return "a figure is drawn without a screen"


def cache() -> str:
    """Check that compiled code can be kept for the next start."""
    if _cache_folder() is None:
        raise Advice("every start compiles again; do: set HSR_CACHE_DIR to a folder of your own")
    return "compiled code is kept for the next start"


CHECKS: dict[str, Callable[[], str]] = {
    check.__name__.replace("_", " "): check
    for check in (packages, other_package, learned_map, exact_map, environments, figure, cache)
}


def _cache_folder() -> Path | None:
    from hsr._base.compiled import cache_folder  # imports Numba, which other commands do not need

    return cache_folder()


def _required() -> list[str]:
    return ["numpy", "scipy", "numba", "llvmlite", "scikit-learn"]


def _optional() -> list[str]:
    return sorted({name for names in EXTRAS.values() for name in names})


def _version(package: str) -> str:
    """Return the version of an installed package, or an empty text."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
