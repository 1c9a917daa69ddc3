"""From runs over worlds to evidence: what is measured, and what a claim compares by it."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr.experiments.ledger import Evidence
from hsr.experiments.stats import agreement, compare_over_worlds

# Differences that count as none, in units of the measure: 0.02 of shares, R2 and sparsity, 5 % of
# steps, episodes and ratios. They were chosen when results of earlier runs were known.
OF_SHARES, OF_RATIOS = 0.02, 0.05
OF_LOGS = math.log(1.05)


@dataclass(frozen=True, eq=False)
class Measure:
    """One number per run of an agent.

    Parameters
    ----------
    name : str
        What is measured, in words.
    values : array of shape (world, seed)
        The numbers.
    censored : array of shape (world, seed), optional
        Which runs the measure cuts off, such as those that never met the criterion.
    beside : Measure, optional
        For a measure that cuts off, one of the same thing that does not.
    bound : float
        Differences of means that count as none, in units of the measure. 0 if none is declared.
    chosen : str
        Which settings were chosen for the agent in other worlds, in words.
    at_end : tuple of str
        Which of them lie at an end of their list, so that the agent may be better than it is here.
    """

    name: str
    values: FloatArray
    censored: BoolArray | None = None
    beside: "Measure | None" = None
    bound: float = 0.0
    chosen: str = ""
    at_end: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Contrast:
    """Two agents that a claim compares.

    Parameters
    ----------
    claim : str
        Id of the claim.
    agents : (str, str)
        Names of the two agents, or of whatever is compared.
    predicted : {-1, 0, +1}
        The predicted sign of the first agent's number minus the second's.
    first, second : Measure
        The same measure of each.
    test : str
        The test of the paper in one world, a name of `hsr.experiments.stats.SINGLE_WORLD_TESTS`.
    where : str
        What the comparison is restricted to, such as a maze.
    decides : bool
        Whether it is a statement of the ledger, or only shown beside the claim.
    statement, quote, by_construction : str
        As in `Pair`.
    """

    claim: str
    agents: tuple[str, str]
    predicted: int
    first: Measure
    second: Measure
    test: str = "two_sample_t"
    where: str = ""
    decides: bool = True
    statement: str = ""
    quote: str = ""
    by_construction: str = ""

    @property
    def what(self) -> str:
        """What is compared, in words."""
        where = f"{self.where}: " if self.where else ""
        return f"{where}{self.first.name}, {self.agents[0]} minus {self.agents[1]}"

    def evidence(self) -> Evidence:
        """Return what the worlds say."""
        x, y = self.first, self.second
        cut = None
        if x.censored is not None and y.censored is not None:
            cut = np.stack([x.censored, y.censored])
        worlds = agreement(x.values, y.values, self.predicted, test=self.test, censored=cut)
        found = Evidence(
            self.claim,
            self.what,
            self.predicted,
            compare_over_worlds(x.values, y.values),
            worlds=worlds,
            measure=x.name,
            bound=x.bound,
            decides=self.decides,
            statement=self.statement,
            quote=self.quote,
            by_construction=self.by_construction,
            chosen={
                name: one.chosen
                for name, one in zip(self.agents, (x, y), strict=True)
                if one.chosen
            },
            at_end=tuple(
                f"the {value} of {name}"
                for name, one in zip(self.agents, (x, y), strict=True)
                for value in one.at_end
            ),
        )
        if x.beside is None or y.beside is None:
            return found
        found = replace(
            found,
            beside=compare_over_worlds(x.beside.values, y.beside.values),
            beside_measure=x.beside.name,
            beside_bound=x.beside.bound,
        )
        if not found.cut_off:
            return found
        other = agreement(x.beside.values, y.beside.values, self.predicted, test=self.test)
        return replace(found, worlds=replace(worlds, agree=other.agree, between=other.between))


def evidence_of(compared: Iterable[Contrast | Evidence]) -> list[Evidence]:
    """Return the evidence of comparisons over worlds; exact checks are evidence already."""
    return [one.evidence() if isinstance(one, Contrast) else one for one in compared]


@dataclass(frozen=True)
class Pair:
    """One comparison of a claim: two agents, the predicted sign, and the measure.

    Parameters
    ----------
    first, second : str
        Names of the two agents, or of whatever is compared.
    sign : {-1, 0, +1}
        The predicted sign of the first minus the second. 0 predicts no difference.
    measure : callable or str
        ``measure(numbers, name)`` returns the `Measure` of one of them, from the numbers of the
        experiment. A str names an array of the runs, of which the mean is taken.
    where : str
        What the comparison is restricted to, such as a maze.
    decides : bool
        Whether it is a statement of the ledger, or only shown beside the claim.
    statement : str
        What it says, in one sentence, if it is a part of a larger claim.
    quote : str
        The sentence of the paper that says so. By default that of the claim.
    by_construction : str
        Why it could not come out otherwise, such as an identity. It is then shown and not counted.
    """

    first: str
    second: str
    sign: int
    measure: Callable[[Any, str], Measure] | str
    where: str = ""
    decides: bool = True
    statement: str = ""
    quote: str = ""
    by_construction: str = ""


@dataclass(frozen=True)
class Claim:
    """What is claimed, and its statements: one comparison each.

    Parameters
    ----------
    id : str
        The name of the claim.
    text : str
        What is claimed, in one sentence.
    compares : sequence of Pair, or callable
        The statements, and what is shown beside them. Where they depend on the setting,
        ``compares(numbers)`` returns them. It may also return exact checks
        (`hsr.experiments.ledger.Evidence`).
    figure, paper : str
        The figure of the paper, and the number that the paper gives.
    test : str
        The paper's own test in one world, a name of `hsr.experiments.stats.SINGLE_WORLD_TESTS`.
    quote : str
        The sentence of the paper.
    """

    id: str
    text: str
    compares: Sequence[Pair] | Callable[[Any], Iterable[Pair | Evidence]]
    figure: str = "ours"
    paper: str = "ours"
    test: str = "two_sample_t"
    quote: str = ""

    def contrasts(self, numbers: Any) -> list[Contrast | Evidence]:
        """Return what the claim compares in the numbers of its experiment."""
        found = self.compares(numbers) if callable(self.compares) else self.compares
        return [
            self._contrast(one, numbers) if isinstance(one, Pair) else replace(one, claim=self.id)
            for one in found
        ]

    def _contrast(self, pair: Pair, numbers: Any) -> Contrast:
        of = pair.measure
        first, second = (
            mean_of(numbers, name, of) if isinstance(of, str) else of(numbers, name)
            for name in (pair.first, pair.second)
        )
        agents = pair.first, pair.second
        return Contrast(
            self.id, agents, pair.sign, first, second, self.test, pair.where, pair.decides,
            pair.statement, pair.quote or self.quote, pair.by_construction,
        )  # fmt: skip


def mean_of(rows: Mapping[str, Any], name: str, array: str) -> Measure:
    """Return the mean of an array (seed, ...) of an agent's runs, one number per seed."""
    values = np.asarray(rows[name].array(array), dtype=float)
    values = values.reshape(len(values), values.shape[1] if values.ndim > 1 else 1, -1)
    return Measure(array, values.mean(axis=-1))
