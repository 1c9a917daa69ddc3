"""Time `hsr --help` against a bare interpreter that imports NumPy."""

import subprocess
import sys

from benchmarks._timing import median_seconds, row


def run(quick: bool = False) -> list[dict]:
    """Return one row: three times NumPy's import over the time of `hsr --help`, so that 1 is just
    enough.
    """
    repetitions = 5 if quick else 11
    help_text = [
        sys.executable,
        "-c",
        "import sys; from hsr.cli import main; sys.exit(main(['--help']))",
    ]
    ours = median_seconds(lambda: _quietly(help_text), repetitions=repetitions)
    numpy = median_seconds(
        lambda: _quietly([sys.executable, "-c", "import numpy"]), repetitions=repetitions
    )
    package = median_seconds(
        lambda: _quietly([sys.executable, "-c", "import hsr"]), repetitions=repetitions
    )
    note = f"hsr --help {ours:.3f} s, import numpy {numpy:.3f} s, import hsr {package:.3f} s"
    return [row("hsr --help, room to 3x import numpy", ours, 3.0 * numpy, target=1.0, note=note)]


def _quietly(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
