"""Print the notes of a version from CHANGELOG.md: `python release/notes.py 0.2.0`."""

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parents[1] / "CHANGELOG.md"


def notes(version: str, changelog: str) -> str:
    """Return the section of a version, without its heading; raise `SystemExit` if there is none."""
    section = re.search(
        rf"^## {re.escape(version)}\n(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE
    )
    if section is None or not section[1].strip():
        raise SystemExit(f"CHANGELOG.md has no notes on version {version}")
    return section[1].strip()


if __name__ == "__main__":
    print(notes(sys.argv[1], CHANGELOG.read_text(encoding="utf-8")))
