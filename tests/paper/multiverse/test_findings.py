"""A planted effect and a planted non-effect are found as such; what a search found is confirmed in
other worlds or never.
"""

import numpy as np
import pytest

from hsr import InputError
from hsr.paper.ledger import Evidence
from hsr.paper.multiverse.design import design
from hsr.paper.multiverse.findings import (
    confirmed,
    finding_of,
    outcomes_of,
    turning,
    variance_explained,
)
from hsr.paper.multiverse.reading import Reading
from hsr.paper.stats import two_sample_t

CHOICES = ("signs", "ties", "scale")
WORLDS = {"searched": range(20), "confirming": range(100, 120)}


def compared(shift, seed, n=20):
    x, y = np.random.default_rng(seed).standard_normal((2, n))
    return two_sample_t(x + shift, y)


def planted(tried, shift_of):
    """Return evidence of a claim for each reading: two samples that differ by what the reading
    plants.
    """
    return {
        reading: [Evidence("planted", "", +1, compared(shift_of(reading), 1000 + k))]
        for k, reading in enumerate(tried.readings)
    }


@pytest.fixture(scope="module")
def finding():
    """A claim that holds only where options win ties; signs and scale plant nothing."""
    tried = design(CHOICES, 120)
    outcomes = outcomes_of(
        planted(tried, lambda reading: 2.0 if reading.ties == "options" else 0.0)
    )
    return finding_of("planted", outcomes["planted"], CHOICES, tried, {}, worlds=20)


def test_the_choice_that_was_planted_explains_the_effect_and_no_other_does(finding):
    ties, signs, scale = (finding.explained[name] for name in ("ties", "signs", "scale"))
    assert ties.low > 0.5
    assert ties.low <= ties.estimate <= ties.high <= 1.0
    for other in (signs, scale):
        assert other.low <= 0.0
        assert other.estimate < 0.1


def test_the_curve_has_the_planted_effects(finding):
    with_it = [one.effect for one in finding.outcomes if one.reading.ties == "options"]
    without = [one.effect for one in finding.outcomes if one.reading.ties != "options"]
    assert min(with_it) > max(without) - 0.5
    assert np.mean(with_it) == pytest.approx(2.0, abs=0.25)
    assert np.mean(without) == pytest.approx(0.0, abs=0.15)
    assert all(one.low < one.effect < one.high for one in finding.outcomes)


def test_the_smallest_change_that_turns_the_verdict_is_the_planted_one(finding):
    assert finding.outcomes[0].word == "not reproduced"
    assert finding.turns.reading == Reading(ties="options")
    assert finding.turns.word == "reproduced"
    assert finding.share == pytest.approx(
        np.mean([one.reading.ties == "options" for one in finding.outcomes]), abs=0.05
    )


def test_a_claim_that_the_default_reproduces_is_turned_by_losing_it():
    tried = design(CHOICES, 40)
    outcomes = outcomes_of(planted(tried, lambda reading: -2.0 if reading.scale == "max" else 2.0))[
        "planted"
    ]
    assert outcomes[0].word == "reproduced"
    assert turning(outcomes).reading == Reading(scale="max")


def test_nothing_turns_what_never_changes():
    tried = design(CHOICES, 20)
    assert turning(outcomes_of(planted(tried, lambda _: 3.0))["planted"]) is None


def outcome(*evidence):
    """Return the outcome of one reading."""
    (one,) = outcomes_of({Reading(): evidence})["a"]
    return one


def test_the_effect_is_that_of_the_weakest_part_on_the_claimed_side():
    strong, weak = compared(3.0, 0), compared(1.0, 1)
    one = outcome(Evidence("a", "", +1, strong), Evidence("a", "", +1, weak))
    assert (one.effect, one.low, one.high) == (weak.effect, *weak.effect_interval)
    other = outcome(Evidence("a", "", -1, weak))
    low, high = weak.effect_interval
    assert (other.effect, other.low, other.high) == (-weak.effect, -high, -low)
    none = outcome(Evidence("a", "", 0, weak))
    assert none.effect == -abs(weak.effect)
    assert none.low <= none.effect <= none.high <= 0.0


def test_an_exact_check_has_its_margin_for_effect():
    one = outcome(Evidence("a", "", 0, None, holds=True, margin=0.25))
    assert (one.word, one.effect) == ("reproduced", 0.25)
    assert np.isnan([one.low, one.high]).all()


def test_variance_explained_is_that_of_an_analysis_of_variance():
    """Epsilon squared from the F of SciPy's one-way ANOVA, by its definition."""
    from scipy.stats import f_oneway

    tried = design(CHOICES, 80)
    outcomes = outcomes_of(planted(tried, lambda reading: 0.6 * len(reading.ties) / 9))["planted"]
    groups = {}
    for one in outcomes:
        groups.setdefault(one.reading.ties, []).append(one.effect)
    f = f_oneway(*groups.values()).statistic
    k, n = len(groups), len(outcomes)
    expected = (f - 1) * (k - 1) / (f * (k - 1) + n - k)
    assert variance_explained(outcomes, "ties").estimate == pytest.approx(expected, rel=1e-10)


def test_confirmation_needs_fresh_worlds():
    fresh = {Reading(): [Evidence("a", "", +1, compared(3.0, 0))]}
    assert confirmed(fresh, "a", **WORLDS) == {Reading(): True}
    with pytest.raises(InputError, match="world 19 found readings"):
        confirmed(fresh, "a", searched=range(20), confirming=range(19, 39))


def test_confirmation_corrects_for_all_that_were_tested():
    """One reading at p = 0.03 holds alone, and no longer among ten."""
    x = np.linspace(-1.0, 1.0, 20)
    shift = next(d for d in np.linspace(0.3, 0.6, 400) if two_sample_t(x + d, x).p < 0.03)
    weak = [Evidence("a", "", +1, two_sample_t(x + shift, x))]
    many = list(design(CHOICES, 10).readings)
    assert confirmed({Reading(): weak}, "a", **WORLDS) == {Reading(): True}
    assert set(confirmed(dict.fromkeys(many, weak), "a", **WORLDS).values()) == {False}
