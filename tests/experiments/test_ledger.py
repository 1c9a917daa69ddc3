"""Verdicts by their rules, on samples whose answer is known."""

import numpy as np
import pytest

from hsr.experiments.contrast import Contrast, Measure
from hsr.experiments.ledger import Evidence, judge
from hsr.experiments.stats import paired_t

WORLDS = np.random.default_rng(1).standard_normal((2, 200, 5))
WORLDS -= WORLDS.mean(axis=(1, 2), keepdims=True)


def word(*evidence):
    """Return the verdict of the first piece of evidence among others."""
    return judge(evidence)[0].word


def contrast(shift, n_worlds=200, predicted=+1, bound=0.1, **more):
    """Return a comparison of two agents over worlds that differ by a shift."""
    x, y = WORLDS[:, :n_worlds]
    first, second = Measure("episodes", x + shift, bound=bound), Measure("episodes", y, bound=bound)
    return Contrast("a", ("one", "other"), predicted, first, second, **more).evidence()


def two_measures(shift, beside, censored, *, bound=0.1):
    """Return a comparison whose measure cuts off some runs, with another one beside it."""
    x, y = WORLDS

    def measure(values, more):
        cut = np.arange(values.size).reshape(values.shape) < censored * values.size
        other = None if beside is None else Measure("log steps", values - shift + more, bound=bound)
        return Measure("episodes", values, cut, other, bound)

    first, second = measure(x + shift, beside or 0.0), measure(y, shift)
    return Contrast("a", ("one", "other"), +1, first, second).evidence()


@pytest.mark.parametrize(
    ("shift", "predicted", "bound", "expected"),
    [
        # The interval of the difference reaches about 0.06 to both sides.
        (0.5, +1, 0.1, "holds"),
        (0.5, -1, 0.1, "the other way"),
        (0.5, +1, 1.0, "no difference"),  # significant, and too small to matter
        (0.5, -1, 1.0, "no difference"),
        (0.0, +1, 0.1, "no difference"),
        (0.0, +1, 0.01, "cannot tell"),  # not within the bound, which is no refutation
        (0.5, +1, 0.5, "holds"),  # reaches beyond the bound, on the claimed side of zero
        (0.5, 0, 1.0, "holds"),
        (0.5, 0, 0.1, "does not hold"),
        (0.5, 0, 0.5, "cannot tell"),  # the interval reaches beyond the bound
    ],
)
def test_an_interval_is_judged_by_the_sign_and_the_bound(shift, predicted, bound, expected):
    assert word(contrast(shift, predicted=predicted, bound=bound)) == expected


def test_a_verdict_says_the_rule_that_gave_it():
    (large,) = judge([contrast(30.0, 2)])
    assert large.evidence.judged.effect > 20.0
    assert (large.word, large.reason) == ("cannot tell", "no p-value of 2 worlds is below 0.05")
    weak = [contrast(0.1, bound=0.01) for _ in range(20)]  # p is below 0.05 before correction
    assert weak[0].judged.p < 0.05
    reasons = [
        judge(evidence)[0].reason
        for evidence in (
            [contrast(0.5, predicted=0, bound=0.5)],
            [contrast(0.5, predicted=0)],
            [contrast(0.0)],
            [contrast(0.0, bound=0.01)],
            [two_measures(0.3, None, 0.5)],
            weak,
            [contrast(0.5)],
        )
    ]
    assert reasons == [
        "the interval is neither within ±0.5 nor beyond it",
        "the interval lies beyond ±0.1",
        "the interval lies within ±0.1",
        "the interval includes 0",
        "too many runs are cut off, and nothing else was measured",
        f"p is {20 * weak[0].judged.p:.2g} after Holm's correction",
        "",
    ]


def test_measures_without_a_bound_have_one_in_units_of_the_spread():
    """A fifth of the standard deviation over worlds, and half where equality is claimed."""
    spread = float(np.std(np.subtract(*WORLDS.mean(axis=2)), ddof=1))
    assert word(contrast(0.0, bound=0.0)) == "no difference"
    assert word(contrast(0.3 * spread, bound=0.0)) == "holds"
    assert word(contrast(0.3 * spread, predicted=0, bound=0.0)) == "holds"
    assert word(contrast(0.8 * spread, predicted=0, bound=0.0)) == "does not hold"


@pytest.mark.parametrize("shift", [-50.0, 0.0, 50.0])
def test_four_worlds_cannot_tell_however_large_the_effect(shift):
    assert word(contrast(shift, 4)) == "cannot tell"


@pytest.mark.parametrize(("holds", "expected"), [(True, "holds"), (False, "does not hold")])
def test_an_exact_claim_is_as_its_check(holds, expected):
    assert word(Evidence("a", "", 0, None, holds=holds)) == expected


@pytest.mark.parametrize(("margin", "expected"), [(1e-3, "holds"), (1e-12, "does not hold")])
def test_more_by_a_rounding_error_is_not_more(margin, expected):
    assert word(Evidence("a", "", +1, None, holds=True, margin=margin)) == expected
    assert word(Evidence("a", "", 0, None, holds=True, margin=margin)) == "holds"


def weak(**more):
    """Return evidence at p = 0.03 whose interval just excludes zero."""
    x = np.linspace(-1.0, 1.0, 20)
    compared = (paired_t(x + d, np.zeros(20)) for d in np.linspace(0.1, 0.6, 800))
    one = next(one for one in compared if one.p < 0.03)
    return Evidence("a", "", more.pop("predicted", +1), one, bound=0.01, **more)


def test_p_values_are_corrected_over_the_statements_of_one_figure_for_holds_alone():
    """What no longer holds among ten cannot be told, and the other way needs no correction."""
    ten = [weak(experiment="one") for _ in range(10)]
    assert word(weak(experiment="one")) == "holds"
    assert word(*ten) == "cannot tell"
    assert word(weak(predicted=-1, experiment="one"), *ten) == "the other way"
    assert word(weak(experiment="another"), *ten) == "holds"
    assert word(weak(experiment="one", variant="tuned"), *ten) == "holds"
    assert judge(ten)[0].p == pytest.approx(10 * ten[0].comparison.p)


def test_what_is_shown_or_true_by_construction_corrects_nothing():
    shown = [weak(decides=False) for _ in range(20)]
    sorted_ = [weak(by_construction="It is sorted.") for _ in range(20)]
    assert word(weak(), *shown, *sorted_) == "holds"
    assert word(*sorted_) == "by construction"


def test_a_tuned_value_at_the_end_of_its_list_cannot_tell():
    assert word(weak()) == "holds"
    assert word(weak(at_end=("the rate of SR rows",))) == "cannot tell"


@pytest.mark.parametrize(
    ("censored", "shift", "beside", "expected"),
    [
        (0.2, +0.5, +0.5, "holds"),
        (0.2, 0.0, -0.5, "no difference"),  # the paper's measure judges
        (0.3, 0.0, -0.5, "the other way"),  # it cuts off more than a quarter, so the other judges
        (0.3, +0.5, +0.0, "no difference"),
        (0.3, +0.5, None, "cannot tell"),  # nothing else could judge
        (0.2, +0.5, -0.5, "depends on the measure"),
        (0.3, +0.5, -0.5, "depends on the measure"),
        (0.2, +0.5, -0.08, "holds"),  # within its bound, so that nothing is contradicted
    ],
)
def test_a_measure_that_cuts_off_too_much_decides_nothing(censored, shift, beside, expected):
    assert word(two_measures(shift, beside, censored)) == expected


def test_worlds_agree_by_the_measure_that_judges():
    by_count, by_log = two_measures(5.0, -10.0, 0.2), two_measures(5.0, -10.0, 0.3)
    assert (by_count.worlds.agree, by_log.worlds.agree) == (1.0, 0.0)
    assert by_count.worlds.as_claimed == by_log.worlds.as_claimed > 0.9
