"""The ledger: what the paper claims, what the runs say, and the verdict by rules that were written before the runs.

An `Evidence` is one comparison and the sign that the claim predicts for it; a claim may need several, and then all of them.

Rules, with p-values corrected by Holm over all comparisons of the ledger:

- *reproduced*: every comparison has the predicted sign and a corrected p below 0.05. Where no difference is predicted: every
  standardised effect's 95 % interval lies within 0.8 of zero.
- *opposite*: no comparison is as predicted, and one at least has the other sign with a corrected p below 0.05.
- *not reproduced*: anything else.
- An exact claim is *reproduced* if its check holds, else *not reproduced*.
"""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from hsr.stats import Comparison, holm

ALPHA = 0.05
NEGLIGIBLE = 0.8


@dataclass(frozen=True)
class Claim:
    """One row of the ledger: its id, the figure, what is claimed, and the paper's number."""

    id: str
    figure: str
    text: str
    paper: str


def claims() -> list[Claim]:
    """Return every claim of the paper, in the order of the ledger."""
    text = (files("hsr.experiments") / "claims.toml").read_text(encoding="utf-8")
    return [Claim(**row) for row in tomllib.loads(text)["claim"]]


@dataclass(frozen=True)
class Evidence:
    """One comparison for a claim: what is compared, the sign that is predicted (0: no difference), and what was found.

    For an exact claim the comparison is None and `holds` says whether the check passed.
    """

    claim: str
    what: str
    predicted: int
    comparison: Comparison | None
    holds: bool = False


@dataclass(frozen=True)
class Verdict:
    """What the ledger says of a claim; p-values are corrected, in the order of the evidence."""

    claim: str
    word: str
    evidence: tuple[Evidence, ...]
    p: tuple[float, ...]


def verdicts(evidence: Iterable[Evidence]) -> list[Verdict]:
    """Return one verdict per claim, in the order in which claims first occur."""
    found = list(evidence)
    tested = [one for one in found if one.comparison is not None]
    p_of: dict[int, float] = {}
    if tested:
        corrected = holm([one.comparison.p for one in tested if one.comparison is not None])
        p_of = {id(one): float(p) for one, p in zip(tested, corrected, strict=True)}
    by_claim: dict[str, list[Evidence]] = {}
    for one in found:
        by_claim.setdefault(one.claim, []).append(one)
    return [
        Verdict(claim, _word(rows, p_of), tuple(rows), tuple(p_of.get(id(one), float("nan")) for one in rows))
        for claim, rows in by_claim.items()
    ]


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


def _word(rows: Sequence[Evidence], p_of: dict[int, float]) -> str:
    if all(_as_predicted(one, p_of) for one in rows):
        return "reproduced"
    opposite = any(_opposite(one, p_of) for one in rows) and not any(_as_predicted(one, p_of) for one in rows)
    return "opposite" if opposite else "not reproduced"


def _as_predicted(one: Evidence, p_of: dict[int, float]) -> bool:
    if one.comparison is None:
        return one.holds
    if one.predicted == 0:
        low, high = one.comparison.effect_interval
        return low > -NEGLIGIBLE and high < NEGLIGIBLE
    return one.comparison.effect * one.predicted > 0 and p_of[id(one)] < ALPHA


def _opposite(one: Evidence, p_of: dict[int, float]) -> bool:
    if one.comparison is None or one.predicted == 0:
        return False
    return one.comparison.effect * one.predicted < 0 and p_of[id(one)] < ALPHA
