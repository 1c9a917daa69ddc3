"""The ledger: what the paper claims, what the runs show, and the verdict.

An `Evidence` is one comparison and the sign that the claim predicts for it. A claim may need
several comparisons, and then it needs all of them. Some comparisons are only shown beside a claim
and do not decide it. The unit of a comparison is the world: a start, two goals, and a sign for each
eigenvector.

A control is the same evidence under another setting, such as tuned step sizes. It has its own
verdicts, by the same rules, and never changes those of the ledger.

**Two measures.** Where the measure of the paper cuts off runs, as a count of episodes does for runs
that never meet the criterion, each comparison is also made by a measure that cuts nothing off. Both
are judged over worlds and both are reported. The verdict is that of the paper's measure, unless it
cuts off more than half of the runs: then the other one judges. If the 95 % intervals of both
exclude zero and their signs disagree, the verdict is *depends on the measure*.

**What counts as no difference** is declared for each measure in its own units (`Measure.bound`),
such as 5 % of the steps or 0.02 in R2. Measures without such a bound have one in units of the
spread over worlds: 0.5 where equality is claimed, and 0.2 elsewhere.

What one comparison says, with p-values corrected by Holm over all comparisons of the ledger, or of
the control:

- *as claimed*: the predicted sign, a corrected p below 0.05, and not within the bound. Where no
  difference is predicted: the 95 % interval lies within the bound.
- *the other way*: the other sign and a corrected p below 0.05, not within the bound. Where no
  difference is predicted: a corrected p below 0.05 and a difference beyond the bound.
- *cannot tell*: too few worlds for any p below 0.05, or no significant difference and an interval
  that has room for the bound in both directions. Where no difference is predicted: neither of the
  above. Also where settings were tuned for the agents and a best value lies at an end of its list,
  because the agent may do better beyond it.
- *no difference*: anything else.

Verdicts:

- *depends on the measure*: see above.
- *reproduced*: every comparison is as claimed.
- *opposite*: none is as claimed, and one at least is the other way.
- *cannot tell*: no comparison contradicts the claim, and one at least cannot tell.
- *not reproduced*: anything else.
- An exact claim is *reproduced* if its check holds, else *not reproduced*. That one number exceeds
  another holds only beyond rounding: where two maps are the same, neither has more of anything.

The rules were written before the runs over worlds. Bounds in units of the measure and the verdict
*depends on the measure* came after their first results.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hsr.experiments.stats import Comparison, OverWorlds, holm

ALPHA = 0.05
NEGLIGIBLE, SMALL = 0.5, 0.2  # bounds of measures without one, in units of the spread over worlds
MOST_CENSORED = 0.5
ROUNDING = 1e-9
DEPENDS = "depends on the measure"
WORDS = ("reproduced", "not reproduced", "opposite", DEPENDS, "cannot tell")


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
    bound, beside_bound : float
        Differences by each measure that count as none; 0 if none is declared.
    decides : bool
        Whether the verdict depends on this comparison, or it is only shown beside the claim.
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
    control: str = ""
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

    @property
    def judged_bound(self) -> float:
        """The bound of the measure that judges."""
        return self.beside_bound if self.at_ceiling else self.bound

    @property
    def depends(self) -> bool:
        """Whether both measures find a difference, with different signs."""
        if self.comparison is None or self.beside is None:
            return False
        (low, high), (other_low, other_high) = (
            one.difference_interval for one in (self.comparison, self.beside)
        )
        return (low > 0.0 and other_high < 0.0) or (high < 0.0 and other_low > 0.0)

    def by_paper(self) -> "Evidence":
        """Return the evidence by the measure of the paper alone."""
        return replace(self, beside=None)

    def by_other(self) -> "Evidence":
        """Return the evidence by the measure that cuts nothing off, where there is one."""
        if self.beside is None:
            return self
        return replace(
            self,
            comparison=self.beside,
            measure=self.beside_measure,
            bound=self.beside_bound,
            beside=None,
        )


@dataclass(frozen=True)
class Verdict:
    """What the ledger or a control says about a claim; p-values are corrected, by evidence.

    Parameters
    ----------
    claim, control : str
        The claim, and the control or an empty text.
    word : str
        The verdict, one of `WORDS`.
    evidence, p : tuple
        The comparisons that decide, and their corrected p-values.
    by_paper, by_other : str
        The verdict by the measure of the paper alone, and by the one that cuts nothing off.
    also : tuple of Evidence
        Comparisons that are shown beside the claim.
    """

    claim: str
    word: str
    evidence: tuple[Evidence, ...]
    p: tuple[float, ...]
    control: str = ""
    by_paper: str = ""
    by_other: str = ""
    also: tuple[Evidence, ...] = ()

    @property
    def sentence(self) -> str:
        """What was found, in one sentence, with the numbers of the weakest comparison."""
        if self.word == DEPENDS:
            one = next(one for one in self.evidence if one.depends)
            first, second = one.comparison, one.beside
            assert first is not None
            assert second is not None
            return (
                f"{one.what}: by {one.measure} the difference is {_interval(first)}, "
                f"by {one.beside_measure} it is {_interval(second)}."
            )
        words = list(map(outcome, self.evidence, self.p))
        one, p = self.weakest
        ends = dict.fromkeys(end for of in self.evidence for end in of.at_end)
        weak = f" At an end of its list: {', '.join(ends)}." if ends else ""
        return f"{_counted(words, self.evidence)} ({in_short(one, p)}).{weak}"

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
    judged = _corrected([one for one in found if one.decides])
    by_paper = _corrected([one.by_paper() for one in found if one.decides])
    by_other = _corrected([one.by_other() for one in found if one.decides])
    return [
        Verdict(
            claim,
            DEPENDS if any(one.depends for one, _ in rows) else _word(rows),
            tuple(one for one, _ in rows),
            tuple(p for _, p in rows),
            rows[0][0].control,
            _word(by_paper[claim]),
            _word(by_other[claim]),
            tuple(one for one in found if one.claim == claim and not one.decides),
        )
        for claim, rows in judged.items()
    ]


def _corrected(found: Sequence[Evidence]) -> dict[str, list[tuple[Evidence, float]]]:
    """Return evidence by claim, each with its p-value corrected over all of it."""
    tested = [one.judged.p for one in found if one.judged is not None]
    corrected = iter(holm(tested).tolist() if tested else ())
    by_claim: dict[str, list[tuple[Evidence, float]]] = {}
    for one in found:
        p = math.nan if one.judged is None else next(corrected)
        by_claim.setdefault(one.claim, []).append((one, p))
    return by_claim


def in_short(one: Evidence, p: float) -> str:
    """Return effect, interval, corrected p and sample, or what a check compared."""
    if one.judged is None:
        return one.what
    it = one.judged
    low, high = it.effect_interval
    effect = f"{it.effect_name} = {it.effect:.2f} [{low:.2f}, {high:.2f}]"
    return f"{effect}, corrected p = {p:.2g}, {_sample(one)}"


def outcome(one: Evidence, p: float) -> str:
    """Return what one comparison says: as claimed, the other way, no difference, cannot tell."""
    it = one.judged
    if it is None:
        good = one.holds and (one.predicted == 0 or not one.margin <= ROUNDING)
        return "as claimed" if good else "no difference"
    if one.at_end or (one.worlds is not None and it.smallest_p >= ALPHA):
        return "cannot tell"
    value, low, high = _in_bounds(one, it)
    negligible = low > -1.0 and high < 1.0
    if one.predicted == 0:
        if negligible:
            return "as claimed"
        return "the other way" if p < ALPHA and abs(value) > 1.0 else "cannot tell"
    if p < ALPHA and not (negligible and one.judged_bound):
        return "as claimed" if it.difference * one.predicted > 0 else "the other way"
    return "cannot tell" if low <= -1.0 and high >= 1.0 else "no difference"


def _in_bounds(one: Evidence, it: Comparison) -> tuple[float, float, float]:
    """Return a difference and its interval in units in which 1 is the bound of its measure."""
    if one.judged_bound:
        found, bound = (it.difference, *it.difference_interval), one.judged_bound
    else:
        found = (it.effect, *it.effect_interval)
        bound = NEGLIGIBLE if one.predicted == 0 else SMALL
    value, low, high = (x / bound for x in found)
    return value, low, high


def support(one: Evidence) -> float:
    """Return how far evidence supports a claim: the effect on the claimed side, or the margin."""
    if one.judged is None:
        return one.margin
    return -abs(one.judged.effect) if one.predicted == 0 else one.judged.effect * one.predicted


def _interval(it: Comparison) -> str:
    low, high = it.difference_interval
    return f"{it.difference:.2g} [{low:.2g}, {high:.2g}]"


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
