"""Verdicts by their rules, on samples whose answer is known."""

import numpy as np
import pytest

from hsr.paper.ledger import Evidence, verdicts
from hsr.paper.stats import two_sample_t

RNG = np.random.default_rng(0)
NOISE = RNG.standard_normal((2, 40))
UP, SAME = (
    two_sample_t(NOISE[0] + 3.0, NOISE[1]),
    two_sample_t(NOISE[0], NOISE[0] + 1e-3 * NOISE[1]),
)


def words(*evidence):
    """Return the verdict of every claim, by its name."""
    return {verdict.claim: verdict.word for verdict in verdicts(evidence)}


def test_one_comparison_decides_by_its_sign():
    assert words(
        Evidence("a", "", +1, UP), Evidence("b", "", -1, UP), Evidence("c", "", +1, SAME)
    ) == {
        "a": "reproduced",
        "b": "opposite",
        "c": "not reproduced",
    }


def test_all_comparisons_of_a_claim_must_hold():
    assert words(Evidence("a", "", +1, UP), Evidence("a", "", +1, SAME)) == {"a": "not reproduced"}
    assert words(Evidence("a", "", -1, UP), Evidence("a", "", +1, SAME)) == {"a": "opposite"}
    assert words(Evidence("a", "", -1, UP), Evidence("a", "", +1, UP)) == {"a": "not reproduced"}


def test_no_difference_is_shown_by_a_narrow_interval_not_by_a_large_p():
    few = two_sample_t(NOISE[0, :3], NOISE[1, :3])
    assert few.p > 0.05
    assert words(Evidence("a", "", 0, SAME)) == {"a": "reproduced"}
    assert words(Evidence("a", "", 0, few)) == {"a": "not reproduced"}
    assert words(Evidence("a", "", 0, UP)) == {"a": "not reproduced"}


@pytest.mark.parametrize(("holds", "word"), [(True, "reproduced"), (False, "not reproduced")])
def test_an_exact_claim_is_as_its_check(holds, word):
    assert words(Evidence("a", "", 0, None, holds=holds)) == {"a": word}


def test_p_values_are_corrected_over_the_whole_ledger():
    """One comparison at p = 0.03 holds alone, and no longer among ten."""
    x = np.linspace(-1.0, 1.0, 20)
    shift = next(d for d in np.linspace(0.3, 0.6, 400) if two_sample_t(x + d, x).p < 0.03)
    weak = two_sample_t(x + shift, x)
    alone, among = (
        words(Evidence("a", "", +1, weak)),
        words(*(Evidence(f"a{k}", "", +1, weak) for k in range(10))),
    )
    assert alone == {"a": "reproduced"}
    assert set(among.values()) == {"not reproduced"}
    (verdict,) = verdicts([Evidence("a", "", +1, weak)])
    assert verdict.p == (pytest.approx(weak.p),)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([Evidence("a", "", +1, UP)], "As claimed (Hedges' g = "),
        ([Evidence("a", "", -1, UP)], "The other way (Hedges' g = "),
        ([Evidence("a", "", 0, SAME)], "No difference beyond the margin, as claimed (Hedges' g = "),
        ([Evidence("a", "", 0, UP)], "Equality is not shown (Hedges' g = "),
        ([Evidence("a", "", +1, SAME)], "No difference that stands after correction (Hedges' g = "),
        ([Evidence("a", "", +1, UP), Evidence("a", "", -1, UP), Evidence("a", "", +1, SAME)],
         "1 of 3 as claimed, 1 the other way, 1 undecided; the weakest (Hedges' g = "),
        (
            [Evidence("a", "0.2 against 0.3", 0, None, holds=False, margin=-0.1)],
            "The check did not hold (0.2 against 0.3).",
        ),
        ([Evidence("a", "x", 0, None, holds=True, margin=2.0),
          Evidence("a", "y", 0, None, holds=True, margin=1.0)],
         "2 of 2 checks held; the weakest (y)."),
    ],
)  # fmt: skip
def test_a_verdict_is_told_in_one_sentence_with_the_numbers_of_its_weakest_part(evidence, expected):
    (verdict,) = verdicts(evidence)
    assert verdict.sentence.startswith(expected)


def test_the_weakest_part_is_the_one_farthest_from_the_claim():
    (verdict,) = verdicts(
        [Evidence("a", "", +1, UP), Evidence("a", "", -1, UP), Evidence("a", "", +1, SAME)]
    )
    assert f"g = {UP.effect:.2f} [" in verdict.sentence


def test_a_control_has_its_own_correction_and_its_own_verdict():
    """Ten comparisons of a control do not weaken the ledger's one, and the other way round."""
    x = np.linspace(-1.0, 1.0, 20)
    shift = next(d for d in np.linspace(0.3, 0.6, 400) if two_sample_t(x + d, x).p < 0.03)
    weak = two_sample_t(x + shift, x)
    found = verdicts(
        [
            Evidence("a", "", +1, weak),
            *(Evidence(f"a{k}", "", +1, weak, control="tuned") for k in range(10)),
        ]
    )
    assert [(one.control, one.word) for one in found] == [("", "reproduced")] + 10 * [
        ("tuned", "not reproduced")
    ]


@pytest.mark.parametrize(
    ("margin", "word"), [(1e-3, "reproduced"), (1e-12, "not reproduced"), (0.0, "not reproduced")]
)
def test_more_by_a_rounding_error_is_not_more(margin, word):
    assert words(Evidence("a", "", +1, None, holds=margin > 0.0, margin=margin)) == {"a": word}
    assert words(Evidence("a", "", 0, None, holds=True, margin=margin)) == {"a": "reproduced"}
