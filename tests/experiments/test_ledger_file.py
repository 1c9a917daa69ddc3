"""The ledger as data: complete, strict JSON, and with the numbers of the objects it comes from."""

import json
import math

import pytest

from hsr import InputError
from hsr.experiments.ledger import MAZES, PAPER, READINGS, TUNED, WORDS
from hsr.experiments.ledger_file import as_json, read_ledger, rows_of, write_ledger
from tests.experiments.made_up_ledger import (
    EXPERIMENT,
    WORDS_OF,
    contrast,
    evidence,
    made_up_rows,
    row_of,
)

ROWS = made_up_rows()


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def test_every_claim_has_a_row_with_the_verdict_of_each_statement():
    found = {
        row["claim"]: [one["columns"][PAPER][0]["verdict"] for one in row["statements"]]
        for row in ROWS
    }
    assert found == WORDS_OF
    assert {word for some in found.values() for word in some} == set(WORDS)


def test_variants_stand_in_their_columns():
    columns = row_of(ROWS, "signs")["statements"][0]["columns"]
    words = {
        column: {one["variant"]: one["verdict"] for one in some} for column, some in columns.items()
    }
    assert words == {
        PAPER: {"": "holds"},
        READINGS: {"zero map": "holds", "all rows": "the other way"},
        MAZES: {"families": "holds"},
        TUNED: {"tuned": "no difference"},
    }
    others = row_of(ROWS, "signs")["statements"][1:]
    assert all(set(one["columns"]) == {PAPER} for one in others)


def test_a_statement_has_the_numbers_of_the_measure_that_judges():
    (one,) = row_of(ROWS, "cut-off")["statements"]
    (found,) = one["columns"][PAPER]
    paper, other = found["measures"]
    assert (paper["measure"], paper["judges"]) == ("episodes", False)
    assert (other["measure"], other["judges"]) == ("log steps", True)
    (source,) = (one for one in evidence() if one.claim == "cut-off")
    assert found["measure"] == "log steps"
    assert found["effect"] == pytest.approx(source.beside.effect, rel=1e-5)
    assert found["difference"] == pytest.approx(source.beside.difference, rel=1e-5)
    ends = list(source.beside.difference_interval)
    assert found["difference_interval"] == pytest.approx(ends, rel=1e-5)
    assert (found["worlds"], found["seeds"], found["test"]) == (40, 5, "two_sample_t")
    for name in ("agree", "between", "censored", "as_claimed", "other_way", "undecided"):
        assert found[name] == pytest.approx(getattr(source.worlds, name), rel=1e-5)


def test_an_exact_claim_has_no_statistics():
    for one in row_of(ROWS, "exact")["statements"]:
        (found,) = one["columns"][PAPER]
        assert found["effect"] is found["p"] is found["worlds"] is found["test"] is None
        assert found["measures"] == []


def test_what_is_shown_beside_a_claim_has_its_numbers_and_no_corrected_p():
    (one,) = row_of(ROWS, "signs")["also"]
    (found,) = one["columns"][PAPER]
    assert found["p_corrected"] is None
    assert found["p"] is not None


def test_what_is_not_finite_is_null():
    """Where worlds do not vary the effect is infinite, and the share between them undefined."""
    source = contrast("unclear", 1.0, spread=0.0).evidence()
    assert math.isinf(source.comparison.effect)
    assert math.isnan(source.worlds.between)
    rows = json.loads(as_json(rows_of(EXPERIMENT, [source])), parse_constant=refuse)
    (found,) = row_of(rows, "unclear")["statements"][0]["columns"][PAPER]
    assert found["effect"] is found["between"] is None
    assert found["interval"] == [None, None]
    assert found["difference"] == 1.0


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


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": ["holds"]},
        {"smallest_p": "0.01"},
        {"difference": 10**400},
        {"difference_interval": None},
        {"difference_interval": [0.1]},
        {"difference_interval": ["0.1", 0.2]},
        {"chosen": []},
    ],
)
def test_a_number_or_text_of_another_type_is_refused(changes, tmp_path):
    """The ledger of a store that somebody sends is written in words without its experiment."""
    rows = json.loads(as_json(ROWS))
    found = [one["columns"][PAPER][0] for row in rows for one in row["statements"]]
    next(one for one in found if one["difference"] is not None).update(changes)
    path = tmp_path / "other.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(InputError, match="has no rows of a ledger as this version writes them"):
        read_ledger(path)
