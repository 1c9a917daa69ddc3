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
from hsr.paper.summary import Summary, at_rates, between_markers, cut_off, line_of
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


def test_a_line_has_the_numbers_and_the_verdicts_at_tuned_rates():
    row = row_of(ROWS, "online-stability")
    low, high = row["interval"]
    assert line_of(row) == (
        f"*reproduced*. Episodes, HSR rows minus SR rows: Cohen's d_z = {row['effect']:.2f} "
        f"[{low:.2f}, {high:.2f}], corrected p = {row['p_corrected']:.2g}, 40 worlds x 5 seeds; "
        f"{row['agree']:.0%} of worlds agree; single worlds: {row['as_claimed']:.0%} as claimed, "
        f"{row['other_way']:.0%} the other way. Holds at the given rate; at tuned rates: "
        "opposite; in slip 0.1: not reproduced."
    )
    assert line_of(row_of(ROWS, "theory-contraction")) == (
        "*reproduced*. The check held (largest ratio 0.9)."
    )
    assert "the weakest of 2 comparisons" in line_of(row_of(ROWS, "option-budget")).lower()
    assert "minus SR rows (judged by log steps): Cohen's" in line_of(row_of(ROWS, "mazes"))
    assert line_of(row_of(ROWS, "spectrum-tail")) == "*no evidence*."
    assert "d_z = inf [inf, inf]" in line_of(row_of(ROWS, "gpi-parity"))


def test_a_claim_without_tuned_rates_says_nothing_about_them():
    assert at_rates({"verdict": "reproduced", "controls": {"unit columns": "opposite"}}) == ""


def test_a_measure_that_cuts_off_says_how_much_and_if_another_one_judges():
    assert cut_off(row_of(ROWS, "mazes")) == "90%; another measure judges"
    assert cut_off(row_of(ROWS, "online-stability")) == ""


def test_verdicts_that_changed_are_listed_with_both_words():
    before = {"online-stability": "reproduced", "online-value-r2": "reproduced", "gpi-parity": "x"}
    lines = Summary(ROWS, before={**before, "basis-hsr-nmf-best": "reproduced"}).overturned
    assert [line.split(" (")[0] for line in lines] == [
        "`online-value-r2`: reproduced in a single world, now opposite",
        f"`gpi-parity`: x in a single world, now {row_of(ROWS, 'gpi-parity')['verdict']}",
    ]
    assert page_part(Summary(ROWS)).count("Earlier conclusions") == 0


def test_the_readme_has_a_line_for_each_group(tmp_path):
    write_ledger(ROWS, tmp_path / "ledger.json")
    (tmp_path / "single_world_verdicts.json").write_text('{"online-value-r2": "reproduced"}')
    text = readme_part(summary_in(tmp_path))
    assert f"The paper makes {len(claims())} claims." in text
    held = "`theory-contraction`, `online-stability`, `gpi-parity`, `mazes`"
    assert f"| {HOLDS} | 4 | {held} |\n" in text
    assert "\n\nVerdicts that differ from those in the paper's one world: 1.\n\n" in f"{text}\n\n"


def test_the_table_of_a_figure_has_a_row_for_each_of_its_claims():
    summary = Summary(ROWS)
    lines = figure_part(summary, "mazes").splitlines()
    row = row_of(ROWS, "mazes")
    (line,) = (line for line in lines if line.startswith("| [`"))
    assert [cell.strip() for cell in line.strip("|").split(" | ")] == [
        "[`mazes`](#mazes)",
        "**reproduced**",
        row["figure"],
        row["paper"],
        f"{row['agree']:.0%}",
        "90%; another measure judges",
        f"{row['as_claimed']:.0%} / {row['other_way']:.0%}",
    ]
    parts = [figure_part(summary, name) for name in catalogue.names()]
    assert sum(part.count("\n| [`") for part in parts) == len(claims())


def test_the_table_of_figures_counts_their_verdicts():
    summary = Summary(ROWS)
    counted = [summary.counts(name) for name in catalogue.names()]
    assert sum(n for counts in counted for n in counts.values()) == len(claims())
    assert summary.counts("mazes") == {"reproduced": 1}
    line = "| [S3](results/mazes.md) | online transfer in four other mazes | 1 reproduced |\n"
    assert line in page_part(summary)


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
