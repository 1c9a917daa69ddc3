"""Build wheel and sdist into dist/, and try what users install: `make dist`.

Everything happens in empty environments outside the clone, with an empty cache of compiled code:

- the wheel alone, with each supported Python that this machine has: the ten lines of the README,
  `hsr lab` and `hsr doctor`;
- the wheel with each extra: what the extra is for works (with `xarray`, the README's example for
  neuroscience), and `hsr doctor` finds nothing;
- the sdist: it gives the same wheel, byte for byte.

Packages are fetched at their locked versions. Prints one line per test with its time. The exit code
is 1 if any failed. A Python that this machine does not have is named, and is no failure. It is
looked for on the PATH and among those that pyenv has installed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BIN = "Scripts" if os.name == "nt" else "bin"
DATA = ("hsr/py.typed", "hsr/grids/mazes/four_rooms.txt", "hsr/lab/static/lab.html")
# What each extra is for.
USES = {
    "envs": "import gymnasium; gymnasium.make('hsr.envs:hsr/GridWorld-v0').reset(seed=0)",
    "plots": "import hsr.plots; hsr.plots.new_figure(1.0, 1.0)",
    "pandas": "import hsr, pandas; hsr.successor_representation",
    "paper": "from hsr.cli import main; assert main(['list']) == 0; assert main(['demo']) == 0",
    "data": "import pooch, pandas, hsr.datasets; hsr.datasets.wmaze",
    "deep": "import hsr.deep",
    "minigrid": "import hsr; hsr.load_layout('loop').to_minigrid().reset(seed=0)",
    "all": "import gymnasium, matplotlib, pandas, xarray; "
    "from hsr.cli import main; assert main(['demo']) == 0",
}


class Failure(Exception):
    """A test that failed, with its reason."""


def main() -> int:
    """Build, try, print, and return the exit code."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    ask([sys.executable, "-m", "hatchling", "build", "--directory", ROOT / "dist"], ROOT)
    (wheel,), (sdist,) = (ROOT / "dist").glob("*.whl"), (ROOT / "dist").glob("*.tar.gz")
    results = [attempt("the wheel holds the package and its data", holds_its_data, wheel)]
    for version in supported():
        python = python_of(version)
        if python is None:
            say(f"--      Python {version} is not on this machine")
            continue
        what = f"Python {version}: the wheel alone runs the ten lines of the README"
        results.append(attempt(what, alone, wheel, python))
    for extra in PROJECT["optional-dependencies"]:
        if extra not in ("test", "docs", "dev"):
            results.append(attempt(f"the wheel with [{extra}]", with_extra, wheel, extra))
    results.append(attempt("the sdist gives the same wheel", same_wheel, wheel, sdist))
    for path in (wheel, sdist):
        say(f"look at: {path.relative_to(ROOT)} ({path.stat().st_size:,} bytes)")
    return 0 if all(results) else 1


def attempt(what: str, test: Callable[..., None], *arguments: Path | str) -> bool:
    """Run one test, print how it went, and return whether it passed."""
    start = time.monotonic()
    try:
        test(*arguments)
    except Failure as failure:
        say(f"FAILED  {what}: {failure}")
        return False
    say(f"ok      {what} ({time.monotonic() - start:.0f} s)")
    return True


def holds_its_data(wheel: Path) -> None:
    """Check that the wheel has every module and data file of the package, and nothing else."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    ignored = ("__pycache__", ".pyc")
    source = (path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*"))
    due = {name for name in source if (ROOT / "src" / name).is_file()}
    due = {name for name in due if not any(word in name for word in ignored)}
    if missing := (due | set(DATA)) - held:
        raise Failure(f"missing: {', '.join(sorted(missing))}")
    if extra := held - due:
        raise Failure(f"too much: {', '.join(sorted(extra))}")


def alone(wheel: Path, python: str) -> None:
    """Install the wheel without extras, run the ten lines, write the lab, and ask the doctor."""
    with tempfile.TemporaryDirectory(prefix="hsr-dist-") as folder:
        environment = install(Path(folder), str(wheel), python)
        code = f"{example(0)}\nassert run.steps.shape == (20, 2, 50)"
        ask([environment / "python", "-c", code], Path(folder))
        ask([environment / "hsr", "lab", "--out", "lab.html"], Path(folder))
        ask([environment / "hsr", "doctor"], Path(folder))


def with_extra(wheel: Path, extra: str) -> None:
    """Install the wheel with an extra, use it, and ask the doctor."""
    with tempfile.TemporaryDirectory(prefix="hsr-dist-") as folder:
        environment = install(Path(folder), f"{wheel}[{extra}]", sys.executable)
        use = example(2) if extra == "xarray" else USES[extra]
        ask([environment / "python", "-c", use], Path(folder))
        ask([environment / "hsr", "doctor"], Path(folder))


def same_wheel(wheel: Path, sdist: Path) -> None:
    """Build a wheel from the sdist and compare the bytes."""
    with tempfile.TemporaryDirectory(prefix="hsr-dist-") as folder:
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
        ask([*pip, "--no-build-isolation", "--wheel-dir", folder, sdist], ROOT)
        if (Path(folder) / wheel.name).read_bytes() != wheel.read_bytes():
            raise Failure("the bytes differ")


def install(folder: Path, what: str, python: str) -> Path:
    """Install something into a new environment, and return the folder of its programs."""
    ask([python, "-m", "venv", folder / "venv"], folder)
    programs = folder / "venv" / BIN
    locked = re.findall(r"^[\w.-]+==[^\\\n]+", text("requirements/dev.txt"), re.M)
    (folder / "locked.txt").write_text("\n".join(locked))
    pip = [programs / "python", "-m", "pip", "--disable-pip-version-check"]
    ask([*pip, "install", "--quiet", "--constraint", folder / "locked.txt", what], folder)
    ask([*pip, "check"], folder)
    return programs


def example(number: int) -> str:
    """Return an example of the README: 0 for reinforcement learning, 2 for neuroscience."""
    return re.findall(r"```python\n(.*?)```", text("README.md"), re.DOTALL)[number]


def supported() -> list[str]:
    """Return the Python versions that pyproject.toml names, such as "3.11"."""
    return re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))


def python_of(version: str) -> str | None:
    """Return an interpreter of a version, such as "3.11", or None if this machine has none."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = sorted(pyenv.glob(f"{version}.*/{BIN}/python{version}"))
    for python in filter(None, [shutil.which(f"python{version}"), *map(str, found)]):
        done = subprocess.run([python, "-c", code], capture_output=True, text=True)
        if done.stdout.strip() == version:
            return python
    return None


def text(name: str) -> str:
    """Return the text of a file of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def ask(command: list[str | Path], folder: Path) -> None:
    """Run a command in a folder with an empty cache; raise `Failure` if it fails."""
    words = list(map(str, command))
    own = {"HSR_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": "", "MPLBACKEND": "Agg"}
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise Failure(
            f"{' '.join(words)[:200]} ended with {done.returncode}:\n{done.stdout[-3000:]}"
        )


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
