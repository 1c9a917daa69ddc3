"""The ledger: what the paper claims, what the runs show, and the verdict.

The rules of the verdict were written before the runs. An `Evidence` is one comparison and the sign
that the claim predicts for it. A claim may need several comparisons, and then it needs all of them.

A control is the same evidence under another setting, such as tuned step sizes. It has its own
verdicts, by the same rules, and never changes those of the ledger.

Rules, with p-values corrected by Holm over all comparisons of the ledger, or of the control:

- *reproduced*: every comparison has the predicted sign and a corrected p below 0.05. Where no
  difference is predicted: every standardised effect's 95 % interval lies within 0.8 of zero.
- *opposite*: no comparison is as predicted, and one at least has the other sign with a corrected p
  below 0.05.
- *not reproduced*: anything else.
- An exact claim is *reproduced* if its check holds, else *not reproduced*. That one number exceeds
  another holds only beyond rounding: where two maps are the same, neither has more of anything.

Where neither sample varies, a difference has an infinite effect and p = 0. It counts: among 10 + 10
seeds, all seeds of one agent lie below all of another with a probability of only 1e-5.
"""

import math
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from hsr.paper.stats import Comparison, holm

ALPHA = 0.05
NEGLIGIBLE = 0.8
ROUNDING = 1e-9


@dataclass(frozen=True)
class Claim:
    """One row of the ledger.

    Parameters
    ----------
    id : str
        The name of the claim.
    experiment : str
        The experiment that judges it.
    figure, text, paper : str
        The figure of the paper, what is claimed, and the number in the paper.
    """

    id: str
    experiment: str
    figure: str
    text: str
    paper: str


def claims() -> list[Claim]:
    """Return every claim of the paper, in the order of the ledger."""
    text = (files("hsr.paper") / "claims.toml").read_text(encoding="utf-8")
    return [Claim(**row) for row in tomllib.loads(text)["claim"]]


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
        What was found, None for an exact check.
    holds : bool
        Whether an exact check passed.
    margin : float
        By how much an exact check passed: positive on the claimed side, in its own units.
    control : str
        Name of the control, empty for the ledger itself.
    """

    claim: str
    what: str
    predicted: int
    comparison: Comparison | None
    holds: bool = False
    margin: float = math.nan
    control: str = ""


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
        good = sum(map(_as_predicted, self.evidence, self.p))
        bad = sum(map(_opposite, self.evidence, self.p))
        one, p = min(zip(self.evidence, self.p, strict=True), key=lambda pair: _support(pair[0]))
        return f"{_counted(good, bad, self.evidence)} ({in_short(one, p)})."


def verdicts(evidence: Iterable[Evidence]) -> list[Verdict]:
    """Return one verdict per control and claim, those of the ledger first."""
    by_control: dict[str, list[Evidence]] = {"": []}
    for one in evidence:
        by_control.setdefault(one.control, []).append(one)
    return [verdict for of_control in by_control.values() for verdict in _verdicts(of_control)]


def _verdicts(found: Sequence[Evidence]) -> list[Verdict]:
    tested = [one.comparison.p for one in found if one.comparison is not None]
    corrected = iter(holm(tested).tolist() if tested else ())
    by_claim: dict[str, list[tuple[Evidence, float]]] = {}
    for one in found:
        by_claim.setdefault(one.claim, []).append(
            (one, float("nan") if one.comparison is None else next(corrected))
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
    if one.comparison is None:
        return one.what
    it = one.comparison
    low, high = it.effect_interval
    n = " + ".join(map(str, it.n))
    effect = f"{it.effect_name} = {it.effect:.2f} [{low:.2f}, {high:.2f}]"
    return f"{effect}, corrected p = {p:.2g}, n = {n}"


def in_words(one: Evidence, p: float) -> str:
    """Return what was found: effect, interval, test, p and corrected p, and the sample."""
    if one.comparison is None:
        return f"{one.what}: {'holds' if one.holds else 'does not hold'}"
    it = one.comparison
    low, high = it.effect_interval
    df = "" if it.df is None else f", df = {it.df:g}"
    n = " + ".join(map(str, it.n))
    return (
        f"{one.what}: {it.effect_name} = {it.effect:.2f} [{low:.2f}, {high:.2f}], {it.test}{df}, "
        f"p = {it.p:.3g} ({p:.3g} corrected), n = {n}"
    )


def _word(rows: Sequence[tuple[Evidence, float]]) -> str:
    if all(_as_predicted(one, p) for one, p in rows):
        return "reproduced"
    opposite = any(_opposite(one, p) for one, p in rows) and not any(
        _as_predicted(one, p) for one, p in rows
    )
    return "opposite" if opposite else "not reproduced"


def _as_predicted(one: Evidence, p: float) -> bool:
    if one.comparison is None:
        return one.holds and (one.predicted == 0 or not one.margin <= ROUNDING)
    if one.predicted == 0:
        low, high = one.comparison.effect_interval
        return low > -NEGLIGIBLE and high < NEGLIGIBLE
    return one.comparison.effect * one.predicted > 0 and p < ALPHA


def _opposite(one: Evidence, p: float) -> bool:
    if one.comparison is None or one.predicted == 0:
        return False
    return one.comparison.effect * one.predicted < 0 and p < ALPHA


def _support(one: Evidence) -> float:
    """Return how far evidence supports a claim: the effect on the claimed side, or the margin."""
    if one.comparison is None:
        return one.margin
    return (
        -abs(one.comparison.effect) if one.predicted == 0 else one.comparison.effect * one.predicted
    )


def _counted(good: int, bad: int, evidence: Sequence[Evidence]) -> str:
    n = len(evidence)
    checks = evidence[0].comparison is None
    if n == 1 and checks:
        return "The check held" if good else "The check did not hold"
    if n == 1 and evidence[0].predicted == 0:
        return "No difference beyond the margin, as claimed" if good else "Equality is not shown"
    if n == 1:
        return (
            "As claimed"
            if good
            else "The other way"
            if bad
            else "No difference that stands after correction"
        )
    if checks:
        return f"{good} of {n} checks held; the weakest"
    rest = n - good - bad
    parts = [f"{good} of {n} as claimed"]
    parts += [f"{bad} the other way"] if bad else []
    parts += [f"{rest} undecided"] if rest else []
    return ", ".join(parts) + "; the weakest"
