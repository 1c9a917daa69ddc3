"""The tables of docs/reach.md are those of the committed measurements."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_tables_are_made_of_the_committed_file():
    spec = spec_from_file_location("reach_page", DOCS / "reach.py")
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    text = (DOCS / "reach.md").read_text(encoding="utf-8")
    assert script.page(text) == text
    assert "| maze 21, 0.98 | one-hot | 6,000, 0.2 | log SR |" in text
    assert script.page(text.replace("99.2%", "12.3%")) == text
