"""Build the wheel and the sdist into dist/, and test what users install: `make dist`.

The wheel must contain the package and its data files, the sdist the repository, and neither
anything else. Then, for every Python version that pyproject.toml names and that this machine has,
in an empty environment outside the clone, with an empty cache and nothing else on the PATH (so
without git):

- the wheel installs together with its packages at their locked versions, and they are compatible;
- `hsr demo` draws docs/figure1.png, byte for byte;
- `hsr doctor` finds nothing wrong;
- the sdist gives the same wheel, byte for byte, and installs.

Prints one line per test. The exit code is 1 if any failed. A Python version that is not on this
machine is reported and is no failure.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
DATA = (
    "hsr/py.typed",
    "hsr/grids/mazes/*.txt",
    "hsr/kernels/*.cu",
    "hsr/lab/static/*.html",
    "hsr/paper/claims.toml",
    "hsr/paper/own_claims.toml",
    "hsr/paper/closest.toml",
    "hsr/paper/templates/*",
)
METADATA = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
ONLY_IN_A_CLONE = (".ci", ".git")
PATIENCE = 900  # seconds for one command; the longest fetches all packages


class Failure(Exception):
    """A proof that does not hold, in words."""


def main() -> int:
    """Build, prove, print, and return the exit code."""
    try:
        wheel, sdist = build(ROOT, ROOT / "dist")
    except Failure as failure:
        say(f"FAILED  {failure}")
        return 1
    faults = [*wheel_faults(wheel, ROOT), *sdist_faults(sdist, ROOT)]
    for fault in faults:
        say(f"FAILED  {fault}")
    if not faults:
        say("ok      wheel and sdist hold what they should, and nothing else")
    failed = bool(faults)
    for version in promised_versions(ROOT):
        python = interpreter(version)
        if python is None:
            say(f"--      {version}: not on this machine")
            continue
        with tempfile.TemporaryDirectory(prefix="hsr-dist-") as folder:
            try:
                for proof in proofs(python, wheel, sdist, Path(folder)):
                    say(f"ok      {version}: {proof}")
            except Failure as failure:
                failed = True
                say(f"FAILED  {version}: {failure}")
    for path in (wheel, sdist):
        say(f"look at: {path.relative_to(ROOT)} ({path.stat().st_size:,} bytes)")
    return 1 if failed else 0


def build(root: Path, out: Path) -> tuple[Path, Path]:
    """Build a tree into a folder and return the paths of wheel and sdist."""
    shutil.rmtree(out, ignore_errors=True)
    ask([sys.executable, "-m", "hatchling", "build", "--directory", out], root, dict(os.environ))
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist


def proofs(python: str, wheel: Path, sdist: Path, folder: Path) -> Iterator[str]:
    """Yield what holds with one Python, in words; raise `Failure` at the first that does not."""
    ask([python, "-m", "venv", folder / "venv"], folder, surroundings(folder))
    programs = folder / "venv" / "bin"
    pip: list[str | Path] = [programs / "python", "-m", "pip", "--disable-pip-version-check"]
    lock = str(ROOT / "requirements" / "runtime.txt")
    locked = ["--only-binary", ":all:", "--require-hashes", "--requirement", lock]
    alone = ["--quiet", "--no-index", "--no-deps"]
    around = surroundings(folder)
    ask([*pip, "install", "--quiet", *locked], folder, fetching(around))
    ask([*pip, "install", *alone, wheel], folder, around)
    ask([*pip, "check"], folder, around)
    yield "the wheel installs, and its locked packages fit together"

    ask([programs / "hsr", "demo", "--out", folder / "out"], folder, around)
    if (folder / "out" / "figure1.png").read_bytes() != (
        ROOT / "docs" / "figure1.png"
    ).read_bytes():
        raise Failure("hsr demo draws another picture than docs/figure1.png")
    yield "hsr demo draws docs/figure1.png, byte for byte"

    ask([programs / "hsr", "doctor"], folder, around)
    yield "hsr doctor finds nothing wrong"

    ask(
        [*pip, "wheel", *alone, "--no-build-isolation", "--wheel-dir", folder / "again", sdist],
        folder,
        around,
    )
    if (folder / "again" / wheel.name).read_bytes() != wheel.read_bytes():
        raise Failure("the sdist gives another wheel")
    ask(
        [*pip, "install", *alone, "--no-build-isolation", "--force-reinstall", sdist],
        folder,
        around,
    )
    said = ask([programs / "hsr", "--version"], folder, around)
    if said.split() != ["hsr", wheel.name.split("-")[1]]:
        raise Failure(f"hsr from the sdist says it is {said!r}")
    yield "the sdist gives the same wheel without git, byte for byte, and installs"


def surroundings(folder: Path) -> dict[str, str]:
    """Return the variables of a new user's shell, with an empty home and an empty cache."""
    mine = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {
        **mine,
        "PATH": str(folder / "venv" / "bin"),
        "HOME": str(home),
        "HSR_CACHE_DIR": str(folder / "cache"),
    }


def fetching(around: dict[str, str]) -> dict[str, str]:
    """Return the same with this machine's settings of pip and its proxies, to fetch packages."""
    mine = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or name.lower().endswith("_proxy")
    }
    return {**around, **mine, "HOME": os.environ["HOME"]}


def promised_versions(root: Path) -> list[str]:
    """Return the Python versions that pyproject.toml names, such as "3.11"."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    last = [
        classifier.rpartition(" :: ")[2]
        for classifier in project["classifiers"]
        if "Language :: Python ::" in classifier
    ]
    return [version for version in last if version.startswith("3.")]


def interpreter(version: str) -> str | None:
    """Return the path of a Python version, or None where there is none, or one that does not run.

    A name on the PATH may be a script that starts Python (as pyenv's are); the path is that of
    Python itself.
    """
    program = shutil.which(f"python{version}")
    if program is None:
        return None
    who = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"
    done = subprocess.run([program, "-c", who], capture_output=True, text=True)
    said = done.stdout.splitlines()
    return said[1] if said[:1] == [version] else None


def wheel_faults(wheel: Path, root: Path) -> Iterator[str]:
    """Yield how a wheel differs from the package in a tree, and data files that are not listed."""
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    package = {path.removeprefix("src/") for path in tree(root) if path.startswith("src/")}
    about = "-".join(wheel.name.split("-")[:2]) + ".dist-info"
    yield from differences("the wheel", held, package | {f"{about}/{name}" for name in METADATA})
    data = {name for name in held if not name.startswith(about) and not name.endswith(".py")}
    yield from (
        f"{name} is in the wheel, and no data of the package"
        for name in sorted(data)
        if not matches(name, DATA)
    )
    yield from (
        f"the wheel has no {pattern}"
        for pattern in DATA
        if not any(matches(name, [pattern]) for name in data)
    )


def sdist_faults(sdist: Path, root: Path) -> Iterator[str]:
    """Yield how an sdist differs from a tree: files missing, files too many."""
    with tarfile.open(sdist) as archive:
        held = {str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in archive.getnames()}
    yield from differences("the sdist", held, tree(root) | {"PKG-INFO"})


def tree(root: Path) -> set[str]:
    """Return the files of a tree, without those that .gitignore names or only a clone has."""
    ignored = (root / ".gitignore").read_text(encoding="utf-8").split()
    anywhere = [pattern.rstrip("/") for pattern in ignored if "/" not in pattern.rstrip("/")]
    at_root = [pattern.strip("/") for pattern in ignored if "/" in pattern.rstrip("/")]

    def walk(folder: Path) -> Iterator[str]:
        for path in folder.iterdir():
            name = path.relative_to(root).as_posix()
            if matches(path.name, anywhere) or matches(name, [*at_root, *ONLY_IN_A_CLONE]):
                continue
            if path.is_dir():
                yield from walk(path)
            else:
                yield name

    return set(walk(root))


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a path matches a pattern; a star stands for part of one name."""
    parts = name.split("/")
    split = (pattern.split("/") for pattern in patterns)
    return any(len(parts) == len(other) and all(map(fnmatch, parts, other)) for other in split)


def differences(what: str, held: set[str], due: set[str]) -> list[str]:
    """Return in words what is missing and what is too much."""
    missing, extra = sorted(due - held), sorted(held - due)
    return [f"{what} lacks {name}" for name in missing] + [
        f"{what} has {name}, which does not belong there" for name in extra
    ]


def ask(command: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> str:
    """Return what a command prints; raise `Failure` with the end of it if the command fails."""
    words = list(map(str, command))
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(words)} did not end within {PATIENCE} s") from None
    if done.returncode:
        raise Failure(
            f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout[-4000:].rstrip()}"
        )
    return done.stdout


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
