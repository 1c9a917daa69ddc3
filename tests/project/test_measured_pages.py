"""The tables of pages about networks are those of the committed measurements."""

from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("script", "page", "row"),
    [
        ("reach", "reach.md", "| maze 21, 0.98 | one-hot, 6,000 | 78% "),
        ("known_answers", "known-answers.md", "| HSR heads | 0.0101 | 0.666 "),
        ("known_answers", "known-answers-tables.md", "| one-hot, walk, little data | FB | 0.892 "),
        ("transfer_from_pixels", "transfer-from-pixels.md", "| learned SR, rows | 0.0003 | 0.679 "),
    ],
    ids=["reach", "answers", "answer-tables", "transfer"],
)
def test_the_tables_are_made_of_the_committed_file(script, page, row, monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "figures")
    tables = import_module(script).tables()
    with_tables = import_module("table_places").with_tables
    text = (DOCS / page).read_text(encoding="utf-8")
    assert row in text
    wrong = text.replace(row, row.replace("0", "7"))
    for one in (text, wrong):
        assert with_tables(one, tables, f"docs/figures/{script}.py") == text
