"""The ledger as data: complete, strict JSON, and with the numbers of the objects it comes from."""

import json
import math

import pytest

from hsr import InputError
from hsr.experiments.catalogue import claims
from hsr.experiments.ledger import WORDS, verdicts
from hsr.experiments.ledger_file import as_json, read_ledger, write_ledger
from tests.experiments.made_up_ledger import evidence, made_up_rows, row_of

ROWS = made_up_rows()


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def test_every_claim_has_a_row():
    assert [row["claim"] for row in ROWS] == [claim.id for claim in claims()]


def test_the_words_are_those_of_the_verdicts():
    found = {one.claim: one.word for one in verdicts(evidence()) if not one.control}
    assert {row["claim"]: row["verdict"] for row in ROWS} == {
        claim.id: found.get(claim.id, "no evidence") for claim in claims()
    }
    assert set(found.values()) == set(WORDS)
    assert row_of(ROWS, "online-stability")["controls"] == {
        "tuned step sizes": "opposite",
        "tuned step sizes, slip 0.1": "not reproduced",
    }


def test_a_row_has_the_numbers_of_its_weakest_comparison():
    """Of two comparisons, +1 and -1 where more is claimed, the second supports the claim least."""
    row = row_of(ROWS, "option-budget")
    assert [one["outcome"] for one in row["comparisons"]] == ["as claimed", "the other way"]
    second = row["comparisons"][1]
    assert set(second) - set(row) <= {"what", "outcome", "measures"}
    assert {name: row[name] for name in second if name in row} == {
        name: second[name] for name in second if name in row
    }
    (verdict,) = (one for one in verdicts(evidence()) if one.claim == "option-budget")
    it, of = verdict.evidence[1].comparison, verdict.evidence[1].worlds
    assert row["effect"] == pytest.approx(it.effect, rel=1e-5)
    assert row["interval"] == pytest.approx(list(it.effect_interval), rel=1e-5)
    assert row["difference"] == pytest.approx(it.difference, rel=1e-5)
    assert row["p"] == pytest.approx(it.p, rel=1e-5)
    assert row["p_corrected"] == pytest.approx(verdict.p[1], rel=1e-5)
    assert (row["worlds"], row["seeds"], row["test"]) == (40, 5, "two_sample_t")
    for name in ("agree", "between", "censored", "as_claimed", "other_way", "undecided"):
        assert row[name] == pytest.approx(getattr(of, name), rel=1e-5)


def test_an_exact_claim_has_no_statistics():
    for name in ("theory-contraction", "maps-nmf-parts"):
        row = row_of(ROWS, name)
        assert row["effect"] is row["p"] is row["worlds"] is row["test"] is None
        assert row["comparisons"][0]["outcome"] in {"as claimed", "no difference"}


def test_both_measures_are_kept_with_the_verdict_of_each():
    row = row_of(ROWS, "mazes")
    (one,) = row["comparisons"]
    paper, other = one["measures"]
    assert (paper["measure"], paper["judges"]) == ("episodes", False)
    assert (other["measure"], other["judges"]) == ("log steps", True)
    assert one["effect"] == other["effect"] != paper["effect"]
    assert (one["p"], one["interval"]) == (other["p"], other["interval"])
    assert one["censored"] == pytest.approx(0.9)
    assert (row["verdict"], row["by_other"]) == ("reproduced", "reproduced")
    assert row["by_paper"] in ("not reproduced", "cannot tell")
    (plain,) = row_of(ROWS, "online-stability")["comparisons"]
    assert [one["judges"] for one in plain["measures"]] == [True]
    assert row_of(ROWS, "explore-goal")["verdict"] == "depends on the measure"


def test_what_is_shown_beside_a_claim_has_its_numbers_and_no_corrected_p():
    row = row_of(ROWS, "online-stability")
    (one,) = row["also"]
    assert one["p_corrected"] is None
    assert one["p"] is not None
    assert len(row["comparisons"]) == 1


def test_what_is_not_finite_is_null():
    """Where worlds do not vary the effect is infinite, and the share between them undefined."""
    (found,) = (one for one in evidence() if one.claim == "gpi-parity")
    assert math.isinf(found.comparison.effect)
    assert math.isnan(found.worlds.between)
    rows = json.loads(as_json(ROWS), parse_constant=refuse)
    row = row_of(rows, "gpi-parity")
    assert row["effect"] is row["between"] is None
    assert row["interval"] == [None, None]
    assert row["difference"] == 1.0


def test_a_file_is_read_as_it_was_written(tmp_path):
    path = write_ledger(ROWS, tmp_path / "deep" / "ledger.json")
    assert read_ledger(path) == ROWS
    text = path.read_text(encoding="utf-8")
    assert text.endswith("]\n")
    assert text == json.dumps(json.loads(text), indent=1, sort_keys=True) + "\n"


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '[{"claim": "a"}]'])
def test_another_file_is_refused(text, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"other\.json (is not JSON|has no rows of a ledger)"):
        read_ledger(path)
