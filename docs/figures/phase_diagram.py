"""Draw docs/phase-diagram.png from the stored tables: `python docs/figures/phase_diagram.py`.

`make evidence` draws the same picture from the runs.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np

from hsr.plots import save_figure

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "studies"))
from when_report import AT_EQUAL, IN_UNITS, phase_diagram  # noqa: E402


def main() -> None:
    """Read differences by noise and rounds and the price of a round, and draw them."""
    stored = json.loads((ROOT / "docs/results/when_hierarchy_pays.json").read_text("utf-8"))
    tables = stored["tables"]
    at = [differences(tables, f"at {equal}, {IN_UNITS['visits']}") for equal in AT_EQUAL]
    row = re.search(rf"^\| {IN_UNITS['visits']} \|.*\| ([\d.]+) \| \d+ \|$", tables, re.M)
    assert row is not None
    save_figure(phase_diagram(*at, float(row[1])), ROOT / "docs/phase-diagram.png")


def differences(tables: str, title: str) -> np.ndarray:
    """Return the means of the table below a title, an array of shape (sigma, round)."""
    _, _, after = tables.partition(f"Hierarchical minus flat {title}")
    rows = after.split("\n\n")[1].splitlines()[2:]
    return np.array([[float(cell.split()[0]) for cell in row.split("|")[2:-1]] for row in rows])


if __name__ == "__main__":
    main()
