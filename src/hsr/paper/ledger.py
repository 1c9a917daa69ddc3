"""The ledger: what the paper claims, what the runs show, and the verdict.

The rules of the verdict were written before the runs. An `Evidence` is one comparison and the sign
that the claim predicts for it. A claim may need several comparisons, and then it needs all of them.
The unit of a comparison is the world: a start, two goals, and a sign for each eigenvector.

A control is the same evidence under another setting, such as tuned step sizes. It has its own
verdicts, by the same rules, and never changes those of the ledger.

Which measure judges: that of the paper, unless it cuts off more than half of the runs. A count at
its ceiling measures nothing, so the measure beside it that does not cut off judges then.

What one comparison says, with p-values corrected by Holm over all comparisons of the ledger, or of
the control:

- *as claimed*: the predicted sign and a corrected p below 0.05. Where no difference is predicted:
  the 95 % interval of the standardised effect lies within 0.5 of zero.
- *the other way*: the other sign and a corrected p below 0.05. Where no difference is predicted:
  a corrected p below 0.05 and an effect beyond 0.5.
- *cannot tell*: too few worlds for any p below 0.05, or no significant difference and an interval
  that has room for effects of 0.2 in both directions. Where no difference is predicted: neither of
  the above.
- *no difference*: anything else.

Verdicts:

- *reproduced*: every comparison is as claimed.
- *opposite*: none is as claimed, and one at least is the other way.
- *cannot tell*: no comparison contradicts the claim, and one at least cannot tell.
- *not reproduced*: anything else.
- An exact claim is *reproduced* if its check holds, else *not reproduced*. That one number exceeds
  another holds only beyond rounding: where two maps are the same, neither has more of anything.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hsr.paper.stats import Comparison, OverWorlds, holm

ALPHA = 0.05
NEGLIGIBLE = 0.5  # standardised effects within this of zero count as no difference
SMALL = 0.2  # an interval with room for this in both directions decides nothing
MOST_CENSORED = 0.5
ROUNDING = 1e-9
WORDS = ("reproduced", "not reproduced", "opposite", "cannot tell")


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
    control : str
        Name of the control, empty for the ledger itself.
    worlds : OverWorlds or None
        How far worlds agree, and what single worlds would have said.
    measure : str
        The measure of the paper, in words.
    beside : Comparison or None
        What was found by a measure that cuts nothing off, where that of the paper does.
    beside_measure : str
        That measure, in words.
    """

    claim: str
    what: str
    predicted: int
    comparison: Comparison | None
    holds: bool = False
    margin: float = math.nan
    control: str = ""
    worlds: OverWorlds | None = None
    measure: str = ""
    beside: Comparison | None = None
    beside_measure: str = ""

    @property
    def at_ceiling(self) -> bool:
        """Whether the measure of the paper cut off too many runs, so that the other one judges."""
        cut = self.worlds is not None and self.worlds.censored > MOST_CENSORED
        return cut and self.beside is not None

    @property
    def judged(self) -> Comparison | None:
        """The comparison that judges: that of the paper's measure, unless it is at its ceiling."""
        return self.beside if self.at_ceiling else self.comparison

    @property
    def judged_by(self) -> str:
        """The measure that judges, in words."""
        return self.beside_measure if self.at_ceiling else self.measure


@dataclass(frozen=True)
class Verdict:
    """What the ledger or a control says about a claim; p-values are corrected, by evidence."""

    claim: str
    word: str
    evidence: tuple[Evidence, ...]
    p: tuple[float, ...]
    control: str = ""

    @property
    def sentence(self) -> str:
        """What was found, in one sentence, with the numbers of the weakest comparison."""
        words = list(map(outcome, self.evidence, self.p))
        one, p = self.weakest
        return f"{_counted(words, self.evidence)} ({in_short(one, p)})."

    @property
    def weakest(self) -> tuple[Evidence, float]:
        """The comparison that supports the claim least, and its corrected p-value."""
        return min(zip(self.evidence, self.p, strict=True), key=lambda pair: support(pair[0]))


def verdicts(evidence: Iterable[Evidence]) -> list[Verdict]:
    """Return one verdict per control and claim, those of the ledger first."""
    by_control: dict[str, list[Evidence]] = {"": []}
    for one in evidence:
        by_control.setdefault(one.control, []).append(one)
    return [verdict for of_control in by_control.values() for verdict in _verdicts(of_control)]


def _verdicts(found: Sequence[Evidence]) -> list[Verdict]:
    tested = [one.judged.p for one in found if one.judged is not None]
    corrected = iter(holm(tested).tolist() if tested else ())
    by_claim: dict[str, list[tuple[Evidence, float]]] = {}
    for one in found:
        by_claim.setdefault(one.claim, []).append(
            (one, float("nan") if one.judged is None else next(corrected))
        )
    return [
        Verdict(
            claim,
            _word(rows),
            tuple(one for one, _ in rows),
            tuple(p for _, p in rows),
            rows[0][0].control,
        )
        for claim, rows in by_claim.items()
    ]


def in_short(one: Evidence, p: float) -> str:
    """Return effect, interval, corrected p and sample, or what a check compared."""
    if one.judged is None:
        return one.what
    it = one.judged
    low, high = it.effect_interval
    effect = f"{it.effect_name} = {it.effect:.2f} [{low:.2f}, {high:.2f}]"
    return f"{effect}, corrected p = {p:.2g}, {_sample(one)}"


def in_words(one: Evidence, p: float) -> str:
    """Return what was found: effect, interval, test, p and corrected p, and the sample."""
    if one.judged is None:
        return f"{one.what}: {'holds' if one.holds else 'does not hold'}"
    it = one.judged
    low, high = it.effect_interval
    df = "" if it.df is None else f", df = {it.df:g}"
    words = (
        f"{one.what}: {it.effect_name} = {it.effect:.2f} [{low:.2f}, {high:.2f}], {it.test}{df}, "
        f"p = {it.p:.3g} ({p:.3g} corrected), {_sample(one)}: {outcome(one, p)}"
    )
    if one.at_ceiling:
        words += f" (judged by {one.beside_measure})"
    if one.worlds is None:
        return words
    of = one.worlds
    words += f". {of.agree:.0%} of worlds agree"
    if not math.isnan(of.between):
        words += f"; {of.between:.0%} of the variance lies between worlds"
    if one.beside is not None:
        words += f"; {of.censored:.0%} of runs are cut off"
    return words + (
        f"; in single worlds the paper's test says as claimed in {of.as_claimed:.0%}, "
        f"the other way in {of.other_way:.0%}, neither in {of.undecided:.0%}"
    )


def outcome(one: Evidence, p: float) -> str:
    """Return what one comparison says: as claimed, the other way, no difference, cannot tell."""
    it = one.judged
    if it is None:
        good = one.holds and (one.predicted == 0 or not one.margin <= ROUNDING)
        return "as claimed" if good else "no difference"
    if one.worlds is not None and it.smallest_p >= ALPHA:
        return "cannot tell"
    low, high = it.effect_interval
    if one.predicted == 0:
        if low > -NEGLIGIBLE and high < NEGLIGIBLE:
            return "as claimed"
        return "the other way" if p < ALPHA and abs(it.effect) > NEGLIGIBLE else "cannot tell"
    if p < ALPHA:
        return "as claimed" if it.effect * one.predicted > 0 else "the other way"
    return "cannot tell" if low <= -SMALL and high >= SMALL else "no difference"


def support(one: Evidence) -> float:
    """Return how far evidence supports a claim: the effect on the claimed side, or the margin."""
    if one.judged is None:
        return one.margin
    return -abs(one.judged.effect) if one.predicted == 0 else one.judged.effect * one.predicted


def _word(rows: Sequence[tuple[Evidence, float]]) -> str:
    found = {outcome(one, p) for one, p in rows}
    if found == {"as claimed"}:
        return "reproduced"
    directed = any(one.predicted and outcome(one, p) == "the other way" for one, p in rows)
    if directed and "as claimed" not in found:
        return "opposite"
    return "cannot tell" if found <= {"as claimed", "cannot tell"} else "not reproduced"


def _sample(one: Evidence) -> str:
    if one.worlds is not None:
        return f"{one.worlds.worlds} worlds x {one.worlds.seeds} seeds"
    assert one.judged is not None
    return f"n = {' + '.join(map(str, one.judged.n))}"


def _counted(words: Sequence[str], evidence: Sequence[Evidence]) -> str:
    n, good = len(words), words.count("as claimed")
    checks = evidence[0].comparison is None
    if n == 1 and checks:
        return "The check held" if good else "The check did not hold"
    if n == 1 and evidence[0].predicted == 0:
        if good:
            return "No difference beyond the margin, as claimed"
        return "Equality is not shown" if words[0] == "cannot tell" else "There is a difference"
    if n == 1:
        return {
            "as claimed": "As claimed",
            "the other way": "The other way",
            "cannot tell": "Too uncertain to tell",
        }.get(words[0], "No difference that stands after correction")
    if checks:
        return f"{good} of {n} checks held; the weakest"
    parts = [f"{good} of {n} as claimed"]
    parts += [
        f"{words.count(word)} {word}"
        for word in ("the other way", "no difference", "cannot tell")
        if word in words
    ]
    return ", ".join(parts) + "; the weakest"
