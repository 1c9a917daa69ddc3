"""Verdicts by their rules, on samples whose answer is known."""

import numpy as np
import pytest

from hsr.experiments.contrast import Contrast, Measure
from hsr.experiments.ledger import Evidence, outcome, verdicts
from hsr.experiments.stats import paired_t

RNG = np.random.default_rng(0)
NOISE = RNG.standard_normal((2, 400))
UP = paired_t(NOISE[0] + 3.0, NOISE[1])
SAME = paired_t(NOISE[0], NOISE[0] + 1e-3 * NOISE[1])


def part(predicted, compared=None, claim="a", what="", **more):
    """Return evidence of a claim."""
    return Evidence(claim, what, predicted, compared, **more)


@pytest.fixture
def weak():
    """A comparison at p = 0.03."""
    x = np.linspace(-1.0, 1.0, 20)
    compared = (paired_t(x + d, np.zeros(20)) for d in np.linspace(0.1, 0.6, 800))
    return next(one for one in compared if one.p < 0.03)


def words(*evidence):
    """Return the verdict of every claim, by its name."""
    return {verdict.claim: verdict.word for verdict in verdicts(evidence)}


def test_one_comparison_decides_by_its_sign():
    each = words(part(+1, UP), part(-1, UP, "b"), part(+1, SAME, "c"))
    assert each == {"a": "reproduced", "b": "opposite", "c": "not reproduced"}


def test_all_comparisons_of_a_claim_must_hold():
    assert words(part(+1, UP), part(+1, SAME)) == {"a": "not reproduced"}
    assert words(part(-1, UP), part(+1, SAME)) == {"a": "opposite"}
    assert words(part(-1, UP), part(+1, UP)) == {"a": "not reproduced"}


def test_no_difference_is_shown_by_a_narrow_interval_not_by_a_large_p():
    few = paired_t(NOISE[0, :3], NOISE[1, :3])
    assert few.p > 0.05
    assert words(part(0, SAME)) == {"a": "reproduced"}
    assert words(part(0, few)) == {"a": "cannot tell"}
    assert words(part(0, UP)) == {"a": "not reproduced"}


@pytest.mark.parametrize(("holds", "word"), [(True, "reproduced"), (False, "not reproduced")])
def test_an_exact_claim_is_as_its_check(holds, word):
    assert words(part(0, holds=holds)) == {"a": word}


def test_p_values_are_corrected_over_the_whole_ledger(weak):
    """One comparison at p = 0.03 holds alone, and no longer among ten."""
    among = words(*(part(+1, weak, f"a{k}") for k in range(10)))
    assert words(part(+1, weak)) == {"a": "reproduced"}
    assert set(among.values()) == {"not reproduced"}
    (verdict,) = verdicts([part(+1, weak)])
    assert verdict.p == (pytest.approx(weak.p),)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([part(+1, UP)], "As claimed (Cohen's d_z = "),
        ([part(-1, UP)], "The other way (Cohen's d_z = "),
        ([part(0, SAME)], "No difference beyond the margin, as claimed (Cohen's d_z = "),
        ([part(0, UP)], "There is a difference (Cohen's d_z = "),
        ([part(+1, SAME)], "No difference that stands after correction (Cohen's d_z = "),
        ([part(+1, UP), part(-1, UP), part(+1, SAME)],
         "1 of 3 as claimed, 1 the other way, 1 no difference; the weakest (Cohen's d_z = "),
        (
            [part(0, what="0.2 against 0.3", holds=False, margin=-0.1)],
            "The check did not hold (0.2 against 0.3).",
        ),
        ([part(0, what="x", holds=True, margin=2.0), part(0, what="y", holds=True, margin=1.0)],
         "2 of 2 checks held; the weakest (y)."),
    ],
)  # fmt: skip
def test_a_verdict_is_told_in_one_sentence_with_the_numbers_of_its_weakest_part(evidence, expected):
    (verdict,) = verdicts(evidence)
    assert verdict.sentence.startswith(expected)


def test_the_weakest_part_is_the_one_farthest_from_the_claim():
    (verdict,) = verdicts([part(+1, UP), part(-1, UP), part(+1, SAME)])
    assert f"d_z = {UP.effect:.2f} [" in verdict.sentence


def test_a_control_has_its_own_correction_and_its_own_verdict(weak):
    """Ten comparisons of a control do not weaken the ledger's one, and the other way round."""
    tuned = (part(+1, weak, f"a{k}", control="tuned") for k in range(10))
    found = verdicts([part(+1, weak), *tuned])
    assert [(one.control, one.word) for one in found] == [("", "reproduced")] + 10 * [
        ("tuned", "not reproduced")
    ]


@pytest.mark.parametrize(
    ("margin", "word"), [(1e-3, "reproduced"), (1e-12, "not reproduced"), (0.0, "not reproduced")]
)
def test_more_by_a_rounding_error_is_not_more(margin, word):
    assert words(part(+1, holds=margin > 0.0, margin=margin)) == {"a": word}
    assert words(part(0, holds=True, margin=margin)) == {"a": "reproduced"}


WORLDS = np.random.default_rng(1).standard_normal((2, 200, 5))


def contrast(shift, n_worlds=200, *, predicted=+1, censored=0.0, beside=None, claim="a"):
    """Return a comparison of two agents over worlds that differ by a shift."""
    x, y = WORLDS[:, :n_worlds]

    def measure(values, shift_beside):
        cut = np.arange(values.size).reshape(values.shape) < censored * values.size
        other = None if beside is None else Measure("log steps", values + shift_beside)
        return Measure("episodes", values, cut, other)

    return Contrast(
        claim, ("one", "other"), predicted, measure(x + shift, beside or 0.0), measure(y, 0.0)
    )


def test_worlds_decide_by_the_sign_of_their_mean_difference():
    found = words(
        contrast(+0.5).evidence(),
        contrast(-0.5, claim="b").evidence(),
        contrast(0.0, claim="c").evidence(),
    )
    assert found == {"a": "reproduced", "b": "opposite", "c": "not reproduced"}


@pytest.mark.parametrize("shift", [-50.0, 0.0, 50.0])
def test_four_worlds_cannot_tell_however_large_the_effect(shift):
    assert words(contrast(shift, 4).evidence()) == {"a": "cannot tell"}


def test_an_interval_with_room_for_both_directions_cannot_tell():
    wide, narrow = contrast(0.0, 12).evidence(), contrast(0.0).evidence()
    assert outcome(wide, 1.0) == "cannot tell"
    assert outcome(narrow, 1.0) == "no difference"


def test_a_contradiction_outweighs_what_cannot_be_told():
    unclear = contrast(0.0, 12).evidence()
    assert words(contrast(+0.5).evidence(), unclear) == {"a": "cannot tell"}
    assert words(contrast(0.0).evidence(), unclear) == {"a": "not reproduced"}
    assert words(contrast(-0.5).evidence(), unclear) == {"a": "opposite"}


@pytest.mark.parametrize(
    ("censored", "shift", "beside", "word", "by_paper", "by_other"),
    [
        # Both find a difference, with different signs.
        (0.4, +0.5, -5.0, "depends on the measure", "reproduced", "opposite"),
        (0.6, +0.5, -5.0, "depends on the measure", "reproduced", "opposite"),
        # The paper's measure finds none. It judges unless it cuts off more than half of the runs.
        (0.4, 0.0, -5.0, "not reproduced", "not reproduced", "opposite"),
        (0.6, 0.0, -5.0, "opposite", "not reproduced", "opposite"),
        (0.6, +0.5, +5.0, "reproduced", "reproduced", "reproduced"),
        # Without another measure there is nothing to leave the verdict to.
        (0.6, +0.5, None, "reproduced", "reproduced", "reproduced"),
    ],
)
def test_both_measures_are_judged_and_a_contradiction_is_a_verdict_of_its_own(
    censored, shift, beside, word, by_paper, by_other
):
    evidence = contrast(shift, censored=censored, beside=beside).evidence()
    (verdict,) = verdicts([evidence])
    assert (verdict.word, verdict.by_paper, verdict.by_other) == (word, by_paper, by_other)
    assert evidence.at_ceiling == (censored > 0.5 and beside is not None)
    if word == "depends on the measure":
        assert "by episodes the difference is 0." in verdict.sentence
        assert "by log steps it is -" in verdict.sentence


def test_one_contradiction_makes_the_whole_claim_depend_on_the_measure():
    evidence = [contrast(+0.5).evidence(), contrast(+0.5, censored=0.1, beside=-5.0).evidence()]
    assert words(*evidence) == {"a": "depends on the measure"}


@pytest.mark.parametrize(
    ("shift", "predicted", "bound", "expected"),
    [
        # The difference is 0.5, its interval about 0.44 to 0.56.
        (0.5, +1, 0.1, "as claimed"),
        (0.5, +1, 1.0, "no difference"),  # significant, and too small to matter
        (0.5, -1, 1.0, "no difference"),
        (0.5, 0, 1.0, "as claimed"),
        (0.5, 0, 0.1, "the other way"),
        (0.5, 0, 0.5, "cannot tell"),  # the interval reaches beyond the bound
        (0.0, +1, 1.0, "no difference"),
        (0.0, +1, 0.001, "cannot tell"),  # room for the bound in both directions
    ],
)
def test_what_counts_as_no_difference_is_in_units_of_the_measure(shift, predicted, bound, expected):
    """Nothing depends on how much worlds differ."""
    for scale in (1.0, 1e-3):  # of the noise between worlds
        x, y = scale * WORLDS
        first = Measure("episodes", x - x.mean() + shift, bound=bound)
        second = Measure("episodes", y - y.mean(), bound=bound)
        one = Contrast("a", ("one", "other"), predicted, first, second).evidence()
        if scale == 1.0 or expected not in ("cannot tell",):
            assert outcome(one, one.comparison.p) == expected


def test_what_is_shown_beside_a_claim_decides_nothing_and_corrects_nothing(weak):
    beside = [part(+1, weak, what=f"{k}", decides=False) for k in range(20)]
    (verdict,) = verdicts([part(+1, weak), *beside])
    assert (verdict.word, verdict.p) == ("reproduced", (pytest.approx(weak.p),))
    assert [one.what for one in verdict.also] == [str(k) for k in range(20)]


def test_worlds_agree_by_the_measure_that_judges():
    by_count = contrast(+5.0, censored=0.4, beside=-10.0).evidence()
    by_log = contrast(+5.0, censored=0.6, beside=-10.0).evidence()
    assert (by_count.worlds.agree, by_log.worlds.agree) == (1.0, 0.0)
    assert by_count.worlds.as_claimed == by_log.worlds.as_claimed > 0.9
