"""What is written from the ledger: counts, groups, numbers; and that nothing drifts."""

import pytest
from studies.pages import (
    figure_part,
    manuscript_part,
    page_part,
    readme_part,
    statements_part,
    study_part,
)

from hsr import InputError
from hsr.experiments.ledger import COLUMNS, MAZES, PAPER, READINGS, TUNED
from hsr.experiments.summary import (
    Summary,
    between_markers,
    cell,
    parts_of,
    sentence_of,
    short_sentences,
)
from tests.experiments.made_up_ledger import EXPERIMENT, WORDS_OF, made_up_rows, row_of

ROWS = made_up_rows()
SUMMARY = Summary(ROWS)


def statement(words):
    """Return a made-up statement by its words."""
    (found,) = (one for _, one in SUMMARY.statements if one["statement"] == words)
    return found


def test_every_statement_that_counts_is_counted_once_in_each_column():
    words = [word for some in WORDS_OF.values() for word in some]
    for word, numbers in SUMMARY.counts.items():
        assert numbers[PAPER] == words.count(word)
    for column in COLUMNS:
        assert sum(numbers[column] for numbers in SUMMARY.counts.values()) == SUMMARY.counted
    assert SUMMARY.counted == len(words) - words.count("by construction")
    assert SUMMARY.counts["holds"] == {PAPER: 3, READINGS: 0, MAZES: 1, TUNED: 0}
    assert SUMMARY.counts["differs between variants"][READINGS] == 1


def test_statements_are_grouped_by_the_paper_s_setting_and_then_by_their_reach():
    groups = {
        title: [one["statement"] for _, one in some] for title, some in SUMMARY.groups.items()
    }
    everywhere, here, unclear, fails, construction = groups.values()
    assert here == ["S0."]  # another reading turns it round
    assert everywhere[0] == "E1."
    assert set(fails) == {"E2.", "S1.", "S2."}
    assert (len(everywhere), len(unclear), len(construction)) == (2, 2, 1)


def test_parts_and_cells_say_how_many_hold():
    signs = row_of(ROWS, "signs")
    assert [parts_of(signs, column) for column in COLUMNS] == [
        "1 of 3 parts", "differs between variants", "holds", "no difference",
    ]  # fmt: skip
    assert parts_of(row_of(ROWS, "identity")) == "by construction"
    one = statement("S0.")
    assert cell(one, READINGS) == "holds in 1 of 2; 1 the other way"
    assert cell(one, MAZES).startswith("holds: 2 [")
    both = {"columns": {READINGS: 2 * one["columns"][MAZES]}}
    assert cell(both, READINGS) == "holds in all 2"


@pytest.mark.parametrize(("worlds", "said"), [(4, True), (5, True), (6, False), (40, False)])
def test_a_banner_says_that_so_few_worlds_are_no_evidence(worlds, said):
    """The smallest p of n worlds is 2^(1 - n): 0.0625 of five, 0.03125 of six."""
    summary = Summary(made_up_rows(worlds))
    assert bool(summary.banner) == said
    if said:
        assert f"No test of {worlds} worlds can be significant" in summary.banner
        assert f"smallest p-value is {2.0 ** (1 - worlds):.2g}" in summary.banner
        assert readme_part(summary).startswith(f"**{summary.banner}**")


def test_exact_checks_alone_need_no_banner():
    assert Summary([row_of(ROWS, "exact")]).banner == ""


def test_the_readme_counts_parts_that_can_come_out_either_way():
    text = readme_part(SUMMARY)
    assert "claims split into 8 testable statements" in text
    assert "| hold | 3 | 0 | 1 | 0 |" in text
    rows = [line.split("|")[2:6] for line in text.splitlines() if line.startswith("| ")][1:]
    asked = [sum(int(row[k]) for row in rows) for k in range(4)]
    left_out = SUMMARY.counts["not asked"]
    assert asked == [SUMMARY.counted - left_out[column] for column in COLUMNS]


def test_the_manuscript_says_how_far_statements_reach():
    text = manuscript_part(SUMMARY)
    assert "The 6 claims of the paper consist of 8 statements, judged in 40 worlds." in text
    assert "3 of them hold in the paper's setting;" in text
    assert "0 of 1 in other readings, 1 of 1 in other mazes" in text


def test_the_page_of_a_figure_has_one_row_for_each_statement_and_numbers_of_each_variant():
    text = figure_part(SUMMARY, EXPERIMENT, {})
    assert text.count("\n### ") == len(ROWS)
    low, high = statement("S0.")["columns"][PAPER][0]["difference_interval"]
    first = f"| 1 | S0. | holds | episodes: 2 [{low:.2g}, {high:.2g}] | "
    assert f"{first}holds in 1 of 2; 1 the other way | holds | no difference |" in text
    assert "| by construction: It is sorted. |" in text
    assert "**1 of 3 parts hold; 1 the other way; 1 no difference.**" in text
    numbers = figure_part(SUMMARY, EXPERIMENT, {}, "numbers.md")
    assert numbers.count("\n## ") + 1 == len(ROWS)
    assert "| 1 | zero map | holds | 2 [" in numbers


def test_the_results_page_has_each_statement_once_in_a_group():
    text, groups = page_part(SUMMARY), statements_part(SUMMARY)
    lists, _, claims = text.partition("## Claim by claim")
    assert "and not in every other column**: `signs` (1 of 3).\n" in lists
    assert "True by construction, and not counted**: `identity`.\n" in lists
    for row in ROWS:
        link = f"](results/made_up.md#{row['claim']}) |"
        assert groups.count(link) == len(row["statements"])
        assert claims.count(link) == 1
    assert "| [S3](results/mazes.md) | online transfer in four other mazes |\n" in text


@pytest.mark.parametrize("text", ["none", "<b> <a>", "<a> <a> <b>", "<a>"])
def test_a_text_needs_both_markers_once_and_in_their_order(text):
    with pytest.raises(InputError, match="marker"):
        between_markers(text, ("<a>", "<b>"), "new")


def test_the_page_of_a_study_has_its_claims_in_units_of_their_measure():
    data = {"title": "some", "claims": [row_of(ROWS, "signs")], "tables": "| x |"}
    entry = dict.fromkeys(("command", "commit", "sources", "sample"), "") | {"date": "", "runs": 1}
    entry |= {"caption": "**a** B.", "judged": "today"}
    text = study_part(data, "x.png", {"mine": entry}, "mine")
    (found,) = statement("S1.")["columns"][PAPER]
    low, high = found["difference_interval"]
    line = f"| `signs` | S1. | the other way | episodes | -2 [{low:.2g}, {high:.2g}] | "
    assert f"{line}{found['effect']:.2f} | 40 |\n" in text
    assert "|  | zero map | holds | episodes | 2 [" in text
    assert text.startswith("![Some](x.png)\n\n**a** B.\n")
    parts = "1 of 3 parts hold; 1 the other way; 1 no difference"
    assert f"| `signs` | What signs claims. | {parts} |  |\n" in text
    assert "\n\n| x |\n\n1 runs" in text
    assert text.endswith("Verdicts follow the rules of today.")


def test_statements_that_are_undecided_for_one_reason_share_a_line():
    claims = {row["claim"]: row for row in made_up_rows(worlds=4)}
    reason = "cannot tell (no p-value of 4 worlds is below 0.05)"
    assert short_sentences(claims["signs"]) == [f"3 statements: {reason}"]
    (single,) = short_sentences(claims["unclear"])
    assert single.startswith(f"{reason}: ")
    decided = row_of(made_up_rows(), "exact")
    assert short_sentences(decided) == [sentence_of(one) for one in decided["statements"]]
