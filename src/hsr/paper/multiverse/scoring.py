"""How well one reading reproduces the claims of the paper, and how well chance would.

With few worlds nothing is significant. The *score* of a reading is then the sum over claims of the
product of `credence` over the comparisons of a claim: about the number of claims whose comparisons
all point as claimed. With many worlds the *count* is the number of claims that are reproduced by
the rules of the ledger, with p-values corrected over all comparisons of the reading.

What chance would give: within every world the agents that a claim compares are exchanged at random,
the same way for every reading. The verdicts of all readings are computed again, and the best count
is kept. Its mean over many permutations is what the best of so many readings reproduces if labels
of agents mean nothing. Exact checks have no labels to exchange, so they stay as they are.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import special

from hsr.paper.ledger import ALPHA, NEGLIGIBLE, Evidence, outcome, verdicts
from hsr.paper.multiverse.compared import Compared, Comparisons, credence, evidence_in, t_of
from hsr.paper.stats import compare_over_worlds, holm
from hsr.toolkit import FloatArray


class Value(NamedTuple):
    """How good a reading is; the larger the better, the count before the score."""

    reproduced: int
    score: float


def by_claim(compared: Comparisons) -> dict[str, list[Compared | Evidence]]:
    """Return comparisons by claim."""
    found: dict[str, list[Compared | Evidence]] = {}
    for one in compared:
        found.setdefault(one.claim, []).append(one)
    return found


def scores(compared: Comparisons) -> dict[str, float]:
    """Return, by claim, how likely it is that every comparison is as claimed."""
    return {
        claim: float(np.prod([credence(one) for one in of_claim]))
        for claim, of_claim in by_claim(compared).items()
    }


def words_of(compared: Comparisons) -> dict[str, str]:
    """Return the verdict of the ledger on each claim."""
    return {verdict.claim: verdict.word for verdict in verdicts(evidence_in(compared))}


def value_of(compared: Comparisons) -> Value:
    """Return the number of reproduced claims and the score."""
    return Value(count_of(compared), sum(scores(compared).values()))


def count_of(compared: Comparisons) -> int:
    """Return the number of claims that the ledger calls reproduced.

    This is what `words_of` counts. It leaves out the intervals that no reproduced claim needs.
    """
    tested = [one for one in compared if isinstance(one, Compared)]
    t = np.array([t_of(one.judged) for one in tested])
    n = np.array([one.means.shape[-1] for one in tested])
    least = 2.0 ** (1 - n)
    p = np.maximum(2.0 * special.stdtr(n - 1, -np.abs(t)), least)
    corrected = iter(zip(holm(p) if tested else (), t, least, strict=True))
    good: dict[str, bool] = {}
    for one in compared:
        if isinstance(one, Evidence):
            held = outcome(one, float("nan")) == "as claimed"
        else:
            held = _as_claimed(one, *next(corrected))
        good[one.claim] = held and good.get(one.claim, True)
    return sum(good.values())


def _as_claimed(one: Compared, p: float, t: float, least: float) -> bool:
    if least >= ALPHA:
        return False
    if one.predicted:
        return bool(p < ALPHA and t * one.predicted > 0.0)
    x, y = one.judged[..., None]
    low, high = compare_over_worlds(x, y).effect_interval
    return low > -NEGLIGIBLE and high < NEGLIGIBLE


@dataclass(frozen=True)
class Chance:
    """The best count among readings whose agents are exchanged at random within worlds."""

    permutations: int
    mean: float
    largest: int


def best_by_chance(
    readings: Sequence[Comparisons], *, permutations: int = 200, seed: int = 0
) -> Chance:
    """Return what the best of some readings would reproduce by chance."""
    best = [
        max(count_of(list(permuted(compared, [seed, k]))) for compared in readings)
        for k in range(permutations)
    ]
    return Chance(permutations, float(np.mean(best)), int(max(best)))


def permuted(compared: Comparisons, seed: Sequence[int]) -> Iterator[Compared | Evidence]:
    """Yield comparisons with the agents of each claim exchanged at random within every world.

    Agents are exchanged with each other if a comparison of the claim joins them, directly or by
    way of others. All comparisons by one measure see the same exchange.
    """
    orders: dict[tuple[str, str, str], dict[str, tuple[FloatArray, FloatArray]]] = {}
    for one in compared:
        if isinstance(one, Evidence):
            yield one
            continue
        key = (one.claim, one.where, one.measure)
        if key not in orders:
            alike = [
                other
                for other in compared
                if isinstance(other, Compared) and (other.claim, other.where, other.measure) == key
            ]
            orders[key] = _exchanged(alike, [*seed, zlib.crc32("|".join(key).encode())])
        sides = [orders[key][name] for name in one.agents]
        yield replace(
            one,
            means=np.stack([means for means, _ in sides]),
            censored=np.stack([censored for _, censored in sides]),
        )


def _exchanged(
    alike: Sequence[Compared], seed: Sequence[int]
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return the numbers of each agent after the exchange: means (2, world), censored (world,)."""
    rng = np.random.default_rng(list(seed))
    of_agent = {
        name: (one.means[k], one.censored[k]) for one in alike for k, name in enumerate(one.agents)
    }
    found: dict[str, tuple[FloatArray, FloatArray]] = {}
    for names in joined(one.agents for one in alike):
        means = np.stack([of_agent[name][0] for name in names])  # (agent, measure, world)
        censored = np.stack([of_agent[name][1] for name in names])  # (agent, world)
        worlds = np.arange(means.shape[-1])
        order = rng.permuted(np.tile(np.arange(len(names)), (len(worlds), 1)), axis=1)
        for k, name in enumerate(names):
            taken = order[:, k]
            found[name] = (means[taken, :, worlds].T, censored[taken, worlds])
    return found


def joined(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the names that pairs join, directly or by way of others, in groups.

    Examples
    --------
    >>> joined([("a", "b"), ("c", "d"), ("b", "e")])
    [['a', 'b', 'e'], ['c', 'd']]
    """
    groups: list[list[str]] = []
    for pair in pairs:
        touched = [group for group in groups if set(group) & set(pair)]
        together = list(dict.fromkeys([name for group in touched for name in group] + list(pair)))
        groups = [group for group in groups if group not in touched] + [together]
    return sorted(groups, key=lambda group: group[0])
