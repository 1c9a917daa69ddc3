"""What all readings together say about a claim.

The *effect* of a reading is that of its weakest comparison, positive on the claimed side. Where no
difference is claimed, it is minus the magnitude. Exact checks give their margin, without an
interval.

Verdicts follow the rules of the ledger, with p-values corrected over the comparisons of the claim
within the reading. Among many readings some reproduce a claim by chance. They are only candidates
until fresh worlds confirm them, with p-values corrected over all candidates that were tested
(`confirmed`).

*Variance explained* of a choice is epsilon squared over the random design,

    (SS_between - df_between MS_within) / SS_total,

which is zero on average for a choice without effect. Effects beyond 5 in magnitude count as 5. Its
interval is a bootstrap over readings. The default and the single changes are left out, because they
are not balanced.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hsr import InputError
from hsr.paper.ledger import Evidence, verdicts
from hsr.paper.multiverse.design import Design
from hsr.paper.multiverse.reading import CHOICES, Reading
from hsr.paper.stats import Interval
from hsr.toolkit import FloatArray, IntArray

LARGEST_EFFECT = 5.0
N_RESAMPLES = 1000
FEWEST = 8  # variance explained needs more readings of the random design than this


@dataclass(frozen=True)
class Outcome:
    """What one reading says about one claim; the interval of an exact check is NaN."""

    reading: Reading
    word: str
    effect: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Finding:
    """What all readings say about one claim.

    Parameters
    ----------
    claim : str
        Id of the claim.
    choices : tuple of str
        The choices that its experiment is sensitive to.
    worlds : int
        Number of worlds of each reading, 1 where nothing is random.
    outcomes : tuple of Outcome
        What each reading says, the default first.
    explained : dict of str to Interval
        Variance explained by each choice, over the readings of the random design.
    turns : Outcome or None
        The reading with the fewest changes that changes the verdict of the default.
    candidates : tuple of Reading
        Readings that reproduce the claim in the worlds of the search.
    confirmed : dict of Reading to bool
        For each reading that was tested in fresh worlds, whether it reproduces the claim there too.
    """

    claim: str
    choices: tuple[str, ...]
    worlds: int
    outcomes: tuple[Outcome, ...]
    explained: dict[str, Interval]
    turns: Outcome | None
    candidates: tuple[Reading, ...]
    confirmed: dict[Reading, bool]

    @property
    def share(self) -> float:
        """The fraction of readings that reproduce the claim."""
        return float(np.mean([one.word == "reproduced" for one in self.outcomes]))


def outcomes_of(tried: Mapping[Reading, Sequence[Evidence]]) -> dict[str, list[Outcome]]:
    """Return, by claim, what each reading says."""
    found: dict[str, list[Outcome]] = {}
    for reading, evidence in tried.items():
        for claim in dict.fromkeys(one.claim for one in evidence):
            of_claim = [one for one in evidence if one.claim == claim]
            (verdict,) = verdicts(of_claim)
            found.setdefault(claim, []).append(Outcome(reading, verdict.word, *_weakest(of_claim)))
    return found


def finding_of(
    claim: str,
    outcomes: Sequence[Outcome],
    choices: Sequence[str],
    tried: Design,
    confirmed: Mapping[Reading, bool],
    *,
    worlds: int,
) -> Finding:
    """Return the finding of one claim.

    Outcomes outside of the design, which narrow down a change, count for `turns` only.
    """
    in_design, balanced = set(tried.readings), set(tried.balanced)
    sample = [one for one in outcomes if one.reading in balanced]
    return Finding(
        claim=claim,
        choices=tuple(choices),
        worlds=worlds,
        outcomes=tuple(one for one in outcomes if one.reading in in_design),
        explained={name: variance_explained(sample, name) for name in choices}
        if len(sample) > FEWEST
        else {},
        turns=turning(outcomes),
        candidates=tuple(one.reading for one in outcomes if one.word == "reproduced"),
        confirmed=dict(confirmed),
    )


def turning(outcomes: Sequence[Outcome]) -> Outcome | None:
    """Return the outcome with the fewest changes that changes the verdict of the default.

    For a claim that the default reproduces, it is the nearest reading that does not reproduce it.
    For any other claim, it is the nearest reading that does.
    """
    default = outcomes[0]
    turned = [
        one for one in outcomes if (one.word == "reproduced") != (default.word == "reproduced")
    ]
    return min(turned, key=lambda one: len(one.reading.changes), default=None)


def variance_explained(sample: Sequence[Outcome], choice: str, *, seed: int = 0) -> Interval:
    """Return epsilon squared of a choice over some readings, with its bootstrap interval."""
    words = CHOICES[choice].words
    group = np.array([words.index(getattr(one.reading, choice)) for one in sample])
    effect = np.clip([one.effect for one in sample], -LARGEST_EFFECT, LARGEST_EFFECT)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(sample), size=(N_RESAMPLES, len(sample)))
    spread = np.array([epsilon_squared(effect[rows], group[rows]) for rows in drawn])
    low, high = np.quantile(spread, (0.025, 0.975))
    return Interval(epsilon_squared(effect, group), float(low), float(high))


def confirmed(
    fresh: Mapping[Reading, Sequence[Evidence]], claim: str, *, searched: range, confirming: range
) -> dict[Reading, bool]:
    """Return which readings reproduce a claim in fresh worlds, with p-values corrected over all.

    Raises
    ------
    InputError
        If a world of the search is among the worlds that confirm.
    """
    shared = set(searched) & set(confirming)
    if shared:
        raise InputError(
            f"world {min(shared)} found readings and is to confirm them; "
            "evidence needs fresh worlds"
        )
    numbered = [
        replace(one, claim=str(k))
        for k, evidence in enumerate(fresh.values())
        for one in evidence
        if one.claim == claim
    ]
    words = {verdict.claim: verdict.word for verdict in verdicts(numbered)}
    return {reading: words.get(str(k)) == "reproduced" for k, reading in enumerate(fresh)}


def _weakest(evidence: Sequence[Evidence]) -> tuple[float, float, float]:
    return min((_signed(one) for one in evidence), key=lambda found: found[0])


def _signed(one: Evidence) -> tuple[float, float, float]:
    """Return effect, low and high, positive on the claimed side."""
    if one.judged is None:
        return one.margin, np.nan, np.nan
    effect, (low, high) = one.judged.effect, one.judged.effect_interval
    if one.predicted == 0:
        nearest = 0.0 if low <= 0.0 <= high else min(abs(low), abs(high))
        return -abs(effect), -max(abs(low), abs(high)), -nearest
    return (effect, low, high) if one.predicted > 0 else (-effect, -high, -low)


def epsilon_squared(effect: FloatArray, group: IntArray) -> float:
    """Return the share of the variance of effects (n,) that groups (n,) explain, see above."""
    labels = np.unique(group)
    total = float(np.square(effect - effect.mean()).sum())
    if labels.size < 2 or total <= 0.0 or effect.size <= labels.size:
        return 0.0
    within = sum(
        float(np.square(effect[group == k] - effect[group == k].mean()).sum()) for k in labels
    )
    df_between, df_within = labels.size - 1, effect.size - labels.size
    return (total - within - df_between * within / df_within) / total
