"""What is written from the ledger: groups, numbers, what has changed; and that nothing drifts."""

from pathlib import Path

import pytest
from studies.pages import figure_part, page_part, study_part

from hsr import InputError
from hsr.experiments import catalogue
from hsr.experiments.catalogue import claims
from hsr.experiments.summary import Summary, between_markers, lines_of
from tests.experiments.made_up_ledger import made_up_rows, row_of

ROOT = Path(__file__).parents[2]
ROWS = made_up_rows()
HOLDS, AT_THE_RATE, DEPENDS, OPEN, FAILS, MISSING = (
    "What holds over worlds",
    "What holds at the paper's settings only",
    "What depends on the measure",
    "What cannot be told",
    "What does not hold, or comes out the other way",
    "What has no evidence",
)


def names(rows):
    """Return the claims of some rows."""
    return [row["claim"] for row in rows]


def test_claims_are_grouped_by_their_verdict_and_every_claim_once():
    groups = {title: names(rows) for title, rows in Summary(ROWS).groups.items()}
    assert groups[HOLDS] == ["theory-contraction", "gpi-parity", "mazes"]
    assert groups[AT_THE_RATE] == ["online-stability"]  # the opposite at tuned rates
    assert groups[DEPENDS] == ["explore-goal"]
    for title, words in {
        OPEN: {"cannot tell"},
        FAILS: {"not reproduced", "opposite"},
        MISSING: {"no evidence"},
    }.items():
        assert groups.get(title, []) == [row["claim"] for row in ROWS if row["verdict"] in words]
    found = sorted(name for some in groups.values() for name in some)
    assert found == sorted(claim.id for claim in claims())


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


def test_a_comparison_has_a_line_for_each_measure():
    (one,) = row_of(ROWS, "mazes")["comparisons"]
    paper, other = lines_of(one)
    assert paper["compared"] == "HSR rows minus SR rows"
    assert paper["measure"] == "episodes (90% cut off)"
    assert paper["p"] == f"({one['measures'][0]['p']:.1g})"  # not corrected
    assert (other["measure"], other["outcome"]) == ("log steps", "as claimed")
    low, high = one["difference_interval"]
    assert other["difference"] == f"{one['difference']:.2g} [{low:.2g}, {high:.2g}]"
    assert (paper["outcome"], paper["agree"]) == ("", "")


def test_the_page_of_a_figure_has_every_comparison_of_its_claims():
    text = figure_part(Summary(ROWS), "online_transfer", {})
    assert "### online-stability\n\nFrom G1 to G2" in text
    assert "**Reproduced**." in text
    assert text.count("| HSR rows minus SR rows | episodes |") == 3  # one is shown beside a claim
    assert (
        "Controls: tuned step sizes: opposite; tuned step sizes, slip 0.1: not reproduced.\n"
        in text
    )
    text = figure_part(Summary(ROWS), "exploration", {})
    assert (
        "**Depends on the measure** (by the paper's measure alone reproduced, by the other" in text
    )
    parts = [figure_part(Summary(ROWS), name, {}) for name in catalogue.names()]
    assert sum(part.count("\n### ") for part in parts) == len(claims())


def test_the_results_page_has_each_verdict_once():
    text = page_part(Summary(ROWS))
    for claim in claims():
        assert text.count(f"[`{claim.id}`](results/") == 1
    assert "| reproduced; at tuned rates opposite |\n" in text
    assert "| [S3](results/mazes.md) | online transfer in four other mazes |\n" in text


@pytest.mark.parametrize("text", ["none", "<b> <a>", "<a> <a> <b>", "<a>"])
def test_a_text_needs_both_markers_once_and_in_their_order(text):
    with pytest.raises(InputError, match="marker"):
        between_markers(text, ("<a>", "<b>"), "new")


def test_the_page_of_a_study_has_its_claims_in_units_of_their_measure():
    row = row_of(ROWS, "mazes") | {"controls": {"slip": "opposite"}}
    data = {"title": "some", "claims": [row], "tables": "| x |"}
    entry = dict.fromkeys(("command", "commit", "sources", "sample"), "") | {"date": "", "runs": 1}
    text = study_part(data, "x.png", {"mine": entry | {"caption": "**a** B."}}, "mine")
    low, high = row["difference_interval"]
    first, second = row["means"]
    units = f"{row['what']}: {first:.3g} and {second:.3g}; {row['difference']:.3g} "
    units += f"[{low:.3g}, {high:.3g}]"
    line = f"| `mazes` | {row['text']} | holds; slip: the other way | {units} | "
    assert f"{line}{row['effect']:.2f} | {row['worlds']} |\n" in text
    assert text.startswith("![Some](x.png)\n\n**a** B.\n")
    assert "\n\n| x |\n\n1 runs" in text
