"""The ledger: what is claimed, what runs show, and the verdict, statement by statement.

An `Evidence` is one comparison and the sign that is predicted for it: one statement of a claim. The
unit of a comparison is the world. A statement is judged in up to four columns: in the setting that
the paper describes, in other readings of its text, in other mazes, and with rivals that are tuned.
Columns other than the first hold variants of the setting, and each variant has its own verdict.

**Two measures.** A measure that cuts off runs, as a count of episodes does for runs that never meet
the criterion, comes with a second one that cuts nothing off. If the first cuts off more than a
quarter of the runs it decides nothing, and the second one judges.

**Bounds.** Every measure declares which differences count as none, in its own units
(`Measure.bound`), such as 5 % of the steps or 0.02 in R2. Measures without a bound have one in
units of the spread over worlds: 0.5 where equality is claimed, and 0.2 elsewhere.

**Verdicts.** Intervals are 95 % intervals of the mean difference over worlds.

- *holds*: the interval lies on the predicted side of zero, and p is below 0.05 after Holm's
  correction over the statements of the experiment in the same variant. Where no difference is
  predicted: the interval lies within the bound. An exact check holds if it passes.
- *no difference*: a difference is predicted, and the interval lies within the bound.
- *the other way*: the interval lies on the other side of zero.
- *does not hold*: no difference is predicted, and the interval lies beyond the bound; or an exact
  check fails.
- *depends on the measure*: by both measures the interval lies beyond the bound, on different sides.
- *cannot tell*: anything else. Also if there are too few worlds for any p below 0.05, if a setting
  that was tuned lies at an end of its list, or if the only measure cuts off too many runs.
- *by construction*: it could not come out otherwise. It is shown and counted nowhere.

A failed correction never turns into a refutation: it gives *cannot tell*.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from hsr.experiments.stats import Comparison, OverWorlds, holm

PAPER, READINGS, MAZES, TUNED = COLUMNS = (
    "the paper's setting",
    "other readings",
    "other mazes",
    "tuned rivals",
)
HOLDS, NO_DIFFERENCE, OTHER_WAY, FAILS = "holds", "no difference", "the other way", "does not hold"
DEPENDS, CANNOT_TELL, BY_CONSTRUCTION = "depends on the measure", "cannot tell", "by construction"
WORDS = (HOLDS, CANNOT_TELL, DEPENDS, NO_DIFFERENCE, OTHER_WAY, FAILS, BY_CONSTRUCTION)
ALPHA = 0.05
NEGLIGIBLE, SMALL = 0.5, 0.2  # bounds of measures without one, in units of the spread over worlds
MOST_CENSORED = 0.25
ROUNDING = 1e-9


@dataclass(frozen=True)
class Evidence:
    """One comparison for a claim.

    Parameters
    ----------
    claim : str
        Id of the claim.
    what : str
        What is compared, in words.
    predicted : {-1, 0, +1}
        The predicted sign of the difference. 0 predicts no difference.
    comparison : Comparison or None
        What was found by the measure of the paper, None for an exact check.
    holds : bool
        Whether an exact check passed.
    margin : float
        By how much an exact check passed: positive on the claimed side, in its own units.
    experiment, column, variant : str
        Where it was found. The variant is empty in the first column.
    worlds : OverWorlds or None
        How far worlds agree, and what single worlds would have said.
    measure : str
        The measure of the paper, in words.
    beside : Comparison or None
        What was found by a measure that cuts nothing off, where that of the paper does.
    beside_measure : str
        That measure, in words.
    bound, beside_bound : float
        Differences by each measure that count as none; 0 if none is declared.
    decides : bool
        Whether it is a statement of the ledger, or only shown beside the claim.
    chosen : dict of str to str
        The settings that were chosen for the agents in other worlds, in words.
    at_end : tuple of str
        Which of them lie at an end of their list, such as "the rate of SR rows".
    statement, quote, by_construction : str
        As in `hsr.experiments.Pair`.
    """

    claim: str
    what: str
    predicted: int
    comparison: Comparison | None
    holds: bool = False
    margin: float = math.nan
    experiment: str = ""
    column: str = PAPER
    variant: str = ""
    worlds: OverWorlds | None = None
    measure: str = ""
    beside: Comparison | None = None
    beside_measure: str = ""
    bound: float = 0.0
    beside_bound: float = 0.0
    decides: bool = True
    chosen: Mapping[str, str] = field(default_factory=dict)
    at_end: tuple[str, ...] = ()
    statement: str = ""
    quote: str = ""
    by_construction: str = ""

    @property
    def says(self) -> str:
        """The statement, or what is compared if it has no words of its own."""
        return self.statement or self.what

    @property
    def counts(self) -> bool:
        """Whether the statement is counted."""
        return self.decides and not self.by_construction

    @property
    def cut_off(self) -> bool:
        """Whether the measure of the paper cut off too many runs to decide anything."""
        return self.worlds is not None and self.worlds.censored > MOST_CENSORED

    @property
    def judged(self) -> Comparison | None:
        """The comparison that judges: that of the paper's measure, unless it cuts off too many."""
        return self.beside if self.cut_off else self.comparison

    @property
    def judged_by(self) -> str:
        """The measure that judges, in words."""
        return self.beside_measure if self.cut_off and self.beside else self.measure

    @property
    def judged_bound(self) -> float:
        """The bound of the measure that judges."""
        return self.beside_bound if self.cut_off and self.beside else self.bound

    @property
    def depends(self) -> bool:
        """Whether both measures find a difference beyond their bounds, with different signs."""
        if self.comparison is None or self.beside is None:
            return False
        first = _in_bounds(self.comparison, self.bound, self.predicted)
        second = _in_bounds(self.beside, self.beside_bound, self.predicted)
        return _beyond(first) * _beyond(second) < 0


class Judged(NamedTuple):
    """Evidence with its verdict, one of `WORDS`, and its corrected p-value, or NaN."""

    evidence: Evidence
    word: str
    p: float

    @property
    def reason(self) -> str:
        """The rule that gave the verdict, in a few words; empty where the numbers say it."""
        one, it = self.evidence, self.evidence.judged
        bound = _bound_in_words(one)
        if self.word == NO_DIFFERENCE:
            return f"the interval lies within {bound}"
        if self.word == FAILS:
            return "the check fails" if it is None else f"the interval lies beyond {bound}"
        if self.word == DEPENDS:
            return "two measures have intervals on different sides"
        if self.word != CANNOT_TELL:
            return ""
        if it is None:
            return "too many runs are cut off, and nothing else was measured"
        if one.at_end:
            return f"{' and '.join(one.at_end)} lies at an end of its list"
        if one.worlds is not None and it.smallest_p >= ALPHA:
            return f"no p-value of {one.worlds.worlds} worlds is below {ALPHA}"
        if not one.predicted:
            return f"the interval is neither within {bound} nor beyond it"
        if it.difference_interval[0] <= 0.0 <= it.difference_interval[1]:
            return "the interval includes 0"
        return f"p is {self.p:.2g} after Holm's correction"


def judge(evidence: Iterable[Evidence]) -> list[Judged]:
    """Return the verdict on each piece of evidence, in the same order.

    P-values are corrected over the statements of one experiment in one variant. Comparisons that
    are only shown are not corrected and correct no others.
    """
    every = list(evidence)
    families: dict[tuple[str, str], list[int]] = {}
    for i, one in enumerate(every):
        if one.counts and one.predicted and one.judged is not None:
            families.setdefault((one.experiment, one.variant), []).append(i)
    p = [math.nan if one.judged is None else one.judged.p for one in every]
    for family in families.values():
        for i, corrected in zip(family, holm([p[i] for i in family]).tolist(), strict=True):
            p[i] = corrected
    return [Judged(one, outcome(one, q), q) for one, q in zip(every, p, strict=True)]


def outcome(one: Evidence, p: float) -> str:
    """Return the verdict on one comparison, given its corrected p-value."""
    if one.by_construction:
        return BY_CONSTRUCTION
    if one.comparison is None:
        good = one.holds and (one.predicted == 0 or not one.margin <= ROUNDING)
        return HOLDS if good else FAILS
    if one.depends:
        return DEPENDS
    it = one.judged
    if it is None or one.at_end or (one.worlds is not None and it.smallest_p >= ALPHA):
        return CANNOT_TELL
    low, high = _in_bounds(it, one.judged_bound, one.predicted)
    if low > -1.0 and high < 1.0:
        return NO_DIFFERENCE if one.predicted else HOLDS
    if not one.predicted:
        return FAILS if _beyond((low, high)) else CANNOT_TELL
    side = (low > 0.0) - (high < 0.0)
    if side == -one.predicted:
        return OTHER_WAY
    return HOLDS if side == one.predicted and p < ALPHA else CANNOT_TELL


def _bound_in_words(one: Evidence) -> str:
    if one.judged_bound:
        return f"±{one.judged_bound:.2g}"
    return f"±{SMALL if one.predicted else NEGLIGIBLE} standard deviations over worlds"


def _in_bounds(it: Comparison, bound: float, predicted: int) -> tuple[float, float]:
    """Return the interval of a difference in units in which 1 is the bound of its measure."""
    ends = it.difference_interval
    if not bound:
        ends, bound = it.effect_interval, SMALL if predicted else NEGLIGIBLE
    return ends[0] / bound, ends[1] / bound


def _beyond(interval: tuple[float, float]) -> int:
    """Return on which side an interval lies beyond the bound, 0 if it does not."""
    low, high = interval
    return int(low >= 1.0) - int(high <= -1.0)
