"""The manuscript: short, with the sections of its journal, and nothing invented."""

import re
from itertools import chain

from studies.pages import MARKERS, STUDIES, read_json

from tests.project.test_evidence import known, prose, unknown
from tests.project.tree import ROOT, text_of

PAPER = "manuscript/paper.md"
SECTIONS = ["Summary", "Statement of need", "State of the field", "Software design", "Evidence"]
SECTIONS += ["When hierarchy pays", "AI usage disclosure", "Acknowledgements", "References"]


def body():
    """Return the manuscript without its header, comments and addresses of figures."""
    _, _, text = text_of(PAPER).removeprefix("---\n").partition("\n---\n")
    return re.sub(r"<!--.*?-->|\]\([^)]*\)", "", text)


def test_it_has_the_sections_of_the_journal_in_at_most_1500_words():
    assert re.findall(r"^# (.*)$", body(), re.M) == SECTIONS
    assert 750 < len(body().split()) <= 1500


def test_what_is_cited_is_in_the_bibliography_and_the_other_way_round():
    keys = re.findall(r"^@\w+\{(\w+),$", text_of("manuscript/paper.bib"), re.M)
    assert keys == sorted(set(keys))
    assert set(re.findall(r"@(\w+)", body())) == set(keys)


def test_its_figures_exist():
    figures = re.findall(r"\]\((\S+\.png)\)", text_of(PAPER))
    assert figures
    assert [name for name in figures if not (ROOT / "manuscript" / name).resolve().exists()] == []


def test_its_numbers_are_those_of_the_ledger_and_of_the_studies():
    assert text_of(PAPER).count(MARKERS[0]) == 1
    files = ["ledger", *STUDIES]
    paths = [ROOT / f"docs/results/{name}.json" for name in files]
    numbers = set(chain.from_iterable(known(read_json(path)) for path in paths if path.exists()))
    sentences = [one for one in prose(PAPER) if "bibliography:" not in one]
    assert {one: unknown(one, numbers) for one in sentences if unknown(one, numbers)} == {}
