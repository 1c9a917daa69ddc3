"""What is written from the ledger: groups, numbers, what has changed; and that nothing drifts."""

import json
from pathlib import Path

import pytest

from hsr import InputError
from hsr.paper import catalogue
from hsr.paper.catalogue import claims
from hsr.paper.ledger_file import write_ledger
from hsr.paper.results_page import (
    FIGURE_MARKERS,
    PAGE_MARKERS,
    README_MARKERS,
    figure_part,
    page_part,
    readme_part,
    summary_in,
)
from hsr.paper.summary import Summary, at_rates, between_markers, cut_off
from tests.paper.made_up_ledger import made_up_rows, row_of

ROOT = Path(__file__).parents[2]
ROWS = made_up_rows()
HOLDS, OPEN, FAILS, MISSING = (
    "What holds over worlds",
    "What cannot be told",
    "What does not hold, or comes out the other way",
    "What has no evidence",
)


def names(rows):
    """Return the claims of some rows."""
    return [row["claim"] for row in rows]


def test_claims_are_grouped_by_their_verdict_and_every_claim_once():
    groups = Summary(ROWS).groups
    for title, words in {
        HOLDS: {"reproduced"},
        OPEN: {"cannot tell"},
        FAILS: {"not reproduced", "opposite"},
        MISSING: {"no evidence"},
    }.items():
        assert names(groups.get(title, [])) == [
            row["claim"] for row in ROWS if row["verdict"] in words
        ]
    assert sorted(name for rows in groups.values() for name in names(rows)) == sorted(
        claim.id for claim in claims()
    )
    assert names(groups[HOLDS]) == ["theory-contraction", "online-stability", "gpi-parity", "mazes"]


@pytest.mark.parametrize(("worlds", "said"), [(4, True), (5, True), (6, False), (40, False)])
def test_a_banner_says_that_so_few_worlds_are_no_evidence(worlds, said):
    """The smallest p of n worlds is 2^(1 - n): 0.0625 of five, 0.03125 of six."""
    banner = Summary(made_up_rows(worlds)).banner
    assert bool(banner) == said
    if said:
        assert f"No test of {worlds} worlds can be significant" in banner
        assert f"smallest p-value is {2.0 ** (1 - worlds):.2g}" in banner
        assert banner.endswith("Use --preset paper.")
        assert page_part(Summary(made_up_rows(worlds))).startswith(f"**{banner}**")


def test_exact_checks_alone_need_no_banner():
    assert Summary([row_of(ROWS, "theory-contraction")]).banner == ""


def test_a_claim_without_tuned_rates_says_nothing_about_them():
    assert at_rates({"verdict": "reproduced", "controls": {"unit columns": "opposite"}}) == ""


def test_a_measure_that_cuts_off_says_how_much_and_if_another_one_judges():
    assert cut_off(row_of(ROWS, "mazes")) == "90%; another measure judges"
    assert cut_off(row_of(ROWS, "online-stability")) == ""


def test_verdicts_that_changed_are_listed():
    before = {"online-stability": "reproduced", "online-value-r2": "reproduced", "gpi-parity": "x"}
    found = Summary(ROWS, before={**before, "basis-hsr-nmf-best": "reproduced"})
    assert found.overturned == ["`online-value-r2`", "`gpi-parity`"]
    assert "analysis: `online-value-r2`, `gpi-parity`." in page_part(found)


def test_the_readme_has_a_line_for_each_group(tmp_path):
    write_ledger(ROWS, tmp_path / "ledger.json")
    (tmp_path / "single_world_verdicts.json").write_text('{"online-value-r2": "reproduced"}')
    text = readme_part(summary_in(tmp_path))
    assert f"The paper makes {len(claims())} claims." in text
    held = "`theory-contraction`, `online-stability`, `gpi-parity`, `mazes`"
    assert f"| {HOLDS} | 4 | {held} |\n" in text
    assert "\n\nVerdicts that differ from those in the paper's one world: 1.\n\n" in f"{text}\n\n"


def test_the_page_of_a_figure_has_a_row_for_each_comparison():
    row = row_of(ROWS, "mazes")
    part = figure_part(Summary(ROWS), "mazes")
    cells = [line.strip("| ").split(" | ") for line in part.splitlines() if " | d_z = " in line]
    assert [cell[0] for cell in cells] == [one["what"] for one in row["comparisons"]]
    assert {cell[-1] for cell in cells} == {one["outcome"] for one in row["comparisons"]}
    assert "Runs that never met the paper's criterion: 90%; another measure judges." in part


def test_the_table_of_claims_has_each_in_words_with_its_verdict():
    part = page_part(Summary(ROWS))
    for claim in claims():
        assert f"[{claim.text}](results/" in part


@pytest.mark.parametrize("text", ["none", "<b> <a>", "<a> <a> <b>", "<a>"])
def test_a_text_needs_both_markers_once_and_in_their_order(text):
    with pytest.raises(InputError, match="marker"):
        between_markers(text, ("<a>", "<b>"), "new")


def test_the_verdicts_in_a_single_world_are_those_of_every_claim():
    before = Summary((), before=json.loads(committed("single_world_verdicts.json"))).before
    assert set(before) == {claim.id for claim in claims()}
    assert [list(before.values()).count(word) for word in ("reproduced", "opposite")] == [9, 2]


def test_the_readme_has_the_markers_between_which_its_table_is_written():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "\n\nNEW\n\n" in between_markers(text, README_MARKERS, "NEW")


@pytest.mark.parametrize("name", ["README.md", "docs/results.md"])
def test_what_is_committed_is_what_the_committed_ledger_gives(name):
    summary = summary_in(ROOT / "docs/results")
    text = (ROOT / name).read_text(encoding="utf-8")
    if name == "README.md":
        expected = between_markers(text, README_MARKERS, readme_part(summary))
    else:
        expected = between_markers(text, PAGE_MARKERS, page_part(summary))
    assert text == expected


@pytest.mark.parametrize("name", catalogue.names())
def test_the_committed_page_of_a_figure_is_what_the_committed_ledger_gives(name):
    text, experiment = committed(f"{name}.md"), catalogue.find(name)
    by_hand_and_drawn, by_ledger = text.split(FIGURE_MARKERS[1])
    assert by_ledger.strip() == figure_part(summary_in(ROOT / "docs/results"), name)
    assert text.startswith(f"# Figure {experiment.figure}: {experiment.title}\n\n")
    drawn = by_hand_and_drawn.split(FIGURE_MARKERS[0])[1]
    assert (f"]({name}.png)\n" in drawn) == (ROOT / f"docs/results/{name}.png").exists()


def committed(name):
    """Return the text of a committed file of results."""
    return (ROOT / "docs/results" / name).read_text(encoding="utf-8")
