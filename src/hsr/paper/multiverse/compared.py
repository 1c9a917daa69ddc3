"""A comparison of two agents with one number per world, as a search stores it.

A search compares thousands of readings, so the runs themselves are not kept. One mean per world and
agent is enough for every test over worlds, for the verdicts of the ledger, and for permutations of
agents within worlds.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.ledger import MOST_CENSORED, NEGLIGIBLE, Evidence
from hsr.paper.stats import OverWorlds, compare_over_worlds
from hsr.toolkit import FloatArray

_WORDS = ("claim", "agents", "predicted", "where", "measure", "beside_measure", "seeds")
_NAN = float("nan")


@dataclass(frozen=True, eq=False)
class Compared:
    """Two agents that a claim compares, with one number per world.

    Parameters
    ----------
    claim, agents, predicted, where
        As in `hsr.paper.contrast.Contrast`.
    measure, beside_measure : str
        The measure of the paper, and the one beside it that cuts nothing off, if there is one.
    seeds : int
        Number of seeds in each world.
    means : array of shape (2, 2, world)
        By agent, measure (that of the paper first) and world, the mean over seeds. NaN where there
        is no measure beside that of the paper.
    censored : array of shape (2, world)
        By agent and world, the share of runs that the measure of the paper cuts off.
    """

    claim: str
    agents: tuple[str, str]
    predicted: int
    where: str
    measure: str
    beside_measure: str
    seeds: int
    means: FloatArray
    censored: FloatArray

    @property
    def judging(self) -> int:
        """Which measure judges: 0 for that of the paper, 1 for the one beside it."""
        return int(bool(self.beside_measure) and float(self.censored.mean()) > MOST_CENSORED)

    @property
    def judged(self) -> FloatArray:
        """The numbers (2, world) of both agents by the measure that judges."""
        judged: FloatArray = self.means[:, self.judging]
        return judged

    def evidence(self) -> Evidence:
        """Return what the worlds say. What single worlds would have said is not known."""
        x, y = self.means[..., None]
        return Evidence(
            self.claim,
            f"{self.where}: {self.measure}" if self.where else self.measure,
            self.predicted,
            compare_over_worlds(x[0], y[0]),
            worlds=OverWorlds(
                worlds=self.means.shape[-1],
                seeds=self.seeds,
                agree=float(np.mean(np.sign(x[0] - y[0]) == self.predicted)),
                between=_NAN,
                censored=float(self.censored.mean()),
                as_claimed=_NAN,
                other_way=_NAN,
                undecided=_NAN,
                test="sign",
            ),
            measure=self.measure,
            beside=compare_over_worlds(x[1], y[1]) if self.beside_measure else None,
            beside_measure=self.beside_measure,
        )


Comparisons = Sequence[Compared | Evidence]


def evidence_in(compared: Comparisons) -> list[Evidence]:
    """Return comparisons as evidence for claims."""
    return [one.evidence() if isinstance(one, Compared) else one for one in compared]


def compared_in(contrast: Contrast) -> Compared:
    """Return a contrast with one number per world."""
    sides = (contrast.first, contrast.second)
    beside = contrast.first.beside
    return Compared(
        contrast.claim,
        contrast.agents,
        contrast.predicted,
        contrast.where,
        contrast.first.name,
        "" if beside is None else beside.name,
        contrast.first.values.shape[1],
        np.stack([_means(side) for side in sides]),
        np.stack([_censored(side) for side in sides]),
    )


def _means(side: Measure) -> FloatArray:
    own = side.values.mean(axis=1)
    beside = np.full_like(own, np.nan) if side.beside is None else side.beside.values.mean(axis=1)
    return np.stack([own, beside])


def _censored(side: Measure) -> FloatArray:
    none = np.zeros(len(side.values))
    return none if side.censored is None else side.censored.mean(axis=1)


def arrays_of(readings: Sequence[Comparisons]) -> dict[str, np.ndarray]:
    """Return the comparisons of several readings as the arrays of a record.

    `forms` are the different lists of comparisons as JSON, `form` says which one a reading has, and
    `numbers` are those of all readings, one after another.
    """
    forms: dict[str, int] = {}
    form, numbers = [], [np.zeros(0)]
    for compared in readings:
        lines: list[dict[str, Any]] = []
        for one in compared:
            if isinstance(one, Evidence):
                lines.append({"exact": asdict(one)})
                continue
            words = {name: getattr(one, name) for name in _WORDS}
            lines.append({**words, "worlds": one.means.shape[-1]})
            numbers += [one.means.ravel(), one.censored.ravel()]
        form.append(forms.setdefault(json.dumps(lines, sort_keys=True), len(forms)))
    return {
        "forms": np.array(list(forms)),
        "form": np.array(form),
        "numbers": np.concatenate(numbers),
    }


def read_compared(arrays: Mapping[str, np.ndarray]) -> list[list[Compared | Evidence]]:
    """Return the comparisons of each reading in the arrays of a record."""
    numbers, begin = arrays["numbers"], 0
    forms = [json.loads(text) for text in arrays["forms"].tolist()]
    readings: list[list[Compared | Evidence]] = []
    for k in arrays["form"].tolist():
        readings.append([])
        for line in forms[k]:
            if "exact" in line:
                readings[-1].append(Evidence(**line["exact"]))
                continue
            words = {name: line[name] for name in _WORDS} | {"agents": tuple(line["agents"])}
            n = line["worlds"]
            middle, end = begin + 4 * n, begin + 6 * n
            means, censored = numbers[begin:middle], numbers[middle:end]
            begin = end
            one = Compared(**words, means=means.reshape(2, 2, n), censored=censored.reshape(2, n))
            readings[-1].append(one)
    return readings


def over_blocks(blocks: Sequence[Comparisons]) -> list[Compared | Evidence]:
    """Return the comparisons of one reading over all blocks of its worlds.

    Where a block could not be run, nothing is compared. An exact check holds if it does in every
    block.
    """
    if not all(blocks):
        return []
    found: list[Compared | Evidence] = []
    for parts in zip(*blocks, strict=True):
        first = parts[0]
        if isinstance(first, Compared):
            rest = [one for one in parts if isinstance(one, Compared)]
            means = np.concatenate([one.means for one in rest], axis=-1)
            censored = np.concatenate([one.censored for one in rest], axis=-1)
            found.append(replace(first, means=means, censored=censored))
        else:
            found.append(min((one for one in parts if isinstance(one, Evidence)), key=_held))
    return found


def _held(one: Evidence) -> tuple[bool, float]:
    return one.holds, one.margin


def t_of(judged: FloatArray) -> float:
    """Return Student's t of the differences between two agents, (2, world), over worlds.

    Differences that do not vary have an infinite t, or 0 if there are none.
    """
    d = judged[0] - judged[1]
    rounding = 1e-12 * float(np.abs(judged).max(initial=0.0))
    mean, spread = float(d.mean()), float(d.std(ddof=1)) if d.size > 1 else 0.0
    if abs(mean) <= rounding:
        mean = 0.0
    if spread <= rounding:
        return float(np.sign(mean)) * np.inf if mean else 0.0
    return mean / (spread / float(np.sqrt(d.size)))


def credence(one: Compared | Evidence) -> float:
    """Return how likely it is that a comparison is as claimed, given the worlds so far.

    For a difference this is ``F(t)``, with t on the claimed side and F the distribution function of
    Student's t. Where no difference is predicted, it is the probability that the standardised
    effect is negligible. It is 0 where two agents do not differ at all though they should, and an
    exact check gives 0 or 1.
    """
    if isinstance(one, Evidence):
        return float(one.holds)
    t, n = t_of(one.judged), one.means.shape[-1]
    if one.predicted:
        return 0.0 if t == 0.0 else float(special.stdtr(n - 1, t * one.predicted))
    edge = NEGLIGIBLE * np.sqrt(n)
    return float(special.stdtr(n - 1, edge - t) - special.stdtr(n - 1, -edge - t))
