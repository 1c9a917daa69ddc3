"""The Python blocks of every page run, and print what the page says. Run by `make docs`."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<kind>\w*)[^\n`]*\n(?P<block>.*?)^(?P=fence)$", re.M | re.S
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "_build" not in page.parts], ids=lambda page: page.stem
)
def test_the_python_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    """Run the blocks one after another. A text block right after one is what it prints."""
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names, printed, end = {"__name__": "page"}, None, 0
    for found in FENCE.finditer(text):
        follows = not text[end : found.start()].strip()
        end = found.end()
        if found["kind"] == "text" and printed is not None and follows:
            assert printed == found["block"]
        printed = None
        if found["kind"] == "python":
            out = StringIO()
            with redirect_stdout(out):
                exec(compile(found["block"], str(page), "exec"), names)
            printed = out.getvalue()
