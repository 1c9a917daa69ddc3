"""The manuscript: short, with the sections of its journal, and nothing invented."""

import re

from studies.pages import MARKERS, STUDIES

from tests.project.tree import ROOT, text_of

PAPER = "manuscript/paper.md"
SECTIONS = ["Summary", "Statement of need", "State of the field", "Software design", "Evidence"]
SECTIONS += ["When hierarchy pays", "AI usage disclosure", "Acknowledgements", "References"]
NUMBER = re.compile(r"(?<![\w.,-])-?(\d[\d,]*(?:\.\d+)?)( %|%)?")


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


def test_its_decimals_and_percentages_are_those_of_the_ledger_and_of_the_studies():
    assert text_of(PAPER).count(MARKERS[0]) == 1
    paths = [ROOT / f"docs/results/{name}.json" for name in ("ledger", *STUDIES)]
    stored = " ".join(path.read_text(encoding="utf-8") for path in paths if path.exists())
    stored = re.sub(r'"(smallest_)?p": [^,}]*', "", stored)  # p-values have every size
    numbers = {float(digits.replace(",", "")) for digits, _ in NUMBER.findall(stored)}
    invented = []
    for digits, percent in NUMBER.findall(body()):
        places = len(digits.partition(".")[2])
        rounded = {f"{x * (100 if percent else 1):.{places}f}" for x in numbers}
        if (percent or places) and digits not in rounded | {f"{x:.{places}f}" for x in numbers}:
            invented.append(digits + percent)
    assert invented == []
