"""The tree of the repository, as its tests read it."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def text_of(path):
    """Return the text of a file, given by its path in the repository."""
    return (ROOT / path).read_text(encoding="utf-8")


CONFIG = tomllib.loads(text_of("pyproject.toml"))
PROJECT = CONFIG["project"]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
